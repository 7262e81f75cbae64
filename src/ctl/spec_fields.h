/*
 * spec_fields - which peer may set each field of a submission or a step, and how much a field may hold.
 *
 * A request is decoded from bytes that a user wrote.  Each field of JobSpec and of StepSpec has a row: fields that the
 * controller sets itself are refused from all peers, fields for administrators from users, and texts, lists and numbers
 * over their bound from all.  The refusal names the field.  A field without a row fails the test ctl_spec_fields.
 */
#ifndef SPUR_CTL_SPEC_FIELDS_H
#define SPUR_CTL_SPEC_FIELDS_H

#include "ctl/ctl_priv.h"

#define SPEC_ENV_MAX (2u << 20) /* bytes in the environment of a job or a step */

enum spec_by { SPEC_USER, SPEC_ADMIN, SPEC_SERVER };

struct spec_row { /* in the order of the fields' tags, as the descriptor has them */
    const char *name;
    enum spec_by by;
    uint64_t max; /* bytes of a text or of all texts of a list; messages in a list; the largest number; 0: any */
    uint32_t level; /* the feature level (core/level.h) that introduced the field; 0: the first */
};

/* The rows of JobSpec, of StepSpec, and of the messages inside them; NULL for others. */
const struct spec_row *spec_rows(const ProtobufCMessageDescriptor *d, size_t *n);

/* Check what `peer` asks for: 0, ESLURM_ACCESS_DENIED, ESLURM_PATHNAME_TOO_LONG, EOPNOTSUPP or EINVAL with a
 * sentence. */
int spec_check(struct ctl *t, const struct ctl_peer *peer, const ProtobufCMessage *m, struct err *err);
/* The bounds alone, whichever peer set the fields: after an update. */
int spec_check_sizes(const ProtobufCMessage *m, struct err *err);

#endif
