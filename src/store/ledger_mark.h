/*
 * ledger_mark - what the ledger remembers about its log outside of the log.
 *
 * A lock, so that two processes never write one ledger; and the mark: the id whose ledger
 * this is, and the highest index known to be committed and on this disk.  A log that is
 * gone or that ends before the mark lost facts, whatever it says about itself.
 *
 * The mark is in the page cache before an entry is reported done (it survives kill -9)
 * and on the disk at most LEDGER_MARK_SYNC_MS later: a power cut can only hide damage to
 * what was committed in that last moment.
 */
#ifndef SPUR_STORE_LEDGER_MARK_H
#define SPUR_STORE_LEDGER_MARK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define LEDGER_MARK_SYNC_MS 250

enum ledger_mark_flag {
    LEDGER_MARK_FOUNDING = 1, /* a new history is being begun: the first log file may not be there yet */
    LEDGER_MARK_JOINING = 2,  /* holds only a part of the history yet: must not vote */
};

struct ledger_mark {
    int lock_fd, mark_fd;
    bool existed;       /* the mark was there at the opening */
    bool dirty;         /* written, not synced */
    uint64_t generation;
    uint64_t id;        /* of the controller that the ledger belongs to */
    uint64_t committed;
    uint32_t flags;
};

#define LEDGER_MARK_INIT { -1, -1, false, false, 0, 0, 0, 0 }

/* Lock `dir` for this process and read the mark.  EBUSY: another process has it; EUCLEAN: the mark is damaged. */
int ledger_mark_open(struct ledger_mark *g, const char *dir, struct err *err);
void ledger_mark_close(struct ledger_mark *g); /* syncs */

/* Write the mark for the first time, durably. */
int ledger_mark_found(struct ledger_mark *g, const char *dir, uint64_t id, uint32_t flags, struct err *err);
/* Change the flags, durably. */
int ledger_mark_set_flags(struct ledger_mark *g, uint32_t flags, struct err *err);
/* `index` is committed.  Cheap; errno on failure. */
int ledger_mark_note(struct ledger_mark *g, uint64_t index);
/* Bring the mark to the disk.  May run on another thread while ledger_mark_note is called. */
int ledger_mark_sync(const struct ledger_mark *g);

#endif
