/*
 * update_job - scontrol update jobid=...
 *
 * One row per key: what it may be changed in, and how its value becomes a field of the
 * spec or of the event.  All rows are read before anything happens: a wrong one changes nothing.
 */
#include "ctl/access.h"
#include "ctl/admit.h"
#include "ctl/license.h"
#include "ctl/refs.h"
#include "ctl/work.h"
#include "ctl/resv.h"
#include "ctl/resize.h"
#include "ctl/spec_fields.h"
#include "ctl/update.h"
#include "ctl/update_job.h"
#include "ctl/topology.h"
#include "ctl/depend.h"
#include "ctl/query_cache.h"
#include "text/array.h"
#include "text/gres.h"
#include "text/hostlist.h"
#include "text/size.h"
#include "text/time.h"

int job_update_code(struct job_update *c, int n)
{
    return err_set(c->err, n, "%s", err_text(n));
}

static bool job_update_raised(const struct job_update *c)
{
    return access_may(c->call->t, c->call->peer, RIGHT_UPDATE_JOB_RAISED, c->job);
}

int job_update_text(struct job_update *c, char **field, const char *value)
{
    pb_set_text(field, value);
    c->spec_changed = true;
    return 0;
}

#define TEXT(fn, field)                                                                                                \
    static int fn(struct job_update *c, char *v)                                                                       \
    {                                                                                                                  \
        return job_update_text(c, &c->spec->field, v);                                                                 \
    }
#define WAITING_TEXT(fn, field)                                                                                        \
    static int fn(struct job_update *c, char *v)                                                                       \
    {                                                                                                                  \
        return job_update_pending(c) ? c->err->code : job_update_text(c, &c->spec->field, v);                          \
    }
TEXT(set_name, name)
TEXT(set_comment, comment)
TEXT(set_admin_comment, admin_comment)
WAITING_TEXT(set_wckey, wckey)
WAITING_TEXT(set_workdir, workdir)
WAITING_TEXT(set_out, std_out)
WAITING_TEXT(set_err, std_err)
WAITING_TEXT(set_in, std_in)
TEXT(set_mail_user, mail_user)
TEXT(set_extra, extra)

int job_update_limit(struct job_update *c, uint32_t minutes)
{
    uint32_t now = c->job->time_limit_min;
    bool raise = now != INFINITE_MIN && (!minutes || minutes > now);
    if (raise && !job_pending(c->job) && !job_update_raised(c))
        return job_update_code(c, ESLURM_ACCESS_DENIED);
    c->ev.has_limit = true;
    c->ev.time_limit_min = minutes ? minutes : INFINITE_MIN;
    c->spec->time_limit_min = c->ev.time_limit_min;
    c->spec_changed = true;
    return 0;
}

static int set_limit(struct job_update *c, char *v)
{
    uint32_t m, now = c->job->time_limit_min;
    char sign = *v == '+' || *v == '-' ? *v : *c->op != '=' ? *c->op : 0;
    if (time_limit_parse(v + (*v == '+' || *v == '-'), &m, NULL))
        return err_set(c->err, EINVAL, "Invalid TimeLimit value");
    if (sign && now != INFINITE_MIN)
        m = sign == '+' ? (uint32_t)MIN((uint64_t)now + m, (uint64_t)INFINITE_MIN) : now > m ? now - m : 1;
    return job_update_limit(c, m);
}

int job_update_pending(struct job_update *c)
{
    return c->job->state == JOB_PENDING ? 0 : job_update_code(c, ESLURM_JOB_NOT_PENDING);
}

/* Partition, account and QOS are checked together, as at the submission, when all three are known. */
static int job_update_who(struct job_update *c, char **field, const char *v)
{
    c->who_changed = true;
    return job_update_text(c, field, v);
}

static int check_who(struct job_update *c)
{
    int rc = c->who_changed ? admit_change(c->call, c->job, c->spec) : 0;
    return rc ? job_update_code(c, rc) : 0;
}

static int set_account(struct job_update *c, char *v)
{
    return job_update_pending(c) ? c->err->code : job_update_who(c, &c->spec->account, v);
}

static int set_qos(struct job_update *c, char *v)
{
    return job_update_who(c, &c->spec->qos, v);
}

