/* usage - resource usage of a step's tasks; see usage.h. */
#include "step/usage.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "step/cgroup.h"
#include "step/spawner.h"
#include "step/proc.h"
#include "step/reaper.h"
#include "step/watch.h"
#include "text/freq.h"

#define EVERY_S 30

/* The use of one task: the peak of memory, the total of everything else. */
struct used {
    uint64_t user_us, sys_us, rss_kb, vm_kb, pages, read_bytes, write_bytes;
    pid_t peeked;
};

struct usage {
    struct used *task; /* s->ntasks of them */
    int64_t every_ms;  /* 0: not sampled while the tasks run */
    bool looked;
    struct usage_sum sum;
};

static struct usage *of(struct step *s)
{
    if (!s->use) {
        s->use = NEW(struct usage);
        s->use->task = mem_array(s->ntasks, sizeof(struct used));
    }
    return s->use;
}

/* ---- sampling ---- */

static struct used *task_of(struct step *s, pid_t pid)
{
    for (uint32_t i = 0; i < s->ntasks; i++)
        if (s->task[i].pid == pid)
            return &s->use->task[i];
    return NULL;
}

static int by_pid(const void *a, const void *b)
{
    const struct proc *p = a, *q = b;
    return (p->pid > q->pid) - (p->pid < q->pid);
}

static const struct proc *find(const struct proc *all, size_t n, pid_t pid)
{
    struct proc want = { .pid = pid };
    return bsearch(&want, all, n, sizeof(*all), by_pid);
}

/* The task that a process belongs to: its ancestor; without one, the task that leads its process group. */
static struct used *owner(struct step *s, const struct proc *all, size_t n, const struct proc *p)
{
    struct used *u = NULL;
    size_t steps = 0;
    for (const struct proc *up = p; up && !u && steps++ <= n; up = find(all, n, up->parent))
        u = task_of(s, up->pid);
    if (!u)
        u = task_of(s, p->group);
    return u ? u : &s->use->task[0];
}

static void add(struct used *u, const struct proc *p)
{
    u->user_us += p->user_us;
    u->sys_us += p->sys_us;
    u->rss_kb += p->rss_kb;
    u->vm_kb += p->vm_kb;
    u->pages += p->pages;
    u->read_bytes += p->read_bytes;
    u->write_bytes += p->write_bytes;
}

/* Keep the maximum: the numbers of a process that has ended are missing in the new sample. */
static void keep_most(struct used *u, const struct used *now)
{
    u->user_us = MAX(u->user_us, now->user_us);
    u->sys_us = MAX(u->sys_us, now->sys_us);
    u->rss_kb = MAX(u->rss_kb, now->rss_kb);
    u->vm_kb = MAX(u->vm_kb, now->vm_kb);
    u->pages = MAX(u->pages, now->pages);
    u->read_bytes = MAX(u->read_bytes, now->read_bytes);
    u->write_bytes = MAX(u->write_bytes, now->write_bytes);
}

static void look(struct step *s)
{
    struct usage *u = of(s);
    auto_free pid_t *pids = NULL;
    size_t found = reaper_list(&pids), n = 0;
    auto_free struct proc *all = mem_array(found + 1, sizeof(*all));
    for (size_t i = 0; i < found; i++)
        n += proc_read(pids[i], &all[n]);
    qsort(all, n, sizeof(*all), by_pid); /* owner() searches by pid */
    auto_free struct used *now = mem_array(s->ntasks, sizeof(*now));
    for (size_t i = 0; i < n; i++)
        add(&now[owner(s, all, n, &all[i]) - u->task], &all[i]);
    for (uint32_t i = 0; i < s->ntasks; i++)
        keep_most(&u->task[i], &now[i]);
    u->looked = true;
    cgroup_usage(s, &s->usage);
}

static void look_again(struct step *s, void *arg)
{
    (void)arg;
    if (!s->nrunning)
        return;
    look(s);
    watch_at(s, clock_mono_ms() + s->use->every_ms, look_again, NULL);
}

static uint32_t interval_s(const struct step *s)
{
    uint32_t every_s = EVERY_S;
    const char *words[] = { getenv(SPAWNER_ACCT), s->order->spec->acctg_freq,
                            s->order->step ? s->order->step->acctg_freq : NULL };
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (!str_empty(words[i]))
            freq_parse(words[i], &every_s); /* a malformed value was rejected earlier */
    return every_s;
}

