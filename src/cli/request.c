/* request - from options to a SUBMIT message; see request.h. */
#include "cli/request.h"

#include <sys/random.h>
#include <sys/stat.h>

#include "base/errnum.h"
#include "base/str.h"
#include "cli/env_out.h"
#include "cli/say.h"
#include "text/time.h"

#define TASKS_MAX ((uint64_t)INT32_MAX)

extern char **environ;

void request_init(struct request *r)
{
    *r = (struct request){ .msg = PB__SUBMIT_REQUEST__INIT };
}

void request_clear(struct request *r)
{
    rlimits_clear(&r->rlimits);
    export_clear(&r->env);
    buf_clear(&r->env_bytes);
    buf_clear(&r->script);
    strs_clear(&r->texts);
}

static char *request_keep(struct request *r, char *text)
{
    strs_take(&r->texts, text);
    return text;
}

char *request_cwd(void)
{
    char *cwd = getcwd(NULL, 0);
    return cwd ? cwd : mem_str("/");
}

char *request_line(int argc, char **argv)
{
    auto_buf struct buf b = BUF_INIT;
    for (int i = 0; i < argc; i++)
        buf_addf(&b, "%s%s", i ? " " : "", argv[i]);
    return buf_take(&b);
}

static char *short_host(void)
{
    char name[256] = "";
    gethostname(name, sizeof(name) - 1);
    name[strcspn(name, ".")] = 0;
    return mem_str(name);
}

/* $SLURM_UMASK, in octal, before the process's own. */
static uint32_t job_umask(void)
{
    const char *text = getenv("SLURM_UMASK");
    char *end = NULL;
    unsigned long n = text ? strtoul(text, &end, 8) : 0;
    if (text && *text && !*end && n <= 0777)
        return (uint32_t)n;
    mode_t old = umask(0);
    umask(old);
    return old;
}

static void fill_place(struct request *r, struct job_opts *o, int argc, char **argv)
{
    Pb__JobSpec *spec = &o->spec;
    char *cwd = request_keep(r, request_cwd());
    if (str_empty(spec->workdir))
        spec->workdir = cwd;
    else if (spec->workdir[0] != '/')
        spec->workdir = request_keep(r, mem_printf("%s/%s", str_eq(cwd, "/") ? "" : cwd, spec->workdir));
    spec->submit_line = request_keep(r, request_line(argc, argv));
    spec->alloc_host = request_keep(r, short_host());
    spec->alloc_sid = (uint32_t)getsid(0);
    spec->umask = job_umask();
    export_set(&r->env, "SLURM_SUBMIT_DIR", cwd);
    export_set(&r->env, "SLURM_SUBMIT_HOST", spec->alloc_host);
}

/* Tasks on each node times a known number of nodes is a number of tasks; so is one for each thread that was asked for.
 */
static void work_out_tasks(const struct job_opts *o, Pb__JobSpec *spec)
{
    const uint32_t parts[] = { spec->sockets_per_node, spec->cores_per_socket, spec->threads_per_core };
    uint64_t nodes = MAX(spec->min_nodes, 1u), n = nodes;
    if (!spec->ntasks && spec->ntasks_per_node)
        spec->ntasks = (uint32_t)MIN(nodes * spec->ntasks_per_node, TASKS_MAX);
    if (spec->ntasks || !(o->nodes_set || o->layout_set) || (spec->max_nodes && spec->max_nodes != spec->min_nodes))
        return;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        n = MIN(n * MAX(parts[i], 1u), TASKS_MAX);
    if (n != nodes)
        spec->ntasks = (uint32_t)n;
}

static int fill_env(struct request *r, struct job_opts *o, enum job_command command, struct err *err)
{
    bool login = false;
    if (o->export_file) {
        int rc = export_file(&r->env, o->export_file, err);
        if (rc)
            return OPT_EXIT_VALUE;
    } else if (command == CMD_SRUN) {
        export_fill_step(&r->env, o->export, environ);
    } else {
        export_fill(&r->env, o->export, environ, &login);
    }
    o->spec.get_user_env = login;
    return 0;
}

