/* resv_show - reservations as scontrol and sinfo show them. */
#include "ctl/privacy.h"
#include "ctl/resv.h"
#include "ctl/job_filter.h"
#include "ctl/request.h"
#include "text/hostlist.h"

static void add_numbers(const struct bitmap *b, struct buf *out)
{
    const char *sep = "";
    for (size_t i = bitmap_next(b, 0); i != BITMAP_END; sep = ",") {
        size_t end = bitmap_next_unset(b, i);
        buf_addf(out, end == i + 1 ? "%s%zu" : "%s%zu-%zu", sep, i, end - 1);
        i = bitmap_next(b, end);
    }
}

static uint32_t cores_of(const struct node *n)
{
    return n->boards * n->sockets * n->cores;
}

/* What it keeps of all its nodes: cores, CPUs, devices. */
struct sums {
    uint32_t cores;
    uint64_t cpus;
    struct buf text, gres;
    struct strs names;
};

static void add_part(const struct node *n, const Pb__ResvNode *rn, struct sums *s)
{
    auto_bitmap struct bitmap cores = BITMAP_INIT;
    pb_to_bitmap(&cores, &rn->cores);
    s->cores += (uint32_t)bitmap_count(&cores);
    s->cpus += rn->cpus;
    if (bitmap_none(&cores))
        return;
    buf_addf(&s->text, "%s%s ", s->text.len ? ";" : "", n->name);
    add_numbers(&cores, &s->text);
}

static void add_gres(const Pb__Resv *r, struct sums *s)
{
    struct {
        char *name;
        uint64_t count;
    } sum[32];
    size_t n = 0;
    for (size_t i = 0; i < r->n_node; i++)
        for (size_t g = 0; g < r->node[i]->n_gres; g++) {
            const Pb__Gres *pb = r->node[i]->gres[g];
            char *name = str_empty(pb->type) ? mem_str(pb->name) : mem_printf("%s:%s", pb->name, pb->type);
            size_t at = 0;
            while (at < n && !str_eq(sum[at].name, name))
                at++;
            if (at == n && n < ARRAY_LEN(sum))
                sum[n].name = mem_str(name), sum[n++].count = 0;
            if (at < n)
                sum[at].count += pb->count;
            free(name);
        }
    for (size_t i = 0; i < n; i++) {
        buf_addf(&s->gres, ",gres/%s=%lu", sum[i].name, (unsigned long)sum[i].count);
        free(sum[i].name);
    }
}

static void sum_up(const struct cluster *c, const Pb__Resv *r, struct sums *s)
{
    for (size_t i = 0; i < r->n_node; i++) {
        const Pb__ResvNode *rn = r->node[i];
        const struct node *n = &c->node[rn->node];
        strs_add(&s->names, n->name);
        if (rn->cpus || rn->n_gres)
            add_part(n, rn, s);
        else
            s->cores += cores_of(n), s->cpus += n->cpus;
    }
    add_gres(r, s);
}

static void add_resv(const struct ctl *t, const struct resv *r, struct buf *out)
{
    Pb__Resv pb = *r->pb;
    struct sums s = { 0 };
    sum_up(t->c, r->pb, &s);
    resv_span(r->pb, NOW_S(t), &pb.start_s, &pb.end_s);
    auto_free char *nodes = hostlist_compress_sorted(s.names.at, s.names.n);
    auto_free char *tres = s.cpus ? mem_printf("cpu=%lu%s", (unsigned long)s.cpus, s.gres.len ? s.gres.s : "")
                                  : mem_str(s.gres.len ? s.gres.s + 1 : "");
    pb.nodes = nodes;
    pb.node_cnt = (uint32_t)r->pb->n_node;
    pb.shown_cores = s.cores;
    pb.tres = tres;
    pb.core_text = s.text.s;
    pb.n_node = 0;
    pb.n_uid = 0;
    pb_pack_field(out, 1, &pb.base);
    buf_clear(&s.text);
    buf_clear(&s.gres);
    strs_clear(&s.names);
}

void ctl_resvs(const struct ctl_call *call)
{
    const Pb__PartQuery *q = (Pb__PartQuery *)call->m;
    const struct cluster *c = call->t->c;
    struct buf out = BUF_INIT;
    Pb__ResvList l = PB__RESV_LIST__INIT;
    l.now_s = NOW_S(call->t);
    struct name_set set;
    name_set_init(&set, q->name, q->n_name);
    pb_pack(&out, &l.base);
    for (size_t i = 0; i < c->resv.n; i++)
        if (name_set_has(&set, c->resv.at[i]->pb->name) &&
            privacy_shows_resv(call->t, call->peer, c->resv.at[i]))
            add_resv(call->t, c->resv.at[i], &out);
    name_set_clear(&set);
    ctl_say_bytes(call->t, call->session, MSG_RESVS_REPLY, 0, call->number, &out);
}
