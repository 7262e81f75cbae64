/* update_part - scontrol update, create, delete partitionname=... */
#include "ctl/update.h"
#include "text/hostlist.h"
#include "text/time.h"

static int word_state(Pb__Part *p, const char *v)
{
    return part_state_parse(v, &p->state) ? 0 : EINVAL;
}

static int part_update_yes(const char *v, protobuf_c_boolean *out)
{
    if (!str_ieq(v, "YES") && !str_ieq(v, "NO"))
        return EINVAL;
    *out = str_ieq(v, "YES");
    return 0;
}

static int part_update_minutes(const char *v, uint32_t *out)
{
    uint32_t m;
    if (str_ieq(v, "NONE")) {
        *out = 0;
        return 0;
    }
    if (time_limit_parse(v, &m, NULL))
        return EINVAL;
    *out = m;
    return 0;
}

static int part_update_count(const char *v, uint32_t *out)
{
    uint64_t n;
    if (str_ieq(v, "UNLIMITED") || str_ieq(v, "INFINITE"))
        n = UINT32_MAX;
    else if (!str_u64(v, 0, UINT32_MAX, &n))
        return EINVAL;
    *out = (uint32_t)n;
    return 0;
}

static int part_update_mem(const char *v, uint64_t *out)
{
    return str_ieq(v, "UNLIMITED") ? (*out = 0, 0) : str_u64(v, 0, UINT64_MAX / 2, out) ? 0 : EINVAL;
}

/* NO, YES[:COUNT], FORCE[:COUNT], EXCLUSIVE; as the configuration has them once they are read. */
static int part_update_oversubscribe(Pb__Part *p, const char *v)
{
    static char said[32];
    static const char *const words[] = { "NO", "EXCLUSIVE", "YES", "FORCE" };
    const char *colon = strchr(v, ':');
    size_t len = colon ? (size_t)(colon - v) : strlen(v), w = 0;
    uint64_t n = 4;
    while (w < ARRAY_LEN(words) && (strlen(words[w]) != len || strncasecmp(v, words[w], len)))
        w++;
    if (w == ARRAY_LEN(words) || (colon && (w < 2 || !str_u64(colon + 1, 1, UINT16_MAX, &n))))
        return EINVAL;
    snprintf(said, sizeof(said), w < 2 ? "%s" : "%s:%lu", words[w], (unsigned long)n);
    p->oversubscribe = said;
    return 0;
}

/* Exclusive=NO, NODE or USER: what OverSubscribe=EXCLUSIVE and ExclusiveUser said before. */
static int part_update_exclusive(Pb__Part *p, const char *v)
{
    bool node = str_ieq(v, "NODE"), user = str_ieq(v, "USER");
    if (!node && !user && !str_ieq(v, "NO"))
        return EINVAL;
    p->exclusive_user = user;
    if (node || str_ieq(p->oversubscribe, "EXCLUSIVE"))
        p->oversubscribe = (char *)(uintptr_t)(node ? "EXCLUSIVE" : "NO");
    return 0;
}

static int preempt_mode(Pb__Part *p, char *v)
{
    static const char *const words[] = { "OFF", "CANCEL", "REQUEUE", "SUSPEND", "GANG", "PRIORITY", "WITHIN" };
    const char *pos = v;
    bool known = true;
    for (char *word; (word = str_next(&pos, ",")); free(word)) {
        size_t w = 0;
        while (w < ARRAY_LEN(words) && !str_ieq(word, words[w]))
            w++;
        known &= w < ARRAY_LEN(words);
    }
    p->preempt_mode = v;
    return known ? 0 : EINVAL;
}

