/* The real agent and the real supervisor, driven by a stub of the controller. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/errnum.h"
#include "base/str.h"
#include "stub.h"
#include "test.h"

static uint32_t want_job;
static size_t want_replies;
static unsigned want_registers;

static bool registered(struct stub *s)
{
    return s->agent && s->registers >= want_registers;
}

static bool reported(struct stub *s)
{
    return stub_report(s, want_job);
}

static bool clean(struct stub *s)
{
    return stub_clean(s, want_job);
}

static bool replied(struct stub *s)
{
    return s->replies.n >= want_replies;
}

static bool beating(struct stub *s)
{
    return s->heartbeats > 0;
}

static bool has_file(struct stub *s, const char *name)
{
    auto_free char *text = stub_read(s, name);
    return text;
}

/* Wait until the file exists and is not empty; or until it is gone. */
static bool comes(struct stub *s, const char *name, bool there)
{
    for (int i = 0; i < 6000; i++) {
        auto_free char *text = stub_read(s, name);
        if ((text && *text) == there)
            return true;
        stub_idle(s, 10);
    }
    return false;
}

static bool ready_file(struct stub *s)
{
    return has_file(s, "ready");
}

/* A zombie is dead, even before its parent has waited for it. */
static bool gone(const char *pid_text)
{
    char path[64];
    auto_buf struct buf text = BUF_INIT;
    snprintf(path, sizeof(path), "/proc/%d/stat", pid_text ? atoi(pid_text) : 1);
    const char *state = buf_read_file(&text, path, 4096) ? NULL : strrchr(text.s, ')');
    return !state || state[2] == 'Z';
}

static Pb__LaunchReply *launch(struct stub *s, Pb__LaunchOrder *o, const struct cred_key *key)
{
    want_replies = s->replies.n + 1;
    stub_launch(s, o, key);
    pb__launch_order__free_unpacked(o, NULL);
    return stub_until(s, replied) ? s->replies.at[s->replies.n - 1] : NULL;
}

static Pb__Report *wait_report(struct stub *s, uint32_t job)
{
    want_job = job;
    return stub_until(s, reported) ? stub_report(s, job) : NULL;
}

static void test_batch(struct stub *s)
{
    Pb__LaunchReply *l = launch(s, stub_order(s, 10, "#!/bin/sh\necho \"$0 $SLURM_JOB_ID $1\"\nexit 3\n"), &s->key);
    ok(l && l->code == 0 && l->job_id == 10, "a batch job is launched");
    Pb__Report *r = wait_report(s, 10);
    ok(r && r->exit_code == 3 << 8 && !r->launch_error && !r->lost, "its exit code is reported as a wait status");
    ok(r && r->node_clean, "the end of a lone script leaves the node clean");
    ok(r && r->usage && r->usage->max_rss_kb > 0 && r->end_ms >= r->start_ms, "with usage and times");
    auto_free char *out = stub_read(s, "slurm-10.out");
    auto_free char *want = mem_printf("%s/spool.n1/job10.1/slurm_script 10 \n", s->dir);
    is_str(out, want, "the script runs from the spool");
    ok(comes(s, "spool.n1/job10.1/batch.step", false), "an acknowledged step leaves nothing in the spool");
}

static void test_signals(struct stub *s)
{
    launch(s, stub_order(s, 11, "#!/bin/sh\nkill -9 $$\n"), &s->key);
    Pb__Report *r = wait_report(s, 11);
    ok(r && WIFSIGNALED(r->exit_code) && WTERMSIG(r->exit_code) == SIGKILL, "a script killed by a signal");
    Pb__LaunchOrder *o = stub_order(s, 12, "#!/no/such/interpreter\n");
    launch(s, o, &s->key);
    r = wait_report(s, 12);
    ok(r && r->exit_code == ENOENT << 8, "a script without its interpreter fails with exit code 2");
    auto_free char *out = stub_read(s, "slurm-12.out");
    ok(out && strstr(out, "error: execve(): bad interpreter(/no/such/interpreter): No such file or directory"),
       "and says why");
    o = stub_order(s, 13, "#!/bin/sh\n");
    stub_set(&o->spec->std_out, "/proc/no/way");
    launch(s, o, &s->key);
    r = wait_report(s, 13);
    ok(r && r->exit_code == 53 && !r->launch_error && !str_empty(r->text),
       "a job whose output cannot be opened ends as 0:53");
}

