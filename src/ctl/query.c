/* query - answers about the state: filtered here, where the data is, from bytes made once per change. */
#include <unistd.h>

#include "core/het.h"
#include "ctl/access.h"
#include "ctl/by_user.h"
#include "ctl/directory.h"
#include "ctl/query_cache.h"
#include "ctl/step.h"
#include "ctl/privacy.h"
#include "ctl/query.h"
#include "ctl/request.h"
#include "ctl/stat.h"

#define CHUNK (96u * 1024) /* measured: smaller frames stay in the cache of both sides */

/* ---- filters ---- */

static bool in_u32(const uint32_t *list, size_t n, uint32_t v)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == v)
            return true;
    return !n;
}

bool query_named(char *const *list, size_t n, const char *v)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(list[i], v))
            return true;
    return !n;
}

static bool any_part(char *const *list, size_t n, const char *parts)
{
    for (size_t i = 0; i < n; i++)
        if (str_in_list(parts, list[i]))
            return true;
    return !n;
}

static bool state_match(const Pb__JobQuery *q, const struct job *j)
{
    if (!q->n_state)
        return q->with_done || !job_ended(j) || (j->state & JOB_COMPLETING);
    for (size_t i = 0; i < q->n_state; i++) {
        uint32_t want = q->state[i];
        if (want >= 0x100 ? job_shown_state(j) & want : job_base(j) == want)
            return true;
    }
    return false;
}

static bool on_node(const struct ctl *t, const Pb__JobQuery *q, const struct job *j)
{
    if (!q->n_node)
        return true;
    for (uint32_t i = 0; i < j->alloc.n; i++)
        if (query_named(q->node, q->n_node, t->c->node[j->alloc.at[i].node].name))
            return true;
    return false;
}

static bool list_named(const Pb__JobQuery *q, const struct job *j)
{
    if (!q->n_job && !q->n_task)
        return true;
    for (size_t i = 0; i < q->n_job; i++)
        if (q->job[i] == j->id || (j->array_job && q->job[i] == j->array_job) ||
            (j->het_job && q->job[i] == j->het_job))
            return true;
    for (size_t i = 0; i < q->n_task; i++)
        if (q->task[i]->job == j->array_job &&
            (j->array ? bitmap_has(&j->array->pending, q->task[i]->task) : j->array_task == q->task[i]->task))
            return true;
    return false;
}

static char *core_spec_text(const struct job *j, int which)
{
    Pb__JobSpec *s = spec_decode(j->spec);
    char *text = mem_str(which == 0 ? s->qos : which == 2 ? s->licenses : s->wckey);
    pb__job_spec__free_unpacked(s, NULL);
    return text;
}

static bool license_named(const struct job *j, char *const *list, size_t n)
{
    const struct license_list *l = &j->spec->req.licenses;
    for (size_t i = 0; i < l->n; i++)
        if (query_named(list, n, l->at[i].name))
            return true;
    return false;
}

static bool resv_named(const struct job *j, char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(list[i], str_or(j->resv_name, "")) ||
            (j->spec->req.reservation && str_in_list(j->spec->req.reservation, list[i])))
            return true;
    return false;
}

/* Asked for seldom: read from the spec's bytes. */
static bool rare_match(const Pb__JobQuery *q, const struct job *j)
{
    const struct {
        char *const *list;
        size_t n;
    } rare[] = { { q->qos, q->n_qos },
                 { NULL, 0 },
                 { q->licenses, q->n_licenses },
                 { q->wckey, q->n_wckey } };
    if (q->n_reservation && !resv_named(j, q->reservation, q->n_reservation))
        return false;
    for (int i = 0; i < 4; i++) {
        if (!rare[i].n)
            continue;
        auto_free char *text = core_spec_text(j, i);
        if (i == 2 ? !license_named(j, rare[i].list, rare[i].n) : !query_named(rare[i].list, rare[i].n, text))
            return false;
    }
    return true;
}

/* All but its number. */
static bool rest_match(const struct ctl *t, const Pb__JobQuery *q, const struct job *j)
{
    return state_match(q, j) && in_u32(q->uid, q->n_uid, j->uid) &&
           any_part(q->partition, q->n_partition, j->partition) && query_named(q->name, q->n_name, j->spec->name) &&
           query_named(q->account, q->n_account, j->spec->account) && on_node(t, q, j) && rare_match(q, j);
}

