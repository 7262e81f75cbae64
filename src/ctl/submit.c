/* submit - a request to run something becomes EV_SUBMIT, or a reason why not. */
#include "ctl/access.h"
#include "ctl/admit.h"
#include "ctl/config_words.h"
#include "ctl/directory.h"
#include "ctl/license.h"
#include "ctl/priority_update.h"
#include "ctl/resv.h"
#include "ctl/spec_fields.h"
#include "ctl/submit.h"
#include "ctl/topology.h"
#include "ctl/depend.h"
#include "ctl/request.h"
#include "ctl/wait.h"
#include "text/array.h"
#include "text/constraint.h"
#include "text/hostlist.h"

#define SCRIPT_MAX (4u << 20)
#define LINE_MAX_DEFAULT (1u << 20) /* bytes of a submit line, unless max_submit_line_size says otherwise */

/* ---- the ladder: each returns 0 or the error ---- */

static int check_sender(struct submission *s, struct err *err)
{
    const struct ctl_peer *peer = s->call->peer;
    s->uid = peer->uid;
    s->gid = peer->gid;
    if (!s->r->as_other)
        return 0;
    if (!access_may(s->call->t, peer, RIGHT_SUBMIT_AS, NULL))
        return err_set(err, ESLURM_USER_ID_MISSING, "%s", err_text(ESLURM_USER_ID_MISSING));
    s->uid = s->r->uid;
    s->gid = s->r->gid;
    return 0;
}

int submit_fields(struct submission *s, struct err *err)
{
    struct ctl *t = s->call->t;
    if (!s->spec)
        return err_set(err, EBADMSG, "a submission without a job");
    int rc = spec_check(t, s->call->peer, &s->spec->base, err);
    return !rc && s->r->step ? spec_check(t, s->call->peer, &s->r->step->base, err) : rc;
}

static int check_room(struct submission *s, struct err *err)
{
    struct ctl *t = s->call->t;
    if (t->facts.disk_low)
        return err_set(err, ENOSPC, "the controller's disk is full: nothing was submitted");
    if (t->c->jobs.n >= t->site->max_job_count)
        return err_set(err, EAGAIN, "MaxJobCount (%u) is reached", t->site->max_job_count);
    if (s->r->script.len > SCRIPT_MAX)
        return err_set(err, ESLURM_PATHNAME_TOO_LONG, "the script is larger than %u bytes", SCRIPT_MAX);
    uint64_t line = config_number(t->site, "max_submit_line_size", LINE_MAX_DEFAULT);
    if (strlen(s->spec->submit_line) > line)
        return err_set(err, ESLURM_PATHNAME_TOO_LONG, "the submit line is longer than %lu bytes", (unsigned long)line);
    if (s->r->env.len > SPEC_ENV_MAX)
        return err_set(err, E2BIG, "the environment is larger than %u bytes", SPEC_ENV_MAX);
    if (s->spec->kind == PB__JOB_KIND__KIND_BATCH && !s->r->script.len && !s->offset)
        return err_set(err, ESLURM_JOB_SCRIPT_MISSING, "%s", err_text(ESLURM_JOB_SCRIPT_MISSING));
    return 0;
}

/* The user's name goes into the event: every machine shows the same one. */
static int check_account(struct submission *s, struct err *err)
{
    const char *name = directory_name(s->call->t, s->uid);
    if (directory_parked(s->call->t))
        return err_set(err, EAGAIN, "%s", err_text(EAGAIN));
    s->user_name = mem_str(name);
    return 0;
}

static struct part *first_part(const struct submission *s)
{
    const char *pos = s->partition.s;
    auto_free char *name = str_next(&pos, ",");
    return cluster_part(s->call->t->c, name);
}

