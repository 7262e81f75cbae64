/* ledger_mark - the lock and the mark: two slots written in turn, so that one is whole at any moment. */
#include "store/ledger_mark.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/mem.h"

#define LOCK_TRIES 200
#define LOCK_NAP_US 10000
#define MARK_MAGIC 0x314b52414d525053ull /* "SPRMARK1" */
#define SLOT_SIZE 4096                   /* a slot has its own page: a torn write cannot reach the other one */

struct slot {
    uint64_t magic, generation, id, committed;
    uint32_t flags, zero;
    uint64_t reserved[2];
    uint64_t sum; /* xxh3 of everything before */
};

static uint64_t slot_sum(const struct slot *s)
{
    return XXH3_64bits(s, offsetof(struct slot, sum));
}

static bool slot_read(int fd, unsigned i, struct slot *s)
{
    return pread(fd, s, sizeof(*s), (off_t)i * SLOT_SIZE) == (ssize_t)sizeof(*s) && s->magic == MARK_MAGIC &&
           s->sum == slot_sum(s);
}

static int slot_write(struct ledger_mark *g)
{
    struct slot s = {
        .magic = MARK_MAGIC,
        .generation = ++g->generation,
        .id = g->id,
        .committed = g->committed,
        .flags = g->flags,
    };
    s.sum = slot_sum(&s);
    g->dirty = true;
    errno = EIO;
    return pwrite(g->mark_fd, &s, sizeof(s), (off_t)(s.generation & 1) * SLOT_SIZE) == (ssize_t)sizeof(s) ? 0 : errno;
}

static int lock_folder(struct ledger_mark *g, const char *dir, struct err *err)
{
    auto_free char *path = mem_printf("%s/lock", dir);
    g->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (g->lock_fd < 0)
        return err_set(err, errno, "cannot open %s: %m", path);
    /* A killed process keeps its lock until its last write has returned: wait a moment, not for a living process. */
    for (int tries = 0; tries < LOCK_TRIES; tries++) {
        if (!flock(g->lock_fd, LOCK_EX | LOCK_NB))
            return 0;
        if (errno != EWOULDBLOCK)
            break;
        usleep(LOCK_NAP_US);
    }
    if (errno == EWOULDBLOCK)
        return err_set(err, EBUSY, "the ledger in %s is in use by another process (lock %s)", dir, path);
    return err_set(err, errno, "cannot lock %s: %m", path);
}

static int mark_read(struct ledger_mark *g, const char *path, struct err *err)
{
    struct slot s;
    for (unsigned i = 0; i < 2; i++) {
        if (!slot_read(g->mark_fd, i, &s) || s.generation < g->generation)
            continue;
        g->generation = s.generation;
        g->id = s.id;
        g->committed = s.committed;
        g->flags = s.flags;
    }
    if (!g->generation)
        return err_set(err, EUCLEAN, "the mark %s is damaged", path);
    g->existed = true;
    return 0;
}

int ledger_mark_open(struct ledger_mark *g, const char *dir, struct err *err)
{
    *g = (struct ledger_mark)LEDGER_MARK_INIT;
    int rc = lock_folder(g, dir, err);
    if (rc)
        return rc;
    auto_free char *path = mem_printf("%s/mark", dir);
    g->mark_fd = open(path, O_RDWR | O_CLOEXEC);
    if (g->mark_fd < 0)
        return errno == ENOENT ? 0 : err_set(err, errno, "cannot open %s: %m", path);
    return mark_read(g, path, err);
}

void ledger_mark_close(struct ledger_mark *g)
{
    if (g->mark_fd >= 0) {
        if (g->dirty)
            ledger_mark_sync(g);
        close(g->mark_fd);
    }
    if (g->lock_fd >= 0)
        close(g->lock_fd);
    *g = (struct ledger_mark)LEDGER_MARK_INIT;
}

static int sync_dir(const char *dir)
{
    auto_close int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 || fsync(fd) ? errno : 0;
}

/* Written under another name first: there is never an empty mark, which would be taken for a damaged one. */
int ledger_mark_found(struct ledger_mark *g, const char *dir, uint64_t id, uint32_t flags, struct err *err)
{
    auto_free char *tmp = mem_printf("%s/mark.new", dir), *path = mem_printf("%s/mark", dir);
    g->mark_fd = open(tmp, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (g->mark_fd < 0)
        return err_set(err, errno, "cannot create %s: %m", tmp);
    g->id = id;
    g->flags = flags;
    static const char room[2 * SLOT_SIZE];
    int rc = pwrite(g->mark_fd, room, sizeof(room), 0) == (ssize_t)sizeof(room) ? slot_write(g) : errno;
    if (!rc)
        rc = fsync(g->mark_fd) ? errno : 0;
    if (!rc)
        rc = rename(tmp, path) ? errno : sync_dir(dir);
    return rc ? err_set(err, rc, "cannot write %s: %s", path, strerror(rc)) : 0;
}

int ledger_mark_set_flags(struct ledger_mark *g, uint32_t flags, struct err *err)
{
    g->flags = flags;
    int rc = slot_write(g);
    if (!rc)
        rc = ledger_mark_sync(g);
    g->dirty = false;
    return rc ? err_set(err, rc, "cannot write the ledger's mark: %s", strerror(rc)) : 0;
}

int ledger_mark_note(struct ledger_mark *g, uint64_t index)
{
    if (index <= g->committed)
        return 0;
    g->committed = index;
    return slot_write(g);
}

int ledger_mark_sync(const struct ledger_mark *g)
{
    return fdatasync(g->mark_fd) ? errno : 0;
}
