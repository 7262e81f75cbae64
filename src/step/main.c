/* spurstepd - supervises one job step on one node, and outlives a restart of the agent that started it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/errnum.h"
#include "base/mem.h"
#include "base/str.h"
#include "step/cgroup.h"
#include "step/bind.h"
#include "step/spawner.h"
#include "step/hook.h"
#include "step/notice.h"
#include "step/io.h"
#include "step/lease.h"
#include "step/device_locality.h"
#include "step/pmi.h"
#include "step/oom.h"
#include "step/reaper.h"
#include "step/receive.h"
#include "step/step.h"
#include "step/task.h"
#include "step/tmpfs.h"
#include "step/usage.h"
#include "step/watch.h"

#define DRAIN_MS IO_PATIENCE_MS
#define LINGER_MS 60000 /* as Slurm's EioTimeout */
#define TASKS_MAX 65533u

void step_say(struct step *s, const char *fmt, ...)
{
    auto_buf struct buf line = BUF_INIT;
    int64_t now = clock_wall_ms();
    time_t now_s = now / 1000;
    struct tm tm;
    char at[32];
    strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%S", localtime_r(&now_s, &tm));
    buf_addf(&line, "[%s.%03d] error: ", at, (int)(now % 1000));
    va_list ap;
    va_start(ap, fmt);
    buf_addv(&line, fmt, ap);
    va_end(ap);
    buf_addc(&line, '\n');
    if (s->log_fd >= 0 && write(s->log_fd, line.s, line.len) < 0)
        return; /* a full disk loses the message, not the job */
    if (s->log_fd < 0 && s->notices)
        notice_write(s, line.s, line.len);
    else if (s->log_fd < 0)
        io_say(s, line.s, line.len);
}

/* ---- starting ---- */

static void on_child(int signo)
{
    (void)signo; /* only interrupts ppoll() */
}

static int prepare_signals(void)
{
    sigset_t all;
    sigfillset(&all);
    struct sigaction sa = { .sa_handler = on_child, .sa_flags = SA_NOCLDSTOP };
    if (sigprocmask(SIG_SETMASK, &all, NULL) || sigaction(SIGCHLD, &sa, NULL))
        return errno;
    return reaper_start();
}

static int load(struct step *s, const struct spawn_order *h, struct buf *record, struct err *err)
{
    struct spool_record r;
    s->record_fd = h->record;
    s->agent = (struct link_wait)LINK_WAIT_INIT;
    link_wait_use(&s->agent, h->agent, LINK_AGENT);
    s->job_fd = h->job;
    s->listen_fd = s->log_fd = s->broken_fd = -1;
    int rc = spool_read(s->record_fd, record, &r, err);
    if (rc)
        return rc;
    s->order = pb__launch_order__unpack(NULL, r.order.len, r.order.data);
    if (!s->order || !s->order->spec)
        return err_set(err, EBADMSG, "the order in the spool does not parse");
    s->key = (struct step_key){ s->order->job_id, s->order->step_id, s->order->attempt };
    s->batch = env_is_batch(s->order);
    s->hook = hook_step(s->key.step_id);
    if (!s->batch && !s->hook && (!s->order->step || !s->order->step->n_argv))
        return err_set(err, EBADMSG, "the order names no program to run");
    s->ntasks = s->hook ? 1 : env_local_tasks(s->order);
    return s->ntasks && s->ntasks <= TASKS_MAX ? 0
                                               : err_set(err, ESLURM_BAD_TASK_COUNT, "%u tasks on one node", s->ntasks);
}

static void load_words(struct step *s, const struct spawn_order *h)
{
    s->node.conf = str_or(getenv(SPAWNER_CONF), "");
    s->node.group = h->group;
    s->node.home = h->home;
    s->node.shell = h->shell;
    if (str_empty(s->order->user_name))
        s->order->user_name = (char *)h->user;
    s->io_host = h->io_host;
    s->node.tmp = str_or(getenv(SPAWNER_TMP), "/tmp");
    s->append = getenv(SPAWNER_APPEND);
    s->node.own_devices = bind_site_says("devices");
    s->node.no_training = bind_site_says("notraining");
    device_locality_lists(s);
    char job[SPOOL_NAME];
    s->script = mem_printf("%s/%s/%s", str_or(getenv(SPAWNER_SPOOL), "."),
                           spool_job_name(job, s->key.job_id, s->key.attempt), SPOOL_SCRIPT);
    s->group = mem_array(strlen(h->groups) + 1, sizeof(*s->group));
    const char *pos = h->groups;
    for (char *one; (one = str_next(&pos, ",")); free(one))
        s->group[s->ngroups++] = (gid_t)strtoul(one, NULL, 10);
}