int request_fill(struct request *r, struct job_opts *o, enum job_command command, const struct site *site, int argc,
                 char **argv, struct err *err)
{
    job_opts_spec_settle(o, site->allow_spec);
    int rc = fill_env(r, o, command, err);
    if (rc)
        return rc;
    rc = rlimits_fill(&r->rlimits, o->propagate, site, err);
    if (rc)
        return rc;
    fill_place(r, o, argc, argv);
    work_out_tasks(o, &o->spec);
    env_out(&r->env, o, command);
    export_pack(&r->env, &r->env_bytes);
    if (getrandom(r->key, sizeof(r->key), 0) != sizeof(r->key))
        return err_set(err, OPT_EXIT_VALUE, "cannot get random bytes: %m");
    o->spec.rlimits = r->rlimits.at;
    o->spec.n_rlimits = r->rlimits.n;
    r->msg.spec = &o->spec;
    r->msg.key = (ProtobufCBinaryData){ sizeof(r->key), r->key };
    r->msg.env = (ProtobufCBinaryData){ r->env_bytes.len, (uint8_t *)r->env_bytes.s };
    r->msg.test_only = o->test_only;
    r->msg.as_other = o->has_uid || o->has_gid;
    r->msg.uid = o->has_uid ? o->uid : getuid();
    r->msg.gid = o->has_uid || o->has_gid ? o->gid : getgid();
    return 0;
}

/* What is known beyond the code's own words.  Slurm's codes speak for themselves: scripts know what follows them. */
static void say_detail(const struct err *err)
{
    if (err->code < SLURM_UNEXPECTED_MSG_ERROR && err->text[0] && !str_eq(err->text, err_text(err->code)))
        say_error("%s", err->text);
}

void request_failed(const char *prefix, const struct err *err)
{
    say_detail(err);
    if (err->code == ESLURM_INVALID_GRES) /* Slurm finds this one before it submits */
        say_error("%s", err_text(err->code));
    else
        say_error("%s: %s", prefix, err_text(err->code));
}

static void say_plan(const Pb__SubmitReply *r)
{
    char at[TIME_TEXT];
    if (r->het_size) {
        say_info("Job %u to start at %s using %u processors on %s", r->job_id,
                 time_stamp(at, (time_t)r->planned_start_s, "Unknown"), r->planned_cpus, r->planned_nodes);
        return;
    }
    say_info("Job %u to start at %s a using %u processors on nodes %s in partition %s", r->job_id,
             time_stamp(at, (time_t)r->planned_start_s, "Unknown"), r->planned_cpus, r->planned_nodes,
             r->planned_partition);
}

static int request_refused(const struct request *r, const char *prefix, const struct err *err)
{
    if (!r->msg.test_only) {
        request_failed(prefix, err);
        return say_exit(1);
    }
    say_detail(err);
    fprintf(stderr, "allocation failure: %s\n", err_text(err->code));
    return say_exit(1);
}

int request_send(const struct request *r, struct client *c, const char *prefix, Pb__SubmitReply **reply)
{
    struct err err = ERR_INIT;
    ProtobufCMessage *m = NULL;
    if (client_call(c, MSG_SUBMIT, &r->msg.base, MSG_SUBMIT_REPLY, &m, &err))
        return request_refused(r, prefix, &err);
    Pb__SubmitReply *got = (Pb__SubmitReply *)m;
    for (size_t i = 0; i < got->n_warnings; i++)
        (got->code ? say_error : say_info)("%s", got->warnings[i]);
    int rc = 0;
    if (got->code) {
        err_set(&err, got->code, "%s", got->text);
        rc = request_refused(r, prefix, &err);
    } else if (r->msg.test_only) {
        say_plan(got);
    }
    if (rc)
        client_free(m);
    else
        *reply = got;
    return rc;
}
