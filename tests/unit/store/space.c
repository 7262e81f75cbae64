/* A full disk: appends are refused cleanly, and go on once there is room.  Needs root, for a small disk of its own. */
#include "rig.h"

#include <sys/mount.h>

static uv_loop_t loop;

static void fill(const char *path)
{
    auto_close int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    static char block[1 << 16];
    memset(block, 'x', sizeof(block));
    while (write(fd, block, sizeof(block)) > 0)
        ;
    while (write(fd, block, 512) > 0)
        ;
}

static void test_full(const char *disk)
{
    struct rig r;
    auto_free char *dir = mem_printf("%s/ledger", disk), *ballast = mem_printf("%s/ballast", disk);
    auto_free char *megabyte = mem_alloc(1 << 20);
    rig_init(&r, &loop, 1, dir);
    ok(rig_open(&r) == 0 && rig_lead(&r), "a ledger on a small disk: %s", r.err.text);
    is_int(rig_append(&r, "before", 6), 0, "appends");
    fill(ballast);
    int rc = 0, n = 0;
    while (!rc && n < 100) {
        rc = rig_append(&r, megabyte, 1 << 20);
        n++;
    }
    is_int(rc, ENOSPC, "a full disk refuses in words, after what was set aside: %d MB", n);
    ok(r.role == LEDGER_LEADER, "it still leads");
    ok(rig_append(&r, "x", 1) == ENOSPC, "small ones too: the rest is for what is on the way");
    ok(ledger_disk_free(r.l) < 8 << 20, "and the disk says so");
    uint64_t count = r.count, hash = r.hash;
    unlink(ballast);
    uint64_t t0 = rig_ms();
    while ((rc = rig_append(&r, "after", 5)) == ENOSPC && rig_ms() - t0 < 60000)
        usleep(20000);
    is_int(rc, 0, "with room again it goes on by itself, after %d ms", (int)(rig_ms() - t0));
    is_int(r.count, count + 1, "refused ones did not happen");
    ok(r.hash != hash, "the last one did");
    hash = r.hash;
    rig_close(&r);

    fill(ballast);
    int opened = rig_open(&r);
    ok(opened == ENOSPC && rig_says(&r, "disk is full"), "opening on a full disk says what is wrong");
    rig_close(&r);
    unlink(ballast);
    ok(rig_open(&r) == 0 && rig_lead(&r), "it opens with room again: %s", r.err.text);
    ok(r.count == count + 1 && r.hash == hash, "and holds exactly what was committed");
    rig_close(&r);
}

int main(void)
{
    auto_free char *disk = rig_tmp();
    if (mount("tmpfs", disk, "tmpfs", 0, "size=48m")) {
        printf("1..0 # SKIP no small disk: %m\n");
        rmdir(disk);
        return 0;
    }
    uv_loop_init(&loop);
    test_full(disk);
    ok(uv_loop_close(&loop) == 0, "nothing is left on the loop");
    umount2(disk, MNT_DETACH);
    rmdir(disk);
    return test_done();
}
