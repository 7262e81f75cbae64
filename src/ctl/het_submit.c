/* het_submit - a heterogeneous job: each component is decided as a job is, one event takes all of them. */
#include "core/het.h"
#include "ctl/submit.h"
#include "text/hostlist.h"

#define NAMES_MAX (16u << 10) /* each component excludes the nodes of all others, so they are copied often */

struct set {
    struct submission *at;
    uint32_t n;
};

static int het_submit_refuse(struct err *err, int code)
{
    return err_set(err, code, "%s", err_text(code));
}

static int check_component(struct submission *s, struct err *err)
{
    if (!str_empty(s->spec->array))
        return het_submit_refuse(err, ESLURM_INVALID_ARRAY);
    if (s->offset && !str_empty(s->spec->licenses)) {
        strs_take(&s->messages, mem_printf("%u: license request allowed only on leader job", s->offset));
        return het_submit_refuse(err, ESLURM_INVALID_LICENSES);
    }
    return submit_decide(s, err);
}

/* The first component says for all of them which user submits, and for which user. */
static void set_open(struct set *set, const struct ctl_call *call)
{
    const Pb__SubmitRequest *r = (Pb__SubmitRequest *)call->m;
    set->n = (uint32_t)r->n_het + 1;
    set->at = mem_array(set->n, sizeof(*set->at));
    for (uint32_t i = 0; i < set->n; i++) {
        struct submission *s = &set->at[i];
        Pb__SubmitRequest *one = i ? r->het[i - 1] : (Pb__SubmitRequest *)r;
        if (i)
            one->as_other = r->as_other, one->uid = r->uid, one->gid = r->gid;
        *s = (struct submission){ .call = call, .r = one, .spec = one->spec, .offset = i };
        s->before = i ? s - 1 : NULL;
        pb__ev_submit__init(&s->ev);
    }
}

static void het_submit_append(char **list, const char *more)
{
    auto_free char *both = mem_printf("%s%s%s", str_or(*list, ""), str_empty(*list) ? "" : ",", more);
    pb_set_text(list, both);
}

/* Do these nodes belong to no other component?  A node that is named twice counts once. */
static bool take_names(const struct cluster *c, const char *list, struct bitmap *taken)
{
    auto_strs struct strs names = STRS_INIT;
    auto_bitmap struct bitmap own = BITMAP_INIT;
    if (hostlist_expand(list, &names, NULL))
        return false;
    for (size_t i = 0; i < names.n; i++) {
        const struct node *n = cluster_node(c, names.at[i]);
        if (!n || bitmap_has(taken, n->index))
            return false;
        bitmap_set(&own, n->index);
    }
    bitmap_or(taken, &own);
    return true;
}

/* The nodes that a component names are its own. */
static int keep_apart(struct set *set, struct err *err)
{
    auto_bitmap struct bitmap taken = BITMAP_INIT;
    auto_free char **named = mem_array(set->n, sizeof(*named));
    size_t bytes = 0;
    for (uint32_t i = 0; i < set->n; i++)
        bytes += strlen(set->at[i].spec->nodelist);
    if (bytes > NAMES_MAX)
        return err_set(err, ESLURM_PATHNAME_TOO_LONG, "the components name nodes in more than %u bytes", NAMES_MAX);
    for (uint32_t i = 0; i < set->n; i++) {
        named[i] = set->at[i].spec->nodelist;
        if (!str_empty(named[i]) && !take_names(set->at[i].call->t->c, named[i], &taken))
            return het_submit_refuse(err, ESLURM_INVALID_NODE_NAME);
    }
    for (uint32_t i = 0; i < set->n; i++)
        for (uint32_t k = 0; k < set->n; k++)
            if (i != k && !str_empty(named[k]))
                het_submit_append(&set->at[i].spec->exclude, named[k]);
    return 0;
}

static int set_decide(struct set *set, struct err *err)
{
    struct cluster *c = set->at[0].call->t->c;
    if (set->n > HET_MAX)
        return err_set(err, EINVAL, "a heterogeneous job has at most %d components", HET_MAX);
    set->at[0].trial.id = het_free_ids(c, c->next_job, set->n);
    if (!set->at[0].trial.id || c->jobs.n + set->n > set->at[0].call->t->site->max_job_count)
        return err_set(err, EAGAIN, "MaxJobCount (%u) is reached", set->at[0].call->t->site->max_job_count);
    int rc = 0;
    for (uint32_t i = 0; !rc && i < set->n; i++)
        rc = submit_fields(&set->at[i], err);
    rc = rc ? rc : keep_apart(set, err);
    for (uint32_t i = 0; !rc && i < set->n; i++) {
        rc = check_component(&set->at[i], err);
        for (size_t k = 0; i && k < set->at[i].messages.n; k++)
            strs_add(&set->at[0].messages, set->at[i].messages.at[k]);
    }
    return rc;
}

static int set_enter(struct set *set, struct err *err)
{
    EVENT(ev);
    auto_free Pb__EvSubmit **more = mem_array(set->n, sizeof(*more));
    for (uint32_t i = 0; i < set->n; i++) {
        submit_fill(&set->at[i]);
        if (i)
            more[i - 1] = &set->at[i].ev;
    }
    set->at[0].ev.het = more;
    set->at[0].ev.n_het = set->n - 1;
    BODY(ev, SUBMIT, submit, &set->at[0].ev);
    int rc = ctl_emit(set->at[0].call->t, &ev, err);
    set->at[0].ev.het = NULL;
    set->at[0].ev.n_het = 0;
    for (uint32_t i = 0; !rc && i < set->n; i++)
        submit_entered(&set->at[i]);
    return rc;
}

/* The latest of what each would wait for alone, on the nodes of the first. */
static void answer_test(struct set *set)
{
    struct ctl *t = set->at[0].call->t;
    Pb__SubmitReply r = PB__SUBMIT_REPLY__INIT;
    auto_buf struct buf nodes = BUF_INIT;
    r.job_id = set->at[0].trial.id;
    r.het_size = set->n;
    for (uint32_t i = 0; i < set->n; i++) {
        auto_bitmap struct bitmap where = BITMAP_INIT;
        int64_t at = sched_estimate(t->sched, t->c, &set->at[i].trial, NOW_S(t), &where);
        if (!at) {
            r.code = ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE;
            r.text = (char *)err_text(r.code);
        }
        r.planned_start_s = MAX(r.planned_start_s, at);
        r.planned_cpus += req_cpus(&set->at[i].trial.spec->req);
        bitmap_each (&where, k)
            if (!i)
                buf_addf(&nodes, "%s%s", nodes.len ? "," : "", t->c->node[k].name);
    }
    r.planned_nodes = nodes.s;
    ctl_reply(set->at[0].call, MSG_SUBMIT_REPLY, &r.base);
}

void het_submit(const struct ctl_call *call)
{
    struct set set;
    struct err err = ERR_INIT;
    set_open(&set, call);
    struct submission *first = &set.at[0];
    uint32_t known = first->spec ? submit_known(first) : 0;
    if (known)
        submit_accept(first, known);
    else if (set_decide(&set, &err))
        submit_answer(first, first->r->test_only ? first->trial.id : 0, &err);
    else if (first->r->test_only)
        answer_test(&set);
    else if (set_enter(&set, &err))
        submit_answer(first, 0, &err);
    else
        submit_accept(first, first->ev.job_id);
    for (uint32_t i = 0; i < set.n; i++)
        submit_clear(&set.at[i]);
    free(set.at);
}
