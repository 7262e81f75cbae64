/*
 * account_cache - users, groups and host names, looked up in a worker thread and remembered for a minute.
 *
 * One lookup runs at a time, in the order they were asked for: the thread pool is also the ledger's, and a directory
 * server that hangs takes one thread of it.  A lookup gets a number; when it has ended, all with lower numbers have.
 */
#ifndef SPUR_IO_ACCOUNT_CACHE_H
#define SPUR_IO_ACCOUNT_CACHE_H

#include <uv.h>

#include "base/accounts.h"

#define ACCOUNT_CACHE_MS 60000

struct account_cache;

/* Lookups up to number `ended` have ended: ask again.  Called on the loop. */
typedef void account_cache_done_fn(void *arg, uint64_t ended);

struct account_cache *account_cache_new(uv_loop_t *loop, account_cache_done_fn *done, void *arg);
void account_cache_free(struct account_cache *c); /* NULL is welcome; `done` is not called any more */

struct accounts *account_cache_accounts(struct account_cache *c);
/* A numeric address of `host`, borrowed until the next call: 0, ENOENT or EAGAIN as of struct accounts. */
int account_cache_host(struct account_cache *c, const char *host, const char **address);
uint64_t account_cache_begun(const struct account_cache *c); /* the number of the lookup that was begun last */

#endif
