/* query - answers about the state: filtered here, where the data is, from bytes made once per change. */
#include <unistd.h>

#include "core/het.h"
#include "ctl/fence.h"
#include "ctl/access.h"
#include "ctl/by_user.h"
#include "ctl/directory.h"
#include "ctl/job_filter.h"
#include "ctl/query_cache.h"
#include "ctl/step.h"
#include "ctl/privacy.h"
#include "ctl/request.h"
#include "ctl/stat.h"

#define FEW 500u /* jobs that are listed without the cache */
#define CHUNK (96u * 1024) /* measured: smaller frames stay in the cache of both sides */

/* ---- jobs ---- */

/* A list of jobs under way.  What one slice has no time for is left to the next by number: a job that has gone until
 * then is not listed, and none is listed twice. */
struct list {
    struct ctl *t;
    const Pb__JobQuery *q;
    struct job_filter *filter;
    struct pages *pages;
    int64_t until_us;
    bool late;                   /* the slice is over */
    unsigned looked;             /* at so many jobs */
    VEC(uint32_t) rest;          /* jobs that are still to be looked at ... */
    size_t at;                   /* ... from here on */
    bool sliced;
    uint32_t first_new;          /* jobs from this number on are made while the list is */
    struct map arrays;           /* array -> the first number that was free when its record was listed */
    struct buf out;              /* the frame under way */
    struct map specs;            /* spec -> 1 + its place in this frame */
    uint64_t last_spec;          /* jobs beside each other often have the same: 0, or where it is ... */
    uintptr_t last_at;           /* ... 1 + its place */
    struct buf more;             /* what follows a job's own bytes */
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
    if (j->array)
        map_put(&l->arrays, j->id, (void *)(uintptr_t)l->t->c->next_job);
    if (l->out.len > CHUNK)
        query_flush(l, false);
}

/* The clock is not looked at for every job. */
static bool list_late(struct list *l)
{
    l->late |= !(++l->looked % 16) && stat_clock(l->t) >= l->until_us;
    l->sliced |= l->late;
    return l->late;
}

static void list_look(struct list *l, struct job *j)
{
    if (list_late(l))
        vec_push(&l->rest, j->id);
    else if (job_filter_match(l->t, l->filter, j))
        query_add(l, j);
}

static void add_matching(struct list *l, struct joblist *jobs)
{
    for (struct job *j = jobs->head; j; j = j->next)
        list_look(l, j);
}