static int set_partition(struct job_update *c, char *v)
{
    if (job_update_pending(c))
        return c->err->code;
    c->ev.partition = v;
    return job_update_who(c, &c->spec->partition, v);
}

int job_update_number(struct job_update *c, const char *v, uint32_t *out)
{
    uint64_t n;
    if (job_update_pending(c))
        return c->err->code;
    if (!str_u64(v, 1, 1u << 24, &n))
        return err_set(c->err, EINVAL, "Invalid numeric value: %s", v);
    *out = (uint32_t)n;
    c->spec_changed = true;
    return 0;
}

/* A running job gives nodes away, once all the rest is known to be good. */
static int job_update_size(struct job_update *c, resize_fn *resize, const char *v)
{
    c->resize = resize;
    c->resize_to = v;
    return job_pending(c->job) ? job_update_pending(c) : 0;
}

/* From then on it asks for what it has. */
static int carry_size(struct job_update *c)
{
    int rc = c->resize ? c->resize(c->call->t, c->job, c->resize_to, c->err) : 0;
    uint32_t tasks = 0, n = c->resize ? c->job->alloc.n : 0;
    if (rc || !n)
        return rc;
    for (uint32_t i = 0; i < n; i++)
        tasks += c->job->alloc.at[i].tasks;
    c->spec->min_nodes = c->spec->max_nodes = n;
    if (c->spec->ntasks)
        c->spec->ntasks = MAX(tasks, n);
    c->spec_changed = true;
    return 0;
}

static int set_nodes(struct job_update *c, char *v)
{
    if (c->job->state != JOB_PENDING)
        return job_update_size(c, resize_count, v);
    char *dash = strchr(v, '-');
    auto_free char *low = mem_strn(v, dash ? (size_t)(dash - v) : strlen(v));
    uint32_t before = c->spec->min_nodes;
    int rc = job_update_number(c, low, &c->spec->min_nodes);
    if (!rc && !c->spec->ntasks && !c->spec->ntasks_per_node && c->spec->min_nodes < before)
        c->spec->ntasks = before; /* it had a task for each node, and has them still */
    return rc ? rc : job_update_number(c, dash ? dash + 1 : low, &c->spec->max_nodes);
}

static int set_tasks(struct job_update *c, char *v)
{
    return job_update_number(c, v, &c->spec->ntasks);
}
static int set_cpus(struct job_update *c, char *v)
{
    return job_update_number(c, v, &c->spec->ntasks);
}
static int set_cpus_per_task(struct job_update *c, char *v)
{
    return job_update_number(c, v, &c->spec->cpus_per_task);
}
static int set_mincpus(struct job_update *c, char *v)
{
    return job_update_number(c, v, &c->spec->mincpus);
}

static int set_mem(struct job_update *c, const char *v, bool per_cpu)
{
    uint64_t mb;
    if (job_update_pending(c))
        return c->err->code;
    if (size_mb_parse(v, &mb, NULL))
        return err_set(c->err, EINVAL, "Invalid memory value: %s", v);
    c->spec->mem_per_cpu_mb = c->ev.mem_per_cpu_mb = per_cpu ? mb : 0;
    c->spec->mem_per_node_mb = c->ev.mem_per_node_mb = per_cpu ? 0 : mb;
    c->ev.has_mem = true;
    c->spec_changed = true;
    return 0;
}

static int set_mem_node(struct job_update *c, char *v)
{
    return set_mem(c, v, false);
}
static int set_mem_cpu(struct job_update *c, char *v)
{
    return set_mem(c, v, true);
}

static int set_nice(struct job_update *c, char *v)
{
    int64_t n;
    if (!str_i64(v, -2147483645, 2147483645, &n))
        return err_set(c->err, EINVAL, "Invalid nice value: %s", v);
    if (n < 0 && !job_update_raised(c))
        return job_update_code(c, ESLURM_ACCESS_DENIED);
    c->spec->nice = (int32_t)n;
    c->spec_changed = true;
    return 0;
}