bool query_match(const struct ctl *t, const Pb__JobQuery *q, const struct job *j)
{
    return rest_match(t, q, j) && list_named(q, j);
}

/* ---- jobs ---- */

struct list {
    struct ctl *t;
    const Pb__JobQuery *q;
    struct pages *pages;
    struct buf out;              /* the frame under way */
    struct map specs;            /* spec -> 1 + its place in this frame */
    uint64_t last_spec;          /* jobs beside each other often have the same: 0, or where it is ... */
    uintptr_t last_at;           /* ... 1 + its place */
    struct buf more;             /* what follows a job's own bytes */
    struct map told;             /* jobs asked for by number: each once, however often it is named */
};

enum { F_LIST_JOBS = 1, F_LIST_SPECS = 4, F_JOB_STEPS = 39, F_JOB_SPEC_REF = 62 };

static void query_flush(struct list *l, bool last)
{
    Pb__JobList tail = PB__JOB_LIST__INIT;
    tail.now_s = NOW_S(l->t);
    pb_pack(&l->out, &tail.base);
    pages_add(l->pages, &l->out, !last);
    map_clear(&l->specs);
    l->last_at = 0;
}

/* Many jobs share a spec: a frame holds each once. */
static uintptr_t spec_ref(struct list *l, const struct spec *s)
{
    if (l->last_at && l->last_spec == s->blob->id)
        return l->last_at;
    uintptr_t at = (uintptr_t)map_get(&l->specs, s->blob->id);
    if (!at) {
        at = l->specs.n + 1;
        map_put(&l->specs, s->blob->id, (void *)at);
        pb_add_field(&l->out, F_LIST_SPECS, s->shown, s->shown_len);
    }
    l->last_spec = s->blob->id;
    return l->last_at = at;
}

/* Steps that wait are not the job's: they stand behind its bytes. */
static void add_waiting(const struct ctl *t, uint32_t job_id, struct buf *out)
{
    Pb__Step s;
    for (size_t i = 0; step_wait_each(t, job_id, &i, &s);) {
        Pb__StepSpec bare = *s.spec;
        bare.env = (ProtobufCBinaryData){ 0, NULL };
        bare.io = NULL;
        s.spec = &bare;
        pb_pack_field(out, F_JOB_STEPS, &s.base);
    }
}

static void query_add(struct list *l, struct job *j)
{
    uint32_t len;
    const char *bytes = cluster_job_bytes(l->t->c, j, &len);
    struct buf *more = &l->more;
    if (!l->out.cap)
        buf_room(&l->out, CHUNK + 4096);
    buf_reset(more);
    pb_add_number(more, F_JOB_SPEC_REF, spec_ref(l, j->spec));
    if (l->q->steps)
        add_waiting(l->t, j->id, more);
    pb_add_parts(&l->out, F_LIST_JOBS, bytes, len, more->s, more->len);
    if (l->out.len > CHUNK)
        query_flush(l, false);
}

/* Does the question name anything but states? */
static bool query_picky(const Pb__JobQuery *q)
{
    return q->n_job || q->n_task || q->n_uid || q->n_partition || q->n_name || q->n_account || q->n_node || q->n_qos ||
           q->n_reservation || q->n_licenses || q->n_wckey;
}

static void add_matching(struct list *l, struct joblist *jobs)
{
    bool all = !query_picky(l->q);
    for (struct job *j = jobs->head; j; j = j->next)
        if (all ? state_match(l->q, j) : query_match(l->t, l->q, j))
            query_add(l, j);
}

static void add_users(struct list *l, const struct user_jobs *jobs)
{
    for (size_t i = 0; jobs && i < jobs->v.n; i++)
        if (query_match(l->t, l->q, jobs->v.at[i]))
            query_add(l, jobs->v.at[i]);
}

static bool query_wants(const Pb__JobQuery *q, enum job_state from, enum job_state to, uint32_t flag)
{
    if (!q->n_state)
        return from <= JOB_SUSPENDED || q->with_done;
    for (size_t i = 0; i < q->n_state; i++)
        if ((q->state[i] >= from && q->state[i] <= to) || (flag && q->state[i] == flag))
            return true;
    return false;
}

