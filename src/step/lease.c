/* lease - the shared number; see lease.h. */
#include "step/lease.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "step/spawner.h"

#define LEASE_FILE "lease"

struct lease {
    _Atomic int64_t until_ms;
};

int lease_open(struct lease **out, int spool, struct err *err)
{
    auto_close int fd = openat(spool, LEASE_FILE, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(struct lease)))
        return err_set(err, errno, "cannot write the file of the lease: %m");
    int rc = posix_fallocate(fd, 0, sizeof(struct lease)); /* a mapped hole on a full disk would end the agent */
    if (rc)
        return err_set(err, rc, "there is no space for the file of the lease");
    void *p = mmap(NULL, sizeof(struct lease), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        return err_set(err, errno, "cannot map the file of the lease: %m");
    *out = p;
    return 0;
}

void lease_set(struct lease *l, int64_t until_boot_ms)
{
    atomic_store(&l->until_ms, until_boot_ms);
}

bool lease_is_over(const struct lease *l)
{
    int64_t until_ms = atomic_load(&l->until_ms);
    return until_ms && clock_boot_ms() >= until_ms;
}

const struct lease *lease_find(void)
{
    auto_free char *path = mem_printf("%s/%s", str_or(getenv(SPAWNER_SPOOL), "."), LEASE_FILE);
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || lseek(fd, 0, SEEK_END) < (off_t)sizeof(struct lease))
        return NULL;
    void *p = mmap(NULL, sizeof(struct lease), PROT_READ, MAP_SHARED, fd, 0);
    return p == MAP_FAILED ? NULL : p;
}