void usage_begin(struct step *s)
{
    of(s)->every_ms = (int64_t)interval_s(s) * 1000;
    if (s->use->every_ms)
        watch_at(s, clock_mono_ms() + s->use->every_ms, look_again, NULL);
}

/* ---- ends ---- */

void usage_peek(struct step *s, pid_t pid)
{
    struct proc p = { .pid = pid };
    of(s);
    struct used *u = pid > 0 ? task_of(s, pid) : NULL;
    if (!u || u->peeked == pid || !proc_read_io(pid, &p))
        return;
    u->peeked = pid;
    u->read_bytes = MAX(u->read_bytes, p.read_bytes);
    u->write_bytes = MAX(u->write_bytes, p.write_bytes);
}

void usage_task_end(struct step *s, const struct task *t, const Pb__Usage *used)
{
    struct used end = {
        .user_us = used->user_us, .sys_us = used->sys_us, .rss_kb = used->max_rss_kb, .pages = used->pages
    };
    keep_most(&of(s)->task[t - s->task], &end);
}

static void sum_up(struct step *s)
{
    struct usage *u = of(s);
    uint32_t node = s->order->node_index;
    usage_sum_init(&u->sum);
    for (uint32_t i = 0; i < s->ntasks; i++) {
        const struct used *t = &u->task[i];
        uint64_t value[USAGE_METRICS] = {
            [USAGE_CPU_MS] = (t->user_us + t->sys_us) / 1000,
            [USAGE_RSS_KB] = t->rss_kb,
            [USAGE_VM_KB] = t->vm_kb,
            [USAGE_PAGES] = t->pages,
            [USAGE_READ] = t->read_bytes,
            [USAGE_WRITE] = t->write_bytes,
        };
        usage_sum_task(&u->sum, node, s->task[i].rank, value);
        u->sum.pb.user_us += t->user_us;
        u->sum.pb.sys_us += t->sys_us;
    }
}

/* The step's own sum includes reaped processes that belong to no task. */
void usage_report(struct step *s)
{
    sum_up(s);
    Pb__StepUsage *sum = &s->use->sum.pb;
    if (s->use->looked) /* short steps skip the cost */
        cgroup_usage(s, &s->usage);
    s->usage.user_us = MAX(s->usage.user_us, sum->user_us);
    s->usage.sys_us = MAX(s->usage.sys_us, sum->sys_us);
    s->usage.max_rss_kb = MAX(s->usage.max_rss_kb, sum->rss_kb->max);
    s->usage.max_vm_kb = sum->vm_kb->max;
    s->usage.pages = MAX(s->usage.pages, sum->pages->total);
    s->usage.read_bytes = sum->read_bytes->total;
    s->usage.write_bytes = sum->write_bytes->total;
    s->report.stats = sum;
}

/* ---- queries ---- */

static void add_pid(Pb__StepStat *out, const struct step *s, pid_t pid)
{
    Pb__ProcId *p = NEW(Pb__ProcId);
    pb__proc_id__init(p);
    p->pid = (uint32_t)pid;
    for (uint32_t i = 0; i < s->ntasks; i++)
        if (s->task[i].pid == pid)
            p->is_task = true, p->task = s->task[i].rank, p->local = i;
    out->procs = mem_grow(out->procs, out->n_procs + 1, sizeof(*out->procs));
    out->procs[out->n_procs++] = p;
}

void usage_stat(struct step *s, bool pids, Pb__StepStat *out)
{
    pb__step_stat__init(out);
    look(s);
    sum_up(s);
    out->job_id = s->key.job_id;
    out->step_id = s->key.step_id;
    out->node = s->order->node;
    out->stats = &s->use->sum.pb;
    auto_free pid_t *list = NULL;
    size_t n = pids ? reaper_list(&list) : 0;
    for (size_t i = 0; i < n; i++)
        add_pid(out, s, list[i]);
}

void usage_stat_clear(Pb__StepStat *out)
{
    for (size_t i = 0; i < out->n_procs; i++)
        free(out->procs[i]);
    free(out->procs);
}
