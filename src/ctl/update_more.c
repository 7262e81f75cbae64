/* update_more - the keys of scontrol update jobid=... that are asked for less often; see update_job.h. */
#include "ctl/resize.h"
#include "ctl/update_job.h"
#include "text/gres.h"
#include "text/size.h"
#include "text/time.h"

static int yes_no(struct job_update *c, const char *key, const char *v, bool *out)
{
    *out = str_ieq(v, "yes") || str_eq(v, "1");
    if (*out || str_ieq(v, "no") || str_eq(v, "0"))
        return 0;
    return err_set(c->err, EINVAL, "Invalid %s value: %s", key, v);
}

/* ---- what it needs ---- */

static int set_tmp(struct job_update *c, char *v)
{
    uint64_t mb;
    if (job_update_pending(c))
        return c->err->code;
    if (size_mb_parse(v, &mb, NULL))
        return err_set(c->err, EINVAL, "Invalid MinTmpDiskNode value: %s", v);
    c->spec->tmp_mb = mb;
    c->spec_changed = true;
    return 0;
}

static int set_oversubscribe(struct job_update *c, char *v)
{
    bool on;
    if (job_update_pending(c) || yes_no(c, "OverSubscribe", v, &on))
        return c->err->code;
    c->spec->oversubscribe = on;
    c->spec_changed = true;
    return 0;
}

static int set_cores(struct job_update *c, char *v)
{
    return job_update_number(c, v, &c->spec->cores_per_socket);
}
static int set_sockets(struct job_update *c, char *v)
{
    return job_update_number(c, v, &c->spec->sockets_per_node);
}
static int set_threads(struct job_update *c, char *v)
{
    return job_update_number(c, v, &c->spec->threads_per_core);
}
static int set_tasks_per_node(struct job_update *c, char *v)
{
    return job_update_number(c, v, &c->spec->ntasks_per_node);
}

/* "[gres/]gpu[:TYPE]:COUNT": GPUs are what a job can have as a whole. */
static int set_tres_per_job(struct job_update *c, char *v)
{
    auto_gres struct gres_list list = GRES_INIT;
    if (job_update_pending(c))
        return c->err->code;
    const char *at = str_has_iprefix(v, "gres/") ? v + 5 : v;
    at = str_has_iprefix(at, "gpu") ? at + 3 : NULL;
    if (*v && (!at || (*at != ':' && *at != '=') || gres_parse_gpus(at + 1, &list, NULL)))
        return job_update_code(c, ESLURM_INVALID_GRES);
    return job_update_text(c, &c->spec->gpus, *v ? at + 1 : "");
}

static int set_core_spec(struct job_update *c, char *v)
{
    if (job_update_pending(c))
        return c->err->code;
    if (!c->call->t->site->allow_spec)
        return job_update_code(c, ESLURM_ACCESS_DENIED);
    return job_update_number(c, v, &c->spec->core_spec);
}

/* ---- when ---- */

static int set_time_min(struct job_update *c, char *v)
{
    uint32_t m, limit = c->ev.has_limit ? c->ev.time_limit_min : c->job->time_limit_min;
    if (time_limit_parse(v, &m, NULL))
        return err_set(c->err, EINVAL, "Invalid TimeMin value");
    if (!job_pending(c->job))
        return 0; /* it has its limit */
    if (m > limit)
        return job_update_code(c, ESLURM_INVALID_TIME_MIN_LIMIT);
    c->spec->time_min_min = m;
    c->spec_changed = true;
    return 0;
}

/* A running job's limit, said as the moment of its end. */
static int set_end(struct job_update *c, char *v)
{
    time_t at;
    const struct job *j = c->job;
    if (time_at_parse(v, NOW_S(c->call->t), &at, c->err))
        return c->err->code;
    if (j->state != JOB_RUNNING)
        return job_update_code(c, ESLURM_JOB_NOT_RUNNING);
    int64_t ran_s = MAX((int64_t)at, NOW_S(c->call->t)) - j->start_s - j->suspended_total_s;
    return job_update_limit(c, (uint32_t)MAX(ran_s / 60, (int64_t)1));
}

static int set_delay_boot(struct job_update *c, char *v)
{
    uint32_t m;
    if (time_limit_parse(v, &m, NULL))
        return err_set(c->err, EINVAL, "Invalid DelayBoot value: %s", v);
    c->spec->delay_boot_min = m;
    c->spec_changed = true;
    return 0;
}

/* ---- words ---- */

static int set_mail_type(struct job_update *c, char *v)
{
    static const char known[] = "NONE,BEGIN,END,FAIL,REQUEUE,ALL,INVALID_DEPEND,STAGE_OUT,TIME_LIMIT,TIME_LIMIT_50,"
                                "TIME_LIMIT_80,TIME_LIMIT_90,ARRAY_TASKS";
    const char *pos = v;
    bool good = true;
    for (char *word; (word = str_next(&pos, ",")); free(word)) {
        for (char *p = word; *p; p++)
            *p = (char)(*p >= 'a' && *p <= 'z' ? *p - 32 : *p);
        good &= str_in_list(known, word);
    }
    return good ? job_update_text(c, &c->spec->mail_type, v) : err_set(c->err, EINVAL, "Invalid MailType value: %s", v);
}

/* ---- what is not there ---- */

static int not_supported(struct job_update *c, char *v)
{
    return job_update_code(c, ESLURM_NOT_SUPPORTED);
}

const struct job_update_row update_more_rows[] = {
    { "BurstBuffer", not_supported, BY_OWNER },
    { "Clusters", not_supported, BY_OWNER },
    { "ClusterFeatures", not_supported, BY_OWNER },
    { "CoreSpec", set_core_spec, BY_ADMIN_WAITING },
    { "DelayBoot", set_delay_boot, BY_OWNER },
    { "EndTime", set_end, BY_OWNER },
    { "MailType", set_mail_type, BY_OWNER },
    { "MCSLabel", not_supported, BY_OWNER },
    { "MinTmpDiskNode", set_tmp, BY_OWNER },
    { "OverSubscribe", set_oversubscribe, BY_ADMIN_WAITING },
    { "Reboot", not_supported, BY_ADMIN },
    { "ReqCores", set_cores, BY_OWNER },
    { "ReqSockets", set_sockets, BY_OWNER },
    { "ReqThreads", set_threads, BY_OWNER },
    { "ResetAccrueTime", not_supported, BY_OWNER },
    { "TasksPerNode", set_tasks_per_node, BY_ADMIN_WAITING },
    { "ThreadSpec", set_core_spec, BY_ADMIN_WAITING },
    { "TimeMin", set_time_min, BY_OWNER },
    { "TresPerJob", set_tres_per_job, BY_OWNER },
    { 0 },
};