/* Texts point into the request: the event copies them. */
static int part_update_set(Pb__Part *p, const char *k, char *v)
{
    const struct {
        const char *key;
        char **text;
        uint32_t *number, *time;
        uint64_t *mem;
        protobuf_c_boolean *flag;
    } rows[] = {
        { "Nodes", .text = &p->nodes },
        { "AllowGroups", .text = &p->allow_groups },
        { "AllowAccounts", .text = &p->allow_accounts },
        { "AllowQOS", .text = &p->allow_qos },
        { "DenyAccounts", .text = &p->deny_accounts },
        { "DenyQOS", .text = &p->deny_qos },
        { "AllocNodes", .text = &p->alloc_nodes },
        { "Alternate", .text = &p->alternate },
        { "QOS", .text = &p->qos },
        { "MaxTime", .time = &p->max_time_min },
        { "DefaultTime", .time = &p->default_time_min },
        { "MaxNodes", .number = &p->max_nodes },
        { "MinNodes", .number = &p->min_nodes },
        { "MaxCPUsPerNode", .number = &p->max_cpus_per_node },
        { "MaxCPUsPerSocket", .number = &p->max_cpus_per_socket },
        { "PriorityTier", .number = &p->priority_tier },
        { "PriorityJobFactor", .number = &p->priority_job_factor },
        { "GraceTime", .number = &p->grace_s },
        { "DefMemPerCPU", .mem = &p->def_mem_per_cpu_mb },
        { "DefMemPerNode", .mem = &p->def_mem_per_node_mb },
        { "MaxMemPerCPU", .mem = &p->max_mem_per_cpu_mb },
        { "MaxMemPerNode", .mem = &p->max_mem_per_node_mb },
        { "Default", .flag = &p->is_default },
        { "Hidden", .flag = &p->hidden },
        { "RootOnly", .flag = &p->root_only },
        { "LLN", .flag = &p->lln },
        { "ReqResv", .flag = &p->req_resv },
        { "DisableRootJobs", .flag = &p->disable_root_jobs },
        { "ExclusiveUser", .flag = &p->exclusive_user },
    };
    if (str_ieq(k, "PartitionName"))
        return 0;
    if (str_ieq(k, "State"))
        return word_state(p, v);
    if (str_ieq(k, "OverSubscribe"))
        return part_update_oversubscribe(p, v);
    if (str_ieq(k, "Exclusive"))
        return part_update_exclusive(p, v);
    if (str_ieq(k, "PreemptMode"))
        return preempt_mode(p, v);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (!str_ieq(k, rows[i].key))
            continue;
        if (rows[i].text)
            return *rows[i].text = v, 0;
        return rows[i].time     ? part_update_minutes(v, rows[i].time)
               : rows[i].number ? part_update_count(v, rows[i].number)
               : rows[i].mem    ? part_update_mem(v, rows[i].mem)
                                : part_update_yes(v, rows[i].flag);
    }
    return ENOENT;
}

static int check_nodes(const struct ctl *t, const char *list, struct err *err)
{
    auto_strs struct strs names = { 0 };
    if (str_empty(list))
        return 0;
    if (hostlist_expand(list, &names, NULL))
        return err_set(err, ESLURM_INVALID_NODE_NAME, "%s", err_text(ESLURM_INVALID_NODE_NAME));
    for (size_t i = 0; i < names.n; i++)
        if (!cluster_node(t->c, names.at[i]))
            return err_set(err, ESLURM_INVALID_NODE_NAME, "%s", err_text(ESLURM_INVALID_NODE_NAME));
    return 0;
}

static bool in_use(const struct ctl *t, const char *name)
{
    for (const struct job *j = t->c->active.head; j; j = j->next)
        if (str_in_list(j->partition, name))
            return true;
    for (const struct job *j = t->c->pending.head; j; j = j->next)
        if (str_in_list(j->partition, name))
            return true;
    return false;
}

int update_part(struct ctl *t, const Pb__UpdateRequest *r, struct err *err)
{
    const char *name = update_value(r, "PartitionName");
    struct part *old = name ? cluster_part(t->c, name) : NULL;
    EVENT(ev);
    Pb__EvPartUpdate e = PB__EV_PART_UPDATE__INIT;
    Pb__Part p = PB__PART__INIT;
    if (str_empty(name) || (!old && (r->remove || !r->create)))
        return err_set(err, ESLURM_INVALID_PARTITION_NAME, "%s", err_text(ESLURM_INVALID_PARTITION_NAME));
    if (old && r->create)
        return err_set(err, EEXIST, "Partition %s exists already", name);
    if (r->remove && in_use(t, name))
        return err_set(err, ESLURM_PARTITION_IN_USE, "%s", err_text(ESLURM_PARTITION_IN_USE));
    if (old)
        p = *old->pb;
    else
        p.max_time_min = p.max_nodes = UINT32_MAX, p.min_nodes = 1, p.priority_tier = p.priority_job_factor = 1,
        p.oversubscribe = "NO";
    p.name = (char *)name;
    p.node = NULL;
    p.n_node = 0;
    for (size_t i = 0; i < r->n_pairs && !r->remove; i++) {
        int rc = part_update_set(&p, r->pairs[i]->key, r->pairs[i]->value);
        if (rc && str_ieq(r->pairs[i]->key, "State"))
            return err_set(err, EINVAL, "Invalid input: State=%s", r->pairs[i]->value);
        if (rc)
            return err_set(err, EINVAL, rc == ENOENT ? "a partition's %s cannot be updated" : "Invalid input %s=%s",
                           r->pairs[i]->key, r->pairs[i]->value);
    }
    if (check_nodes(t, update_value(r, "Nodes"), err))
        return err->code;
    e.part = &p;
    e.remove = r->remove;
    BODY(ev, PART_UPDATE, part_update, &e);
    return ctl_emit(t, &ev, err);
}
