/*
 * scontrol_resize - after a job changed its size: scripts that tell a shell inside it.
 *
 * Written into the current folder when scontrol itself runs inside a job: there is an environment to correct.
 */
#include <fcntl.h>

#include "base/str.h"
#include "cli/env_alloc.h"
#include "cli/scontrol.h"

static int keep_first(void *arg, const ProtobufCMessage *m)
{
    Pb__Job **job = arg;
    const Pb__JobList *list = (const Pb__JobList *)m;
    for (size_t i = 0; i < list->n_jobs && !*job; i++) {
        auto_buf struct buf b = BUF_INIT;
        size_t n = pb__job__get_packed_size(list->jobs[i]);
        pb__job__pack(list->jobs[i], (uint8_t *)buf_room(&b, n));
        *job = pb__job__unpack(NULL, n, (uint8_t *)b.s);
    }
    return 0;
}

static Pb__Job *resize_load_job(struct scontrol *s, uint32_t id)
{
    struct err err = ERR_INIT;
    Pb__Job *job = NULL;
    Pb__JobQuery q = PB__JOB_QUERY__INIT;
    q.n_job = 1;
    q.job = &id;
    q.detail = true;
    q.hidden = true;
    struct client *c = scontrol_client(s, &err);
    if (c)
        client_stream(c, MSG_JOBS, &q.base, MSG_JOBS_REPLY, keep_first, &job, &err);
    return job;
}

/* `set` begins a line that sets a variable, `is` stands between its name and its value, `unset` begins one that takes
 * it away. */
static void make_script(struct buf *out, const Pb__Job *job, const char *set, const char *is, const char *unset)
{
    auto_free uint32_t *cpus = mem_array(job->n_alloc + 1, sizeof(*cpus));
    for (size_t i = 0; i < job->n_alloc; i++)
        cpus[i] = job->alloc[i]->cpus;
    auto_free char *counts = env_alloc_counts(cpus, job->n_alloc);
    buf_addf(out, "%sSLURM_NODELIST%s\"%s\"\n", set, is, job->nodes);
    buf_addf(out, "%sSLURM_JOB_NODELIST%s\"%s\"\n", set, is, job->nodes);
    buf_addf(out, "%sSLURM_NNODES%s%u\n", set, is, job->num_nodes);
    buf_addf(out, "%sSLURM_JOB_NUM_NODES%s%u\n", set, is, job->num_nodes);
    buf_addf(out, "%sSLURM_JOB_CPUS_PER_NODE%s\"%s\"\n", set, is, str_or(counts, ""));
    buf_addf(out, "%sSLURM_NPROCS\n%sSLURM_NTASKS\n%sSLURM_TASKS_PER_NODE\n", unset, unset, unset);
}

static int write_script(const char *path, const struct buf *text)
{
    auto_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0700);
    if (fd < 0)
        return errno;
    for (size_t done = 0; done < text->len;) {
        ssize_t n = write(fd, text->s + done, text->len - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        done += (size_t)n;
    }
    return 0;
}

int scontrol_resized(struct scontrol *s, uint32_t id)
{
    static const struct {
        const char *suffix, *set, *is, *unset;
    } shells[] = { { "sh", "export ", "=", "unset " }, { "csh", "setenv ", " ", "unsetenv " } };
    Pb__Job *job = getenv("SLURM_JOB_ID") ? resize_load_job(s, id) : NULL;
    int rc = 0;
    if (!job || !job->n_alloc) {
        if (job)
            pb__job__free_unpacked(job, NULL);
        return 0;
    }
    for (size_t i = 0; i < ARRAY_LEN(shells) && !rc; i++) {
        auto_buf struct buf text = BUF_INIT;
        auto_free char *path = mem_printf("slurm_job_%u_resize.%s", id, shells[i].suffix);
        make_script(&text, job, shells[i].set, shells[i].is, shells[i].unset);
        int failed = write_script(path, &text);
        if (failed)
            rc = scontrol_fail(s, "Could not create file %s: %s", path, strerror(failed));
    }
    pb__job__free_unpacked(job, NULL);
    if (!rc && !s->quiet)
        printf("To reset Slurm environment variables, execute\n"
               "  For bash or sh shells:  . ./slurm_job_%u_resize.sh\n"
               "  For csh shells:         source ./slurm_job_%u_resize.csh\n",
               id, id);
    return rc;
}
