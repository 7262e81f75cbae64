/* rmtree - removal with root's rights: links, swapped folders, deep trees and mounts. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "step/rmtree.h"
#include "test.h"

#define DEPTH 5000
#define VICTIMS 200
#define ROUNDS 20

#define bail(...) (printf("Bail out! " __VA_ARGS__), puts(""), exit(1))

static char base_path[] = "/tmp/spur-rmtree.XXXXXX";
static int base;

static void make_file(int dir, const char *name)
{
    auto_close int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        bail("cannot make %s: %m", name);
}

static int make_folder(int dir, const char *name)
{
    if (mkdirat(dir, name, 0700))
        bail("cannot make %s: %m", name);
    return openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static bool is_there(const char *name)
{
    return !faccessat(base, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

static unsigned count_victims(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < VICTIMS; i++) {
        char name[32];
        snprintf(name, sizeof(name), "victim/%u", i);
        n += is_there(name);
    }
    return n;
}

static void make_victims(void)
{
    auto_close int dir = make_folder(base, "victim");
    for (unsigned i = 0; i < VICTIMS; i++) {
        char name[32];
        snprintf(name, sizeof(name), "%u", i);
        make_file(dir, name);
    }
}

static void test_plain(void)
{
    auto_close int top = make_folder(base, "job"), sub = make_folder(top, "a"), deeper = make_folder(sub, "b");
    make_file(top, "f"), make_file(sub, "f"), make_file(deeper, "f");
    ok(!symlinkat("../../victim", sub, "link") && !symlinkat("../victim", base, "alias"), "links to a folder outside");
    is_int(rmtree(base, "job"), 0, "a tree with files, folders and links is removed");
    ok(!is_there("job"), "nothing of it is left");
    is_int(rmtree(base, "job"), 0, "a tree that is not there is fine");
    ok(rmtree(base, "alias") != 0 && is_there("alias"), "a link in its place is not followed");
    is_int((int)count_victims(), VICTIMS, "the folder outside has all its files");
}

static void test_deep(void)
{
    int at = make_folder(base, "job");
    for (int i = 0; i < DEPTH; i++) {
        int next = make_folder(at, "d");
        make_file(at, "f");
        close(at);
        at = next;
    }
    close(at);
    is_int(rmtree(base, "job"), 0, "%d levels are removed", DEPTH);
    ok(!is_there("job"), "nothing of them is left");
}

/* A process of the job swaps a folder for a link while root removes. */
struct swapper {
    int dir;
    atomic_bool stop;
    unsigned swaps;
};

static void *swap(void *arg)
{
    struct swapper *s = arg;
    while (!atomic_load(&s->stop))
        s->swaps += !renameat2(s->dir, "folder", s->dir, "link", RENAME_EXCHANGE);
    return NULL;
}

static void test_swapped(void)
{
    unsigned swaps = 0, left = 0;
    for (int round = 0; round < ROUNDS; round++) {
        auto_close int top = make_folder(base, "job"), tmp = make_folder(top, "_tmp"), dir = make_folder(tmp, "folder");
        for (unsigned i = 0; i < VICTIMS; i++) {
            char name[32];
            snprintf(name, sizeof(name), "%u", i);
            make_file(dir, name);
        }
        auto_free char *victim = mem_printf("%s/victim", base_path);
        if (symlinkat(victim, tmp, "link"))
            bail("cannot make a link: %m");
        struct swapper s = { .dir = tmp };
        pthread_t thread;
        pthread_create(&thread, NULL, swap, &s);
        while (round % 2 && !s.swaps)
            sched_yield();
        left += rmtree(base, "job") != 0;
        atomic_store(&s.stop, true);
        pthread_join(thread, NULL);
        left += is_there("job");
        swaps += s.swaps;
    }
    ok(swaps > 0, "a folder was swapped for a link during %d removals (%u times)", ROUNDS, swaps);
    is_int((int)left, 0, "the trees are removed");
    is_int((int)count_victims(), VICTIMS, "the folder that the link names has all its files");
}

static void test_mount(void)
{
    auto_close int top = make_folder(base, "job"), sub = make_folder(top, "mounted");
    ok(top >= 0 && sub >= 0, "a folder in a folder");
    auto_free char *from = mem_printf("%s/victim", base_path), *to = mem_printf("%s/job/mounted", base_path);
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount(from, to, NULL, MS_BIND, NULL)) {
        printf("# no mount can be made here: %m\n");
        is_int(rmtree(base, "job"), 0, "a tree without a mount");
        return;
    }
    auto_close int here = open(base_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* as this namespace sees it */
    ok(rmtree(here, "job") != 0, "a tree with a mount of the same file system stays");
    is_int((int)count_victims(), VICTIMS, "what is mounted has all its files");
    umount2(to, MNT_DETACH);
    is_int(rmtree(here, "job"), 0, "without the mount the tree goes");
}

int main(void)
{
    if (!mkdtemp(base_path) || (base = open(base_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        bail("cannot make a folder: %m");
    make_victims();
    test_plain();
    test_deep();
    test_swapped();
    test_mount();
    auto_close int parent = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    rmtree(parent, base_path + 5);
    return test_done();
}