static int set_site_factor(struct job_update *c, char *v)
{
    int64_t n;
    if (!str_i64(v, -2147483645, 2147483645, &n))
        return err_set(c->err, EINVAL, "Invalid SiteFactor value: %s", v);
    c->spec->site_factor = (int32_t)n;
    c->spec_changed = true;
    return 0;
}

static int set_priority(struct job_update *c, char *v)
{
    uint64_t n;
    if (!str_u64(v, 0, UINT32_MAX - 2, &n))
        return err_set(c->err, EINVAL, "Invalid priority value: %s", v);
    if (n && c->job->hold)
        return job_update_code(c, ESLURM_JOB_HELD);
    if (n && n > job_priority(c->job) && !job_update_raised(c))
        return job_update_code(c, ESLURM_ACCESS_DENIED);
    c->ev.has_priority = true;
    c->ev.priority = (uint32_t)n;
    c->ev.has_hold = n == 0;
    c->ev.hold = n ? HOLD_NONE : HOLD_USER;
    return 0;
}

static int set_hosts(struct job_update *c, char **field, const char *v)
{
    auto_strs struct strs names = { 0 };
    if (job_update_pending(c))
        return c->err->code;
    if (*v && hostlist_expand(v, &names, NULL))
        return job_update_code(c, ESLURM_INVALID_NODE_NAME);
    for (size_t i = 0; i < names.n; i++)
        if (!cluster_node(c->call->t->c, names.at[i]))
            return job_update_code(c, ESLURM_INVALID_NODE_NAME);
    return job_update_text(c, field, v);
}

static int set_nodelist(struct job_update *c, char *v)
{
    if (c->job->state != JOB_PENDING)
        return job_update_size(c, resize_nodes, v);
    return set_hosts(c, &c->spec->nodelist, v);
}
static int set_exclude(struct job_update *c, char *v)
{
    return set_hosts(c, &c->spec->exclude, v);
}

static int set_depend(struct job_update *c, char *v)
{
    if (job_update_pending(c))
        return c->err->code;
    /* An unknown job may be named here: the dependency stays open. */
    int rc = depend_check(c->call->t, c->job, v, &c->ev.depend, &c->ev.n_depend, c->err);
    c->ev.has_depend = !rc;
    return rc ? rc : job_update_text(c, &c->spec->dependency, v);
}

static int set_begin(struct job_update *c, char *v)
{
    time_t at;
    if (job_update_pending(c) || time_at_parse(v, NOW_S(c->call->t), &at, c->err))
        return c->err->code;
    c->ev.has_eligible = true;
    c->ev.eligible_s = c->spec->begin_s = at;
    c->spec_changed = true;
    return 0;
}

static int set_deadline(struct job_update *c, char *v)
{
    time_t at;
    if (time_at_parse(v, NOW_S(c->call->t), &at, c->err))
        return c->err->code;
    c->spec->deadline_s = at;
    c->spec_changed = true;
    return 0;
}

static int set_requeue(struct job_update *c, char *v)
{
    if (!str_eq(v, "0") && !str_eq(v, "1"))
        return err_set(c->err, EINVAL, "Invalid Requeue value: %s", v);
    c->ev.has_requeue = true;
    c->ev.requeue = *v == '1';
    return 0;
}

static int set_features(struct job_update *c, char *v)
{
    return job_update_pending(c) ? c->err->code : job_update_text(c, &c->spec->constraint, v);
}

static int set_prefer(struct job_update *c, char *v)
{
    return job_update_pending(c) ? c->err->code : job_update_text(c, &c->spec->prefer, v);
}

static int set_licenses(struct job_update *c, char *v)
{
    if (!license_allowed(c->call->t, v))
        return job_update_code(c, ESLURM_INVALID_LICENSES);
    if (!job_pending(c->job) && !job_update_raised(c))
        return job_update_code(c, ESLURM_ACCESS_DENIED);
    license_list_clear(&c->licenses);
    license_parse(v, &c->licenses, NULL);
    c->ev.has_licenses = !job_pending(c->job);
    return job_update_text(c, &c->spec->licenses, v);
}

