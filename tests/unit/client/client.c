/* client: calls find the leader, are repeated through a break, and fail with the controller's words; each system call
 * may fail once. */
#include "client/client.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/errnum.h"
#include "base/str.h"
#include "client/agent.h"
#include "io/link_wait.h"
#include "test.h"

/* ---- system calls that fail (the linker puts these before the real ones) ---- */

static unsigned sys_calls, sys_fail_at;

static bool sys_fails(void)
{
    if (++sys_calls != sys_fail_at)
        return false;
    errno = EIO;
    return true;
}

int __real_socket(int domain, int type, int protocol);
int __real_connect(int fd, const struct sockaddr *to, socklen_t len);
ssize_t __real_send(int fd, const void *p, size_t n, int flags);
ssize_t __real_recv(int fd, void *p, size_t n, int flags);
int __wrap_socket(int domain, int type, int protocol);
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len);
ssize_t __wrap_send(int fd, const void *p, size_t n, int flags);
ssize_t __wrap_recv(int fd, void *p, size_t n, int flags);

int __wrap_socket(int domain, int type, int protocol)
{
    return sys_fails() ? -1 : __real_socket(domain, type, protocol);
}
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t len)
{
    return sys_fails() ? -1 : __real_connect(fd, to, len);
}
ssize_t __wrap_send(int fd, const void *p, size_t n, int flags)
{
    return sys_fails() ? -1 : __real_send(fd, p, n, flags);
}
ssize_t __wrap_recv(int fd, void *p, size_t n, int flags)
{
    return sys_fails() ? -1 : __real_recv(fd, p, n, flags);
}

/* ---- two controllers and a node's daemon, in processes of their own; each answers a type in its own way ---- */

static char dir[] = "/tmp/spur-client-XXXXXX";

static void say(struct link_wait *w, enum msg_type type, uint16_t flags, uint64_t number, const ProtobufCMessage *m)
{
    link_wait_send(w, type, flags, number, m, -1, NULL);
}

static void say_done(struct link_wait *w, uint64_t number, int code, const char *text)
{
    Pb__Done d = PB__DONE__INIT;
    d.code = code;
    d.text = (char *)text;
    say(w, MSG_DONE, 0, number, &d.base);
}

static void say_failure(struct link_wait *w, uint64_t number)
{
    Pb__Failure f = PB__FAILURE__INIT;
    f.code = ESLURM_INVALID_JOB_ID;
    say(w, MSG_FAILURE, 0, number, &f.base);
}

static void say_redirect(struct link_wait *w, uint64_t number)
{
    Pb__Redirect r = PB__REDIRECT__INIT;
    r.leader_id = 2;
    r.address = (char *)"127.0.0.1:1";
    say(w, MSG_REDIRECT, 0, number, &r.base);
}

static void say_parts(struct link_wait *w, uint64_t number)
{
    auto_buf struct buf body = BUF_INIT, packed = BUF_INIT, out = BUF_INIT;
    auto_free char *name = mem_alloc(4001);
    memset(name, 'p', 4000);
    Pb__Part part = PB__PART__INIT, *parts[] = { &part };
    Pb__PartList l = PB__PART_LIST__INIT;
    part.name = name;
    l.parts = parts, l.n_parts = 1;
    size_t n = pb__part_list__get_packed_size(&l);
    pb__part_list__pack(&l, (uint8_t *)buf_room(&body, n));
    frame_pack(body.s, n, &packed);
    frame_add(&out, MSG_PARTS_REPLY, FRAME_PACKED, number, packed.s, packed.len);
    link_wait_send_bytes(w, out.s, out.len, -1, NULL);
}

