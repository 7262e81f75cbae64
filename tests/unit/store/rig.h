/* rig.h - a ledger with a small state machine on a loop of its own, for tests of the store. */
#ifndef SPUR_STORE_RIG_H
#define SPUR_STORE_RIG_H

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/mem.h"
#include "base/str.h"
#include "store/ledger.h"
#include "test.h"

/* The state: how many entries, and a hash over all of them in order. */
struct rig {
    uv_loop_t *loop;
    struct ledger *l;
    struct ledger_peer *peers;
    size_t npeers;
    uint64_t id;
    char dir[200];
    unsigned snapshot_entries;
    uint64_t snapshot_bytes;
    const struct link_claim *claim;
    bool fresh_ok, speculate;

    uint64_t count, hash, index, mine, foreign;
    enum ledger_role role;
    uint64_t leader;
    int rc;         /* of the last append */
    unsigned done;  /* answers */
    unsigned prepared, frozen;
    bool closed;
    struct err err;
};

struct rig_state {
    uint64_t count, hash;
};

static inline void rig_step(struct rig *r, const void *p, size_t len)
{
    r->count++;
    r->hash = XXH3_64bits_withSeed(p, len, r->hash);
}

static inline void rig_apply(void *arg, uint64_t index, const void *p, size_t len, bool mine)
{
    struct rig *r = arg;
    r->index = index;
    r->mine += mine;
    r->foreign += !mine;
    if (!mine || !r->speculate)
        rig_step(r, p, len);
}

static inline void *rig_freeze(void *arg)
{
    struct rig *r = arg;
    struct rig_state s = { r->count, r->hash };
    r->frozen++;
    return mem_copy(&s, sizeof(s));
}

static inline void rig_prepare(void *arg, uint64_t entries)
{
    ((struct rig *)arg)->prepared++;
}

static inline void rig_write(const void *frozen, struct buf *out)
{
    buf_add(out, frozen, sizeof(struct rig_state));
    buf_adds(out, "odd"); /* a length that is no multiple of anything */
}

static inline int rig_restore(void *arg, uint64_t index, const void *p, size_t len, struct err *err)
{
    struct rig *r = arg;
    struct rig_state s;
    if (len != sizeof(s) + 3)
        return err_set(err, EINVAL, "a state of %zu bytes", len);
    memcpy(&s, p, sizeof(s));
    r->count = s.count;
    r->hash = s.hash;
    return 0;
}

static inline void rig_role(void *arg, enum ledger_role role, uint64_t leader)
{
    struct rig *r = arg;
    r->role = role;
    r->leader = leader;
}

static inline void rig_done(void *arg, int rc)
{
    struct rig *r = arg;
    r->rc = rc;
    r->done++;
}

static inline void rig_closed(void *arg)
{
    struct rig *r = arg;
    r->closed = true;
    r->l = NULL;
}

static inline uint64_t rig_ms(void)
{
    return uv_hrtime() / 1000000;
}

/* Turn the loop until `cond` or for `ms`. */
#define RIG_UNTIL(r, cond, ms)                                            \
    ({                                                                    \
        uint64_t end_ = rig_ms() + (ms);                                  \
        uv_timer_t tick_;                                                 \
        uv_timer_init((r)->loop, &tick_);                                 \
        uv_timer_start(&tick_, rig_tick, 2, 2);                           \
        while (!(cond) && rig_ms() < end_)                                \
            uv_run((r)->loop, UV_RUN_ONCE);                               \
        uv_close((uv_handle_t *)&tick_, NULL);                            \
        uv_run((r)->loop, UV_RUN_NOWAIT);                                 \
        (cond);                                                           \
    })

static inline void rig_tick(uv_timer_t *t)
{
}

static inline int rig_free_port(void)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof(a);
    auto_close int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(fd, (struct sockaddr *)&a, sizeof(a)) || getsockname(fd, (struct sockaddr *)&a, &n))
        return 0;
    return ntohs(a.sin_port);
}

static inline void rig_init(struct rig *r, uv_loop_t *loop, uint64_t id, const char *dir)
{
    *r = (struct rig){ .loop = loop, .id = id, .fresh_ok = true, .speculate = true };
    snprintf(r->dir, sizeof(r->dir), "%s", dir);
    static struct ledger_peer alone[1];
    if (!alone[0].id)
        alone[0] = (struct ledger_peer){ 1, mem_printf("127.0.0.1:%d", rig_free_port()) };
    r->peers = alone;
    r->npeers = 1;
}

