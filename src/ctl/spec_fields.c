/* spec_fields - what a user may say in a job and in a step; see spec_fields.h. */
#include "ctl/spec_fields.h"

#include "core/level.h"
#include "ctl/access.h"

/* The bounds of texts are Slurm's where Slurm has one. */
#define NAME 1024u
#define WORDS (16u << 10)  /* an expression, a list of resources, free text for scripts */
#define PATH 4096u
#define ARRAY (16u << 10)
#define LIST (128u << 10)  /* of hosts, jobs or masks */
#define LINE (2u << 20)    /* max_submit_line_size may say less */
#define ARGV (2u << 20)    /* more, and exec() refuses it */
#define ENV SPEC_ENV_MAX
#define COUNT INT32_MAX    /* those without a bound: see admit_counts() */
#define MEM (1ull << 32)   /* MB: four petabytes; times any count it fits its type */
#define WHEN (1ull << 40)  /* seconds since 1970 */

/* clang-format off */
static const struct spec_row job_rows[] = {
    { "name", SPEC_USER, NAME }, { "partition", SPEC_USER, NAME }, { "account", SPEC_USER, NAME },
    { "qos", SPEC_USER, NAME }, { "wckey", SPEC_USER, NAME }, { "comment", SPEC_USER, NAME },
    { "workdir", SPEC_USER, PATH }, { "std_in", SPEC_USER, PATH }, { "std_out", SPEC_USER, PATH },
    { "std_err", SPEC_USER, PATH }, { "open_mode", SPEC_USER, 2 }, { "kind", SPEC_USER, 2 },
    { "argv", SPEC_USER, ARGV }, { "submit_line", SPEC_USER, LINE }, { "alloc_host", SPEC_USER, NAME },
    { "alloc_sid", SPEC_USER, 0 }, { "umask", SPEC_USER, 07777 }, { "rlimits", SPEC_USER, 32 },
    { "get_user_env", SPEC_USER, 0 }, { "min_nodes", SPEC_USER, 0 }, { "max_nodes", SPEC_USER, 0 },
    { "ntasks", SPEC_USER, 0 }, { "cpus_per_task", SPEC_USER, 0 }, { "ntasks_per_node", SPEC_USER, 0 },
    { "ntasks_per_socket", SPEC_USER, COUNT }, { "ntasks_per_core", SPEC_USER, COUNT },
    { "ntasks_per_gpu", SPEC_USER, COUNT }, { "sockets_per_node", SPEC_USER, COUNT },
    { "cores_per_socket", SPEC_USER, COUNT }, { "threads_per_core", SPEC_USER, COUNT },
    { "mincpus", SPEC_USER, 0 }, { "mem_per_node_mb", SPEC_USER, MEM }, { "mem_per_cpu_mb", SPEC_USER, MEM },
    { "mem_per_gpu_mb", SPEC_USER, MEM }, { "mem_all", SPEC_USER, 0 }, { "tmp_mb", SPEC_USER, MEM },
    { "gres", SPEC_USER, WORDS }, { "gpus", SPEC_USER, NAME }, { "gpus_per_node", SPEC_USER, NAME },
    { "gpus_per_task", SPEC_USER, NAME }, { "gpus_per_socket", SPEC_USER, NAME },
    { "cpus_per_gpu", SPEC_USER, UINT16_MAX }, { "constraint", SPEC_USER, WORDS }, { "prefer", SPEC_USER, WORDS },
    { "nodelist", SPEC_USER, LIST }, { "exclude", SPEC_USER, LIST }, { "exclusive", SPEC_USER, NAME },
    { "oversubscribe", SPEC_USER, 0 }, { "overcommit", SPEC_USER, 0 }, { "contiguous", SPEC_USER, 0 },
    { "spread", SPEC_USER, 0 }, { "use_min_nodes", SPEC_USER, 0 }, { "licenses", SPEC_USER, WORDS },
    { "reservation", SPEC_USER, NAME }, { "tres_per_task", SPEC_USER, WORDS }, { "core_spec", SPEC_USER, 0 },
    { "switches", SPEC_USER, NAME }, { "distribution", SPEC_USER, NAME }, { "time_limit_min", SPEC_USER, 0 },
    { "time_min_min", SPEC_USER, 0 }, { "begin_s", SPEC_USER, WHEN }, { "deadline_s", SPEC_USER, WHEN },
    { "dependency", SPEC_USER, LIST }, { "array", SPEC_USER, ARRAY }, { "kill_on_invalid_dep", SPEC_USER, 0 },
    { "no_kill_on_invalid_dep", SPEC_USER, 0 }, { "requeue", SPEC_USER, 2 }, { "signal", SPEC_USER, 65535 },
    { "signal_before_s", SPEC_USER, 0 }, { "signal_batch", SPEC_USER, 0 }, { "signal_resv", SPEC_USER, 0 },
    { "mail_type", SPEC_USER, NAME }, { "mail_user", SPEC_USER, NAME }, { "has_priority", SPEC_USER, 0 },
    { "priority", SPEC_USER, 0 }, { "nice", SPEC_USER, 0 }, { "hold", SPEC_USER, 0 }, { "no_kill", SPEC_USER, 0 },
    { "immediate_s", SPEC_USER, COUNT }, { "reboot", SPEC_USER, 0 }, { "mcs_label", SPEC_USER, NAME },
    { "admin_comment", SPEC_ADMIN, NAME }, { "system_comment", SPEC_SERVER, NAME }, { "extra", SPEC_USER, WORDS },
    { "wait_all_nodes", SPEC_USER, 2 }, { "container", SPEC_USER, PATH }, { "container_id", SPEC_USER, NAME },
    { "tres_bind", SPEC_USER, LIST }, { "network", SPEC_USER, NAME }, { "profile", SPEC_USER, NAME },
    { "acctg_freq", SPEC_USER, NAME }, { "burst_buffer", SPEC_USER, WORDS }, { "gres_flags", SPEC_USER, NAME },
    { "cpu_freq", SPEC_USER, NAME }, { "batch_features", SPEC_USER, WORDS }, { "segment", SPEC_USER, COUNT },
    { "delay_boot_min", SPEC_USER, COUNT }, { "ntasks_per_board", SPEC_USER, COUNT },
    { "oom_kill_step", SPEC_USER, 2 }, { "site_factor", SPEC_ADMIN, 0 }, { "consolidate_segments", SPEC_USER, 0 },
    { "spread_segments", SPEC_USER, 0 },
};

