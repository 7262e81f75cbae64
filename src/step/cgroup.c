/* cgroup - the cgroups of a step: created, entered, emptied, removed; see cgroup.h. */
#include "step/cgroup.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "step/cgroup_priv.h"
#include "step/spawner.h"
#include "step/watch.h"

#define OOM_LOOKS 100
#define OOM_PAUSE_MS 10

const struct cgroup_box *cgroup_box_of(const struct cgroup *c, enum cgroup_what what)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->box[i].tree->what & 1u << what)
            return &c->box[i];
    return NULL;
}

/* ---- creating ---- */

/* A new cgroup of v2 passes controllers to its children only after a write to cgroup.subtree_control. */
static void hand_on(const struct cgroup_box *b)
{
    static const struct {
        enum cgroup_what what;
        const char *word;
    } words[] = {
        { CGROUP_MEMORY, "+memory" }, { CGROUP_CPUSET, "+cpuset" }, { CGROUP_PIDS, "+pids" }, { CGROUP_CPU, "+cpu" }
    };
    for (size_t i = 0; b->tree->v2 && i < ARRAY_LEN(words); i++)
        if (b->tree->what & 1u << words[i].what)
            cgroup_write(b->job, "cgroup.subtree_control", words[i].word);
}

static int make_one(struct cgroup_box *b)
{
    b->job_made = !mkdir(b->job, 0755);
    if (!b->job_made && errno != EEXIST)
        return errno;
    if (b->job_made) {
        hand_on(b);
        if (!b->tree->v2 && b->tree->what & 1u << CGROUP_CPUSET)
            cgroup_copy_cpuset(b->tree->dir, b->job);
    }
    return strcmp(b->job, b->step) && mkdir(b->step, 0755) && errno != EEXIST ? errno : 0;
}

static int make_box(struct cgroup_box *b, const struct cgroup_tree *t, struct step_key key, struct err *err)
{
    *b = (struct cgroup_box){ .tree = t };
    cgroup_job_dir(b->job, t, key);
    cgroup_step_dir(b->step, t, key);
    int rc = make_one(b);
    return rc ? err_set(err, rc, "cannot make the cgroup %s: %s", b->step, strerror(rc)) : 0;
}