static inline int rig_open(struct rig *r)
{
    struct ledger_conf conf = {
        .dir = r->dir,
        .id = r->id,
        .peers = r->peers,
        .npeers = r->npeers,
        .snapshot_entries = r->snapshot_entries,
        .snapshot_bytes = r->snapshot_bytes,
        .claim = r->claim,
        .fresh_ok = r->fresh_ok,
    };
    struct ledger_fsm fsm = { .apply = rig_apply,
                              .freeze = rig_freeze,
                              .write = rig_write,
                              .release = free,
                              .prepare = rig_prepare,
                              .restore = rig_restore,
                              .role = rig_role,
                              .arg = r };
    r->count = r->hash = r->index = r->mine = r->foreign = r->leader = 0;
    r->role = LEDGER_FOLLOWER;
    r->closed = false;
    r->err = (struct err)ERR_INIT;
    r->l = NULL;
    return ledger_open(&r->l, r->loop, &conf, &fsm, &r->err);
}

static inline bool rig_lead(struct rig *r)
{
    return RIG_UNTIL(r, r->role == LEDGER_LEADER, 60000);
}

static inline void rig_close(struct rig *r)
{
    if (!r->l)
        return;
    ledger_close(r->l, rig_closed, r);
    if (!RIG_UNTIL(r, r->closed, 60000))
        printf("# controller %d does not close\n", (int)r->id);
}

/* As the controller does it: change the state, append, wait. */
static inline int rig_append(struct rig *r, const void *p, size_t len)
{
    unsigned before = r->done;
    uint64_t count = r->count, hash = r->hash;
    if (r->speculate)
        rig_step(r, p, len);
    ledger_append(r->l, p, len, rig_done, r);
    if (!RIG_UNTIL(r, r->done > before, 60000))
        return ETIMEDOUT;
    if (r->rc && r->speculate && r->rc != LEDGER_UNKNOWN) {
        r->count = count;
        r->hash = hash;
    }
    return r->rc;
}

static inline int rig_appends(struct rig *r, unsigned n)
{
    int rc = 0;
    for (unsigned i = 0; i < n && !rc; i++) {
        char text[64];
        size_t len = (size_t)snprintf(text, sizeof(text), "entry %u", i);
        rc = rig_append(r, text, len - i % 7);
    }
    return rc;
}

static inline char *rig_tmp(void)
{
    char *dir = mem_str("/tmp/spur-store-XXXXXX");
    setvbuf(stdout, NULL, _IOLBF, 0); /* a crash must not swallow what was said before */
    return mkdtemp(dir);
}

static inline void rig_rm(const char *dir)
{
    auto_free char *cmd = mem_printf("rm -rf '%s'", dir);
    if (system(cmd))
        perror(cmd);
}

static inline void rig_copy(const char *from, const char *to)
{
    auto_free char *cmd = mem_printf("rm -rf '%s' && cp -a '%s' '%s'", to, from, to);
    if (system(cmd))
        perror(cmd);
}

/* The path of the first file under `dir` whose name begins with `prefix` and does not end in `not`, by name. */
static inline char *rig_find(const char *dir, const char *prefix, const char *not)
{
    struct dirent **list;
    int n = scandir(dir, &list, NULL, alphasort);
    char *found = NULL;
    for (int i = 0; i < n; i++) {
        if (!found && str_has_prefix(list[i]->d_name, prefix) && !str_has_suffix(list[i]->d_name, not))
            found = mem_printf("%s/%s", dir, list[i]->d_name);
        free(list[i]);
    }
    if (n >= 0)
        free(list);
    return found;
}

static inline bool rig_flip(const char *path, off_t at)
{
    auto_close int fd = path ? open(path, O_RDWR) : -1;
    char c;
    if (fd < 0 || pread(fd, &c, 1, at) != 1)
        return false;
    c ^= 0x10;
    return pwrite(fd, &c, 1, at) == 1;
}

static inline bool rig_says(const struct rig *r, const char *words)
{
    if (strstr(r->err.text, words))
        return true;
    printf("# it says: %s\n", r->err.text);
    return false;
}

#endif
