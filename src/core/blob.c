/* blob - bytes kept once by content: scripts, environments, job_specs. */
#include "base/str.h"
#include "core/cluster_priv.h"
#include "core/pbutil.h"
#include "text/array.h"

/* A blob's bytes are kept once, as the snapshot has them: a field of pb.Snapshot with a pb.Blob in it, at the end of
 * which they stand. */
static char *put_piece(struct cluster *c, uint64_t id, const void *p, size_t len)
{
    auto_buf struct buf head = BUF_INIT;
    struct buf piece = BUF_INIT;
    pb_add_number(&head, 1, id);
    if (len)
        pb_add_head(&head, 2, len);
    pb_add_parts(&piece, SNAPSHOT_BLOBS, head.s, head.len, p, len);
    size_t n = piece.len;
    char *bytes = mem_grow(buf_take(&piece), n + 1, 1);
    snap_put(c->snap, SNAP_BLOB, id, bytes, n);
    return bytes + n - len;
}

struct blob *blob_add(struct cluster *c, uint64_t id, const void *p, size_t len)
{
    struct blob *b = NEW(struct blob);
    *b = (struct blob){ .id = id, .len = len, .data = put_piece(c, id, p, len) };
    map_put(&c->blobs, id, b);
    uint64_t hash = map_hash_bytes(p, len);
    if (!map_get(&c->blob_by_hash, hash))
        map_put(&c->blob_by_hash, hash, b);
    if (id >= c->next_blob)
        c->next_blob = id + 1;
    return b;
}

struct blob *cluster_find_blob(const struct cluster *c, const void *p, size_t len)
{
    struct blob *b = map_get(&c->blob_by_hash, map_hash_bytes(p, len));
    /* The hash is not meant against attackers: equal means equal bytes. */
    return b && b->len == len && (!len || !memcmp(b->data, p, len)) ? b : NULL;
}

struct blob *blob_ref(struct cluster *c, uint64_t id)
{
    struct blob *b = id ? map_get(&c->blobs, id) : NULL;
    if (b)
        b->refs++;
    return b;
}

void blob_unref(struct cluster *c, struct blob *b)
{
    if (!b || --b->refs)
        return;
    map_del(&c->blobs, b->id);
    uint64_t hash = map_hash_bytes(b->data, b->len);
    if (map_get(&c->blob_by_hash, hash) == b)
        map_del(&c->blob_by_hash, hash);
    snap_remove(c->snap, SNAP_BLOB, b->id);
    free(b);
}

static char *text_or_empty(const char *s)
{
    return mem_str(s ? s : "");
}

/* The whole array as it was asked for: what SLURM_ARRAY_TASK_COUNT and friends tell each task. */
static void read_array(struct spec *s, const char *text)
{
    auto_array struct array a = ARRAY_INIT;
    if (str_empty(text) || array_parse(text, ARRAY_LARGEST, &a, NULL))
        return;
    s->array_min = s->array_max = (uint32_t)bitmap_next(&a.tasks, 0);
    uint32_t second = 0;
    bitmap_each (&a.tasks, i) {
        s->array_count++;
        if (s->array_count == 2)
            second = (uint32_t)i;
        s->array_max = (uint32_t)i;
    }
    s->array_step = strchr(text, ':') && second ? second - s->array_min : 1;
}

/* A list of jobs is mostly specs: ten limits in each were most of what squeue had to read. */
static char *shown_bytes(Pb__JobSpec *pb, size_t *len)
{
    struct buf b = BUF_INIT;
    size_t limits = pb->n_rlimits;
    pb->n_rlimits = 0;
    pb_pack(&b, &pb->base);
    pb->n_rlimits = limits;
    *len = b.len;
    return buf_take(&b);
}

struct spec *spec_make(const void *bytes, size_t len, struct err *err)
{
    Pb__JobSpec *pb = pb__job_spec__unpack(NULL, len, bytes);
    if (!pb) {
        err_set(err, EBADMSG, "a job_spec that does not parse");
        return NULL;
    }
    if (!pb_all_known(&pb->base)) {
        err_set(err, EBADMSG, "a job_spec with a field that this release does not know");
        pb__job_spec__free_unpacked(pb, NULL);
        return NULL;
    }
    struct spec *s = NEW(struct spec);
    if (req_init(&s->req, pb, err)) {
        pb__job_spec__free_unpacked(pb, NULL);
        free(s);
        return NULL;
    }
    s->name = text_or_empty(pb->name);
    s->partition = text_or_empty(pb->partition);
    s->account = text_or_empty(pb->account);
    s->qos = text_or_empty(pb->qos);
    s->batch_features = *pb->batch_features ? mem_str(pb->batch_features) : NULL;
    s->nice = pb->nice;
    s->site_factor = pb->site_factor;
    s->signal = pb->signal;
    s->says_requeue = pb->requeue == PB__REQUEUE__REQUEUE_YES;
    s->signal_before_s = pb->signal_before_s;
    s->signal_batch = pb->signal_batch;
    s->deadline_s = pb->deadline_s;
    s->kind = pb->kind;
    s->kill_invalid_dep = pb->kill_on_invalid_dep      ? PB__CHOICE__CHOICE_YES
                          : pb->no_kill_on_invalid_dep ? PB__CHOICE__CHOICE_NO
                                                       : PB__CHOICE__CHOICE_BY_CONFIG;
    s->shown = shown_bytes(pb, &s->shown_len);
    read_array(s, pb->array);
    pb__job_spec__free_unpacked(pb, NULL);
    return s;
}

Pb__JobSpec *spec_decode(const struct spec *s)
{
    return pb__job_spec__unpack(NULL, s->blob->len, (const uint8_t *)s->blob->data); /* spec_make() has read it */
}

struct spec *spec_ref(struct cluster *c, uint64_t blob_id, struct err *err)
{
    struct blob *b = blob_ref(c, blob_id);
    if (!b) {
        err_set(err, EINVAL, "there is no job_spec %llu", (unsigned long long)blob_id);
        return NULL;
    }
    struct spec *s = map_get(&c->specs, blob_id);
    if (s)
        return s;
    s = spec_make(b->data, b->len, err);
    if (!s) {
        blob_unref(c, b);
        return NULL;
    }
    s->blob = b;
    map_put(&c->specs, blob_id, s);
    return s;
}

void spec_free(struct spec *s)
{
    req_clear(&s->req);
    free(s->name);
    free(s->partition);
    free(s->account);
    free(s->batch_features);
    free(s->qos);
    free(s->shown);
    free(s);
}

/* A spec lives exactly as long as its blob: the blob's count is the spec's. */
void spec_unref(struct cluster *c, struct spec *s)
{
    if (!s)
        return;
    struct blob *b = s->blob;
    if (b->refs == 1) {
        map_del(&c->specs, b->id);
        spec_free(s);
    }
    blob_unref(c, b);
}
