/* Steps whose streams are connected to an srun: the test takes the place of the controller and of srun. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "stub.h"
#include "test.h"

/* ---- srun ---- */

static struct {
    struct link_listener *server;
    struct link *supervisor;
    Pb__IoHello *hello;
    struct buf out[8][3];
    bool eof[8][3];
    int status[8], exits;
    bool closed;
    uint64_t taken;
} srun;

/* The supervisor ends when everything was acknowledged. */
static void srun_ack(struct link *c, const struct frame *f)
{
    Pb__IoAck a = PB__IO_ACK__INIT;
    if (f->type == MSG_IO_HELLO) {
        srun.taken = 0;
        link_send_pb(c, MSG_IO_WELCOME, 0, 0, &a.base);
        return;
    }
    a.received = srun.taken += FRAME_HEADER + f->len;
    link_send_pb(c, MSG_IO_ACK, 0, 0, &a.base);
}

static void srun_frame(struct link *c, const struct frame *f)
{
    srun.supervisor = c;
    srun_ack(c, f);
    if (f->type == MSG_IO_HELLO) {
        srun.hello = pb__io_hello__unpack(NULL, f->len, f->body);
    } else if (f->type == MSG_IO_DATA) {
        Pb__IoData *d = pb__io_data__unpack(NULL, f->len, f->body);
        buf_add(&srun.out[d->task % 8][d->fd % 3], d->data.data, d->data.len);
        srun.eof[d->task % 8][d->fd % 3] |= d->eof;
        pb__io_data__free_unpacked(d, NULL);
    } else if (f->type == MSG_IO_EXIT) {
        Pb__IoExit *e = pb__io_exit__unpack(NULL, f->len, f->body);
        srun.status[e->task % 8] = (int)e->status;
        srun.exits++;
        pb__io_exit__free_unpacked(e, NULL);
    }
}

static void srun_closed(struct link *c, const struct err *why)
{
    (void)c;
    (void)why;
    srun.closed = true;
    srun.supervisor = NULL;
}

static const struct link_ops srun_ops = { NULL, srun_frame, srun_closed };

static void srun_reset(void)
{
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) {
            buf_reset(&srun.out[i][k]);
            srun.eof[i][k] = false;
        }
    if (srun.hello)
        pb__io_hello__free_unpacked(srun.hello, NULL);
    srun.hello = NULL;
    srun.exits = 0;
    srun.closed = false;
}

static void say_stdin(const char *text)
{
    Pb__IoData d = PB__IO_DATA__INIT;
    d.data = (ProtobufCBinaryData){ strlen(text), (uint8_t *)text };
    d.eof = !*text;
    link_send_pb(srun.supervisor, MSG_IO_DATA, 0, 0, &d.base);
}

/* ---- orders ---- */

static Pb__LaunchOrder *step_order(struct stub *s, uint32_t job, uint32_t tasks, const char *script)
{
    const char *argv[] = { "sh", "-c", script };
    Pb__LaunchOrder *o = stub_order(s, job, "");
    o->step_id = 0;
    o->step = NEW(Pb__StepSpec);
    pb__step_spec__init(o->step);
    o->step->argv = mem_array(3, sizeof(char *));
    o->step->n_argv = 3;
    for (int i = 0; i < 3; i++)
        o->step->argv[i] = mem_str(argv[i]);
    stub_set(&o->step->workdir, s->dir);
    o->step_node = mem_array(1, sizeof(uint32_t));
    o->step_tasks = mem_array(1, sizeof(uint32_t));
    o->step_tasks[0] = tasks;
    o->n_step_node = o->n_step_tasks = 1;
    o->step->io = NEW(Pb__IoEndpoint);
    pb__io_endpoint__init(o->step->io);
    auto_free char *path = mem_printf("%s/srun.sock", s->dir);
    stub_set(&o->step->io->unix_path, path);
    o->step->io->token.data = (uint8_t *)mem_str("secret");
    o->step->io->token.len = 6;
    return o;
}

static uint32_t want_job;

static bool registered(struct stub *s)
{
    return s->agent;
}

static bool reported(struct stub *s)
{
    return stub_report(s, want_job);
}

static bool greeted(struct stub *s)
{
    (void)s;
    return srun.hello;
}

static bool heard(struct stub *s)
{
    (void)s;
    return srun.out[0][1].len;
}

/* The report of a step and its messages to srun arrive on different connections. */
static bool left(struct stub *s)
{
    (void)s;
    return srun.closed;
}

static void send_order(struct stub *s, Pb__LaunchOrder *o)
{
    srun_reset();
    want_job = o->job_id;
    stub_launch(s, o, &s->key);
    pb__launch_order__free_unpacked(o, NULL);
}

static Pb__Report *run(struct stub *s, Pb__LaunchOrder *o)
{
    uint32_t job = o->job_id;
    send_order(s, o);
    stub_until(s, reported);
    stub_until(s, left);
    return stub_report(s, job);
}

/* ---- the tests ---- */