static void test_leftovers(struct stub *s)
{
    auto_free char *script = mem_printf(
        "#!/bin/sh\n(setsid sh -c 'sleep 300 & echo $! > %s/left; wait' &) \nwhile ! test -s %s/left; do :; done\n",
        s->dir, s->dir);
    launch(s, stub_order(s, 14, script), &s->key);
    Pb__Report *r = wait_report(s, 14);
    auto_free char *pid = stub_read(s, "left");
    ok(r && r->exit_code == 0 && pid && gone(pid), "a daemon that a script left behind ends with it");
}

static void test_refused(struct stub *s)
{
    Pb__LaunchReply *l = launch(s, stub_order(s, 20, "#!/bin/sh\n"), &s->wrong_key);
    ok(l && l->code == ESLURM_INVALID_JOB_CREDENTIAL, "an order signed with another key is refused");
    Pb__LaunchOrder *o = stub_order(s, 21, "#!/bin/sh\n");
    stub_set(&o->node, "n2");
    l = launch(s, o, &s->key);
    ok(l && l->code == ESLURM_INVALID_NODE_NAME, "an order for another node is refused");
    o = stub_order(s, 22, "#!/bin/sh\n");
    o->issued_ms -= 11 * 60 * 1000;
    l = launch(s, o, &s->key);
    ok(l && l->code == ETIME, "an order that is too old is refused");
    l = launch(s, stub_order(s, 10, "#!/bin/sh\n"), &s->key);
    ok(l && l->code == EALREADY, "an order that was followed before is refused");
    o = stub_order(s, 23, "#!/bin/sh\n");
    o->step_id = 0;
    l = launch(s, o, &s->key);
    ok(l && l->code == EBADMSG, "a step without a program is refused");
    stub_idle(s, 100);
    ok(!stub_report(s, 20) && !stub_report(s, 21) && !stub_report(s, 22) && !stub_report(s, 23),
       "and nothing of them runs");
    if (geteuid() == 0)
        return;
    o = stub_order(s, 24, "#!/bin/sh\n");
    o->uid = geteuid() + 1;
    l = launch(s, o, &s->key);
    ok(l && l->code == ESLURM_USER_ID_MISSING, "without root another user's job is refused");
}

static void test_known(struct stub *s)
{
    auto_free char *script = mem_printf("#!/bin/sh\necho run >> %s/runs\nsleep 0.3\n", s->dir);
    launch(s, stub_order(s, 25, script), &s->key);
    Pb__LaunchReply *l = launch(s, stub_order(s, 25, script), &s->key);
    ok(l && l->code == 0, "an order for a step that runs is answered as the first time");
    wait_report(s, 25);
    auto_free char *runs = stub_read(s, "runs");
    is_str(runs, "run\n", "and it runs once");
}

static void test_terminate(struct stub *s)
{
    Pb__KillOrder k = PB__KILL_ORDER__INIT;
    k.job_id = 30;
    k.attempt = 1;
    k.terminate = true;
    k.grace_s = 5;
    k.reason = (char *)"DUE TO TIME LIMIT";
    auto_free char *script = mem_printf("#!/bin/sh\ntouch %s/ready\nsleep 300\n", s->dir);
    launch(s, stub_order(s, 30, script), &s->key);
    stub_until(s, ready_file);
    stub_kill(s, &k);
    want_job = 30;
    ok(stub_until(s, clean), "a job that is ended leaves the node clean");
    Pb__Report *r = stub_report(s, 30);
    ok(r && r->exit_code == SIGTERM, "the script ended by SIGTERM");
    auto_free char *out = stub_read(s, "slurm-30.out");
    ok(out && strstr(out, "error: *** JOB 30 ON n1 CANCELLED AT 20") && strstr(out, " DUE TO TIME LIMIT ***\n"),
       "its output says why");
    k.job_id = 31;
    want_job = 31;
    stub_kill(s, &k);
    ok(stub_until(s, clean), "a job that is not here is clean at once");
}