/* The name in ps; it is cut to the length of the spawner's own name. */
static void set_title(char *argv0, const char *title)
{
    size_t room = strlen(argv0);
    memset(argv0, 0, room);
    memcpy(argv0, title, MIN(strlen(title), room));
}

/* ---- the loop ---- */

static int timeout_ms(const struct step *s, int64_t until_ms)
{
    int64_t next = -1, all[] = { s->kill_at_ms ? s->kill_at_ms : -1, s->stop_at_ms ? s->stop_at_ms : -1,
                                 s->term_at_ms ? s->term_at_ms : -1, io_next_ms(s), watch_next_ms(s), until_ms };
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (all[i] >= 0 && (next < 0 || all[i] < next))
            next = all[i];
    return next < 0 ? -1 : (int)MIN(MAX(next - clock_mono_ms(), 0), 3600000);
}

static void wait_events(struct step *s, int64_t until_ms)
{
    nfds_t others = watch_count(s), n = 2 + others;
    auto_free struct pollfd *fds = mem_array(n + io_count(s), sizeof(*fds));
    fds[0] = (struct pollfd){ s->agent.fd, POLLIN, 0 };
    fds[1] = (struct pollfd){ s->listen_fd, POLLIN, 0 };
    watch_poll(s, fds + 2);
    n += io_poll(s, fds + n);
    int ms = timeout_ms(s, until_ms);
    struct timespec wait = { ms / 1000, ms % 1000 * 1000000L };
    sigset_t all_but_child;
    sigfillset(&all_but_child);
    sigdelset(&all_but_child, SIGCHLD);
    if (ppoll(fds, n, ms < 0 ? NULL : &wait, &all_but_child) < 0)
        for (nfds_t i = 0; i < n; i++)
            fds[i].revents = 0;
    if (fds[0].revents)
        agent_readable(s);
    if (fds[1].revents)
        agent_accept(s);
    watch_handle(s, fds + 2, others);
    io_handle(s, fds + 2 + others, n - 2 - others);
}

/* Signals whose time has come. */
static void signals_due(struct step *s)
{
    if (s->term_at_ms && clock_mono_ms() >= s->term_at_ms)
        step_term_due(s);
    if (s->kill_at_ms && clock_mono_ms() >= s->kill_at_ms)
        step_kill_due(s);
    if (s->stop_at_ms && clock_mono_ms() >= s->stop_at_ms)
        step_stop_due(s);
}

void step_wait(struct step *s, int64_t until_ms)
{
    wait_events(s, until_ms);
    signals_due(s);
}

/* --wait-for-children: a successful step is over when none of its processes runs any more. */
static bool waits_for_children(const struct step *s)
{
    const Pb__StepSpec *spec = s->order->step;
    return !s->batch && !s->hook && spec && spec->wait_for_children && !s->terminating && !s->report.exit_code;
}

/* The tasks have ended, but processes they left behind may still write: for a while their output is sent to srun. */
static void linger(struct step *s, bool gone)
{
    if (!s->lingers)
        return;
    int64_t end = s->report.end_ms + LINGER_MS - clock_wall_ms();
    s->lingers = !gone && io_output_expected(s) && !s->terminating && end > 0;
    s->kill_at_ms = gone ? 0 : s->lingers ? clock_mono_ms() + end : clock_mono_ms();
}

