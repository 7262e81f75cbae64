/*
 * spec_edit - a changed copy of a job's spec.
 *
 * A spec is shared by all jobs with the same bytes and is never changed in place.  spec_edit_begin() decodes it,
 * the caller edits the copy, spec_edit_put() encodes the copy and names its blob in an event: an existing blob with
 * the same bytes, or a new one.
 */
#ifndef SPUR_CTL_SPEC_EDIT_H
#define SPUR_CTL_SPEC_EDIT_H

#include "core/cluster.h"

struct spec_edit {
    Pb__JobSpec *spec; /* the copy, to be changed; its texts by pb_set_text() */
    struct buf bytes;  /* the copy encoded, after spec_edit_encode() */
    Pb__Blob blob, *blobs;
};

#define auto_spec_edit __attribute__((cleanup(spec_edit_clear)))

void spec_edit_begin(struct spec_edit *e, const struct job *j);
void spec_edit_clear(struct spec_edit *e);

/* Encode the copy as it is now, to look at it before the event; spec_edit_put() does it otherwise. */
const struct buf *spec_edit_encode(struct spec_edit *e);
/* `ev` borrows the bytes: emit it before spec_edit_clear(). */
void spec_edit_put(struct spec_edit *e, const struct cluster *c, Pb__EvUpdate *ev);

#endif