static int make_all(struct step *s, struct err *err)
{
    struct cgroup *c = s->cgroup;
    for (size_t i = 0; i < c->node.tree.n; i++, c->n++) {
        int rc = make_box(&c->box[i], &c->node.tree.at[i], s->key, err);
        if (rc)
            return rc;
        if (c->box[i].tree->v2)
            c->into = open(c->box[i].step, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    return cgroup_limits(s, err);
}

/* A lock on the job's folder in the spool serializes the steps of a job: a step that finds the job's cgroup finds its
 * limits set. */
int cgroup_make(struct step *s, struct err *err)
{
    const char *text = getenv(SPAWNER_CGROUP);
    if (str_empty(text))
        return 0;
    s->cgroup = NEW(struct cgroup);
    s->cgroup->into = s->cgroup->oom_fd = -1;
    if (!cgroups_parse(&s->cgroup->node, text))
        return err_set(err, EBADMSG, "the agent's word about cgroups does not parse");
    flock(s->job_fd, LOCK_EX);
    int rc = make_all(s, err);
    flock(s->job_fd, LOCK_UN);
    return rc;
}

/* ---- entering ---- */

struct entering {
    struct cgroup *c;
    bool v2_done, share;
    void (*fn)(void *arg);
    void *arg;
};

/* In the child.  A process that cannot enter the cgroups must not run. */
static void enter_all(const struct cgroup *c, bool v2_done)
{
    for (size_t i = 0; c && i < c->n; i++)
        if (!(v2_done && c->box[i].tree->v2) && cgroup_write(c->box[i].step, "cgroup.procs", "0"))
            _exit(errno);
}

static _Noreturn void enter(const struct entering *e)
{
    enter_all(e->c, e->v2_done);
    e->fn(e->arg);
    _exit(127);
}

void cgroup_enter(struct step *s)
{
    enter_all(s->cgroup, false);
}

#ifndef CLONE_INTO_CGROUP
#define CLONE_INTO_CGROUP 0x200000000ULL
#endif

/* The system call is made inline: the child continues on our stack, and would overwrite a wrapper's return address
 * before we use it. */
#if defined(__x86_64__)
#define SYSTEM_CALL(ret, number, a, b)                                                                                 \
    __asm__ volatile("syscall" : "=a"(ret) : "0"((long)(number)), "D"(a), "S"(b) : "rcx", "r11", "memory")
#elif defined(__aarch64__)
#define SYSTEM_CALL(ret, number, a, b)                                                                                 \
    do {                                                                                                               \
        register long x8_ __asm__("x8") = (number);                                                                    \
        register long x0_ __asm__("x0") = (long)(a);                                                                   \
        register long x1_ __asm__("x1") = (long)(b);                                                                   \
        __asm__ volatile("svc 0" : "+r"(x0_) : "r"(x8_), "r"(x1_) : "memory");                                         \
        (ret) = x0_;                                                                                                   \
    } while (0)
#endif

static __attribute__((noinline)) long spawn_into(struct entering *e)
{
#ifdef SYSTEM_CALL
    struct clone_args args = { .flags = CLONE_INTO_CGROUP | (e->share ? CLONE_VM | CLONE_VFORK : 0),
                               .exit_signal = SIGCHLD,
                               .cgroup = (unsigned)e->c->into };
    long pid;
    e->v2_done = true;
    SYSTEM_CALL(pid, SYS_clone3, &args, sizeof(args));
    if (pid == 0)
        enter(e);
    return pid;
#else
    (void)e;
    return -ENOSYS;
#endif
}

static __attribute__((noinline)) pid_t spawn_plain(struct entering *e)
{
    e->v2_done = false;
    pid_t pid = e->share ? vfork() : fork();
    if (pid == 0)
        enter(e);
    return pid;
}

pid_t cgroup_spawn(struct step *s, bool share, void (*fn)(void *arg), void *arg)
{
    struct entering e = { s->cgroup, false, share, fn, arg };
    if (e.c && e.c->into >= 0 && !e.c->no_clone_into) {
        long pid = spawn_into(&e);
        if (pid > 0)
            return (pid_t)pid;
        if (pid != -ENOSYS && pid != -EINVAL && pid != -EPERM && pid != -E2BIG) {
            errno = (int)-pid;
            return -1;
        }
        e.c->no_clone_into = true; /* an older kernel, or one that forbids it: the child enters by itself */
    }
    return spawn_plain(&e);
}

/* ---- ending ---- */

bool cgroup_kill(struct step *s)
{
    const struct cgroup_box *b = s->cgroup ? cgroup_box_of(s->cgroup, CGROUP_TRACK) : NULL;
    if (!b)
        return false;
    s->cgroup->frozen = false;
    if (b->tree->v2)
        cgroup_freeze_dir(b->step, true, false);
    return cgroup_kill_dir(b->step, b->tree->v2);
}

bool cgroup_freeze(struct step *s, bool frozen)
{
    const struct cgroup_box *b = s->cgroup ? cgroup_box_of(s->cgroup, CGROUP_TRACK) : NULL;
    if (!b || s->cgroup->frozen == frozen)
        return b != NULL;
    if (!cgroup_freeze_dir(b->step, b->tree->v2, frozen))
        return false;
    s->cgroup->frozen = frozen;
    return true;
}

void cgroup_remove(struct step *s)
{
    struct cgroup *c = s->cgroup;
    if (!c)
        return;
    flock(s->job_fd, LOCK_EX);
    for (size_t i = 0; i < c->n; i++) {
        struct cgroup_box *b = &c->box[i];
        if (!cgroup_rmdir(b->step) && strcmp(b->step, b->job))
            rmdir(b->job); /* fails while it holds the folder of another step */
    }
    flock(s->job_fd, LOCK_UN);
    if (c->into >= 0)
        close(take_fd(c->into));
}

/* ---- out of memory ---- */

uint64_t cgroup_oom_kills(const struct step *s)
{
    const struct cgroup_box *b = s->cgroup ? cgroup_box_of(s->cgroup, CGROUP_MEMORY) : NULL;
    uint64_t n = 0;
    if (!b || !cgroup_number(b->step, b->tree->v2 ? "memory.events" : "memory.oom_control", "oom_kill", &n))
        return 0;
    return n;
}

/* v1 reports that memory runs out before it kills and counts a process: poll the count for a moment. */
static void oom_look(struct step *s, void *arg)
{
    struct cgroup *c = s->cgroup;
    if (!cgroup_oom_kills(s)) {
        if (c->oom_looks++ < OOM_LOOKS)
            watch_at(s, clock_mono_ms() + OOM_PAUSE_MS, oom_look, arg);
        return;
    }
    if (c->oom_fd < 0)
        return;
    watch_drop(s, c->oom_fd);
    close(take_fd(c->oom_fd));
    c->on_oom(s);
}

static void oom_event(struct step *s, int fd, short revents, void *arg)
{
    char text[1024];
    (void)revents;
    /* An eventfd holds a count; memory.events reports POLLPRI until it is read again from its start. */
    lseek(fd, 0, SEEK_SET);
    if (read(fd, text, sizeof(text)) < 0)
        errno = 0;
    s->cgroup->oom_looks = 0;
    oom_look(s, arg);
}

/* v1 reports through an eventfd that is registered for the file in cgroup.event_control. */
static int open_oom_v1(const struct cgroup_box *b)
{
    char path[CGROUP_PATH + 32];
    snprintf(path, sizeof(path), "%s/memory.oom_control", b->step);
    auto_close int file = open(path, O_RDONLY | O_CLOEXEC);
    auto_close int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (file < 0 || event < 0 || cgroup_writef(b->step, "cgroup.event_control", "%d %d", event, file))
        return -1;
    return take_fd(event);
}

static int open_oom_v2(const struct cgroup_box *b)
{
    char path[CGROUP_PATH + 32], text[1024];
    snprintf(path, sizeof(path), "%s/memory.events", b->step);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, text, sizeof(text)) < 0)
        errno = 0; /* only the read matters: later changes are reported */
    return fd;
}