/* Run until every process is gone and all output is delivered or has no receiver any more. */
static void supervise(struct step *s)
{
    int64_t drain_ms = -1;
    for (bool gone = false; !(gone && io_done(s)) && !(drain_ms >= 0 && clock_mono_ms() >= drain_ms);) {
        wait_events(s, drain_ms);
        gone = gone || task_reap(s);
        if (!s->nrunning && !s->over && (gone || !waits_for_children(s))) {
            s->over = true;
            s->report.end_ms = clock_wall_ms();
            s->kill_at_ms = gone ? 0 : clock_mono_ms() + step_pmi_leave(s); /* processes left behind are killed */
            s->lingers = !gone && io_output_expected(s); /* unless they hold the output: they are waited for */
        }
        linger(s, gone);
        if (gone && drain_ms < 0) {
            s->kill_at_ms = s->term_at_ms = 0;
            io_no_more(s);
            /* wait for an srun that is slow or stopped, unless the step is being ended */
            drain_ms = s->terminating ? clock_mono_ms() + DRAIN_MS : -1;
        }
        signals_due(s);
    }
}

static void init_report(struct step *s)
{
    s->report = (Pb__Report)PB__REPORT__INIT;
    s->usage = (Pb__Usage)PB__USAGE__INIT;
    s->report.usage = &s->usage;
    s->report.start_ms = s->report.end_ms = clock_wall_ms();
    s->report.text = s->why;
}

static void fail(struct step *s, int rc, const struct err *err)
{
    s->start_error = rc;
    if (rc == ECANCELED)
        s->report.exit_code = SIGTERM;
    snprintf(s->why, sizeof(s->why), "%s", err->text);
    if (!s->report.exit_code) {
        s->report.launch_error = rc;
        s->report.exit_code = 1 << 8;
    }
}

/* The cgroups come first: no task may run outside of them. */
static int start(struct step *s, struct err *err)
{
    int rc = cgroup_make(s, err);
    if (rc)
        return rc;
    oom_begin(s);
    rc = tmpfs_prepare(s, err);
    return rc ? rc : task_start_all(s, err);
}

static void run(struct step *s)
{
    struct err err = ERR_INIT;
    s->report.job_id = s->key.job_id;
    s->report.step_id = s->key.step_id;
    s->report.attempt = s->key.attempt;
    s->task = mem_array(s->ntasks, sizeof(*s->task));
    for (uint32_t i = 0; i < s->ntasks; i++)
        s->task[i] = (struct task){ .in = -1, .out = -1, .err = -1, .rank = s->hook ? 0 : env_rank(s->order, i) };
    s->report.task_codes = mem_array(s->ntasks, sizeof(uint32_t));
    s->report.n_task_codes = s->ntasks;
    io_prepare(s);
    bool may_run = lease_begin(s);
    int rc = !may_run ? 0 : s->hook ? hook_start(s, &err) : start(s, &err);
    if (rc)
        fail(s, rc, &err);
    if (rc || !may_run)
        s->kill_at_ms = clock_mono_ms();
    io_connect(s);
    usage_begin(s);
    supervise(s);
    step_pmi_end(s);
    usage_report(s);
}

/* From here on this process is one step's supervisor. */
static int supervisor(const struct spawn_order *h)
{
    struct step step = { 0 }, *s = &step;
    struct err err = ERR_INIT;
    auto_buf struct buf record = BUF_INIT;
    init_report(s);
    int rc = prepare_signals();
    if (!rc)
        rc = load(s, h, &record, &err);
    if (rc)
        return 1; /* the agent finds no lock and no report: the step is lost */
    load_words(s, h);
    if (spool_add_start(s->record_fd, &err))
        return 1;
    run(s);
    agent_report(s);
    cgroup_remove(s);
    return 0;
}

int main(int argc, char **argv)
{
    struct spawn_order order;
    struct stat st;
    if (argc == 2 && str_eq(argv[1], RECEIVE_WORD) && !fstat(RECEIVE_FD, &st) && S_ISSOCK(st.st_mode))
        return receive_main();
    if (argc != 1 || fstat(SPAWNER_FD, &st) || !S_ISSOCK(st.st_mode)) {
        fputs("spurstepd: started by spurd, not by hand\n", stderr);
        return 2;
    }
    spawner_serve(&order);
    set_title(argv[0], order.title);
    _exit(supervisor(&order));
}