static void add_once(struct list *l, struct job *j)
{
    if (j && !map_put(&l->told, j->id, j) && rest_match(l->t, l->q, j))
        query_add(l, j);
}

/* All that one number means: a job, an array, the components of one job. */
static void add_number(struct list *l, uint32_t id)
{
    const struct cluster *c = l->t->c;
    struct array_group *g = cluster_array(c, id);
    struct job *j = cluster_job(c, id);
    for (size_t k = 0; g && k < g->jobs.n; k++)
        add_once(l, g->jobs.at[k]);
    add_once(l, j);
    for (uint32_t k = 1; j && het_leads(j) && k < j->het_size; k++)
        add_once(l, het_part(c, j, k));
}

/* By id: no walk over everything. */
static void add_named(struct list *l)
{
    for (size_t i = 0; i < l->q->n_job; i++)
        if (!map_put(&l->told, (uint64_t)l->q->job[i] << 32, l)) /* the number, beside the jobs themselves */
            add_number(l, l->q->job[i]);
    for (size_t i = 0; i < l->q->n_task; i++)
        add_once(l, cluster_array_task(l->t->c, l->q->task[i]->job, l->q->task[i]->task));
}

static bool query_seen(const struct ctl_call *call, const struct job *j)
{
    return j && privacy_shows_job(call->t, call->peer, j);
}

/* Does the query name a job that the peer may see, or none? */
static bool all_known(const struct ctl_call *call, const Pb__JobQuery *q)
{
    const struct ctl *t = call->t;
    for (size_t i = 0; i < q->n_job; i++) {
        const struct array_group *g = cluster_array(t->c, q->job[i]);
        if (query_seen(call, cluster_job(t->c, q->job[i])) || (g && g->jobs.n && query_seen(call, g->jobs.at[0])))
            return true;
    }
    for (size_t i = 0; i < q->n_task; i++)
        if (query_seen(call, cluster_array_task(t->c, q->task[i]->job, q->task[i]->task)))
            return true;
    return !q->n_job && !q->n_task;
}

static void list_jobs(struct ctl *t, const ProtobufCMessage *m, struct pages *out)
{
    const Pb__JobQuery *q = (const Pb__JobQuery *)m;
    struct list l = { .t = t, .q = q, .pages = out };
    if (q->n_job || q->n_task) {
        add_named(&l);
    } else if (query_cache_by_user(t) && q->n_uid == 1) {
        add_users(&l, by_user_find(query_cache_by_user(t), t->c, q->uid[0]));
    } else {
        if (query_wants(q, JOB_PENDING, JOB_PENDING, 0))
            add_matching(&l, &t->c->pending);
        add_matching(&l, &t->c->active);
        if (query_wants(q, JOB_COMPLETED, JOB_STATE_COUNT, 0))
            add_matching(&l, &t->c->done);
    }
    query_flush(&l, true);
    buf_clear(&l.more);
    map_clear(&l.told);
}

/* A query for a few jobs does not use the cache. */
static void answer_now(const struct ctl_call *call, enum msg_type reply, query_make_fn *make)
{
    struct pages own = { 0 };
    make(call->t, call->m, &own);
    pages_say(call->t, call->session, call->number, reply, &own);
    pages_clear(&own);
}

void ctl_jobs(const struct ctl_call *call)
{
    Pb__JobQuery *q = (Pb__JobQuery *)call->m;
    if (privacy_hidden(call->t, call->peer) & PRIVATE_JOBS)
        privacy_restrict(q, call->peer->uid);
    if (!all_known(call, q))
        ctl_fail(call, ESLURM_INVALID_JOB_ID, "%s", err_text(ESLURM_INVALID_JOB_ID));
    else if (!q->n_job && !q->n_task && !q->steps)
        query_cache_ask(call, MSG_JOBS_REPLY, list_jobs);
    else
        answer_now(call, MSG_JOBS_REPLY, list_jobs);
}

/* ---- nodes and partitions ---- */

