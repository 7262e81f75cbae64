/* hook_env - what the scripts around a job are told; see hook_env.h. */
#include "wire/hook_env.h"

#include <glob.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static void put_variable(struct buf *out, const char *name, const char *value)
{
    if (str_empty(value))
        return;
    buf_addf(out, "%s=%s", name, value);
    buf_addc(out, '\0');
}

static void put_number(struct buf *out, const char *name, int64_t value)
{
    buf_addf(out, "%s=%lld", name, (long long)value);
    buf_addc(out, '\0');
}

static void put_texts(struct buf *out, const Pb__HookJob *b)
{
    const struct {
        const char *name, *value;
    } rows[] = {
        { "SLURM_CLUSTER_NAME", b->cluster },     { "SLURM_JOB_ACCOUNT", b->account },
        { "SLURM_JOB_COMMENT", b->comment },      { "SLURM_JOB_CONSTRAINTS", b->constraint },
        { "SLURM_JOB_EXTRA", b->extra },          { "SLURM_JOB_GPUS", b->gpus },
        { "SLURM_JOB_LICENSES", b->licenses },    { "SLURM_JOB_NAME", b->name },
        { "SLURM_JOB_NODELIST", b->nodes },       { "SLURM_JOB_PARTITION", b->partition },
        { "SLURM_JOB_QOS", b->qos },              { "SLURM_JOB_RESERVATION", b->reservation },
        { "SLURM_JOB_STDERR", b->std_err },       { "SLURM_JOB_STDIN", b->std_in },
        { "SLURM_JOB_STDOUT", b->std_out },       { "SLURM_JOB_USER", b->user_name },
        { "SLURM_JOB_WORK_DIR", b->workdir },
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        put_variable(out, rows[i].name, rows[i].value);
}

void hook_env_make(struct buf *out, const struct hook_env_words *w, const Pb__HookJob *b)
{
    put_variable(out, "SLURM_SCRIPT_CONTEXT", w->context);
    put_variable(out, "SLURMD_NODENAME", w->node);
    put_variable(out, "SLURM_CONF", w->conf);
    put_number(out, "SLURM_JOB_ID", w->job_id);
    put_number(out, "SLURM_JOBID", w->job_id);
    put_number(out, "SLURM_JOB_UID", b->uid);
    put_number(out, "SLURM_UID", b->uid);
    put_number(out, "SLURM_JOB_GID", b->gid);
    put_number(out, "SLURM_NNODES", b->num_nodes);
    put_number(out, "SLURM_RESTART_COUNT", b->restarts);
    put_number(out, "SLURM_JOB_START_TIME", b->start_s);
    put_number(out, "SLURM_JOB_END_TIME", b->end_s);
    put_number(out, "SLURM_JOB_OVERSUBSCRIBE", b->oversubscribe);
    if (b->has_task) {
        put_number(out, "SLURM_ARRAY_JOB_ID", b->array_job);
        put_number(out, "SLURM_ARRAY_TASK_ID", b->array_task);
    }
    if (strstr(w->context, "epilog")) {
        put_number(out, "SLURM_JOB_EXIT_CODE", b->exit_code);
        auto_free char *pair = mem_printf("%u:%u", b->exit_code >> 8 & 0xff, b->exit_code & 0x7f);
        put_variable(out, "SLURM_JOB_EXIT_CODE2", pair);
        put_number(out, "SLURM_JOB_DERIVED_EC", b->derived_code);
    }
    put_texts(out, b);
}

void hook_job_from_spec(Pb__HookJob *b, const Pb__JobSpec *spec)
{
    b->account = spec->account;
    b->qos = spec->qos;
    b->workdir = spec->workdir;
    b->name = spec->name;
    b->comment = spec->comment;
    b->std_in = spec->std_in, b->std_out = spec->std_out, b->std_err = spec->std_err;
    b->constraint = spec->constraint;
    b->extra = spec->extra;
    b->reservation = spec->reservation;
    b->licenses = spec->licenses;
    b->oversubscribe = spec->oversubscribe;
}

void hook_job_from_order(Pb__HookJob *b, const Pb__LaunchOrder *o)
{
    *b = (Pb__HookJob)PB__HOOK_JOB__INIT;
    b->uid = o->uid, b->gid = o->gid;
    b->user_name = o->user_name;
    b->partition = o->partition;
    b->nodes = o->nodes;
    b->num_nodes = (uint32_t)o->n_alloc;
    b->cluster = o->cluster;
    b->array_job = o->array_job, b->has_task = o->has_task, b->array_task = o->array_task;
    b->restarts = o->restarts;
    b->start_s = o->start_s, b->end_s = o->end_s;
    if (o->spec)
        hook_job_from_spec(b, o->spec);
}

static void add_pattern(struct buf *out, const char *pattern)
{
    glob_t g = { 0 };
    if (!strpbrk(pattern, "*?[") || glob(pattern, 0, NULL, &g)) {
        buf_add(out, pattern, strlen(pattern) + 1); /* one that is not there has to fail, not to be skipped */
        return;
    }
    for (size_t i = g.gl_pathc; i-- > 0;)
        buf_add(out, g.gl_pathv[i], strlen(g.gl_pathv[i]) + 1);
    globfree(&g);
}

void hook_scripts(struct buf *out, const char *setting, const char *conf)
{
    const char *slash = conf ? strrchr(conf, '/') : NULL, *pos = str_or(setting, "");
    for (char *one; (one = str_next(&pos, "\n")); free(one)) {
        auto_free char *path =
            one[0] == '/' || !slash ? mem_str(one) : mem_printf("%.*s/%s", (int)(slash - conf), conf, one);
        if (path[0])
            add_pattern(out, path);
    }
}
