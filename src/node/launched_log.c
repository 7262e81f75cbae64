/* launched_log - the orders that this node has executed; see launched_log.h. */
#include "node/launched_log.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/vec.h"

#define NAME "launched"
#define KEEP_S (2 * LAUNCHED_LOG_WINDOW_MS / 1000) /* the signer's clock may be a window ahead */
#define REWRITE_AT 65536                  /* records */
#define REWRITE_IN_MEMORY 256

struct record {
    uint32_t job_id, step_id, attempt, at_s; /* at_s 0: cancels earlier records of the step */
};

static uint64_t record_hash(struct step_key key)
{
    uint64_t h = map_hash_bytes(&key, sizeof(key));
    return h ? h : 1;
}

static void record_remember(struct launched_log *r, struct record rec)
{
    struct step_key key = { rec.job_id, rec.step_id, rec.attempt };
    map_put(&r->seen, record_hash(key), (void *)(uintptr_t)(rec.at_s ? rec.at_s : 1));
}

/* Write the remaining records to a new file and rename it over the old one. */
static int log_rewrite(struct launched_log *r, int spool, const struct record *rec, size_t n, struct err *err)
{
    auto_close int fd = openat(spool, NAME ".new", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | O_APPEND,
                               0600);
    if (fd < 0 || write(fd, rec, n * sizeof(*rec)) != (ssize_t)(n * sizeof(*rec)) ||
        renameat(spool, NAME ".new", spool, NAME))
        return err_set(err, errno ? errno : ENOSPC, "cannot write %s in the spool: %m", NAME);
    if (r->fd >= 0)
        close(r->fd);
    r->fd = take_fd(fd);
    r->written = n;
    return 0;
}

static bool record_same(const struct record *a, const struct record *b)
{
    return a->job_id == b->job_id && a->step_id == b->step_id && a->attempt == b->attempt;
}

/* Remove cancelling records together with the records that they cancel.  There are few of them. */
static size_t drop_forgotten(struct record *rec, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (rec[i].at_s) {
            rec[kept++] = rec[i];
            continue;
        }
        struct record gone = rec[i];
        size_t left = 0;
        for (size_t k = 0; k < kept; k++)
            if (!record_same(&rec[k], &gone))
                rec[left++] = rec[k];
        kept = left;
    }
    return kept;
}

static void read_recent(struct buf *text, int spool, int64_t now_ms)
{
    auto_close int fd = openat(spool, NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || buf_read(text, fd, (size_t)64 << 20))
        text->len = 0;
    struct record *rec = (struct record *)(void *)text->s;
    size_t n = text->len / sizeof(*rec), kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!rec[i].at_s || (int64_t)rec[i].at_s + KEEP_S > now_ms / 1000)
            rec[kept++] = rec[i];
    text->len = drop_forgotten(rec, kept) * sizeof(*rec);
}

static int log_load(struct launched_log *r, int spool, int64_t now_ms, struct err *err)
{
    auto_buf struct buf text = BUF_INIT;
    read_recent(&text, spool, now_ms);
    const struct record *rec = (const struct record *)(const void *)text.s;
    size_t n = text.len / sizeof(*rec);
    map_clear(&r->seen);
    for (size_t i = 0; i < n; i++)
        record_remember(r, rec[i]);
    return log_rewrite(r, spool, rec, n, err);
}

int launched_log_open(struct launched_log *r, int spool, int64_t now_ms, struct err *err)
{
    *r = (struct launched_log){ .fd = -1 };
    return log_load(r, spool, now_ms, err);
}

bool launched_log_has(const struct launched_log *r, struct step_key key)
{
    return map_get(&r->seen, record_hash(key));
}

void launched_log_add(struct launched_log *r, struct step_key key, int64_t now_ms)
{
    struct record rec = { key.job_id, key.step_id, key.attempt, (uint32_t)(now_ms / 1000) };
    if (r->fd >= 0 && write(r->fd, &rec, sizeof(rec)) != sizeof(rec))
        log_error("cannot write %s in the spool: %m", NAME);
    r->written++;
    record_remember(r, rec);
}

/* Nothing is ever launched as the extern step: its number stands for the whole job. */
static struct step_key whole_job(uint32_t job_id, uint32_t attempt)
{
    return (struct step_key){ .job_id = job_id, .step_id = PB__STEP_NUMBER__STEP_EXTERN, .attempt = attempt };
}

void launched_log_end_job(struct launched_log *r, uint32_t job_id, uint32_t attempt, int64_t now_ms)
{
    if (!launched_log_job_ended(r, job_id, attempt))
        launched_log_add(r, whole_job(job_id, attempt), now_ms);
}

bool launched_log_job_ended(const struct launched_log *r, uint32_t job_id, uint32_t attempt)
{
    return launched_log_has(r, whole_job(job_id, attempt));
}

/* Nor is a step ever launched under the number of pending steps: with it a signal stands, by its hash. */
bool launched_log_signal(struct launched_log *r, const void *body, size_t len, int64_t now_ms)
{
    uint64_t h = map_hash_bytes(body, len);
    struct step_key key = { (uint32_t)h, PB__STEP_NUMBER__STEP_PENDING_ID, (uint32_t)(h >> 32) };
    if (launched_log_has(r, key))
        return false;
    launched_log_add(r, key, now_ms);
    return true;
}

void launched_log_forget(struct launched_log *r, struct step_key key)
{
    struct record rec = { key.job_id, key.step_id, key.attempt, 0 };
    if (!map_del(&r->seen, record_hash(key)))
        return;
    if (r->fd >= 0 && write(r->fd, &rec, sizeof(rec)) != sizeof(rec))
        log_error("cannot write %s in the spool: %m", NAME);
    r->written++;
}

/* Without a file (emulated nodes): remove old entries from the table. */
static void log_sweep(struct launched_log *r, int64_t now_ms)
{
    VEC(uint64_t) old = { 0 };
    size_t pos = 0;
    uint64_t key;
    for (void *at; (at = map_next(&r->seen, &pos, &key));)
        if ((int64_t)(uintptr_t)at + KEEP_S <= now_ms / 1000)
            vec_push(&old, key);
    for (size_t i = 0; i < old.n; i++)
        map_del(&r->seen, old.at[i]);
    vec_clear(&old);
    r->written = r->seen.n / 2;
}

void launched_log_expire(struct launched_log *r, int spool, int64_t now_ms)
{
    if (r->fd < 0 && r->written > REWRITE_IN_MEMORY)
        log_sweep(r, now_ms);
    else if (r->written > REWRITE_AT)
        log_load(r, spool, now_ms, NULL);
}

void launched_log_close(struct launched_log *r)
{
    map_clear(&r->seen);
    if (r->fd >= 0)
        close(take_fd(r->fd));
}