static int set_gres(struct job_update *c, char *v)
{
    auto_gres struct gres_list list = GRES_INIT;
    if (job_update_pending(c))
        return c->err->code;
    if (gres_parse(v, &list, NULL))
        return job_update_code(c, ESLURM_INVALID_GRES);
    const char *types = c->call->t->site->gres_types;
    for (size_t i = 0; i < list.n; i++)
        if (!types || !str_in_list(types, list.at[i].name) || list.at[i].count > admit_gres_max(list.at[i].name))
            return job_update_code(c, ESLURM_INVALID_GRES);
    return job_update_text(c, &c->spec->gres, v);
}

static int set_reservation(struct job_update *c, char *v)
{
    Pb__JobSpec asked = *c->spec;
    asked.reservation = v;
    if (job_update_pending(c) || resv_submit(c->call->t, c->job->uid, &asked, c->job->partition, c->err))
        return c->err->code;
    return job_update_text(c, &c->spec->reservation, v);
}

static int set_contiguous(struct job_update *c, char *v)
{
    bool on = str_ieq(v, "yes") || str_eq(v, "1");
    if (job_update_pending(c))
        return c->err->code;
    if (!on && !str_ieq(v, "no") && !str_eq(v, "0"))
        return err_set(c->err, EINVAL, "Invalid Contiguous value: %s", v);
    c->spec->contiguous = on;
    c->spec_changed = true;
    return 0;
}

static int set_throttle(struct job_update *c, char *v)
{
    uint64_t n;
    if (!str_u64(v, 0, UINT32_MAX - 1, &n))
        return err_set(c->err, EINVAL, "Invalid ArrayTaskThrottle value: %s", v);
    if (!c->job->array_job)
        return job_update_code(c, ESLURM_NOT_SUPPORTED);
    c->ev.has_array_max = true;
    c->ev.array_max_running = (uint32_t)n;
    return 0;
}

static const struct job_update_row rows[] = {
    { "JobName", set_name, BY_OWNER },
    { "Name", set_name, BY_OWNER },
    { "TimeLimit", set_limit, BY_OWNER },
    { "Partition", set_partition, BY_OWNER },
    { "NumNodes", set_nodes, BY_OWNER },
    { "ReqNodes", set_nodes, BY_OWNER },
    { "ReqProcs", set_tasks, BY_OWNER },
    { "NumTasks", set_tasks, BY_OWNER },
    { "NumCPUs", set_cpus, BY_OWNER },
    { "CPUsPerTask", set_cpus_per_task, BY_OWNER },
    { "MinCPUsNode", set_mincpus, BY_OWNER },
    { "MinMemoryNode", set_mem_node, BY_OWNER },
    { "MinMemoryCPU", set_mem_cpu, BY_OWNER },
    { "Nice", set_nice, BY_OWNER },
    { "Priority", set_priority, BY_OWNER },
    { "SiteFactor", set_site_factor, BY_ADMIN },
    { "ReqNodeList", set_nodelist, BY_OWNER },
    { "NodeList", set_nodelist, BY_OWNER },
    { "ExcNodeList", set_exclude, BY_OWNER },
    { "Dependency", set_depend, BY_OWNER },
    { "Comment", set_comment, BY_OWNER },
    { "AdminComment", set_admin_comment, BY_ADMIN },
    { "StartTime", set_begin, BY_OWNER },
    { "EligibleTime", set_begin, BY_OWNER },
    { "Deadline", set_deadline, BY_ADMIN_WAITING },
    { "Requeue", set_requeue, BY_OWNER },
    { "Features", set_features, BY_OWNER },
    { "Prefer", set_prefer, BY_OWNER },
    { "Licenses", set_licenses, BY_OWNER },
    { "Gres", set_gres, BY_OWNER },
    { "TresPerNode", set_gres, BY_OWNER },
    { "StdOut", set_out, BY_OWNER },
    { "StdErr", set_err, BY_OWNER },
    { "StdIn", set_in, BY_OWNER },
    { "WorkDir", set_workdir, BY_OWNER },
    { "Contiguous", set_contiguous, BY_ADMIN_WAITING },
    { "Switches", topo_set_switches, BY_OWNER },
    { "wait-for-switch", topo_set_wait, BY_OWNER },
    { "ReservationName", set_reservation, BY_OWNER },
    { "Account", set_account, BY_OWNER },
    { "QOS", set_qos, BY_OWNER },
    { "WCKey", set_wckey, BY_OWNER },
    { "MailUser", set_mail_user, BY_OWNER },
    { "Extra", set_extra, BY_OWNER },
    { "ArrayTaskThrottle", set_throttle, BY_OWNER },
    { 0 },
};

