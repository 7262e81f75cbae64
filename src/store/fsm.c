/* fsm.c - libraft's callbacks apply and restore.  None of them returns an error that libraft would answer by standing
 * still: the ledger breaks instead, and says so. */
#include <endian.h>
#include <string.h>

#include "store/ledger_priv.h"
#include "store/snapfile.h"

static bool frame_open(const struct raft_buffer *b, struct frame *f)
{
    if (b->len < sizeof(*f))
        return false;
    memcpy(f, b->base, sizeof(*f));
    return f->magic == htole32(FRAME_MAGIC) && le32toh(f->len) <= b->len - sizeof(*f);
}

void ledger_note(struct ledger *l, uint64_t committed)
{
    uint64_t here = MIN(committed, l->raft->last_stored);
    if (here <= l->mark.committed)
        return;
    int rc = ledger_mark_note(&l->mark, here);
    if (rc)
        ledger_break(l, "cannot write %s/mark: %s", l->dir, strerror(rc));
    ledger_sync_soon(l);
}

/* Barriers and membership changes count in the index, but do not come here. */
static int on_apply(struct raft_fsm *fsm, const struct raft_buffer *b, void **result)
{
    struct ledger *l = fsm->data;
    uint64_t index = raft_last_applied(l->raft) + 1;
    struct frame f;
    *result = NULL;
    if (l->trouble.code)
        return 0;
    if (!frame_open(b, &f)) {
        ledger_break(l, "entry %llu of the log was not written by Spur", (unsigned long long)index);
        return 0;
    }
    bool mine = l->turn && f.origin == l->origin && le64toh(f.seq) == l->turn->seq;
    if (!mine)
        ledger_answer(l,
                      LEDGER_UNKNOWN); /* another controller leads: the entry under way is committed later or never */
    ledger_snapshot_stale(l);
    ledger_note(l, index);
    l->fsm.apply(l->fsm.arg, index, (const char *)b->base + sizeof(f), le32toh(f.len), mine);
    ledger_snapshot_count(l, index, b->len);
    return 0;
}

static int fsm_restore(struct ledger *l, const struct raft_buffer *b, struct err *err)
{
    uint64_t index;
    const void *body;
    size_t len;
    int rc = snapfile_open(b->base, b->len, &index, &body, &len, err);
    if (!rc)
        rc = l->fsm.restore(l->fsm.arg, index, body, len, err);
    if (rc)
        return rc;
    l->snapshot_base = index;
    l->bytes_since = 0;
    l->stats.restores++;
    if (!ledger_mark_note(&l->mark, index)) /* libraft has it on the disk before it hands it to us */
        ledger_sync_soon(l);
    return 0;
}

static int on_restore(struct raft_fsm *fsm, struct raft_buffer *b)
{
    struct ledger *l = fsm->data;
    struct err err = ERR_INIT;
    ledger_answer(l, LEDGER_UNKNOWN);
    if (fsm_restore(l, b, &err)) {
        if (l->opening)
            ledger_break(l, "%s/%s: %s", l->log_dir, l->newest_snapshot, err.text);
        else
            ledger_break(l, "the snapshot sent by controller %llu: %s", (unsigned long long)l->leader, err.text);
        return RAFT_CORRUPT;
    }
    raft_free(b->base);
    return 0;
}

void ledger_fsm_bind(struct ledger *l)
{
    l->raft_fsm = (struct raft_fsm){ .version = 2, .data = l, .apply = on_apply, .restore = on_restore };
    ledger_snapshot_bind(l);
}
