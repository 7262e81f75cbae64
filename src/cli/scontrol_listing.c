/* scontrol_listing - the records of an answer; see scontrol_listing.h. */
#include "cli/scontrol_listing.h"

#include "base/str.h"
#include "cli/names.h"
#include "cli/say.h"
#include "text/array.h"

void listing_init(struct listing *l, struct scontrol *s, const struct jobrefs *refs, const struct show_table *table,
                  const char *key)
{
    uint64_t n;
    const char *len = getenv("SLURM_BITSTR_LEN");
    *l = (struct listing){ .s = s, .ref = refs->ref.n ? refs->ref.at[0] : NULL };
    l->env = (struct show_env){ .user = names_user, .group = names_group };
    show_pairs_init(&l->pairs, table, s->one_line, s->detail);
    if (s->doc.format) {
        document_begin(&s->doc);
        document_rows_begin(&s->doc, key, table);
    }
    l->env.array_len = len && str_u64(len, 0, 1 << 20, &n) ? (size_t)n : ARRAY_TEXT_LEN;
}

void listing_clear(struct listing *l)
{
    show_pairs_clear(&l->pairs);
    buf_clear(&l->text);
    vec_clear(&l->record);
}

int listing_ask(struct listing *l, Pb__JobQuery *query, client_each_fn *each, struct err *err)
{
    struct client *c = scontrol_client(l->s, err);
    if (!c)
        return err->code;
    l->env.cluster = client_site(c)->cluster;
    query->with_done = true;
    query->hidden = true;
    query->detail = l->s->detail;
    if (l->ref) {
        query->job = (uint32_t *)&l->ref->job;
        query->n_job = 1;
    }
    return client_stream(c, MSG_JOBS, &query->base, MSG_JOBS_REPLY, each, l, err);
}

void listing_add(struct listing *l, const void *row, uint64_t order)
{
    size_t at = l->text.len;
    if (l->s->doc.format)
        document_row(&l->s->doc, row);
    else
        show_pairs_row(&l->pairs, row, &l->text);
    vec_push(&l->record, (struct listing_record){ order, at, l->text.len - at });
}

static int cmp_records(const void *a, const void *b)
{
    const struct listing_record *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

void listing_print(struct listing *l)
{
    struct buf out = BUF_INIT;
    if (l->record.n > 1)
        qsort(l->record.at, l->record.n, sizeof(*l->record.at), cmp_records);
    for (size_t i = 0; i < l->record.n; i++)
        buf_add(&out, l->text.s + l->record.at[i].at, l->record.at[i].len);
    say_flush(&out);
    buf_clear(&out);
}

void listing_document(struct listing *l, bool backfill)
{
    struct document *d = &l->s->doc;
    document_rows_end(d);
    if (backfill)
        document_time(d, "last_backfill", l->env.now_s);
    document_time(d, "last_update", l->env.now_s);
    document_end(d, l->s->client);
}

static bool row_of_task(struct job_row *r, uint32_t task)
{
    if (r->job->has_task)
        return r->job->array_task == task;
    auto_array struct array a = ARRAY_INIT;
    if (!*r->job->array_text || array_parse(r->job->array_text, UINT32_MAX, &a, NULL) || !bitmap_has(&a.tasks, task))
        return false;
    r->one_task = true;
    r->task = task;
    return true;
}

bool listing_wants(const struct listing *l, struct job_row *r)
{
    return r->job->spec && (!l->ref || !l->ref->has_task || row_of_task(r, l->ref->task)) &&
           (!l->ref || !l->ref->has_het || (r->job->het_job == l->ref->job && r->job->het_offset == l->ref->het));
}