static void test_stubborn(struct stub *s)
{
    Pb__KillOrder k = PB__KILL_ORDER__INIT;
    k.job_id = 32;
    k.attempt = 1;
    k.terminate = true;
    k.grace_s = 1;
    auto_free char *script = mem_printf("#!/bin/sh\ntrap '' TERM\necho yes >%s/ready2\nsleep 300\nsleep 300\n", s->dir);
    launch(s, stub_order(s, 32, script), &s->key);
    comes(s, "ready2", true);
    stub_kill(s, &k);
    Pb__Report *r = wait_report(s, 32);
    ok(r && WTERMSIG(r->exit_code) == SIGKILL, "a script that ignores SIGTERM is killed when its grace is over");
}

static void test_restart(struct stub *s)
{
    auto_free char *script = mem_printf(
        "#!/bin/sh\ntouch %s/ready4\nwhile ! test -e %s/go; do sleep 0.05; done\nexit 7\n", s->dir, s->dir);
    launch(s, stub_order(s, 40, script), &s->key);
    auto_free char *shorter = mem_printf("#!/bin/sh\nwhile ! test -e %s/away; do sleep 0.05; done\nexit 5\n", s->dir);
    launch(s, stub_order(s, 41, shorter), &s->key);
    launch(s, stub_order(s, 42, "#!/bin/sh\nsleep 300\n"), &s->key);
    stub_kill_spurd(s, SIGKILL);
    auto_free char *away = mem_printf("%s/away", s->dir);
    close(open(away, O_CREAT | O_WRONLY, 0600));
    stub_idle(s, 800);
    ok(!stub_report(s, 41), "no report comes while the agent is away");
    want_registers = s->registers + 1;
    s->ack = false;
    stub_spurd(s);
    ok(stub_until(s, registered), "the agent comes back");
    ok(s->last && s->last->n_running == 3, "and registers with all three steps");
    Pb__Report *r = wait_report(s, 41);
    ok(r && r->exit_code == 5 << 8, "the one that ended meanwhile is reported");
    auto_free char *go = mem_printf("%s/go", s->dir);
    close(open(go, O_CREAT | O_WRONLY, 0600));
    r = wait_report(s, 40);
    ok(r && r->exit_code == 7 << 8, "the one that goes on is adopted, and its end is reported");
    Pb__KillOrder k = PB__KILL_ORDER__INIT;
    k.job_id = 42;
    k.attempt = 1;
    k.terminate = true;
    stub_kill(s, &k);
    r = wait_report(s, 42);
    ok(r && WIFSIGNALED(r->exit_code), "an adopted step takes orders");
}

static void test_unacked(struct stub *s)
{
    stub_kill_spurd(s, SIGTERM);
    for (size_t i = 0; i < s->reports.n; i++)
        pb__report__free_unpacked(s->reports.at[i], NULL);
    s->reports.n = 0;
    want_registers = s->registers + 2;
    s->ack = true;
    s->ask = 77;
    uint64_t order = s->last->order;
    stub_spurd(s);
    stub_until(s, registered);
    ok(s->last->answer == 77 && s->last->order > order + 1, "an agent that is asked registers again, with the answer");
    Pb__Report *a = wait_report(s, 40), *b = wait_report(s, 41);
    ok(a && b && a->exit_code == 7 << 8 && b->exit_code == 5 << 8,
       "reports without an answer are told again after a restart");
    Pb__LaunchReply *l = launch(s, stub_order(s, 10, "#!/bin/sh\n"), &s->key);
    ok(l && l->code == EALREADY, "a replayed order is refused after a restart, too");
}

