/*
 * ran - which orders this node has followed, so that none works twice.
 *
 * An order is good for RAN_WINDOW_MS around the time it was signed, so that is how long it has to be remembered;
 * the file `launched` in the spool carries the memory over a restart.
 */
#ifndef SPUR_NODE_RAN_H
#define SPUR_NODE_RAN_H

#include "base/err.h"
#include "base/map.h"
#include "step/spool.h"

#define RAN_WINDOW_MS ((int64_t)10 * 60 * 1000)

struct ran {
    struct map seen; /* hash of the key -> when, in seconds */
    int fd;
    size_t written;
};

int ran_open(struct ran *r, int spool, int64_t now_ms, struct err *err);
bool ran_has(const struct ran *r, struct step_key key);
void ran_add(struct ran *r, struct step_key key, int64_t now_ms);
/* The order was claimed and nothing came of it: it may be followed after all. */
void ran_forget(struct ran *r, struct step_key key);
void ran_expire(struct ran *r, int spool, int64_t now_ms); /* forget what is too old to be accepted anyway */
void ran_close(struct ran *r);

#endif