/* False: hang up. */
static bool answer(struct link_wait *w, const struct frame *f, int who, unsigned *configs)
{
    Pb__JobList jobs = PB__JOB_LIST__INIT;
    Pb__CancelReply cancel = PB__CANCEL_REPLY__INIT;
    Pb__ConfigReply config = PB__CONFIG_REPLY__INIT;
    Pb__StatusReply status = PB__STATUS_REPLY__INIT;
    Pb__NodeList nodes = PB__NODE_LIST__INIT;
    Pb__SubmitReply submit = PB__SUBMIT_REPLY__INIT;
    Pb__StartReply start = PB__START_REPLY__INIT;
    switch (f->type) {
    case MSG_STATUS: say(w, MSG_STATUS_REPLY, 0, f->number, &status.base); return true;
    case MSG_WHY: say_failure(w, f->number); return true;
    case MSG_UPDATE: say_done(w, f->number, 7, "seven"); return true;
    case MSG_TAKEOVER: say_done(w, f->number, 0, NULL); return true;
    case MSG_DIAG: say_done(w, f->number, 0, NULL); return true; /* not the type that was asked for */
    case MSG_PARTS: say_parts(w, f->number); return true;
    case MSG_JOBS:
        for (int i = 0; i < 3; i++)
            say(w, MSG_JOBS_REPLY, i < 2 ? FRAME_MORE : 0, f->number, &jobs.base);
        return true;
    case MSG_NODES: say(w, MSG_NODES_REPLY, FRAME_MORE, f->number, &nodes.base); return false;
    case MSG_CONFIG:
        if ((*configs)++ % 2 == 0)
            return false;
        say(w, MSG_CONFIG_REPLY, 0, f->number, &config.base);
        return true;
    case MSG_CANCEL:
        if (who == 1)
            say_redirect(w, f->number);
        else
            say(w, MSG_CANCEL_REPLY, 0, f->number, &cancel.base);
        return true;
    case MSG_SUBMIT:
        submit.job_id = 42;
        say(w, MSG_SUBMIT_REPLY, 0, f->number, &submit.base);
        poll(NULL, 0, 50);
        start.job_id = 42;
        say(w, MSG_START_REPLY, 0, f->number, &start.base);
        return true;
    case MSG_SHUTDOWN: return false;
    case MSG_PING: say_done(w, f->number, 0, NULL); return true;
    default: return true; /* nothing is said: the client has to wait */
    }
}

static pid_t start_server(const char *name, int who)
{
    auto_free char *path = mem_printf("%s/%s.sock", dir, name);
    int door = link_sock_listen_unix(path, 0700, NULL);
    pid_t pid = fork();
    if (pid) {
        close(door);
        return pid;
    }
    unsigned configs = 0;
    for (;;) {
        struct link_wait w = LINK_WAIT_INIT;
        struct frame f;
        struct pollfd p = { door, POLLIN, 0 };
        poll(&p, 1, -1);
        link_wait_use(&w, link_sock_accept(door, LINK_CLIENT), LINK_CLIENT);
        while (!link_wait_next(&w, &f, -1, NULL) && answer(&w, &f, who, &configs))
            ;
        link_wait_clear(&w);
    }
}

/* ---- calls ---- */

static struct client *open_client(void)
{
    struct client *c = NULL;
    struct err err = ERR_INIT;
    if (client_open(&c, &err))
        printf("Bail out! %s\n", err.text);
    client_patience(c, 10);
    return c;
}

/* One call with an empty request; the code, and whether there was a reply. */
static int call(struct client *c, enum msg_type type, enum msg_type want, struct err *err)
{
    ProtobufCMessage *reply = NULL;
    Pb__Done empty = PB__DONE__INIT;
    *err = (struct err)ERR_INIT;
    int rc = client_call(c, type, &empty.base, want, &reply, err);
    bool has = reply != NULL;
    client_free(reply);
    return rc || has ? rc : -1;
}

