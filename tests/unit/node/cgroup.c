/* The text about cgroups for supervisors, memory limits by the rules, the folders of steps, and denied devices. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "step/cgroup_priv.h"
#include "test.h"

#define MB (1024ull * 1024)

static void test_text(void)
{
    struct cgroups a = { .rules = { .ram = true, .allowed_ram = 101.5, .min_ram_mb = 30, .swappiness = UINT64_MAX,
                                    .max_processes = 7, .node_mem_mb = 2048, .oom_kill_step = true } };
    struct cgroups b;
    vec_push(&a.tree, ((struct cgroup_tree){ mem_str("/sys/fs/cgroup/a b/spur/n1"), true, 3 }));
    vec_push(&a.tree, ((struct cgroup_tree){ mem_str("/c"), false, 4 }));
    vec_push(&a.device, ((struct cgroup_device){ mem_str("gpu"), mem_str(""), 'c', 195, 1 }));
    vec_push(&a.device, ((struct cgroup_device){ mem_str("gpu"), mem_str("a100"), 0, 0, 0 }));
    auto_free char *text = cgroups_text(&a);
    ok(cgroups_parse(&b, text), "the text is read back");
    ok(b.tree.n == 2 && str_eq(b.tree.at[0].dir, "/sys/fs/cgroup/a b/spur/n1") && b.tree.at[0].v2 &&
           b.tree.at[1].what == 4,
       "trees, even with blanks in their names");
    ok(b.device.n == 2 && b.device.at[0].major == 195 && str_eq(b.device.at[1].type, "a100") &&
           str_eq(b.device.at[0].type, ""),
       "devices");
    ok(b.rules.allowed_ram == 101.5 && b.rules.swappiness == UINT64_MAX && b.rules.max_processes == 7 &&
           b.rules.oom_kill_step && !b.rules.swap,
       "rules");
    cgroups_clear(&b);
    static const char *const bad[] = { "", "tree 1 1 /x\n", "rules 1\n", "rules x", "what\n" };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        ok(!cgroups_parse(&b, bad[i]), "refused: %s", bad[i]);
        cgroups_clear(&b);
    }
    auto_free char *none = cgroups_text(&(struct cgroups){ 0 });
    ok(str_eq(none, ""), "no tree, no text");
    cgroups_clear(&a);
}

static void test_memory(void)
{
    static const struct {
        struct cgroup_rules r;
        uint64_t mb, soft, ram, both;
        const char *what;
    } rows[] = {
        { { .ram = true, .allowed_ram = 100, .max_ram = 100, .min_ram_mb = 30, .node_mem_mb = 1000 }, 100, 100, 100, 0,
          "what was given" },
        { { .ram = true, .allowed_ram = 150, .max_ram = 100, .min_ram_mb = 30, .node_mem_mb = 1000 }, 100, 100, 150, 0,
          "and a half more" },
        { { .ram = true, .allowed_ram = 100, .max_ram = 100, .min_ram_mb = 30, .node_mem_mb = 1000 }, 5, 5, 30, 0,
          "never less than MinRAMSpace" },
        { { .ram = true, .allowed_ram = 100, .max_ram = 50, .min_ram_mb = 30, .node_mem_mb = 1000 }, 800, 500, 500, 0,
          "never more than MaxRAMPercent" },
        { { .ram = true, .allowed_ram = 100, .max_ram = 90, .min_ram_mb = 30, .node_mem_mb = 1000 }, 0, 900, 900, 0,
          "nothing was said: what the node may give" },
        { { .ram = true, .swap = true, .allowed_ram = 100, .allowed_swap = 10, .max_ram = 100, .max_swap = 100,
            .min_ram_mb = 30, .node_mem_mb = 1000 },
          200, 200, 200, 220, "some swap" },
        { { .swap = true, .allowed_ram = 300, .allowed_swap = 50, .max_ram = 100, .max_swap = 100, .min_ram_mb = 30,
            .node_mem_mb = 1000 },
          200, 200, 300, 300, "swap alone is limited: each may be the two together" },
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct cgroup_memory m = cgroup_memory(&rows[i].r, rows[i].mb);
        ok(m.soft == rows[i].soft * MB && m.ram == rows[i].ram * MB && m.both == rows[i].both * MB,
           "%s: %llu %llu %llu", rows[i].what, (unsigned long long)(m.soft / MB), (unsigned long long)(m.ram / MB),
           (unsigned long long)(m.both / MB));
    }
}

static void note(void *arg, struct step_key key)
{
    struct step_key *last = arg;
    last[1].attempt++;
    last[0] = key;
}

/* Folders of an ordinary file system serve as a tree of cgroups. */
static void test_folders(void)
{
    char dir[] = "/tmp/spur-cgroup-XXXXXX", path[CGROUP_PATH];
    struct step_key batch = { 12, PB__STEP_NUMBER__STEP_BATCH, 3 }, step = { 12, 4, 3 };
    if (!ok(mkdtemp(dir) != NULL, "a folder"))
        return;
    struct cgroup_tree flat = { dir, true, 1u << CGROUP_TRACK }, v1 = { dir, false, 1u << CGROUP_MEMORY },
                       v2 = { dir, true, 1u << CGROUP_TRACK | 1u << CGROUP_MEMORY };
    static const char *const ends[] = { "/job_12.3.step_batch", "/job_12.3",        "/job_12.3/step_batch",
                                        "/job_12.3.step_4",     "/job_12.3/step_4", "/job_12.3/step_4" };
    const struct cgroup_tree *trees[] = { &flat, &v1, &v2 };
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        cgroup_step_dir(path, trees[i % 3], i < 3 ? batch : step);
        ok(str_has_suffix(path, ends[i]), "%s", ends[i]);
    }
    for (size_t i = 0; i < 2 * ARRAY_LEN(trees); i++) {
        struct cgroups c = { 0 };
        struct step_key key = i < 3 ? batch : step, seen[2] = { { 0 }, { 0 } };
        vec_push(&c.tree, *trees[i % 3]);
        cgroup_job_dir(path, trees[i % 3], key);
        mkdir(path, 0700);
        cgroup_step_dir(path, trees[i % 3], key);
        mkdir(path, 0700);
        cgroups_each_step(&c, note, seen);
        bool batch_too = seen[1].attempt == 2; /* in a v1 tree a batch script has no folder of its own */
        ok((seen[1].attempt == 1 && step_key_eq(seen[0], key)) || (batch_too && i == 4), "step %zu is found", i);
        cgroups_end_step(&c, key);
        cgroup_job_dir(path, trees[i % 3], key);
        ok(access(path, F_OK), "and goes");
        vec_clear(&c.tree);
    }
    rmdir(dir);
}