void cgroup_on_oom(struct step *s, void (*fn)(struct step *s))
{
    const struct cgroup_box *b = s->cgroup ? cgroup_box_of(s->cgroup, CGROUP_MEMORY) : NULL;
    int fd = !b ? -1 : b->tree->v2 ? open_oom_v2(b) : open_oom_v1(b);
    if (fd < 0)
        return;
    s->cgroup->on_oom = fn;
    s->cgroup->oom_fd = fd;
    watch_fd(s, fd, b->tree->v2 ? POLLPRI : POLLIN, oom_event, NULL);
}

/* ---- what was used ---- */

/* Anonymous memory now: the peak of a cgroup would include the page cache, which no task asked for. */
static void memory_usage(const struct cgroup_box *b, Pb__Usage *out)
{
    uint64_t n;
    if (cgroup_number(b->step, "memory.stat", b->tree->v2 ? "anon" : "total_rss", &n))
        out->max_rss_kb = MAX(out->max_rss_kb, n >> 10);
    if (cgroup_number(b->step, "memory.stat", b->tree->v2 ? "pgmajfault" : "total_pgmajfault", &n))
        out->pages = MAX(out->pages, n);
}

bool cgroup_usage(const struct step *s, Pb__Usage *out)
{
    const struct cgroup_box *memory = s->cgroup ? cgroup_box_of(s->cgroup, CGROUP_MEMORY) : NULL;
    const struct cgroup_box *track = s->cgroup ? cgroup_box_of(s->cgroup, CGROUP_TRACK) : NULL;
    uint64_t user = 0, sys = 0;
    if (memory)
        memory_usage(memory, out);
    if (!track || !track->tree->v2 || !cgroup_number(track->step, "cpu.stat", "user_usec", &user) ||
        !cgroup_number(track->step, "cpu.stat", "system_usec", &sys))
        return memory != NULL;
    out->user_us = MAX(out->user_us, user);
    out->sys_us = MAX(out->sys_us, sys);
    return true;
}