static void add_users(struct list *l, const struct user_jobs *jobs)
{
    for (size_t i = 0; jobs && i < jobs->v.n; i++)
        list_look(l, jobs->v.at[i]);
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

static void name_once(struct list *l, struct map *named, const struct job *j)
{
    if (j && !map_put(named, j->id, (void *)j))
        vec_push(&l->rest, j->id);
}

/* All that one number means: a job, an array, the components of one job. */
static void name_number(struct list *l, struct map *named, uint32_t id)
{
    const struct cluster *c = l->t->c;
    struct array_group *g = cluster_array(c, id);
    struct job *j = cluster_job(c, id);
    for (size_t k = 0; g && k < g->jobs.n; k++)
        name_once(l, named, g->jobs.at[k]);
    name_once(l, named, j);
    for (uint32_t k = 1; j && het_leads(j) && k < j->het_size; k++)
        name_once(l, named, het_part(c, j, k));
}

/* By id: no walk over everything, and each job once, however often it is named. */
static void add_named(struct list *l)
{
    struct map named = MAP_INIT;
    for (size_t i = 0; i < l->q->n_job; i++)
        if (!map_put(&named, (uint64_t)l->q->job[i] << 32, l)) /* the number, beside the jobs themselves */
            name_number(l, &named, l->q->job[i]);
    for (size_t i = 0; i < l->q->n_task; i++)
        name_once(l, &named, cluster_array_task(l->t->c, l->q->task[i]->job, l->q->task[i]->task));
    map_clear(&named);
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

static void list_free(void *work)
{
    struct list *l = work;
    job_filter_free(l->filter);
    buf_clear(&l->out);
    buf_clear(&l->more);
    map_clear(&l->specs);
    map_clear(&l->arrays);
    vec_clear(&l->rest);
    free(l);
}

static struct list *list_begin(struct ctl *t, struct query_making *m)
{
    const Pb__JobQuery *q = (const Pb__JobQuery *)m->question;
    struct list *l = NEW(struct list);
    *l = (struct list){ .t = t, .q = q, .pages = m->out, .until_us = m->until_us, .first_new = t->c->next_job };
    l->filter = job_filter_new(q);
    m->work = l;
    m->work_free = list_free;
    if (q->n_job || q->n_task) {
        add_named(l);
    } else if (query_cache_by_user(t) && q->n_uid == 1) {
        add_users(l, by_user_find(query_cache_by_user(t), t->c, q->uid[0]));
    } else {
        if (query_wants(q, JOB_PENDING, JOB_PENDING, 0))
            add_matching(l, &t->c->pending);
        add_matching(l, &t->c->active);
        if (query_wants(q, JOB_COMPLETED, JOB_STATE_COUNT, 0))
            add_matching(l, &t->c->done);
    }
    return l;
}

/* A task that has left its array's record meanwhile is in the list by that record, or has to be listed by its own. */
static void add_new(struct list *l)
{
    for (uint32_t id = l->first_new; l->sliced && id < l->t->c->next_job; id++) {
        struct job *j = cluster_job(l->t->c, id);
        uint32_t listed = j && !j->array ? (uint32_t)(uintptr_t)map_get(&l->arrays, j->array_job) : 0;
        if (j && !(listed && id >= listed) && job_filter_match(l->t, l->filter, j))
            query_add(l, j);
    }
}

static bool list_jobs(struct ctl *t, struct query_making *m)
{
    struct list *l = m->work;
    if (l)
        l->late = false, l->until_us = m->until_us;
    else
        l = list_begin(t, m);
    for (; l->at < l->rest.n && !l->late; l->at++) {
        struct job *j = cluster_job(t->c, l->rest.at[l->at]);
        if (j && job_filter_match(t, l->filter, j))
            query_add(l, j);
        list_late(l);
    }
    if (l->at < l->rest.n)
        return false;
    add_new(l);
    query_flush(l, true);
    return true;
}

/* A query for a few records does not use the cache. */
static void answer_now(const struct ctl_call *call, enum msg_type reply, query_make_fn *make)
{
    struct pages own = { 0 };
    struct query_making m = { .question = call->m, .out = &own, .until_us = INT64_MAX };
    make(call->t, &m);
    pages_say(call->t, call->session, call->number, reply, &own);
    pages_clear(&own);
    if (m.work)
        m.work_free(m.work);
}

/* Does the query name so few jobs that they are listed at once? */
static bool names_few(const struct ctl *t, const Pb__JobQuery *q)
{
    size_t n = q->n_task;
    for (size_t i = 0; i < q->n_job && n <= FEW; i++) {
        const struct array_group *g = cluster_array(t->c, q->job[i]);
        n += g ? g->jobs.n : 1;
    }
    return n && n <= FEW;
}

void ctl_jobs(const struct ctl_call *call)
{
    Pb__JobQuery *q = (Pb__JobQuery *)call->m;
    if (privacy_hidden(call->t, call->peer) & PRIVATE_JOBS)
        privacy_restrict(q, call->peer->uid);
    if (!all_known(call, q))
        ctl_fail(call, ESLURM_INVALID_JOB_ID, "%s", err_text(ESLURM_INVALID_JOB_ID));
    else if (names_few(call->t, q))
        answer_now(call, MSG_JOBS_REPLY, list_jobs);
    else
        query_cache_ask(call, MSG_JOBS_REPLY, list_jobs, q->steps ? QUERY_ONCE : 0);
}

/* ---- nodes and partitions ---- */

static void add_nodes(const struct ctl *t, unsigned field, char *const *names, size_t n, struct buf *out)
{
    const struct cluster *c = t->c;
    auto_buf struct buf one = BUF_INIT;
    struct name_set set;
    name_set_init(&set, names, n);
    for (size_t i = 0; i < c->nnodes; i++) {
        if (node_base(&c->node[i]) == NODE_FUTURE || !name_set_has(&set, c->node[i].name))
            continue;
        buf_reset(&one);
        cluster_node_bytes(c, &c->node[i], &one);
        pb_add_field(out, field, one.s, one.len);
    }
    name_set_clear(&set);
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
    struct name_set set;
    name_set_init(&set, names, n);
    for (size_t i = 0; i < c->part.n; i++)
        if (name_set_has(&set, c->part.at[i]->pb->name))
            add_part(t, c->part.at[i], field, out);
    name_set_clear(&set);
}

static bool list_nodes(struct ctl *t, struct query_making *m)
{
    const Pb__NodeQuery *q = (const Pb__NodeQuery *)m->question;
    struct buf out = BUF_INIT;
    Pb__NodeList l = PB__NODE_LIST__INIT;
    l.now_s = NOW_S(t);
    pb_pack(&out, &l.base);
    add_nodes(t, 1, q->name, q->n_name, &out);
    pages_add(m->out, &out, false);
    return true;
}

static bool list_parts(struct ctl *t, struct query_making *m)
{
    const Pb__PartQuery *q = (const Pb__PartQuery *)m->question;
    struct buf out = BUF_INIT;
    Pb__PartList l = PB__PART_LIST__INIT;
    l.now_s = NOW_S(t);
    pb_pack(&out, &l.base);
    add_parts(t, 1, q->name, q->n_name, &out);
    pages_add(m->out, &out, false);
    return true;
}

static bool list_cluster(struct ctl *t, struct query_making *m)
{
    struct buf out = BUF_INIT;
    Pb__ClusterList l = PB__CLUSTER_LIST__INIT;
    l.now_s = NOW_S(t);
    pb_pack(&out, &l.base);
    add_nodes(t, 1, NULL, 0, &out);
    add_parts(t, 2, NULL, 0, &out);
    pages_add(m->out, &out, false);
    return true;
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
        query_cache_ask(call, MSG_NODES_REPLY, list_nodes, 0);
}

void ctl_parts(const struct ctl_call *call)
{
    if (!query_refused(call, PRIVATE_PARTITIONS))
        answer_now(call, MSG_PARTS_REPLY, list_parts);
}

void ctl_cluster_list(const struct ctl_call *call)
{
    if (!query_refused(call, PRIVATE_NODES | PRIVATE_PARTITIONS))
        query_cache_ask(call, MSG_CLUSTER_REPLY, list_cluster, 0);
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
    if (!fence_explain(t, j, &text))
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