static void test_calls(void)
{
    struct client *c = open_client();
    struct err err;
    is_int(call(c, MSG_STATUS, MSG_STATUS_REPLY, &err), 0, "a call is answered");
    is_int(call(c, MSG_WHY, MSG_WHY_REPLY, &err), ESLURM_INVALID_JOB_ID, "a failure is its code");
    is_str(err.text, err_text(ESLURM_INVALID_JOB_ID), "with the words of the code, where it has none of its own");
    is_int(call(c, MSG_UPDATE, MSG_DONE, &err), 7, "so is a DONE with a code");
    is_str(err.text, "seven", "with its own words");
    is_int(call(c, MSG_TAKEOVER, MSG_DONE, &err), 0, "a DONE without a code is success");
    is_int(call(c, MSG_DIAG, MSG_DIAG_REPLY, &err), EPROTO, "another message than the one asked for is told");
    ok(client_fd(c) >= 0, "the connection stays");
    is_int(call(c, MSG_CANCEL, MSG_CANCEL_REPLY, &err), 0, "a redirect is followed to the leader");
    client_close(c);
    c = open_client();
    is_int(call(c, MSG_CONFIG, MSG_CONFIG_REPLY, &err), 0, "a call is repeated when the connection breaks");
    client_close(c);
}

static int count(void *arg, const ProtobufCMessage *m)
{
    return ++*(int *)arg == 99 ? EINVAL : 0;
}

static void test_streams(void)
{
    struct client *c = open_client();
    struct err err = ERR_INIT;
    Pb__JobQuery q = PB__JOB_QUERY__INIT;
    int frames = 0;
    ok(!client_stream(c, MSG_JOBS, &q.base, MSG_JOBS_REPLY, count, &frames, &err) && frames == 3,
       "an answer in three frames");
    frames = 0;
    ok(client_stream(c, MSG_NODES, &q.base, MSG_NODES_REPLY, count, &frames, &err) && frames == 1,
       "one that breaks off is an error, and is not begun again");
    client_close(c);
    c = open_client();
    frames = 98;
    is_int(client_stream(c, MSG_JOBS, &q.base, MSG_JOBS_REPLY, count, &frames, &err), EINVAL,
           "the caller may stop it");
    client_close(c);
    c = open_client();
    Pb__PartList *parts = NULL;
    Pb__PartQuery pq = PB__PART_QUERY__INIT;
    ok(!client_call(c, MSG_PARTS, &pq.base, MSG_PARTS_REPLY, (ProtobufCMessage **)&parts, &err) &&
           strlen(parts->parts[0]->name) == 4000,
       "a packed answer is unpacked");
    client_free(&parts->base);
    client_close(c);
}

static void test_more(void)
{
    struct client *c = open_client();
    struct err err = ERR_INIT;
    Pb__SubmitRequest q = PB__SUBMIT_REQUEST__INIT;
    Pb__SubmitReply *taken = NULL;
    Pb__StartReply *started = NULL;
    Pb__Done empty = PB__DONE__INIT;
    is_int(client_more(c, MSG_START_REPLY, NULL, 0, &err), ECONNRESET, "nothing more comes before the first call");
    is_int(client_post(c, MSG_PING, &empty.base, &err), ECONNRESET, "and nothing is posted");
    is_int(client_call(c, MSG_SUBMIT, &q.base, MSG_SUBMIT_REPLY, (ProtobufCMessage **)&taken, &err), 0, "a submission");
    is_int(client_more(c, MSG_START_REPLY, (ProtobufCMessage **)&started, 0, &err), ETIMEDOUT, "its start is not yet");
    is_int(client_more(c, MSG_START_REPLY, (ProtobufCMessage **)&started, 20000, &err), 0, "then it comes");
    ok(taken && started && taken->job_id == 42 && started->job_id == 42, "on the same connection");
    client_free(&taken->base);
    client_free(&started->base);
    is_int(client_post(c, MSG_SHUTDOWN, &empty.base, &err), 0, "a request without an answer");
    is_int(client_more(c, MSG_DONE, NULL, 20000, &err), ECONNRESET, "the controller hangs up");
    ok(client_fd(c) < 0, "and the connection is gone");
    client_close(c);
}

