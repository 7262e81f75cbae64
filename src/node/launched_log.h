/*
 * launched_log - the orders that this node has executed, so that none is executed twice.
 *
 * An order is valid for LAUNCHED_LOG_WINDOW_MS around the time of its signature and is remembered for as long; the file
 * `launched` in the spool keeps the record across a restart.
 */
#ifndef SPUR_NODE_LAUNCHED_LOG_H
#define SPUR_NODE_LAUNCHED_LOG_H

#include "base/err.h"
#include "base/map.h"
#include "step/spool.h"

#define LAUNCHED_LOG_WINDOW_MS ((int64_t)10 * 60 * 1000)

struct launched_log {
    struct map seen; /* hash of the key -> time, in seconds */
    int fd;
    size_t written;
};

int launched_log_open(struct launched_log *r, int spool, int64_t now_ms, struct err *err);
bool launched_log_has(const struct launched_log *r, struct step_key key);
void launched_log_add(struct launched_log *r, struct step_key key, int64_t now_ms);
/* This attempt of the job was ended here: an order for it that comes late, forwarded by a slow node, is refused. */
void launched_log_end_job(struct launched_log *r, uint32_t job_id, uint32_t attempt, int64_t now_ms);
bool launched_log_job_ended(const struct launched_log *r, uint32_t job_id, uint32_t attempt);
/* A signed order to signal a job, by its bytes: true for the first time that it comes. */
bool launched_log_signal(struct launched_log *r, const void *body, size_t len, int64_t now_ms);
/* The order was claimed but not executed: it may be executed later. */
void launched_log_forget(struct launched_log *r, struct step_key key);
/* Forget orders that are too old to be accepted again. */
void launched_log_expire(struct launched_log *r, int spool, int64_t now_ms);
void launched_log_close(struct launched_log *r);

#endif