static const struct spec_row step_rows[] = {
    { "name", SPEC_USER, NAME }, { "argv", SPEC_USER, ARGV }, { "workdir", SPEC_USER, PATH },
    { "nodes", SPEC_USER, COUNT }, { "ntasks", SPEC_USER, COUNT }, { "cpus_per_task", SPEC_USER, COUNT },
    { "ntasks_per_node", SPEC_USER, COUNT }, { "nodelist", SPEC_USER, LIST }, { "exclude", SPEC_USER, LIST },
    { "relative", SPEC_USER, 0 }, { "io", SPEC_USER, 1 }, { "std_in", SPEC_USER, PATH },
    { "std_out", SPEC_USER, PATH }, { "std_err", SPEC_USER, PATH }, { "open_mode", SPEC_USER, 2 },
    { "label", SPEC_USER, 0 }, { "unbuffered", SPEC_USER, 0 }, { "overcommit", SPEC_USER, 0 },
    { "distribution", SPEC_USER, NAME }, { "umask", SPEC_USER, 07777 }, { "rlimits", SPEC_USER, 32 },
    { "mem_per_node_mb", SPEC_USER, MEM }, { "mem_per_cpu_mb", SPEC_USER, MEM }, { "gres", SPEC_USER, WORDS },
    { "gpus", SPEC_USER, NAME }, { "time_limit_min", SPEC_USER, 0 }, { "kill_on_bad_exit", SPEC_USER, 0 },
    { "submit_line", SPEC_USER, LINE }, { "pty", SPEC_USER, 0 }, { "mpi", SPEC_USER, NAME },
    { "cpu_bind", SPEC_USER, LIST }, { "exact", SPEC_USER, 0 }, { "overlap", SPEC_USER, 0 },
    { "stdin_task", SPEC_USER, 0 }, { "multi_prog", SPEC_USER, 0 }, { "wait_s", SPEC_USER, 0 },
    { "host", SPEC_USER, NAME }, { "pid", SPEC_USER, 0 }, { "env", SPEC_USER, ENV },
    { "max_nodes", SPEC_USER, COUNT }, { "ntasks_per_socket", SPEC_USER, COUNT },
    { "ntasks_per_core", SPEC_USER, COUNT }, { "ntasks_per_gpu", SPEC_USER, COUNT },
    { "threads_per_core", SPEC_USER, COUNT }, { "gpus_per_node", SPEC_USER, NAME },
    { "gpus_per_task", SPEC_USER, NAME }, { "gpus_per_socket", SPEC_USER, NAME },
    { "cpus_per_gpu", SPEC_USER, UINT16_MAX }, { "mem_per_gpu_mb", SPEC_USER, MEM },
    { "tres_per_task", SPEC_USER, WORDS },
    { "gres_flags", SPEC_USER, NAME }, { "mem_bind", SPEC_USER, LIST }, { "hint", SPEC_USER, NAME },
    { "tres_bind", SPEC_USER, LIST }, { "immediate_s", SPEC_USER, COUNT }, { "whole", SPEC_USER, 0 },
    { "exclusive", SPEC_USER, 0 }, { "hosts", SPEC_USER, LIST }, { "task_prolog", SPEC_USER, PATH },
    { "task_epilog", SPEC_USER, PATH }, { "pty_rows", SPEC_USER, UINT16_MAX }, { "pty_cols", SPEC_USER, UINT16_MAX },
    { "multi_prog_text", SPEC_USER, ENV }, { "wait_for_children", SPEC_USER, 0 }, { "interactive", SPEC_USER, 0 },
    { "oom_kill_step", SPEC_USER, 2 }, { "acctg_freq", SPEC_USER, NAME }, { "pty_task", SPEC_USER, 0 },
    { "mem_all", SPEC_USER, 0 }, { "export", SPEC_USER, ENV }, { "accel_bind", SPEC_USER, NAME },
    { "preserve_env", SPEC_USER, 0 }, { "het", SPEC_SERVER, 0 },
};
/* clang-format on */