/* ---- devices, by a BPF program ---- */

enum { OPENS_ZERO = 1, OPENS_NULL = 2, OPENS_DISK = 4, NO_CGROUP = 64, NO_DENIAL = 65 };

static bool is_denied(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool denied = fd < 0 && errno == EPERM;
    if (fd >= 0)
        close(fd);
    return denied;
}

/* In a namespace and a cgroup of its own: deny /dev/null and a block device, and say what still opens. */
static int open_denied(const char *dir)
{
    char group[64], disk[64];
    struct cgroup c = { .into = -1 };
    bool mine[] = { false, true, false, false };
    snprintf(group, sizeof(group), "%s/g", dir);
    snprintf(disk, sizeof(disk), "%s.disk", dir); /* beside the cgroups; it has no driver, so it opens with ENXIO */
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("none", dir, "cgroup2", 0, NULL) || mkdir(group, 0700) || mknod(disk, S_IFBLK | 0600, makedev(240, 1)))
        return NO_CGROUP;
    static const struct {
        char kind;
        unsigned major, minor;
    } devices[] = { { 'c', 1, 3 },   /* /dev/null */
                    { 'c', 1, 5 },   /* /dev/zero: allocated */
                    { 'b', 240, 1 }, /* the disk */
                    { 0, 1, 7 } };   /* without a device file */
    for (size_t i = 0; i < ARRAY_LEN(devices); i++)
        vec_push(&c.node.device, ((struct cgroup_device){ mem_str("x"), mem_str(""), devices[i].kind, devices[i].major,
                                                          devices[i].minor }));
    struct err err = ERR_INIT;
    int rc = cgroup_devices(&c, group, true, mine, &err);
    if (rc)
        printf("# %s\n", err.text);
    fflush(stdout);
    if (!rc && cgroup_write(group, "cgroup.procs", "0"))
        rc = NO_DENIAL;
    int opens = (is_denied("/dev/zero") ? 0 : OPENS_ZERO) | (is_denied("/dev/null") ? 0 : OPENS_NULL) |
                (is_denied(disk) ? 0 : OPENS_DISK);
    cgroup_write(dir, "cgroup.procs", "0");
    rmdir(group);
    unlink(disk);
    cgroups_clear(&c.node);
    return rc ? NO_DENIAL : opens;
}

static void test_devices(void)
{
    char dir[] = "/tmp/spur-devices-XXXXXX";
    int status = 0;
    if (!ok(mkdtemp(dir) != NULL, "a folder for a tree of cgroups"))
        return;
    fflush(stdout); /* the child has output of its own */
    pid_t pid = fork();
    if (!pid)
        _exit(open_denied(dir));
    waitpid(pid, &status, 0);
    rmdir(dir);
    int opens = WIFEXITED(status) ? WEXITSTATUS(status) : NO_DENIAL;
    if (opens == NO_CGROUP)
        printf("# no cgroup v2 tree here, or not root: devices are not denied\n");
    ok(opens == NO_CGROUP || opens == OPENS_ZERO,
       "with cgroup v2 a step opens the device that it has, not the character and block devices that it has not");
}

int main(void)
{
    test_text();
    test_memory();
    test_folders();
    test_devices();
    return test_done();
}