static void set_defaults(struct submission *s)
{
    const struct site *site = s->call->t->site;
    const struct part *p = first_part(s);
    const Pb__JobSpec *spec = s->spec;
    Pb__EvSubmit *e = &s->ev;
    uint32_t def = p->pb->default_time_min ? p->pb->default_time_min : p->pb->max_time_min;
    e->limit_set = spec->time_limit_min != 0;
    e->time_limit_min = e->limit_set ? spec->time_limit_min : def ? def : INFINITE_MIN;
    e->requeue = spec->requeue ? spec->requeue == PB__REQUEUE__REQUEUE_YES : site->job_requeue;
    e->mem_per_cpu_mb = spec->mem_per_cpu_mb;
    e->mem_per_node_mb = spec->mem_per_node_mb;
    if (!e->mem_per_cpu_mb && !e->mem_per_node_mb && !spec->mem_all && !spec->mem_per_gpu_mb) {
        e->mem_per_cpu_mb = p->pb->def_mem_per_cpu_mb    ? p->pb->def_mem_per_cpu_mb
                            : p->pb->def_mem_per_node_mb ? 0
                                                         : site->def_mem_per_cpu_mb;
        if (!e->mem_per_cpu_mb)
            e->mem_per_node_mb = p->pb->def_mem_per_node_mb ? p->pb->def_mem_per_node_mb : site->def_mem_per_node_mb;
    }
    bool held = spec->hold; /* a priority of 0 is none: only `scontrol update` holds a job by it */
    e->hold = held ? HOLD_USER : HOLD_NONE;
    e->priority_fixed = !held && spec->has_priority && spec->priority &&
                        access_has(s->call->t, s->call->peer, RIGHT_SUBMIT_RAISED, NULL);
    e->priority = held                ? 0
                  : e->priority_fixed ? spec->priority
                  : s->r->test_only   ? 1
                                      : priority_update_plain(s->call->t, &s->trial);
    e->eligible_s = MAX(spec->begin_s, NOW_S(s->call->t));
    e->partition = s->partition.s;
}

static int check_names(struct submission *s, struct err *err)
{
    const char *lists[] = { s->spec->nodelist, s->spec->exclude };
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        auto_strs struct strs names = { 0 };
        if (str_empty(lists[i]))
            continue;
        if (hostlist_expand(lists[i], &names, NULL))
            return err_set(err, ESLURM_INVALID_NODE_NAME, "%s", err_text(ESLURM_INVALID_NODE_NAME));
        for (size_t k = 0; k < names.n; k++)
            if (!cluster_node(s->call->t->c, names.at[k]))
                return err_set(err, ESLURM_INVALID_NODE_NAME, "%s", err_text(ESLURM_INVALID_NODE_NAME));
    }
    return 0;
}

static int check_topology(struct submission *s, struct err *err)
{
    return topo_submit(s->call->t, s->spec, err);
}

/* What this release does not do is refused, not forgotten. */
static int check_unsupported(struct submission *s, struct err *err)
{
    if (!s->call->t->site->allow_spec)
        s->spec->core_spec = 0;
    if (!license_allowed(s->call->t, s->spec->licenses))
        return err_set(err, ESLURM_INVALID_LICENSES, "%s", err_text(ESLURM_INVALID_LICENSES));
    if (s->spec->signal_resv && str_eq(str_or(s->call->t->site->preempt_type, "preempt/none"), "preempt/none"))
        return err_set(err, ESLURM_PREEMPTION_REQUIRED, "%s", err_text(ESLURM_PREEMPTION_REQUIRED));
    if (s->spec->nice < 0 && !access_may(s->call->t, s->call->peer, RIGHT_SUBMIT_RAISED, NULL))
        return err_set(err, ESLURM_INVALID_NICE, "%s", err_text(ESLURM_INVALID_NICE));
    return 0;
}

static int check_resv(struct submission *s, struct err *err)
{
    return resv_submit(s->call->t, s->uid, s->spec, s->partition.s, err);
}

/* --batch names features of --constraint, no others. */
static int check_batch(struct submission *s, struct err *err)
{
    auto_constraint struct constraint *batch = NULL, *all = NULL;
    const char *name, *known;
    if (str_empty(s->spec->batch_features))
        return 0;
    bool good = !str_empty(s->spec->constraint) && !constraint_parse(s->spec->batch_features, &batch, NULL) &&
                !constraint_parse(s->spec->constraint, &all, NULL) && constraint_how(batch) == CONSTRAINT_PLAIN;
    for (size_t i = 0; good && (name = constraint_name(batch, i)); i++) {
        good = false;
        for (size_t k = 0; !good && (known = constraint_name(all, k)); k++)
            good = str_eq(name, known);
    }
    return good ? 0 : err_set(err, ESLURM_BATCH_CONSTRAINT, "%s", err_text(ESLURM_BATCH_CONSTRAINT));
}

