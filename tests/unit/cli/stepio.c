/* srun's side of a step: supervisors that connect, tasks that speak and end. */
#include "cli/stepio.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/mem.h"
#include "cli/srun_files.h"
#include "test.h"
#include "wire/frame.h"

struct rig {
    struct endpoint ep;
    struct output out;
    struct tasks tasks;
    struct stepio io;
    int read_fd; /* what srun shows */
};

static void rig_open(struct rig *r, uint32_t ntasks, uint32_t nodes, bool label)
{
    struct err err = ERR_INIT;
    int p[2];
    ok(endpoint_open(&r->ep, &err) == 0 && pipe2(p, O_NONBLOCK) == 0, "an endpoint");
    tasks_init(&r->tasks, ntasks);
    output_init(&r->out, ntasks, label);
    stepio_init(&r->io, &r->ep, &r->out, &r->tasks, nodes);
    r->out.fd[1] = r->out.fd[2] = p[1];
    r->io.in_fd = -1;
    r->read_fd = p[0];
}

static void rig_close(struct rig *r)
{
    close(r->read_fd);
    close(r->out.fd[1]);
    stepio_clear(&r->io);
    output_clear(&r->out);
    tasks_clear(&r->tasks);
    endpoint_close(&r->ep);
    ok(!r->ep.dir[0], "nothing is left behind");
}

static void turn(struct rig *r)
{
    struct pollfd fds[32];
    nfds_t n = stepio_poll(&r->io, fds);
    while (poll(fds, n, 20) > 0) {
        stepio_handle(&r->io, fds, n);
        n = stepio_poll(&r->io, fds);
    }
}

static const char *shown(struct rig *r)
{
    static char text[4096];
    ssize_t n = read(r->read_fd, text, sizeof(text) - 1);
    text[n > 0 ? n : 0] = 0;
    return text;
}

static int dial(struct rig *r)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(a.sun_path, sizeof(a.sun_path), "%s", r->ep.path);
    return connect(fd, (struct sockaddr *)&a, sizeof(a)) ? -1 : fd;
}

static void say(int fd, enum msg_type type, const ProtobufCMessage *m)
{
    auto_buf struct buf b = BUF_INIT;
    frame_add_pb(&b, type, 0, 0, m);
    ok(write(fd, b.s, b.len) == (ssize_t)b.len, "a frame goes out");
}

static int hello(struct rig *r, uint32_t node, uint32_t first, uint32_t n, bool honest)
{
    Pb__IoHello h = PB__IO_HELLO__INIT;
    uint8_t wrong[ENDPOINT_TOKEN_LEN] = { 1 };
    int fd = dial(r);
    h.token = (ProtobufCBinaryData){ ENDPOINT_TOKEN_LEN, honest ? r->ep.token : wrong };
    h.node = node ? "n2" : "n1";
    h.node_index = node;
    h.first_task = first;
    h.tasks = n;
    say(fd, MSG_IO_HELLO, &h.base);
    return fd;
}

static void data(int fd, uint32_t task, const char *text)
{
    Pb__IoData d = PB__IO_DATA__INIT;
    d.task = task;
    d.fd = 1;
    d.data = (ProtobufCBinaryData){ strlen(text), (uint8_t *)text };
    say(fd, MSG_IO_DATA, &d.base);
}

static void end(int fd, uint32_t task, int status)
{
    Pb__IoExit e = PB__IO_EXIT__INIT;
    Pb__IoData d = PB__IO_DATA__INIT;
    e.task = d.task = task;
    e.status = (uint32_t)status;
    d.eof = 1;
    say(fd, MSG_IO_EXIT, &e.base);
    for (d.fd = 1; d.fd <= 2; d.fd++)
        say(fd, MSG_IO_DATA, &d.base);
}

static void test_story(void)
{
    struct rig r;
    rig_open(&r, 3, 2, true);
    int a = hello(&r, 0, 0, 2, true), b = hello(&r, 1, 2, 1, true);
    data(a, 0, "hel");
    data(b, 2, "two\npart");
    data(a, 0, "lo\n");
    turn(&r);
    const char *text = shown(&r);
    ok(strstr(text, "0: hello\n") && strstr(text, "2: two\n") && !strstr(text, "part"),
       "labelled lines, whole ones only");
    end(a, 0, 0);
    end(a, 1, 3 << 8);
    turn(&r);
    ok(!stepio_done(&r.io), "one task still runs");
    end(b, 2, SIGKILL);
    turn(&r);
    is_str(shown(&r), "2: part\n", "the end completes a line");
    ok(stepio_done(&r.io), "all have ended");
    is_int(tasks_code(&r.tasks), 137, "the highest exit code, signals above 128");
    is_int(tasks_worst(&r.tasks), SIGKILL, "as a wait status");
    close(a);
    close(b);
    rig_close(&r);
}

static void test_strangers(void)
{
    struct rig r;
    rig_open(&r, 1, 1, false);
    int liar = hello(&r, 0, 0, 1, false), rude = dial(&r);
    data(rude, 0, "not me\n");
    int greedy = hello(&r, 0, 0, 99, true);
    turn(&r);
    ok(r.io.hellos == 0 && !*shown(&r), "without the token, or with tasks that are not there, a peer is refused");
    char c;
    ok(read(liar, &c, 1) == 0 && read(rude, &c, 1) == 0 && read(greedy, &c, 1) <= 0, "and is hung up on");
    close(liar);
    close(rude);
    close(greedy);
    int honest = hello(&r, 0, 0, 1, true);
    turn(&r);
    close(honest);
    turn(&r);
    ok(stepio_done(&r.io) && tasks_code(&r.tasks) == 1, "a supervisor that goes away loses its tasks");
    rig_close(&r);
}