static const struct job_update_row *find_row(const struct job_update_row *row, const char *key)
{
    while (row->key && !str_ieq(key, row->key))
        row++;
    return row->key ? row : NULL;
}

static int set_pair(struct job_update *c, const Pb__Pair *pair)
{
    const struct job_update_row *row = find_row(rows, pair->key);
    if (!row)
        row = find_row(update_more_rows, pair->key);
    if (!row)
        return err_set(c->err, EINVAL, "a job's %s cannot be updated by this release of Spur", pair->key);
    bool barred = row->by == BY_ADMIN || (row->by == BY_ADMIN_WAITING && job_pending(c->job));
    if (barred && !job_update_raised(c))
        return job_update_code(c, ESLURM_ACCESS_DENIED);
    c->op = str_or(pair->op, "=");
    return row->set(c, pair->value);
}

/* The changed job must still be one that could run. */
static int check_fit(struct job_update *c, const struct buf *bytes)
{
    struct job trial = *c->job;
    if (c->job->state != JOB_PENDING)
        return 0;
    int code = admit_counts(c->call->t, c->spec);
    if (code)
        return job_update_code(c, code);
    trial.spec = spec_make(bytes->s, bytes->len, c->err);
    if (!trial.spec)
        return c->err->code ? c->err->code : EINVAL;
    if (c->ev.has_mem)
        trial.mem_per_cpu_mb = c->ev.mem_per_cpu_mb, trial.mem_per_node_mb = c->ev.mem_per_node_mb;
    if (!str_empty(c->ev.partition))
        trial.partition = c->ev.partition;
    int rc = sched_feasible(c->call->t->sched, c->call->t->c, &trial, c->err);
    spec_free(trial.spec);
    return rc ? job_update_code(c, rc) : 0;
}

static int carry_out(struct job_update *c)
{
    struct ctl *t = c->call->t;
    EVENT(ev);
    c->ev.job_id = c->job->id;
    if (c->spec_changed) {
        int rc = spec_check_sizes(&c->spec->base, c->err);
        if (rc)
            return rc;
        rc = check_fit(c, spec_edit_encode(&c->edit));
        if (rc)
            return rc;
        spec_edit_put(&c->edit, t->c, &c->ev);
    }
    if (c->ev.has_licenses) /* of several any would do: it has the first */
        c->ev.licenses = license_given(&c->licenses, c->licenses.any ? 1 : 0, &c->ev.n_licenses);
    BODY(ev, UPDATE, update, &c->ev);
    int rc = ctl_emit(t, &ev, c->err);
    free(c->ev.licenses);
    if (!rc && job_pending(c->job)) { /* what was foreseen was for what it asked before */
        c->job->why.planned_s = 0;
        free(take(c->job->planned_nodes));
        job_touch(c->job);
        query_cache_stir(t);
    }
    if (!rc && c->ev.has_depend) {
        depend_index(t, c->job);
        timer_add(&t->timers, t->now_ms + 1000, TIMER_DEPEND, c->job->id,
                0); /* what is met already is seen a moment later, as in Slurm */
    }
    return rc;
}

static int job_update_one(struct ctl *t, struct job *j, void *arg, struct err *err)
{
    const struct ctl_call *call = arg;
    const Pb__UpdateRequest *r = (Pb__UpdateRequest *)call->m;
    struct job_update c = { .call = call, .job = j, .err = err };
    if (!access_may(t, call->peer, RIGHT_UPDATE_JOB, j))
        return err_set(err, ESLURM_USER_ID_MISSING, "%s", err_text(ESLURM_USER_ID_MISSING));
    if (job_ended(j))
        return err_set(err, ESLURM_ALREADY_DONE, "%s", err_text(ESLURM_ALREADY_DONE));
    pb__ev_update__init(&c.ev);
    spec_edit_begin(&c.edit, j);
    c.spec = c.edit.spec;
    int rc = 0;
    for (size_t i = 0; i < r->n_pairs && !rc; i++)
        if (!str_ieq(r->pairs[i]->key, "JobId"))
            rc = set_pair(&c, r->pairs[i]);
    if (!rc)
        rc = check_who(&c);
    if (!rc)
        rc = carry_size(&c);
    if (!rc)
        rc = carry_out(&c);
    depend_free(c.ev.depend, c.ev.n_depend);
    license_list_clear(&c.licenses);
    spec_edit_clear(&c.edit);
    return rc;
}