static int check_gres(struct submission *s, struct err *err)
{
    const struct req *r = &s->trial.spec->req;
    const char *types = s->call->t->site->gres_types;
    for (uint32_t i = 0; i < r->ngres; i++)
        if (!types || !str_in_list(types, r->gres[i].name) || r->gres[i].count > admit_gres_max(r->gres[i].name))
            return err_set(err, ESLURM_INVALID_GRES, "%s", err_text(ESLURM_INVALID_GRES));
    return 0;
}

static int check_time(struct submission *s, struct err *err)
{
    int64_t least_s = s->ev.limit_set && s->ev.time_limit_min != INFINITE_MIN ? (int64_t)s->ev.time_limit_min * 60 : 0;
    if (s->spec->time_min_min)
        least_s = (int64_t)s->spec->time_min_min * 60;
    if (s->spec->time_min_min > s->ev.time_limit_min)
        return err_set(err, ESLURM_INVALID_TIME_MIN_LIMIT, "%s", err_text(ESLURM_INVALID_TIME_MIN_LIMIT));
    if (s->spec->deadline_s && s->spec->deadline_s <= NOW_S(s->call->t) + least_s)
        return err_set(err, ESLURM_INVALID_TIME_LIMIT, "%s", err_text(ESLURM_INVALID_TIME_LIMIT));
    return 0;
}

static int check_array(struct submission *s, struct err *err)
{
    if (str_empty(s->spec->array))
        return 0;
    auto_array struct array a = ARRAY_INIT;
    int rc = array_parse(s->spec->array, s->call->t->site->max_array_size, &a, NULL);
    if (rc || bitmap_count(&a.tasks) > config_number(s->call->t->site, "max_array_tasks", UINT32_MAX))
        return err_set(err, ESLURM_INVALID_ARRAY, "%s", err_text(ESLURM_INVALID_ARRAY));
    s->ev.is_array = true;
    s->ev.array_max_running = a.max_running;
    pb_from_bitmap(&s->ev.array_pending, &a.tasks);
    return 0;
}

/* -I: a job that cannot wait is refused when its partition would have to change first. */
static int check_hurry(const struct submission *s, struct err *err)
{
    const struct part *p = s->spec->immediate_s ? cluster_part(s->call->t->c, s->trial.partition) : NULL;
    int rc = 0;
    if (!p)
        return 0;
    uint32_t most = p->pb->max_nodes ? p->pb->max_nodes : UINT32_MAX;
    uint64_t cpus = 0, asked = (uint64_t)MAX(s->spec->cpus_per_task, 1u) * MAX(s->spec->ntasks, 1u);
    bitmap_each(&p->nodes, i)
        cpus += s->call->t->c->node[i].cpus;
    if (p->pb->state == PB__PART_STATE__PART_DOWN)
        rc = ESLURM_PARTITION_DOWN;
    else if ((asked > cpus && !s->spec->overcommit) || s->spec->min_nodes > MIN((size_t)most, bitmap_count(&p->nodes)))
        rc = ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE;
    return rc ? err_set(err, rc, "%s", err_text(rc)) : 0;
}

static int check_fit(struct submission *s, struct err *err)
{
    int rc = check_hurry(s, err);
    if (rc)
        return rc;
    rc = sched_feasible(s->call->t->sched, s->call->t->c, &s->trial, err);
    if (rc == ESLURM_REQUESTED_NODES_NOT_IN_PARTITION)
        return err_set(err, ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE, "%s",
                       err_text(ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE));
    bool slip = rc == ESLURM_INVALID_FEATURE && strstr(err->text, "did you mean");
    if (slip ||
        (rc == ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE && !str_empty(err->text) && !str_eq(err->text, err_text(rc))))
        strs_add(&s->messages, err->text);
    return rc ? err_set(err, rc, "%s", err_text(rc)) : 0;
}

/* ---- blobs ---- */