static void test_nobody(void)
{
    struct client *c = open_client();
    struct err err;
    setenv("SLURM_CONF", "/nonexistent", 1);
    int64_t from = clock_mono_ms();
    client_patience(c, 1);
    is_int(call(c, MSG_LICENSES, MSG_LICENSES_REPLY, &err), SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR,
           "a controller that does not answer is told by Slurm's number");
    int64_t took = clock_mono_ms() - from;
    ok(took >= 900 && took < 60000, "when the patience is over (%lld ms)", (long long)took);
    client_close(c);
}

static unsigned open_fds(void)
{
    unsigned n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static void test_faults(void)
{
    unsigned before = open_fds(), n = 0, wrong = 0;
    struct err err;
    do {
        struct client *c = open_client();
        sys_fail_at = ++n;
        sys_calls = 0;
        wrong += call(c, MSG_CANCEL, MSG_CANCEL_REPLY, &err) != 0;
        client_close(c);
    } while (sys_calls >= sys_fail_at);
    sys_fail_at = 0;
    ok(n > 8 && !wrong, "each of %u system calls fails once: the call is answered all the same", n - 1);
    is_int(open_fds(), before, "no descriptor is left");
}

static void test_agent(void)
{
    struct client *c = open_client();
    const struct site *site = client_site(c);
    struct agent_link *l = NULL;
    struct err err = ERR_INIT;
    Pb__Done empty = PB__DONE__INIT;
    ProtobufCMessage *reply = NULL;
    is_int(agent_open_local(&l, site, "n1", &err), 0, "a node's daemon at its socket");
    is_int(agent_send(l, MSG_STATUS, &empty.base, &err), 0, "a request");
    is_int(agent_hear(l, MSG_STATUS_REPLY, &reply, 20000, &err), 0, "and its answer");
    client_free(reply);
    agent_send(l, MSG_UPDATE, &empty.base, &err);
    is_int(agent_hear(l, MSG_DONE, NULL, 20000, &err), 7, "a DONE with a code is an error");
    agent_send(l, MSG_STATUS, &empty.base, &err);
    is_int(agent_hear(l, MSG_DONE, NULL, 20000, &err), EPROTO, "so is another message");
    is_int(agent_hear(l, MSG_DONE, NULL, 50, &err), ETIMEDOUT, "silence is not waited for");
    agent_close(l);
    is_int(agent_open_local(&l, site, "n2", &err), ENOENT, "a node without a daemon here");
    is_int(agent_open_local(&l, site, "../ctl1", &err), EINVAL, "a name that is a path");
    Pb__AgentAddr at = PB__AGENT_ADDR__INIT;
    at.name = (char *)"n2", at.addr = (char *)"127.0.0.1", at.port = 70000;
    is_int(agent_open(&l, site, &at, &err), ENOENT, "a port that is none is not tried");
    client_close(c);
}

int main(void)
{
    alarm(150);
    signal(SIGPIPE, SIG_IGN);
    if (!mkdtemp(dir))
        return 1;
    auto_free char *conf = mem_printf("%s/slurm.conf", dir);
    FILE *f = fopen(conf, "w");
    fprintf(f, "ClusterName=test\nSpurSocketDir=%s\nSpurKeyFile=%s/no.key\n", dir, dir);
    fprintf(f, "SlurmctldHost=one(127.0.0.1)\nSlurmctldHost=two(127.0.0.1)\nSlurmctldPort=1\nNodeName=n[1-2]\n");
    fclose(f);
    setenv("SLURM_CONF", conf, 1);
    pid_t servers[] = { start_server("ctl1", 1), start_server("ctl2", 2), start_server("spurd-n1", 3) };
    test_calls();
    test_streams();
    test_more();
    test_agent();
    test_faults();
    test_nobody();
    for (size_t i = 0; i < ARRAY_LEN(servers); i++)
        kill(servers[i], SIGKILL);
    auto_free char *rm = mem_printf("rm -rf %s", dir);
    ok(!system(rm), "the folder is removed");
    return test_done();
}