/* "12", "12_3", "12_[1-4]", "12+1". */
static int parse_ref(const struct site *site, const char *text, Pb__JobRef *ref, struct bitmap *tasks, struct err *err)
{
    const char *under = strchr(text, '_'), *plus = under ? NULL : strchr(text, '+');
    auto_free char *id = mem_strn(text, strcspn(text, "_+"));
    uint64_t n, part = 0;
    if (!str_u64(id, 1, UINT32_MAX, &n) || (plus && !str_u64(plus + 1, 0, UINT32_MAX - 1, &part)))
        return err_set(err, ESLURM_INVALID_JOB_ID, "%s", err_text(ESLURM_INVALID_JOB_ID));
    ref->job = (uint32_t)n;
    ref->has_het = plus != NULL;
    ref->het = (uint32_t)part;
    if (!under || str_eq(under, "_*"))
        return 0;
    auto_array struct array a = ARRAY_INIT;
    size_t len = strlen(under + 1);
    bool bracket = under[1] == '[' && under[len] == ']';
    auto_free char *list = bracket ? mem_strn(under + 2, len - 2) : mem_str(under + 1);
    if (array_parse(list, MIN(ARRAY_LARGEST, site->max_array_size), &a, NULL))
        return err_set(err, ESLURM_INVALID_JOB_ID, "%s", err_text(ESLURM_INVALID_JOB_ID));
    bitmap_copy(tasks, &a.tasks);
    pb_from_bitmap(&ref->tasks, tasks);
    return 0;
}

struct updating { /* the jobs of an update that are still to be changed */
    const char *pos;     /* in the list of the request */
    bool parsed;
    Pb__JobRef ref;      /* the one under way */
    struct bitmap tasks; /* of it */
    struct refs_walk walk;
    int rc;
    struct err err;
};

static void updating_next(struct updating *u)
{
    free(u->ref.tasks.data);
    pb__job_ref__init(&u->ref);
    bitmap_clear(&u->tasks);
    u->parsed = false;
}

static void updating_free(void *state)
{
    struct updating *u = state;
    updating_next(u);
    refs_walk_clear(&u->walk);
    free(u);
}

/* One reference of the list; false: there is none. */
static bool updating_parse(const struct ctl_call *call, struct updating *u)
{
    auto_free char *one = u->parsed ? NULL : str_next(&u->pos, ",");
    if (!u->parsed && !one)
        return false;
    if (!u->parsed)
        u->rc = parse_ref(call->t->site, one, &u->ref, &u->tasks, &u->err);
    return u->parsed = true;
}

/* The first error ends it. */
static bool updating_go_on(const struct ctl_call *call, void *state)
{
    struct updating *u = state;
    while (!u->rc && updating_parse(call, u)) {
        if (!u->rc && !refs_go_on(call, &u->walk, &u->ref, job_update_one, (void *)call, &u->rc, &u->err))
            return false;
        updating_next(u);
    }
    Pb__Done done = PB__DONE__INIT;
    done.code = u->rc;
    done.text = u->err.text;
    ctl_reply(call, MSG_DONE, &done.base);
    return true;
}

void update_job(const struct ctl_call *call, const Pb__UpdateRequest *r)
{
    struct updating *u = NEW(struct updating);
    u->pos = update_value(r, "JobId");
    pb__job_ref__init(&u->ref);
    if (str_empty(u->pos))
        u->rc = err_set(&u->err, ESLURM_INVALID_JOB_ID, "%s", err_text(ESLURM_INVALID_JOB_ID));
    work_run(call, u, updating_go_on, updating_free);
}
