/*
 * level - which events a release can read, and which ones a cluster may write.
 *
 * A release reads every event up to its FEATURE_LEVEL.  The cluster's level, which is part of its state, is one that
 * all its controllers read: the leader raises it by an EvLevel when every voter has said that it can, and emits an
 * event only when the event's level has been reached.  So two releases can run mixed, and the newer one can be taken
 * back until the level was raised.  An event that a release does not know stops it: a controller that skipped one would
 * diverge.
 *
 * A new kind of event is a new level: a row in level.c.  So is a new field of an event, of a record in one, or of a
 * JobSpec, whose bytes an event carries as a blob: the code that sets the field compares the cluster's level first; for
 * a JobSpec and a StepSpec that is `level` of the field's row in ctl/spec_fields.c.  Replay, restore and spec_make()
 * refuse unknown fields.  They never come from outside: of users they are refused, of agents, which may be newer than
 * the controllers, they are dropped before anything is decided.
 */
#ifndef SPUR_CORE_LEVEL_H
#define SPUR_CORE_LEVEL_H

#include "base/err.h"
#include "core/feature_level.h" /* FEATURE_LEVEL: the build's */
#include "event.pb-c.h"

#define LEVEL_FIRST 1 /* of a cluster that never raised it */

uint32_t level_of_event(const Pb__Event *ev);      /* 0: a kind that this release has no row for */
const char *level_event_name(const Pb__Event *ev); /* "submit"; "?" for such a kind */
/* Can this release apply it: its kind, and every field in it?  0, or EBADMSG with a sentence. */
int level_check(const Pb__Event *ev, struct err *err);

#endif