static void test_lost(struct stub *s)
{
    auto_free char *script = mem_printf("#!/bin/sh\necho $PPID > %s/stepd\nsleep 300 & echo $! > %s/child\nwait\n",
                                        s->dir, s->dir);
    launch(s, stub_order(s, 50, script), &s->key);
    comes(s, "child", true);
    auto_free char *stepd = stub_read(s, "stepd"), *child = stub_read(s, "child");
    kill(atoi(stepd ? stepd : "0"), SIGKILL);
    Pb__Report *r = wait_report(s, 50);
    ok(r && r->lost, "a step whose supervisor died is reported as lost");
    for (int i = 0; i < 6000 && child && !gone(child); i++)
        stub_idle(s, 10);
    ok(child && gone(child), "and its processes do not live on");
}

/* ---- users ---- */

#define NOBODY 65534u

static Pb__LaunchOrder *order_of_nobody(struct stub *s, uint32_t job, const char *script)
{
    Pb__LaunchOrder *o = stub_order(s, job, script);
    auto_free char *dir = mem_printf("%s/pub", s->dir);
    mkdir(dir, 0);
    chmod(dir, 0777);
    o->uid = o->gid = NOBODY;
    stub_set(&o->user_name, "nobody");
    stub_set(&o->spec->workdir, dir);
    return o;
}

static void test_user(struct stub *s)
{
    struct stat st = { 0 };
    Pb__LaunchOrder *o = order_of_nobody(
        s, 60, "#!/bin/sh\nid -u; id -g; id -G; umask; ls -nd $0 | cut -d' ' -f1,3\ntouch mine\n");
    o->spec->umask = 027;
    launch(s, o, &s->key);
    Pb__Report *r = wait_report(s, 60);
    auto_free char *out = stub_read(s, "pub/slurm-60.out"), *path = mem_printf("%s/pub/slurm-60.out", s->dir);
    is_str(out, "65534\n65534\n65534\n0027\n-rwx------ 65534\n",
           "a job runs as its user, with its groups and umask; the script is its user's alone");
    ok(r && r->exit_code == 0 && !stat(path, &st) && st.st_uid == NOBODY && (st.st_mode & 0777) == 0640,
       "its output file belongs to the user");
    o = order_of_nobody(s, 61, "#!/bin/sh\n");
    auto_free char *secret = mem_printf("%s/root-only", s->dir);
    stub_set(&o->spec->std_out, secret);
    launch(s, o, &s->key);
    r = wait_report(s, 61);
    ok(r && r->exit_code == 53 && stat(secret, &st), "output is opened with the user's rights, not root's");
}

static void test_workdir(struct stub *s)
{
    Pb__LaunchOrder *o = order_of_nobody(s, 62, "#!/bin/sh\npwd\n");
    auto_free char *out = mem_printf("%s/pub/wd", s->dir);
    stub_set(&o->spec->workdir, "/root/xx");
    stub_set(&o->spec->std_out, out);
    launch(s, o, &s->key);
    wait_report(s, 62);
    auto_free char *text = stub_read(s, "pub/wd");
    ok(text && strstr(text, "] error: couldn't chdir to `/root/xx': Permission denied: going to /tmp instead\n/tmp\n"),
       "without its folder a job runs in /tmp, and says so");
}

/* A job that tries to connect to its supervisor's socket. */
static void test_socket(struct stub *s)
{
    auto_free char *script = mem_printf("#!/bin/sh\necho $PPID > %s/pub/stepd\nsleep 300\n", s->dir);
    launch(s, order_of_nobody(s, 63, script), &s->key);
    comes(s, "pub/stepd", true);
    stub_kill_spurd(s, SIGKILL);
    struct stat st = { 0 };
    auto_free char *path = mem_printf("%s/spool.n1/job63.1/batch.sock", s->dir),
                   *record = mem_printf("%s/spool.n1/job63.1/batch.step", s->dir);
    for (int i = 0; i < 6000 && stat(path, &st); i++)
        stub_idle(s, 10);
    stub_idle(s, 50);
    ok(!stat(path, &st) && S_ISSOCK(st.st_mode) && (st.st_mode & 0777) == 0600 && st.st_uid == 0,
       "a supervisor without an agent waits at a socket that is root's alone");
    ok(!stat(record, &st) && (st.st_mode & 0777) == 0600, "no other user may read the order with its environment");
    want_registers = s->registers + 1;
    stub_spurd(s);
    stub_until(s, registered);
    Pb__KillOrder k = PB__KILL_ORDER__INIT;
    k.job_id = 63;
    k.attempt = 1;
    k.terminate = true;
    stub_kill(s, &k);
    Pb__Report *r = wait_report(s, 63);
    ok(r && WIFSIGNALED(r->exit_code), "the next agent ends the job");
}