/* Bytes that a component before it brings along are there already. */
static const Pb__Blob *submit_brought(const struct submission *s, const void *p, size_t len)
{
    for (; s; s = s->before)
        for (size_t i = 0; i < s->ev.n_blobs; i++)
            if (s->blob[i].data.len == len && !memcmp(s->blob[i].data.data, p, len))
                return &s->blob[i];
    return NULL;
}

static uint64_t blob_for(struct submission *s, const void *p, size_t len)
{
    if (!len)
        return 0;
    const struct blob *b = cluster_find_blob(s->call->t->c, p, len);
    const Pb__Blob *new = submit_brought(s, p, len);
    if (b || new)
        return b ? b->id : new->id;
    uint64_t next = s->call->t->c->next_blob;
    for (const struct submission *o = s; o; o = o->before)
        next += o->ev.n_blobs;
    size_t i = s->ev.n_blobs++;
    pb__blob__init(&s->blob[i]);
    s->blob[i].id = next;
    s->blob[i].data = (ProtobufCBinaryData){ len, (uint8_t *)p };
    s->blobs[i] = &s->blob[i];
    return s->blob[i].id;
}

static int make_trial(struct submission *s, struct err *err)
{
    struct cluster *c = s->call->t->c;
    pb_pack(&s->spec_bytes, &s->spec->base);
    struct blob *b = cluster_find_blob(c, s->spec_bytes.s, s->spec_bytes.len);
    s->trial.spec = b ? map_get(&c->specs, b->id) : NULL;
    if (!s->trial.spec)
        s->trial.spec = s->own_spec = spec_make(s->spec_bytes.s, s->spec_bytes.len, err);
    if (!s->trial.spec)
        return err->code ? err->code : EINVAL;
    s->trial.id = s->before ? s->before->trial.id + 1 : s->trial.id ? s->trial.id : cluster_free_id(c, c->next_job);
    s->trial.uid = s->uid;
    s->trial.gid = s->gid;
    s->trial.array_task = TASK_NONE;
    s->trial.partition = s->partition.s;
    s->trial.submit_s = NOW_S(s->call->t);
    return 0;
}

static void finish_trial(struct submission *s)
{
    s->trial.mem_per_cpu_mb = s->ev.mem_per_cpu_mb;
    s->trial.mem_per_node_mb = s->ev.mem_per_node_mb;
    s->trial.time_limit_min = s->ev.time_limit_min;
    s->trial.limit_set = s->ev.limit_set;
    s->trial.priority = s->ev.priority;
    s->trial.eligible_s = s->ev.eligible_s;
}

static int shape_trial(struct submission *s, struct err *err)
{
    admit_shape(s);
    int rc = admit_counts(s->call->t, s->spec);
    return rc ? err_set(err, rc, "%s", err_text(rc)) : make_trial(s, err);
}

int submit_decide(struct submission *s, struct err *err)
{
    static int (*const ladder[])(struct submission *,
                                 struct err *) = { check_sender,   check_account, check_room, check_unsupported,
                                                   admit_assoc,    admit_parts,   check_resv, check_names,
                                                   check_topology, shape_trial,   check_gres, check_batch };
    for (size_t i = 0; i < ARRAY_LEN(ladder); i++) {
        int rc = ladder[i](s, err);
        if (rc)
            return rc;
    }
    set_defaults(s);
    finish_trial(s);
    int rc = check_array(s, err);
    if (!rc)
        rc = check_time(s, err);
    if (!rc)
        rc = admit_limits(s, err);
    if (!rc)
        rc = depend_check(s->call->t, NULL, s->spec->dependency, &s->ev.depend, &s->ev.n_depend, err);
    return rc ? rc : check_fit(s, err);
}

/* ---- answers ---- */

void submit_answer(const struct submission *s, uint32_t id, const struct err *err)
{
    Pb__SubmitReply r = PB__SUBMIT_REPLY__INIT;
    r.job_id = id;
    r.warnings = s->messages.at;
    r.n_warnings = s->messages.n;
    r.code = err->code;
    r.text = (char *)err->text;
    ctl_say(s->call->t, s->call->session, MSG_SUBMIT_REPLY, s->r->want_start && !err->code ? FRAME_MORE : 0,
            s->call->number, &r.base);
}

