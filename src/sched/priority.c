/* priority - the factors of a pending job and their sum; see priority.h. */
#include "sched/priority.h"

#include "base/num.h"
#include "base/errnum.h"
#include "base/str.h"
#include "core/limits.h"

/* ---- configuration ---- */

static const struct {
    const char *word;
    uint32_t flags;
} flag_words[] = {
    { "ACCRUE_ALWAYS", PRIO_ACCRUE_ALWAYS },
    { "SMALL_RELATIVE_TO_TIME", PRIO_SMALL_TO_TIME },
    { "CALCULATE_RUNNING", PRIO_RUNNING },
    { "DEPTH_OBLIVIOUS", PRIO_DEPTH_OBLIVIOUS | PRIO_NO_FAIR_TREE },
    { "NO_FAIR_TREE", PRIO_NO_FAIR_TREE },
    { "INCR_ONLY", PRIO_INCR_ONLY },
    { "NO_NORMAL_ASSOC", PRIO_RAW_ASSOC },
    { "NO_NORMAL_PART", PRIO_RAW_PART },
    { "NO_NORMAL_QOS", PRIO_RAW_QOS },
    { "NO_NORMAL_TRES", PRIO_RAW_TRES },
    { "NO_NORMAL_ALL", PRIO_RAW_ASSOC | PRIO_RAW_PART | PRIO_RAW_QOS | PRIO_RAW_TRES },
};

uint32_t priority_flags(const char *text)
{
    uint32_t flags = 0;
    const char *pos = text ? text : "";
    for (char *word; (word = str_next(&pos, ",")); free(word))
        for (size_t i = 0; i < ARRAY_LEN(flag_words); i++)
            if (str_ieq(word, flag_words[i].word))
                flags |= flag_words[i].flags;
    return flags;
}

Pb__Billing priority_billing(const char *text)
{
    const char *flags = str_or(text, "");
    return str_in_list(flags, "MAX_TRES_GRES") ? PB__BILLING__BILLING_MAX_GRES
           : str_in_list(flags, "MAX_TRES")    ? PB__BILLING__BILLING_MAX
                                               : PB__BILLING__BILLING_SUM;
}

/* "Mem" is "mem", "GRES/gpu" is "gres/gpu"; the text after the slash keeps its case. */
static void tres_name(char *out, size_t size, const char *word, size_t len)
{
    size_t stroke = strcspn(word, "/");
    snprintf(out, size, "%.*s", (int)MIN(len, size - 1), word);
    for (size_t i = 0; out[i] && i < stroke; i++)
        if (out[i] >= 'A' && out[i] <= 'Z')
            out[i] = (char)(out[i] + ('a' - 'A'));
}

static int tres_one(struct priority_conf *conf, const char *word, struct err *err)
{
    const char *eq = strchr(word, '=');
    char *end;
    double weight = eq ? strtod(eq + 1, &end) : 0;
    if (!eq || eq == word || end == eq + 1 || *end || !(weight > -1e15 && weight < 1e15))
        return err_set(err, EINVAL, "PriorityWeightTRES: %s is not TYPE=WEIGHT", word);
    if (conf->ntres == PRIORITY_TRES_MAX)
        return err_set(err, EINVAL, "PriorityWeightTRES: more than %u types", PRIORITY_TRES_MAX);
    struct priority_tres *t = &conf->tres[conf->ntres++];
    tres_name(t->name, sizeof(t->name), word, (size_t)(eq - word));
    t->weight = weight;
    return 0;
}

int priority_tres_parse(struct priority_conf *conf, const char *text, struct err *err)
{
    const char *pos = text ? text : "";
    int rc = 0;
    conf->ntres = 0;
    for (char *word; !rc && (word = str_next(&pos, ",")); free(word))
        rc = *word ? tres_one(conf, word, err) : 0;
    return rc;
}

bool priority_moves(const struct priority_conf *conf)
{
    return !conf->basic && (conf->weight[PRIO_AGE] || conf->weight[PRIO_FAIRSHARE]);
}

/* ---- amounts ---- */