/* ---- credentials for local users ---- */

static struct {
    Pb__CredReply *reply;
    int failed;
    bool closed; /* by the agent: the link is gone */
} cred;

static void cred_frame(struct link *c, const struct frame *f)
{
    (void)c;
    if (f->type == MSG_CRED_REPLY)
        cred.reply = pb__cred_reply__unpack(NULL, f->len, f->body);
    else if (f->type == MSG_FAILURE)
        cred.failed++;
}

static void cred_closed(struct link *c, const struct err *why)
{
    (void)c;
    (void)why;
    cred.closed = true;
}

static bool cred_answered(struct stub *s)
{
    (void)s;
    return cred.reply && cred.failed == 2;
}

static void test_credential(struct stub *s)
{
    static const struct link_ops ops = { NULL, cred_frame, cred_closed };
    auto_free char *path = mem_printf("%s/spurd-n1.sock", s->dir);
    struct link *c = link_connect_unix(s->loop, path, LINK_AGENT, &ops, NULL);
    uint8_t nonce[CRED_NONCE_LEN] = "a server's word";
    Pb__CredRequest req = PB__CRED_REQUEST__INIT;
    req.nonce = (ProtobufCBinaryData){ sizeof(nonce), nonce };
    req.use = CRED_CLIENT;
    link_send_pb(c, MSG_CRED, 0, 1, &req.base);
    req.use = CRED_AGENT;
    link_send_pb(c, MSG_CRED, 0, 2, &req.base);
    link_send_pb(c, MSG_STATUS, 0, 3, NULL);
    ok(stub_until(s, cred_answered), "the agent signs for a client, and answers nothing else");
    struct err err = ERR_INIT;
    Pb__Cred *got = cred.reply
                        ? cred_open(&s->key, cred.reply->cred, CRED_CLIENT, nonce, (int64_t)time(NULL) * 1000, &err)
                        : NULL;
    ok(got && got->uid == geteuid() && got->gid == getegid(), "with the identity from the kernel");
    if (got)
        pb__cred__free_unpacked(got, NULL);
    if (cred.reply)
        pb__cred_reply__free_unpacked(cred.reply, NULL);
    if (!cred.closed)
        link_close(c);
}

static void test_fifo(struct stub *s)
{
    auto_free char *path = mem_printf("%s/fifo", s->dir);
    Pb__LaunchOrder *o = stub_order(s, 70, "#!/bin/sh\n");
    mkfifo(path, 0600);
    stub_set(&o->spec->std_out, path);
    launch(s, o, &s->key);
    Pb__KillOrder k = PB__KILL_ORDER__INIT;
    k.job_id = 70, k.attempt = 1, k.terminate = true, k.grace_s = 60;
    stub_kill(s, &k);
    Pb__Report *r = wait_report(s, 70);
    ok(r && WTERMSIG(r->exit_code) == SIGTERM, "a pipe without a reader holds up only its job, which can be ended");
}

int main(void)
{
    struct stub s;
    stub_start(&s);
    stub_spurd(&s);
    want_registers = 1;
    ok(stub_until(&s, registered), "the agent registers");
    ok(s.last && str_eq(s.last->node, "n1") && s.last->hw && s.last->hw->cpus == 8 && s.last->hw->mem_mb == 1000,
       "with its node and hardware");
    ok(stub_until(&s, beating), "its heart beats");
    test_batch(&s);
    test_signals(&s);
    test_leftovers(&s);
    test_refused(&s);
    test_known(&s);
    test_terminate(&s);
    test_stubborn(&s);
    test_restart(&s);
    test_unacked(&s);
    test_lost(&s);
    test_credential(&s);
    test_fifo(&s);
    if (geteuid() == 0) {
        test_user(&s);
        test_workdir(&s);
        test_socket(&s);
    }
    stub_stop(&s);
    return test_done();
}
