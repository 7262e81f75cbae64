/*
 * ledger - the ordered, durable, replicated record of everything that happened.
 *
 * An entry is a fact once its `done` has run with 0; before that, nothing outside
 * this process may learn of it.  Every controller applies the same entries in the
 * same order; a single controller is a cluster of one voter, so there is one path.
 * One thread (the loop's) calls; there are no locks.
 *
 * The caller may change its state before the entry is committed, if it keeps to one
 * entry at a time (the ledger insists on it): its own entry then comes back to
 * `apply` marked `mine`, to be skipped.  Once an append ends in anything but 0, that
 * early state is worth nothing: start again from the ledger (exec yourself).
 *
 * What is on disk is believed only after it was checked: a damaged or shortened log,
 * a snapshot with a wrong checksum, a log without its marker are all refused by
 * ledger_open with words that name the file and say what to do.
 */
#ifndef SPUR_STORE_LEDGER_H
#define SPUR_STORE_LEDGER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/buf.h"
#include "base/err.h"
#include "io/link_hello.h"

struct ledger;

/* LEADER is told once the leader holds everything of the past: it may decide from that call on.
 * BROKEN: this process cannot follow any more (ledger_trouble says why): start it again. */
enum ledger_role { LEDGER_FOLLOWER, LEDGER_CANDIDATE, LEDGER_LEADER, LEDGER_BROKEN };

/* The entry may or may not become a fact: a retry with the same idempotency key finds out. */
#define LEDGER_UNKNOWN EINPROGRESS

#define LEDGER_ENTRY_MAX (7u << 20)

struct ledger_fsm { /* what the ledger drives; all but `write` on the loop's thread; none may append or close */
    /* Committed, in order, on every controller.  `mine`: this process appended it and its `done` follows. */
    void (*apply)(void *arg, uint64_t index, const void *entry, size_t len, bool mine);
    /* Keep the state exactly as of the last apply; the loop waits for it.  Never asked while an append is under way. */
    void *(*freeze)(void *arg);
    void (*write)(const void *frozen, struct buf *out); /* the bytes of a frozen state: in a worker thread */
    void (*release)(void *frozen);
    /* A snapshot is due in about so many entries: prepare a part of it.  May be NULL. */
    void (*prepare)(void *arg, uint64_t entries);
    /* Replace the state by an encoded one, which is that after entry `index`. */
    int (*restore)(void *arg, uint64_t index, const void *p, size_t len, struct err *err);
    /* The role or the leader changed (leader 0: unknown).  May be NULL. */
    void (*role)(void *arg, enum ledger_role role, uint64_t leader);
    void *arg;
};

struct ledger_peer {
    uint64_t id; /* > 0 */
    char *address; /* "host:port" */
};

struct ledger_conf {
    const char *dir;                /* made when missing */
    uint64_t id;                    /* which of the peers this is */
    const struct ledger_peer *peers;
    size_t npeers;
    unsigned election_ms, heartbeat_ms;  /* 0: 500 and 100 */
    unsigned snapshot_entries;           /* 0: 4096; a snapshot is due after so many entries ... */
    uint64_t snapshot_bytes;             /* 0: 64 MB; ... or so many bytes of entries */
    /* The identity that this controller shows to the other controllers, at their own port; borrowed, with its texts,
     * until the ledger is closed.  The other side verifies it and calls ledger_accept.  NULL: plain TCP for tests,
     * which trusts every peer. */
    const struct link_claim *claim;
    /* An empty dir: true begins a history with these peers once all of them are there, or joins the one they turn out
     * to have; false only joins, and refuses where there is no other peer.  A joiner has no voice until it holds
     * everything, so a wiped disk is safe either way, as long as a majority still has its own.  A controller that the
     * history does not know yet is taken in by the leader. */
    bool fresh_ok;
    bool keeps; /* entries are cut off only up to what ledger_kept() was told */
};

struct ledger_stats {
    uint64_t appends, snapshots, restores;
    uint64_t snapshot_bytes;               /* of the last one */
    uint64_t snapshot_us, snapshot_max_us; /* on the loop: the last one, and the longest */
    uint64_t snapshot_worker_us;           /* in the worker: the last one */
};

/* Open before anything else uses the loop: a failure turns the loop until what was started is gone.
 * SIGPIPE is ignored from here on. */
int ledger_open(struct ledger **out, uv_loop_t *loop, const struct ledger_conf *conf, const struct ledger_fsm *fsm,
                struct err *err);

/* Asynchronous: an append under way ends with LEDGER_UNKNOWN at once, `closed` runs when the memory is gone. */
void ledger_close(struct ledger *l, void (*closed)(void *arg), void *arg);

/* Append a copy of the turn's bytes as one entry.  `done` runs exactly once, never inside this call:
 *   0               committed and applied here
 *   LEDGER_UNKNOWN  leadership was lost on the way
 *   anything else   it certainly did not happen: ENOSPC, ENOTCONN (not the leader), EMSGSIZE, EAGAIN
 * One at a time: the next call comes after `done`. */
typedef void ledger_done_fn(void *arg, int rc);
void ledger_append(struct ledger *l, const void *entry, size_t len, ledger_done_fn *done, void *arg);

/* Hand leadership to another voter before a planned stop.  `done` (may be NULL) runs after at most an election timeout:
 * 0, or ETIMEDOUT when this controller still leads.  ENOTCONN, ENOENT (no other voter) or EBUSY when it cannot start.
 */
int ledger_transfer(struct ledger *l, ledger_done_fn *done, void *arg);

/* A released link (io/link.h) of the controller `from`.  The stream changes owner. */
void ledger_accept(struct ledger *l, uint64_t from, const char *address, uv_stream_t *stream);

/* The caller has what it needs of all entries up to this one on a disk of its own. */
void ledger_kept(struct ledger *l, uint64_t index);

bool ledger_is_leader(const struct ledger *l);
enum ledger_role ledger_role(const struct ledger *l);
uint64_t ledger_leader(const struct ledger *l);    /* 0: unknown */
uint64_t ledger_applied(const struct ledger *l);
uint64_t ledger_committed(const struct ledger *l);
uint64_t ledger_term(const struct ledger *l);
uint64_t ledger_disk_free(const struct ledger *l); /* bytes where the log lives, at most a second old */
const char *ledger_trouble(const struct ledger *l); /* why it is BROKEN, or NULL */
struct ledger_stats ledger_stats(const struct ledger *l);

#endif