static void add_nodes(const struct ctl *t, unsigned field, char *const *names, size_t n, struct buf *out)
{
    const struct cluster *c = t->c;
    auto_buf struct buf one = BUF_INIT;
    for (size_t i = 0; i < c->nnodes; i++) {
        if (node_base(&c->node[i]) == NODE_FUTURE || !query_named(names, n, c->node[i].name))
            continue;
        buf_reset(&one);
        cluster_node_bytes(c, &c->node[i], &one);
        pb_add_field(out, field, one.s, one.len);
    }
}

static void add_part(const struct ctl *t, const struct part *p, unsigned field, struct buf *out)
{
    const struct cluster *c = t->c;
    Pb__Part pb = *p->pb;
    bitmap_each (&p->nodes, i) {
        pb.total_cpus += c->node[i].cpus;
        pb.total_nodes++;
    }
    pb_pack_field(out, field, &pb.base);
}

static void add_parts(const struct ctl *t, unsigned field, char *const *names, size_t n, struct buf *out)
{
    const struct cluster *c = t->c;
    for (size_t i = 0; i < c->part.n; i++)
        if (query_named(names, n, c->part.at[i]->pb->name))
            add_part(t, c->part.at[i], field, out);
}

static void list_nodes(struct ctl *t, const ProtobufCMessage *m, struct pages *pages)
{
    const Pb__NodeQuery *q = (const Pb__NodeQuery *)m;
    struct buf out = BUF_INIT;
    Pb__NodeList l = PB__NODE_LIST__INIT;
    l.now_s = NOW_S(t);
    pb_pack(&out, &l.base);
    add_nodes(t, 1, q->name, q->n_name, &out);
    pages_add(pages, &out, false);
}

static void list_parts(struct ctl *t, const ProtobufCMessage *m, struct pages *pages)
{
    const Pb__PartQuery *q = (const Pb__PartQuery *)m;
    struct buf out = BUF_INIT;
    Pb__PartList l = PB__PART_LIST__INIT;
    l.now_s = NOW_S(t);
    pb_pack(&out, &l.base);
    add_parts(t, 1, q->name, q->n_name, &out);
    pages_add(pages, &out, false);
}

static void list_cluster(struct ctl *t, const ProtobufCMessage *m, struct pages *pages)
{
    struct buf out = BUF_INIT;
    Pb__ClusterList l = PB__CLUSTER_LIST__INIT;
    l.now_s = NOW_S(t);
    pb_pack(&out, &l.base);
    add_nodes(t, 1, NULL, 0, &out);
    add_parts(t, 2, NULL, 0, &out);
    pages_add(pages, &out, false);
}

/* Nodes and partitions are no user's own: Slurm refuses such a query as a whole. */
static bool query_refused(const struct ctl_call *call, unsigned kinds)
{
    if (!(privacy_hidden(call->t, call->peer) & kinds))
        return false;
    ctl_fail(call, ESLURM_ACCESS_DENIED, "%s", err_text(ESLURM_ACCESS_DENIED));
    return true;
}

void ctl_nodes(const struct ctl_call *call)
{
    if (query_refused(call, PRIVATE_NODES))
        return;
    if (((const Pb__NodeQuery *)call->m)->n_name)
        answer_now(call, MSG_NODES_REPLY, list_nodes);
    else
        query_cache_ask(call, MSG_NODES_REPLY, list_nodes);
}

void ctl_parts(const struct ctl_call *call)
{
    if (!query_refused(call, PRIVATE_PARTITIONS))
        answer_now(call, MSG_PARTS_REPLY, list_parts);
}

void ctl_cluster_list(const struct ctl_call *call)
{
    if (!query_refused(call, PRIVATE_NODES | PRIVATE_PARTITIONS))
        query_cache_ask(call, MSG_CLUSTER_REPLY, list_cluster);
}

/* ---- the rest ---- */

static uint32_t configured_uid(const struct ctl *t, const char *key)
{
    const char *name = site_value(t->site, key);
    uint32_t uid = 0;
    return !str_empty(name) && directory_uid(t, name, &uid) ? uid : 0;
}

void ctl_config_text(const struct ctl_call *call)
{
    struct ctl *t = call->t;
    auto_buf struct buf text = BUF_INIT;
    struct site_facts facts = { NOW_S(t), t->facts.boot_s, t->c->next_job, (uint32_t)t->c->nnodes, "26.05.5",
                                configured_uid(t, "SlurmUser"), configured_uid(t, "SlurmdUser") };
    if (directory_parked(t))
        return;
    site_config_text(t->site, &facts, &text);
    Pb__ConfigReply r = PB__CONFIG_REPLY__INIT;
    r.text = text.s;
    r.boot_s = t->facts.boot_s;
    r.now_s = NOW_S(t);
    ctl_reply(call, MSG_CONFIG_REPLY, &r.base);
}