static void answer_test(struct submission *s)
{
    struct ctl *t = s->call->t;
    Pb__SubmitReply r = PB__SUBMIT_REPLY__INIT;
    auto_bitmap struct bitmap nodes = BITMAP_INIT;
    r.job_id = s->trial.id;
    r.planned_start_s = sched_estimate(t->sched, t->c, &s->trial, NOW_S(t), &nodes);
    auto_strs struct strs names = { 0 };
    bitmap_each (&nodes, i)
        strs_add(&names, t->c->node[i].name);
    auto_free char *list = hostlist_compress(names.at, names.n);
    auto_free char *part = mem_str(first_part(s)->pb->name);
    r.planned_nodes = list;
    r.planned_cpus = req_cpus(&s->trial.spec->req);
    r.planned_partition = part;
    if (!r.planned_start_s) {
        r.code = ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE;
        r.text = (char *)err_text(r.code);
    }
    ctl_reply(s->call, MSG_SUBMIT_REPLY, &r.base);
}

void submit_fill(struct submission *s)
{
    Pb__EvSubmit *e = &s->ev;
    e->job_id = s->trial.id;
    e->uid = s->uid;
    e->gid = s->gid;
    e->user_name = s->user_name ? s->user_name : e->user_name;
    e->key = s->r->key;
    e->blobs = s->blobs;
    e->spec = blob_for(s, s->spec_bytes.s, s->spec_bytes.len);
    e->script = blob_for(s, s->r->script.data, s->r->script.len);
    e->env = blob_for(s, s->r->env.data, s->r->env.len);
    e->step = s->r->step;
}

void submit_entered(struct submission *s)
{
    struct job *j = cluster_job(s->call->t->c, s->ev.job_id);
    depend_index(s->call->t, j);
    depend_settle(s->call->t, j);
}

static uint32_t submit_enter(struct submission *s, struct err *err)
{
    EVENT(ev);
    submit_fill(s);
    BODY(ev, SUBMIT, submit, &s->ev);
    if (ctl_emit(s->call->t, &ev, err))
        return 0;
    submit_entered(s);
    return s->ev.job_id;
}

void submit_clear(struct submission *s)
{
    if (s->own_spec)
        spec_free(s->own_spec);
    depend_free(s->ev.depend, s->ev.n_depend);
    free(s->ev.array_pending.data);
    buf_clear(&s->spec_bytes);
    buf_clear(&s->partition);
    free(s->user_name);
    strs_clear(&s->messages);
}

void submit_accept(struct submission *s, uint32_t id)
{
    struct err none = ERR_INIT;
    struct ctl *t = s->call->t;
    submit_answer(s, id, &none);
    if (s->r->want_start)
        wait_submitted(s->call, id);
    if (s->spec->immediate_s)
        timer_add(&t->timers, t->now_ms + (int64_t)s->spec->immediate_s * 1000, TIMER_IMMEDIATE, id, 0);
}

/* A retry of what was taken already gets the same answer. */
uint32_t submit_known(const struct submission *s)
{
    const struct ctl_call *call = s->call;
    bool other = s->r->as_other && access_has(call->t, call->peer, RIGHT_SUBMIT_AS, NULL);
    uint32_t uid = other ? s->r->uid : call->peer->uid;
    return s->r->key.len == 16 && !s->r->test_only ? cluster_key(call->t->c, s->r->key.data, uid) : 0;
}

void ctl_submit(const struct ctl_call *call)
{
    struct submission s = { .call = call, .r = (Pb__SubmitRequest *)call->m };
    struct err err = ERR_INIT;
    pb__ev_submit__init(&s.ev);
    s.spec = s.r->spec;
    if (s.r->n_het) {
        het_submit(call);
        return;
    }
    if (!s.spec) {
        ctl_fail(call, EBADMSG, "a submission without a job");
        return;
    }
    uint32_t known = submit_known(&s);
    if (known)
        submit_accept(&s, known);
    else if (submit_fields(&s, &err) || submit_decide(&s, &err))
        submit_answer(&s, s.r->test_only ? s.trial.id : 0, &err);
    else if (s.r->test_only)
        answer_test(&s);
    else {
        uint32_t id = submit_enter(&s, &err);
        if (id)
            submit_accept(&s, id);
        else
            submit_answer(&s, 0, &err);
    }
    submit_clear(&s);
}
