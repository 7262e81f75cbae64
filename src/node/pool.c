/* pool - reuse of folders in the spool: most jobs are short, and creating files is slow. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

#include "base/mem.h"
#include "node/agent.h"

#define POOL_MAX 1024

static void put(struct agent *a, uint32_t n)
{
    vec_push(&a->pool, n);
    a->next_free = MAX(a->next_free, n + 1);
}

int pool_open(struct agent *a, struct err *err)
{
    int fd = openat(a->spool, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir)
        return err_set(err, errno, "cannot list the spool: %m");
    uint32_t n;
    for (struct dirent *e; (e = readdir(dir));)
        if (spool_free_parse(e->d_name, &n) && n < UINT32_MAX)
            put(a, n);
    closedir(dir);
    return 0;
}

/* Take a free folder for a job's first step; on any error the caller creates a new folder. */
static bool reuse(struct agent *a, struct step_key key)
{
    return a->pool.n && !map_get(&a->jobs, key.job_id) && !spool_use_free(a->spool, key, vec_pop(&a->pool));
}

int pool_claim(struct agent *a, struct step_key key, const ProtobufCBinaryData *order, int *jobdir, int *record,
               struct err *err)
{
    bool used = reuse(a, key);
    int rc = spool_job_open(jobdir, a->spool, key, !used, err);
    return rc ? rc : spool_claim(record, *jobdir, key, used, order->data, order->len, err);
}

/* Keep the folder of a job's last step for reuse, unless it holds anything unusual. */
void pool_release(struct step_run *r)
{
    struct agent *a = r->agent;
    bool last = !map_get(&a->jobs, r->key.job_id);
    if (last && !r->adopted && a->pool.n < POOL_MAX && !spool_set_free(a->spool, r->key, a->next_free))
        put(a, a->next_free);
    else
        spool_remove(a->spool, r->key);
}