void priority_whole(const struct cluster *c, struct priority_whole *out)
{
    *out = (struct priority_whole){ 0 };
    for (size_t i = 0; i < c->nnodes; i++) {
        if (node_base(&c->node[i]) == NODE_FUTURE)
            continue;
        out->nodes++;
        out->cpus += c->node[i].cpus;
    }
    for (size_t i = 0; i < c->part.n; i++)
        out->top_part = MAX(out->top_part, c->part.at[i]->pb->priority_job_factor);
}

static uint64_t gres_asked(const struct req *r, const char *name)
{
    size_t len = strcspn(name, ":");
    const char *type = name[len] ? name + len + 1 : NULL;
    uint64_t n = 0;
    for (uint32_t i = 0; i < r->ngres; i++) {
        const struct req_gres *g = &r->gres[i];
        uint64_t times = g->scope == REQ_PER_JOB ? 1 : g->scope == REQ_PER_TASK ? req_tasks(r) : r->min_nodes;
        if (g->scope == REQ_PER_SOCKET)
            times *= MAX(r->sockets_per_node, 1u);
        if (strlen(g->name) == len && !strncmp(g->name, name, len) && (!type || str_eq(type, g->type)))
            n += g->count * times;
    }
    return n;
}

static uint64_t tres_asked(const struct job *j, const char *name)
{
    const struct req *r = &j->spec->req;
    if (str_eq(name, "cpu") || str_eq(name, "billing"))
        return req_cpus(r);
    if (str_eq(name, "node"))
        return r->min_nodes;
    if (str_eq(name, "mem"))
        return j->mem_per_node_mb ? mul_cap(j->mem_per_node_mb, r->min_nodes) : mul_cap(j->mem_per_cpu_mb, req_cpus(r));
    return str_has_prefix(name, "gres/") ? gres_asked(r, name + 5) : 0;
}

static uint64_t gres_there(const struct node *n, const char *name)
{
    size_t len = strcspn(name, ":");
    const char *type = name[len] ? name + len + 1 : NULL;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n->ngres; i++)
        if (strlen(n->gres[i].name) == len && !strncmp(n->gres[i].name, name, len) &&
            (!type || str_eq(type, n->gres[i].type)))
            sum += n->gres[i].count;
    return sum;
}

static uint64_t tres_there(const struct cluster *c, const struct part *p, const char *name)
{
    uint64_t sum = 0;
    bitmap_each (&p->nodes, i) {
        const struct node *n = &c->node[i];
        if (str_eq(name, "cpu") || str_eq(name, "billing"))
            sum += n->cpus;
        else if (str_eq(name, "node"))
            sum++;
        else if (str_eq(name, "mem"))
            sum += n->mem_mb;
        else if (str_has_prefix(name, "gres/"))
            sum += gres_there(n, name + 5);
    }
    return sum;
}

/* ---- factors ---- */

bool priority_ages(const struct job *j, int64_t now_s)
{
    return !j->hold && !job_depend_open(j) && !job_depend_failed(j) && j->eligible_s <= now_s;
}

static double age_factor(const struct priority_conf *conf, const struct job *j, int64_t now_s)
{
    bool always = conf->flags & PRIO_ACCRUE_ALWAYS;
    int64_t since = always ? j->submit_s : j->accrue_s ? j->accrue_s : j->eligible_s;
    if (!always && j->accrue_s == ACCRUE_NEVER)
        return 0;
    if ((!always && job_pending(j) && !priority_ages(j, now_s)) || now_s <= since)
        return 0;
    if (!conf->max_age_s || now_s - since >= conf->max_age_s)
        return 1;
    return (double)(now_s - since) / conf->max_age_s;
}

static double fraction_of(double part, double whole)
{
    return whole > 0 ? MIN(part / whole, 1.0) : 0;
}

