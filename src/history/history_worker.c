/* history_worker - the thread that writes the history; see history.h. */
#include "history/history_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/str.h"

#define BATCHES_AT_ONCE 512    /* entries of one transaction */
#define RETRY_MS 1000          /* after a write that failed */
#define MARK_EVERY 1024        /* entries without rows until their index is written, too */
#define GATHER_MS 200          /* rows wait so long for others: one sync, and one row for a job that was short */
#define QUEUE_MAX (256u << 20) /* bytes in memory while nothing can be written; beyond it the log is read again */

/* ---- the worker ---- */

static void worker_note(struct history *h, int rc, const struct err *err, size_t batches, size_t rows)
{
    bool was_well = str_empty(h->stats.trouble);
    h->stats.index = h->db ? history_db_index(h->db) : 0;
    if (rc) {
        snprintf(h->stats.trouble, sizeof(h->stats.trouble), "%s", err->text);
        if (was_well)
            log_error("accounting is delayed: %s", err->text);
        return;
    }
    if (!was_well)
        log_info("accounting goes on");
    h->stats.trouble[0] = '\0';
    h->wanted &= h->stats.index < h->fed;
    h->stats.written += rows;
    for (size_t i = 0; i < batches; i++) {
        h->stats.bytes -= h->queue.at[i]->bytes.len;
        fold_batch_free(h->queue.at[i]);
    }
    if (batches) /* else there may be no memory to move */
        memmove(h->queue.at, h->queue.at + batches, (h->queue.n - batches) * sizeof(*h->queue.at));
    h->queue.n -= batches;
    h->stats.waiting = h->queue.n;
}

/* Write the oldest batches; the lock is released meanwhile.  The queue only grows at its end until then. */
static int worker_write(struct history *h)
{
    struct err err = ERR_INIT;
    size_t n = MIN(h->queue.n, (size_t)BATCHES_AT_ONCE), rows = 0;
    auto_free struct fold_batch **batch = mem_array(n, sizeof(*batch));
    for (size_t i = 0; i < n; i++) {
        batch[i] = h->queue.at[i];
        rows += batch[i]->rows.n;
    }
    uint64_t mark = n == h->queue.n ? h->fed : 0;
    uv_mutex_unlock(&h->lock);
    int rc = h->db ? 0 : history_db_open(&h->db, h->path, &err);
    if (!rc)
        rc = n ? history_db_write(h->db, batch, n, &err) : history_db_mark(h->db, mark, &err);
    uv_mutex_lock(&h->lock);
    worker_note(h, rc, &err, n, rows);
    uv_cond_broadcast(&h->written);
    if (!rc)
        uv_async_send(&h->tell);
    return rc;
}

static bool worker_has_work(const struct history *h)
{
    return h->queue.n || h->fed >= h->stats.index + MARK_EVERY ||
           ((h->closing || h->wanted) && h->fed > h->stats.index) || (!h->db && !h->closing);
}

static void worker_run(void *arg)
{
    struct history *h = arg;
    uv_mutex_lock(&h->lock);
    for (;;) {
        while (!worker_has_work(h) && !h->closing)
            uv_cond_wait(&h->wake, &h->lock);
        if (!worker_has_work(h))
            break;
        if (!h->closing && !h->wanted && h->queue.n < BATCHES_AT_ONCE)
            uv_cond_timedwait(&h->wake, &h->lock, (uint64_t)GATHER_MS * 1000000);
        if (!worker_write(h))
            continue;
        if (h->closing)
            break;
        uv_cond_timedwait(&h->wake, &h->lock, (uint64_t)RETRY_MS * 1000000);
    }
    uv_mutex_unlock(&h->lock);
}

/* ---- the loop's side ---- */

static void on_tell(uv_async_t *a)
{
    struct history *h = a->data;
    uv_mutex_lock(&h->lock);
    bool again = h->dropped && !h->queue.n;
    uint64_t index = h->stats.index;
    uv_mutex_unlock(&h->lock);
    h->kept(h->arg, index, again);
}

int history_open(struct history **out, uv_loop_t *loop, const char *path, history_kept_fn *kept, void *arg,
                 struct err *err)
{
    struct history *h = NEW(struct history);
    *out = NULL;
    int rc = history_db_open(&h->db, path, err);
    if (rc == EILSEQ || rc == EPROTO) {
        free(h);
        return rc;
    }
    h->path = mem_str(path);
    if (rc) {
        log_error("accounting is delayed: %s", err->text);
        snprintf(h->stats.trouble, sizeof(h->stats.trouble), "%s", err->text);
    }
    h->stats.index = h->fed = h->db ? history_db_index(h->db) : 0;
    h->kept = kept, h->arg = arg;
    uv_async_init(loop, &h->tell, on_tell);
    h->tell.data = h;
    uv_unref((uv_handle_t *)&h->tell);
    history_readers_open(h, loop);
    uv_mutex_init(&h->lock);
    uv_cond_init(&h->wake);
    uv_thread_create(&h->thread, worker_run, h);
    *out = h;
    return 0;
}

static void on_closed(uv_handle_t *a)
{
    struct history *h = a->data;
    if (!--h->handles)
        free(h);
}

void history_close(struct history *h)
{
    if (!h)
        return;
    uv_mutex_lock(&h->lock);
    h->closing = true;
    uv_cond_signal(&h->wake);
    uv_mutex_unlock(&h->lock);
    uv_thread_join(&h->thread);
    history_readers_close(h);
    for (size_t i = 0; i < h->queue.n; i++)
        fold_batch_free(h->queue.at[i]);
    vec_clear(&h->queue);
    history_db_close(h->db);
    free(h->path);
    uv_cond_destroy(&h->wake);
    uv_mutex_destroy(&h->lock);
    h->handles = 2;
    uv_close((uv_handle_t *)&h->tell, on_closed);
    uv_close((uv_handle_t *)&h->answer, on_closed);
}

void history_feed(struct history *h, uint64_t index, struct fold_batch *rows)
{
    uv_mutex_lock(&h->lock);
    h->dropped |= rows && h->stats.bytes + rows->bytes.len > QUEUE_MAX && h->queue.n;
    h->fed = h->dropped ? h->fed : MAX(h->fed, index);
    if (rows && index > h->stats.index && !h->dropped) {
        vec_push(&h->queue, rows);
        h->stats.waiting = h->queue.n;
        h->stats.bytes += rows->bytes.len;
        rows = NULL;
    }
    if (worker_has_work(h))
        uv_cond_signal(&h->wake);
    uv_mutex_unlock(&h->lock);
    fold_batch_free(rows);
}

void history_want(struct history *h)
{
    uv_mutex_lock(&h->lock);
    h->wanted = true;
    uv_cond_signal(&h->wake);
    uv_mutex_unlock(&h->lock);
}

uint64_t history_index(struct history *h)
{
    return history_stats(h).index;
}

uint64_t history_fed(struct history *h)
{
    uv_mutex_lock(&h->lock);
    uint64_t fed = h->fed;
    uv_mutex_unlock(&h->lock);
    return fed;
}

struct history_stats history_stats(struct history *h)
{
    uv_mutex_lock(&h->lock);
    struct history_stats s = h->stats;
    uv_mutex_unlock(&h->lock);
    return s;
}