static void test_output(struct stub *s)
{
    Pb__Report *r = run(
        s,
        step_order(s, 10, 3, "echo out $SLURM_PROCID $SLURM_NTASKS; echo err $SLURM_LOCALID >&2; exit $SLURM_PROCID"));
    ok(r && r->exit_code == 2 << 8 && r->n_task_codes == 3 && r->task_codes[1] == 1 << 8,
       "three tasks end, each with its code");
    ok(srun.hello && srun.hello->tasks == 3 && srun.hello->token.len == 6 &&
           !memcmp(srun.hello->token.data, "secret", 6),
       "srun is shown its token");
    for (int i = 0; i < 3; i++) {
        char out[32], err[32];
        snprintf(out, sizeof(out), "out %d 3\n", i);
        snprintf(err, sizeof(err), "err %d\n", i);
        is_str(srun.out[i][1].s, out, "stdout of task %d", i);
        is_str(srun.out[i][2].s, err, "stderr of task %d", i);
        ok(srun.eof[i][1] && srun.eof[i][2] && srun.status[i] == i << 8, "its streams end, its status arrives");
    }
    ok(srun.exits == 3 && srun.closed, "then the supervisor leaves");
}

static void test_input(struct stub *s)
{
    send_order(s, step_order(s, 11, 2, "cat"));
    stub_until(s, greeted);
    say_stdin("hello\n");
    stub_until(s, heard);
    say_stdin("world\n");
    say_stdin("");
    Pb__Report *r = stub_until(s, reported) ? stub_report(s, 11) : NULL;
    stub_until(s, left);
    ok(r && r->exit_code == 0, "cat ends with its input");
    is_str(srun.out[0][1].s, "hello\nworld\n", "what srun sends goes to every task");
    is_str(srun.out[1][1].s, "hello\nworld\n", "all of it");
    Pb__LaunchOrder *o = step_order(s, 12, 2, "cat");
    o->step->stdin_task = 2;
    send_order(s, o);
    stub_until(s, greeted);
    say_stdin("one\n");
    say_stdin("");
    stub_until(s, reported);
    stub_until(s, left);
    ok(srun.out[0][1].len == 0 && str_eq(srun.out[1][1].s, "one\n"), "or to one of them");
}

static void test_bulk(struct stub *s)
{
    Pb__Report *r = run(s, step_order(s, 13, 1, "head -c 20000000 /dev/zero"));
    ok(r && r->exit_code == 0 && srun.out[0][1].len == 20000000, "20 MB arrive whole (%zu)", srun.out[0][1].len);
}

static void test_failures(struct stub *s)
{
    Pb__LaunchOrder *o = step_order(s, 14, 1, "");
    stub_set(&o->step->argv[0], "/no/such/program");
    Pb__Report *r = run(s, o);
    ok(r && r->exit_code == ENOENT << 8, "a program that is not there ends with exit code 2");
    ok(srun.out[0][2].s && strstr(srun.out[0][2].s, "error: execve(): /no/such/program: No such file or directory"),
       "and its stderr says so");
    o = step_order(s, 15, 1, "true");
    stub_set(&o->step->std_out, "/proc/no/way");
    r = run(s, o);
    ok(r && r->exit_code == 53 && srun.hello && srun.hello->code && strstr(srun.hello->text, "/proc/no/way"),
       "srun hears why a step cannot start");
}

static void test_signals(struct stub *s)
{
    Pb__IoSignal g = PB__IO_SIGNAL__INIT;
    g.signal = SIGUSR1;
    send_order(s, step_order(s, 16, 1, "trap 'echo got; exit 4' USR1; echo ready; while :; do sleep 0.02; done"));
    stub_until(s, heard);
    link_send_pb(srun.supervisor, MSG_IO_SIGNAL, 0, 0, &g.base);
    Pb__Report *r = stub_until(s, reported) ? stub_report(s, 16) : NULL;
    stub_until(s, left);
    ok(r && r->exit_code == 4 << 8 && strstr(srun.out[0][1].s, "got"), "a signal from srun reaches the task");
}

static void test_files(struct stub *s)
{
    Pb__LaunchOrder *o = step_order(s, 17, 2, "echo $SLURM_PROCID; echo e >&2");
    stub_set(&o->step->std_out, "sub/o-%j-%2t");
    Pb__Report *r = run(s, o);
    auto_free char *a = stub_read(s, "sub/o-17-00"), *b = stub_read(s, "sub/o-17-01");
    ok(r && r->exit_code == 0, "a step with files ends well");
    is_str(a, "0\ne\n", "each task has its own file, stderr joins stdout");
    is_str(b, "1\ne\n", "the second one, too");
}

static void test_alone(struct stub *s)
{
    send_order(s, step_order(s, 18, 1, "echo ready; sleep 0.2; echo lost; exit 6"));
    stub_until(s, heard);
    link_listener_close(take(srun.server)); /* gone for good: no reconnection is possible */
    link_close(srun.supervisor);
    Pb__Report *r = stub_until(s, reported) ? stub_report(s, 18) : NULL;
    ok(r && r->exit_code == 6 << 8, "a task goes on when its srun is gone");
    ok(r && strstr(r->text, "output was dropped"), "and the report says that output was dropped");
}

int main(void)
{
    struct stub s;
    struct err err = ERR_INIT;
    stub_start(&s);
    auto_free char *path = mem_printf("%s/srun.sock", s.dir);
    struct link_listen_conf conf = { .loop = s.loop, .key = &s.key, .ops = &srun_ops };
    if (link_listen_unix(&srun.server, &conf, path, &err))
        return 1;
    stub_spurd(&s);
    ok(stub_until(&s, registered), "the agent registers");
    test_output(&s);
    test_input(&s);
    test_bulk(&s);
    test_failures(&s);
    test_signals(&s);
    test_files(&s);
    test_alone(&s);
    srun_reset();
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++)
            buf_clear(&srun.out[i][k]);
    if (srun.server)
        link_listener_close(srun.server);
    stub_stop(&s);
    return test_done();
}
