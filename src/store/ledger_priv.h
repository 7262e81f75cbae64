/*
 * ledger_priv - what the ledger's own files share: ledger.c (life), turn.c (append and roles), fsm.c (what libraft
 * calls back), snapshot.c (taking snapshots), join.c (a member without a vote), members.c (the other members).  Only
 * the simulator's test includes it besides.
 */
#ifndef SPUR_STORE_LEDGER_PRIV_H
#define SPUR_STORE_LEDGER_PRIV_H

#include <raft.h>
#include <raft/uv.h>

#include "store/ledger_mark.h"
#include "store/ledger.h"
#include "store/peer.h"
#include "store/segment.h"

/* One append on its way.  libraft keeps the request until its callback, which may come after the answer was given. */
struct turn {
    struct raft_apply req;
    struct ledger *l;
    uint64_t seq;
    ledger_done_fn *done;
    void *arg;
    int rc;          /* of a turn refused before it reached libraft */
};

struct ledger {
    struct raft *raft;            /* our own, or a simulator's */
    struct raft own;
    struct raft_io io;
    struct raft_fsm raft_fsm;
    struct raft_uv_transport tcp; /* when there is no net */
    struct peer_net *net;
    uv_loop_t *loop;

    struct ledger_fsm fsm;
    struct ledger_peer *peers;
    size_t npeers;
    uint64_t id;
    char *dir, *log_dir;

    struct ledger_mark mark;
    uv_work_t sync_work;
    uv_timer_t sync_timer;
    bool syncing;

    uint64_t origin, seq;      /* tell entries of this process from all other entries, also its own before a restart */
    struct turn *turn;         /* not answered yet */
    struct turn *refused;      /* waits for the timer to say so */
    uv_timer_t soon;
    uv_prepare_t before;
    uv_check_t after;

    enum ledger_role role;
    uint64_t leader;
    uint64_t barrier_term;     /* the term we asked to lead in */
    struct raft_barrier barrier;
    uint64_t refused_ms;       /* since when libraft has said that the disk is full and it was not; 0: not so */
    bool barrier_busy, leading;
    struct raft_transfer transfer;
    bool transferring;
    ledger_done_fn *transfer_done;
    void *transfer_arg;
    struct raft_change change;
    bool changing;
    uint64_t change_after_ms;
    uint64_t forgetful;        /* a follower that says it holds less than it once did, 0: none */

    /* snapshot.c */
    unsigned snapshot_entries;
    uint64_t snapshot_bytes;   /* a snapshot is due after so many entries, or so many bytes of them */
    uint64_t snapshot_base;    /* index of the last snapshot taken or restored */
    uint64_t bytes_since;      /* in the entries since then */
    bool due_by_bytes;         /* libraft's threshold is set accordingly */
    void *frozen;              /* the state at snap_index; NULL: none */
    uint64_t snap_index;
    bool snapshotting;         /* libraft has asked for it, and has not ended it */
    struct buf snap;           /* its bytes, for libraft to write */
    char *snap_head;
    uv_work_t write_work;
    bool writing;              /* a worker makes the bytes */
    int (*put)(struct raft_io *, unsigned, struct raft_io_snapshot_put *, const struct raft_snapshot *,
               raft_io_snapshot_put_cb); /* libraft's own, behind snapshot.c; NULL: a simulator's disk */
    struct raft_io_snapshot_put *put_req;
    bool keeps;                /* ledger_conf.keeps */
    bool put_waits;            /* the bytes are made; the entries are not yet kept elsewhere */
    uint64_t kept;
    const struct raft_snapshot *put_snapshot;
    unsigned put_trailing;

    raft_io_recv_cb recv;      /* libraft's own, behind join.c */
    uint64_t candidate_last;   /* where the log of the last one that asked for our vote ends */
    uint64_t join_term, join_target; /* once this index is applied in this term, all that was committed is here */
    uint64_t beginners;        /* bit i: peers[i] was heard of, and has no history either */
    int (*send)(struct raft_io *, struct raft_io_send *, const struct raft_message *, raft_io_send_cb);
    int (*start)(struct raft_io *, unsigned, raft_io_tick_cb, raft_io_recv_cb);

    struct ledger_stats stats;
    uint64_t free_bytes, free_at_ms;
    char newest_snapshot[80];
    struct err trouble;        /* code 0: none */
    bool opening, closing, raft_up, handles_up;
    unsigned handles;
    void (*closed)(void *arg);
    void *closed_arg;
};

/* fsm.c */
void ledger_fsm_bind(struct ledger *l);
/* Mark what is committed and on this disk: a leader's own disk may be behind the majority's, and that is no damage. */
void ledger_note(struct ledger *l, uint64_t committed);

/* snapshot.c */
void ledger_snapshot_bind(struct ledger *l);
/* An entry was applied: count it, set libraft's threshold, prepare a snapshot that is due soon. */
void ledger_snapshot_count(struct ledger *l, uint64_t index, size_t bytes);
void ledger_snapshot_stale(struct ledger *l); /* the state is about to change: what was frozen ahead is of no use */
/* The state is that of the last apply right now: freeze it if a snapshot is due, for libraft to fetch. */
void ledger_snapshot_ahead(struct ledger *l);
void ledger_snapshot_close(struct ledger *l); /* the ledger closes: a snapshot that waits is not written */

/* turn.c */
/* Give the turn under way its answer, if there is one. */
void ledger_answer(struct ledger *l, int rc);
/* Notice what libraft did since the last call: its role, its leader, trouble. */
void ledger_watch(struct ledger *l);
void ledger_break(struct ledger *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ledger.c */
/* An index was committed and noted: have it on the disk soon. */
void ledger_sync_soon(struct ledger *l);
void ledger_close_go_on(struct ledger *l); /* the worker that a close waited for has ended */

/* members.c */
/* Leading: take in the next controller that is configured and not yet a voter. */
void ledger_grow(struct ledger *l);

/* join.c */
void ledger_join_bind(struct ledger *l);
/* It holds all that was committed: it has a voice from now on. */
void ledger_joined(struct ledger *l);

/* The bytes before each entry. */
struct frame {
    uint32_t magic, len;
    uint64_t origin, seq;
};
#define FRAME_MAGIC 0x31455053u /* "SPE1" */

#endif