static const struct spec_row rlimit_rows[] = {
    { "name", SPEC_USER, 32 }, { "soft", SPEC_USER, 0 }, { "hard", SPEC_USER, 0 }, { "asked", SPEC_USER, 0 }
};

static const struct spec_row io_rows[] = {
    { "unix_path", SPEC_USER, PATH }, { "host", SPEC_USER, NAME }, { "port", SPEC_USER, UINT16_MAX },
    { "token", SPEC_USER, 64 }
};

const struct spec_row *spec_rows(const ProtobufCMessageDescriptor *d, size_t *n)
{
    const struct {
        const ProtobufCMessageDescriptor *d;
        const struct spec_row *rows;
        size_t n;
    } all[] = { { &pb__job_spec__descriptor, job_rows, ARRAY_LEN(job_rows) },
                { &pb__step_spec__descriptor, step_rows, ARRAY_LEN(step_rows) },
                { &pb__rlimit__descriptor, rlimit_rows, ARRAY_LEN(rlimit_rows) },
                { &pb__io_endpoint__descriptor, io_rows, ARRAY_LEN(io_rows) } };
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (all[i].d == d) {
            *n = all[i].n;
            return all[i].rows;
        }
    *n = 0;
    return NULL;
}

static uint64_t texts_size(const char *at, const ProtobufCFieldDescriptor *f)
{
    size_t n = *(const size_t *)(at + f->quantifier_offset);
    char *const *list = *(char *const *const *)(at + f->offset);
    uint64_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += strlen(list[i]) + 1;
    return bytes;
}