static void test_ranks(void)
{
    struct rig r;
    rig_open(&r, 4, 2, true);
    Pb__IoHello h = PB__IO_HELLO__INIT;
    int fd[2];
    for (uint32_t node = 0; node < 2; node++) {
        uint32_t ranks[] = { node, node + 2 };
        h.token = (ProtobufCBinaryData){ ENDPOINT_TOKEN_LEN, r.ep.token };
        h.node = node ? "n2" : "n1";
        h.node_index = node;
        h.tasks = h.n_ranks = 2;
        h.ranks = ranks;
        say(fd[node] = dial(&r), MSG_IO_HELLO, &h.base);
    }
    turn(&r);
    is_int(r.io.hellos, 2, "ranks that do not count up are taken");
    ok(r.tasks.at[2].node == 0 && r.tasks.at[1].node == 1, "and each task is where it runs");
    uint32_t far[] = { 0, 4 };
    h.ranks = far;
    int wrong = dial(&r);
    say(wrong, MSG_IO_HELLO, &h.base);
    turn(&r);
    is_int(r.io.hellos, 2, "a rank that the step does not have is not");
    close(wrong);
    close(fd[0]);
    turn(&r);
    ok(r.tasks.at[0].lost && r.tasks.at[2].lost && !r.tasks.at[1].ended, "a supervisor takes its own tasks along");
    close(fd[1]);
    turn(&r);
    rig_close(&r);
}

/* A connection by TCP may break: the supervisor comes again, and what srun did not take comes again with it. */
static void test_again(void)
{
    struct rig r;
    rig_open(&r, 1, 1, false);
    int first = hello(&r, 0, 0, 1, true);
    data(first, 0, "one ");
    turn(&r);
    r.io.peers.at[0].local = false; /* as if it had come from elsewhere */
    close(first);
    turn(&r);
    ok(!r.tasks.at[0].ended && r.io.peers.at[0].away_ms, "a supervisor that is away is waited for");
    ok(stepio_due(&r.io, r.io.peers.at[0].away_ms + 1) > 0, "for a while");
    Pb__IoHello h = PB__IO_HELLO__INIT;
    h.token = (ProtobufCBinaryData){ ENDPOINT_TOKEN_LEN, r.ep.token };
    h.node = "n1";
    h.tasks = 1;
    h.again = 1;
    int again = dial(&r);
    say(again, MSG_IO_HELLO, &h.base);
    turn(&r);
    ok(r.io.hellos == 1 && !r.io.peers.at[0].away_ms, "it comes back as itself");
    data(again, 0, "two\n");
    end(again, 0, 0);
    turn(&r);
    is_str(shown(&r), "one two\n", "and goes on");
    ok(stepio_done(&r.io), "to the end");
    close(again);
    rig_close(&r);
    rig_open(&r, 1, 1, false);
    first = hello(&r, 0, 0, 1, true);
    turn(&r);
    r.io.peers.at[0].local = false;
    close(first);
    turn(&r);
    is_int(stepio_due(&r.io, r.io.peers.at[0].away_ms + STEPIO_PATIENCE_MS), 0, "then no longer");
    ok(r.tasks.at[0].lost, "and its tasks are lost");
    rig_close(&r);
}

static void test_lines(void)
{
    static char text[256], big[10000];
    struct output o;
    int p[2];
    ok(pipe2(p, O_NONBLOCK) == 0, "a pipe");
    output_init(&o, 2, false);
    o.lines = true;
    o.fd[1] = p[1];
    output_add(&o, 0, 1, "half ", 5);
    output_add(&o, 1, 1, "whole\nrest", 10);
    output_add(&o, 0, 1, "a line\n", 7);
    output_add(&o, 1, 1, NULL, 0);
    ssize_t got = read(p[0], text, sizeof(text) - 1);
    text[MAX(got, 0)] = 0;
    is_str(text, "whole\nhalf a line\nrest", "lines are shown when they are whole, or at the end");
    memset(big, 'x', sizeof(big));
    output_add(&o, 0, 1, big, sizeof(big));
    is_int(read(p[0], big, sizeof(big)), sizeof(big), "what is no line is not held back");
    close(p[0]);
    signal(SIGPIPE, SIG_IGN);
    output_add(&o, 0, 1, "x\n", 2);
    ok(o.broken[1] && o.fd[1] < 0, "a reader that left is noticed");
    close(p[1]);
    output_clear(&o);
}

static void test_names(void)
{
    struct srun_files_names n = { 42, 7, "name", "ada" };
    static const struct {
        const char *pattern, *want;
    } cases[] = {
        { "out", "out" },   { "out.%j", "out.42" }, { "%x-%u-%s", "name-ada-7" },
        { "%5j", "00042" }, { "%J", "42.7" },       { "100%%", "100%" },
        { "%", "%" },       { "%q", "%q" },         { "%3", "%3" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_free char *got = srun_files_name(cases[i].pattern, &n);
        is_str(got, cases[i].want, "%s", cases[i].pattern);
    }
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    test_story();
    test_strangers();
    test_ranks();
    test_again();
    test_lines();
    test_names();
    return test_done();
}
