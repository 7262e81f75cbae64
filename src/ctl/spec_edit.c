/* spec_edit - a changed copy of a job's spec; see spec_edit.h. */
#include "ctl/spec_edit.h"

#include "core/pbutil.h"

void spec_edit_begin(struct spec_edit *e, const struct job *j)
{
    *e = (struct spec_edit){ .spec = spec_decode(j->spec), .blobs = &e->blob };
    pb__blob__init(&e->blob);
}

void spec_edit_clear(struct spec_edit *e)
{
    if (e->spec)
        pb__job_spec__free_unpacked(e->spec, NULL);
    buf_clear(&e->bytes);
    *e = (struct spec_edit){ 0 };
}

const struct buf *spec_edit_encode(struct spec_edit *e)
{
    buf_reset(&e->bytes);
    pb_pack(&e->bytes, &e->spec->base);
    return &e->bytes;
}

void spec_edit_put(struct spec_edit *e, const struct cluster *c, Pb__EvUpdate *ev)
{
    if (!e->bytes.len)
        (void)spec_edit_encode(e);
    const struct blob *known = cluster_find_blob(c, e->bytes.s, e->bytes.len);
    ev->spec = e->blob.id = known ? known->id : c->next_blob;
    e->blob.data = (ProtobufCBinaryData){ e->bytes.len, (uint8_t *)e->bytes.s };
    ev->blobs = &e->blobs;
    ev->n_blobs = known ? 0 : 1;
}