/* How much a field holds: bytes, elements, or its number; 0: it is not set. */
static uint64_t field_size(const ProtobufCMessage *m, const ProtobufCFieldDescriptor *f)
{
    const char *at = (const char *)m;
    const void *p = at + f->offset;
    if (f->label == PROTOBUF_C_LABEL_REPEATED)
        return f->type == PROTOBUF_C_TYPE_STRING ? texts_size(at, f) : *(const size_t *)(at + f->quantifier_offset);
    switch (f->type) {
    case PROTOBUF_C_TYPE_STRING: return strlen(str_or(*(char *const *)p, ""));
    case PROTOBUF_C_TYPE_BYTES: return ((const ProtobufCBinaryData *)p)->len;
    case PROTOBUF_C_TYPE_MESSAGE: return *(void *const *)p != NULL;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_UINT64: return *(const uint64_t *)p;
    default: return *(const uint32_t *)p;
    }
}

static bool is_bytes(const ProtobufCFieldDescriptor *f)
{
    return f->type == PROTOBUF_C_TYPE_STRING || f->type == PROTOBUF_C_TYPE_BYTES;
}

static int refuse_size(const struct spec_row *row, const ProtobufCFieldDescriptor *f, struct err *err)
{
    if (is_bytes(f))
        return err_set(err, ESLURM_PATHNAME_TOO_LONG, "%s is longer than %llu bytes", row->name,
                       (unsigned long long)row->max);
    return err_set(err, EINVAL, "%s is more than %llu", row->name, (unsigned long long)row->max);
}

static int refuse_sender(struct ctl *t, const struct ctl_peer *peer, const struct spec_row *row, struct err *err)
{
    if (row->by == SPEC_SERVER)
        return err_set(err, ESLURM_ACCESS_DENIED, "%s is set by the controller alone", row->name);
    if (access_may(t, peer, RIGHT_SUBMIT_RAISED, NULL))
        return 0;
    return err_set(err, ESLURM_ACCESS_DENIED, "%s may be set by administrators alone", row->name);
}

/* The messages inside a field: one, or a list. */
static int check_inside(struct ctl *t, const struct ctl_peer *peer, const ProtobufCMessage *m,
                        const ProtobufCFieldDescriptor *f, struct err *err)
{
    const char *at = (const char *)m;
    bool many = f->label == PROTOBUF_C_LABEL_REPEATED;
    size_t n = many ? *(const size_t *)(at + f->quantifier_offset) : 1;
    ProtobufCMessage *const *list = many ? *(ProtobufCMessage *const *const *)(at + f->offset)
                                         : (ProtobufCMessage *const *)(at + f->offset);
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++)
        rc = list[i] ? spec_check(t, peer, list[i], err) : 0;
    return rc;
}

static int check_field(struct ctl *t, const struct ctl_peer *peer, const ProtobufCMessage *m, size_t i,
                       const struct spec_row *row, struct err *err)
{
    const ProtobufCFieldDescriptor *f = &m->descriptor->fields[i];
    uint64_t size = field_size(m, f);
    int rc = peer && size && row->by != SPEC_USER ? refuse_sender(t, peer, row, err) : 0;
    if (!rc && size && t && MAX(row->level, (uint32_t)LEVEL_FIRST) > t->c->level)
        rc = err_set(err, EOPNOTSUPP, "%s needs a newer release on all controllers", row->name);
    if (!rc && row->max && size > row->max)
        rc = refuse_size(row, f, err);
    return !rc && size && f->type == PROTOBUF_C_TYPE_MESSAGE ? check_inside(t, peer, m, f, err) : rc;
}

int spec_check(struct ctl *t, const struct ctl_peer *peer, const ProtobufCMessage *m, struct err *err)
{
    size_t n;
    const struct spec_row *rows = spec_rows(m->descriptor, &n);
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++)
        if (rows[i].max || rows[i].by != SPEC_USER || rows[i].level)
            rc = check_field(t, peer, m, i, &rows[i], err);
    if (!rc && m->n_unknown_fields)
        rc = err_set(err, EINVAL, "a field that this release does not know");
    return rc;
}

int spec_check_sizes(const ProtobufCMessage *m, struct err *err)
{
    return spec_check(NULL, NULL, m, err);
}
