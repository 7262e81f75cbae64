/* het - components of a heterogeneous job; see het.h. */
#include "cli/het.h"

#include "base/str.h"

void het_clear(struct het *h)
{
    for (size_t i = 0; i < h->at.n; i++) {
        request_clear(&h->at.at[i]->req);
        job_opts_clear(&h->at.at[i]->o);
        strs_clear(&h->at.at[i]->words);
        free(h->at.at[i]);
    }
    vec_clear(&h->at);
    vec_clear(&h->message);
}

struct het_comp *het_add(struct het *h)
{
    static char *nothing[] = { ":", NULL };
    struct het_comp *c = NEW(struct het_comp);
    const struct het_comp *last = h->at.n ? h->at.at[h->at.n - 1] : NULL;
    job_opts_init(&c->o);
    request_init(&c->req);
    c->argc = last ? last->argc : h->first_argv ? h->first_argc : 1;
    c->argv = last ? last->argv : h->first_argv ? h->first_argv : nothing;
    vec_push(&h->at, c);
    return c;
}

int het_cut(struct het *h, const struct opt_set *set, int argc, char **argv, int *first, struct job_opts *glance,
            struct err *err)
{
    int from = 0, rc;
    for (struct het_comp *c = NULL;; c = het_add(h)) {
        int at;
        rc = opt_glance(set, argc - from, argv + from, &at, glance, err);
        if (c) {
            c->argv = argv + from;
            c->argc = at;
        } else {
            h->first_argc = at;
            h->first_argv = argv;
        }
        from += at;
        if (rc || from >= argc || !str_eq(argv[from], ":"))
            break;
    }
    *first = from;
    return rc;
}

/* Options for what a component needs; every other option is the whole job's. */
static bool is_own(const char *name)
{
    /* clang-format off */
    static const char *const own[] = {
        "array", "constraint", "contiguous", "core-spec", "cores-per-socket", "cpus-per-gpu", "cpus-per-task",
        "exclusive", "extra-node-info", "gpu-bind", "gpus", "gpus-per-node", "gpus-per-socket", "gpus-per-task",
        "gres", "gres-flags", "hint", "licenses", "mail-type", "mem-per-cpu", "mem-per-gpu", "mincpus", "network",
        "nodefile", "nodelist", "nodes", "ntasks", "ntasks-per-core", "ntasks-per-gpu", "ntasks-per-node",
        "ntasks-per-socket", "oversubscribe", "partition", "prefer", "sockets-per-node", "spread-job", "switches",
        "thread-spec", "threads-per-core", "tmp", "tres-bind", "tres-per-task", "het-group", "wrap", "multi-prog",
        "exact", "relative",
    };
    /* clang-format on */
    for (size_t i = 0; i < ARRAY_LEN(own); i++)
        if (str_eq(own[i], name))
            return true;
    return false;
}

int het_inherit(const struct opt_set *set, const struct job_opts *before, struct job_opts *o, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < before->seen.n; i++)
        if (!is_own(before->seen.at[i].o->name) && before->seen.at[i].o->type != OPT_MORE)
            rc = opt_apply(set, before->seen.at[i].o, o, before->seen.at[i].arg, err);
    return rc;
}

void het_settle(const struct job_opts *first, struct job_opts *o)
{
    if (first == o || !first->mem_set || !(o->mem_per_cpu_set || o->spec.mem_per_gpu_mb))
        return;
    o->mem_set = false;
    o->spec.mem_all = 0;
    o->spec.mem_per_node_mb = 0;
}

int het_fill(struct het *h, struct request *first, enum job_command command, const struct site *site, int argc,
             char **argv, struct err *err)
{
    for (size_t i = 0; i < h->at.n; i++) {
        struct het_comp *c = h->at.at[i];
        int rc = request_fill(&c->req, &c->o, command, site, argc, argv, err);
        if (rc)
            return rc;
        if (command != CMD_SRUN) /* the script's, and it runs in the first */
            c->req.msg.env = (ProtobufCBinaryData){ 0, NULL };
        vec_push(&h->message, &c->req.msg);
    }
    first->msg.het = h->message.at;
    first->msg.n_het = h->message.n;
    return 0;
}