/* The mean of the job's fractions of all nodes and of all CPUs; or its CPUs per minute of time limit, of all CPUs. */
static double size_factor(const struct priority_conf *conf, const struct priority_whole *w, const struct job *j)
{
    const struct req *r = &j->spec->req;
    double size;
    if (conf->flags & PRIO_SMALL_TO_TIME) {
        uint32_t limit = j->time_limit_min && j->time_limit_min != INFINITE_MIN ? j->time_limit_min : 365 * 24 * 60;
        size = fraction_of((double)req_cpus(r) / limit, w->cpus);
    } else {
        size = (fraction_of(r->min_nodes, w->nodes) + fraction_of(req_cpus(r), w->cpus)) / 2;
    }
    return conf->favor_small ? 1 - size : size;
}

static double part_factor(const struct priority_conf *conf, const struct priority_whole *w, const struct part *p)
{
    uint32_t own = p->pb->priority_job_factor;
    return conf->flags & PRIO_RAW_PART ? own : fraction_of(own, w->top_part);
}

static double tres_factor(const struct priority_conf *conf, const struct cluster *c, const struct job *j,
                          const struct part *p, const char *name)
{
    double asked = (double)tres_asked(j, name);
    return conf->flags & PRIO_RAW_TRES ? asked : asked ? fraction_of(asked, (double)tres_there(c, p, name)) : 0;
}

/* A factor without a weight is not computed: it is shown as 0. */
void priority_parts(const struct priority_conf *conf, const struct cluster *c, const struct priority_whole *w,
                    const struct job *j, const struct part *p, const struct priority_given *given, int64_t now_s,
                    struct priority_parts *out)
{
    static const struct priority_given nothing;
    const uint32_t *weight = conf->weight;
    given = given ? given : &nothing;
    *out = (struct priority_parts){ .site = j->spec->site_factor, .nice = j->spec->nice };
    out->factor[PRIO_AGE] = weight[PRIO_AGE] ? age_factor(conf, j, now_s) : 0;
    out->factor[PRIO_ASSOC] = weight[PRIO_ASSOC] ? given->assoc : 0;
    out->factor[PRIO_FAIRSHARE] = weight[PRIO_FAIRSHARE] ? given->fairshare : 0;
    out->factor[PRIO_SIZE] = weight[PRIO_SIZE] ? size_factor(conf, w, j) : 0;
    out->factor[PRIO_PART] = weight[PRIO_PART] && p ? part_factor(conf, w, p) : 0;
    out->factor[PRIO_QOS] = weight[PRIO_QOS] ? given->qos : 0;
    for (uint32_t i = 0; p && i < conf->ntres; i++)
        out->tres[i] = conf->tres[i].weight ? tres_factor(conf, c, j, p, conf->tres[i].name) : 0;
}

double priority_weighted(const struct priority_conf *conf, const struct priority_parts *f, enum priority_kind k)
{
    return f->factor[k] * conf->weight[k];
}

static uint32_t priority_bounded(double sum)
{
    return sum < 1 ? 1 : sum > (double)(UINT32_MAX - 2) ? UINT32_MAX - 2 : (uint32_t)sum;
}

uint32_t priority_sum(const struct priority_conf *conf, const struct priority_parts *f)
{
    double sum = (double)f->site - (double)f->nice;
    for (int k = 0; k < PRIO_KINDS; k++)
        sum += priority_weighted(conf, f, (enum priority_kind)k);
    for (uint32_t i = 0; i < conf->ntres; i++)
        sum += f->tres[i] * conf->tres[i].weight;
    return priority_bounded(sum);
}

uint32_t priority_of(const struct priority_conf *conf, const struct cluster *c, const struct priority_whole *w,
                     const struct job *j, const struct priority_given *given, int64_t now_s)
{
    struct priority_parts f;
    uint32_t best = 0;
    const char *pos = j->partition;
    for (char *name; (name = str_next(&pos, ",")); free(name)) {
        priority_parts(conf, c, w, j, cluster_part(c, name), given, now_s, &f);
        best = MAX(best, priority_sum(conf, &f));
    }
    return MAX(best, 1u);
}

uint32_t priority_plain(const struct job *j)
{
    return j->priority_fixed ? j->priority : priority_bounded((double)j->spec->site_factor - (double)j->spec->nice);
}