void ctl_script(const struct ctl_call *call)
{
    const Pb__ScriptRequest *q = (Pb__ScriptRequest *)call->m;
    struct job *j = cluster_job(call->t->c, q->job_id);
    if (j && het_is(j) && !het_leads(j) && het_part(call->t->c, j, 0))
        j = het_part(call->t->c, j, 0); /* the script is the first component's */
    const struct blob *b = !j ? NULL : q->env ? j->env : j->script;
    int code = !j                                       ? ESLURM_INVALID_JOB_ID
               : !access_may(call->t, call->peer, RIGHT_SCRIPT, j) ? ESLURM_USER_ID_MISSING
               : !b                                     ? ESLURM_JOB_SCRIPT_MISSING
                                                        : 0;
    if (code) {
        ctl_fail(call, code, "%s", err_text(code));
        return;
    }
    Pb__ScriptReply r = PB__SCRIPT_REPLY__INIT;
    r.script = (ProtobufCBinaryData){ b->len, (uint8_t *)b->data };
    ctl_reply(call, MSG_SCRIPT_REPLY, &r.base);
}

static uint64_t rss_kb(void)
{
    auto_buf struct buf b = BUF_INIT;
    unsigned long total, resident = 0;
    if (!buf_read_file(&b, "/proc/self/statm", 4096) && sscanf(b.s, "%lu %lu", &total, &resident) == 2)
        return resident * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
    return 0;
}

void ctl_status(const struct ctl_call *call)
{
    struct ctl *t = call->t;
    Pb__StatusReply r = PB__STATUS_REPLY__INIT;
    r.id = t->id;
    r.leader_id = t->facts.leader_id, r.role = t->facts.role, r.term = t->facts.term;
    r.applied = t->facts.applied, r.committed = t->facts.committed, r.boot_s = t->facts.boot_s;
    r.jobs = (uint32_t)t->c->jobs.n, r.pending = (uint32_t)t->c->pending.n, r.running = (uint32_t)t->c->active.n;
    r.nodes = (uint32_t)t->c->nnodes, r.events = t->c->events;
    r.version = SPUR_VERSION, r.pid = (uint32_t)getpid(), r.cluster = t->c->name;
    r.rss_kb = rss_kb();
    struct stat_traffic m = stat_traffic(t);
    r.orders_sent = m.orders_sent, r.nodes_ordered = m.nodes_ordered;
    r.reports_heard = m.reports_heard, r.nodes_reported = m.nodes_reported;
    ctl_reply(call, MSG_STATUS_REPLY, &r.base);
}

void ctl_why(const struct ctl_call *call)
{
    struct ctl *t = call->t;
    const Pb__WhyRequest *q = (Pb__WhyRequest *)call->m;
    struct job *j = q->has_task ? cluster_array_task(t->c, q->job_id, q->task) : cluster_job(t->c, q->job_id);
    if (!query_seen(call, j)) {
        ctl_fail(call, ESLURM_INVALID_JOB_ID, "%s", err_text(ESLURM_INVALID_JOB_ID));
        return;
    }
    struct why_text text = { 0 };
    sched_explain(t->sched, t->c, j, NOW_S(t), &text);
    Pb__WhyReply r = PB__WHY_REPLY__INIT;
    enum why_code code = job_pending(j)
                             ? (j->hold ? (j->hold == HOLD_ADMIN ? WHY_HELD_ADMIN : WHY_HELD_USER) : j->why.code)
                             : (enum why_code)j->reason;
    r.job_id = j->id;
    r.code = code;
    r.reason = (char *)why_name(code);
    r.detail = text.sentence;
    r.hints = text.hints.at;
    r.n_hints = text.hints.n;
    r.planned_start_s = text.planned_s;
    r.ahead = text.ahead;
    r.state = (char *)job_state_name(j->state);
    ctl_reply(call, MSG_WHY_REPLY, &r.base);
    why_text_clear(&text);
}
