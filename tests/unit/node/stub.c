/* stub - a stub of the controller; see stub.h. */
#include "stub.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"

#define NODE "n1"
#define PATIENCE_MS 60000

/* ---- being the controller ---- */

void stub_ack(struct stub *s, const Pb__Report *r)
{
    Pb__ReportAck a = PB__REPORT_ACK__INIT;
    a.job_id = r->job_id;
    a.step_id = r->step_id;
    a.attempt = r->attempt;
    a.node_clean = r->node_clean;
    link_send_pb(s->agent, MSG_REPORT_ACK, 0, 0, &a.base);
}

static void on_register(struct stub *s, struct link *c, const struct frame *f)
{
    Pb__RegisterReply r = PB__REGISTER_REPLY__INIT;
    r.heartbeat_s = 1;
    r.cluster = (char *)"stub";
    r.question = s->ask;
    s->ask = 0;
    if (s->last)
        pb__register_request__free_unpacked(s->last, NULL);
    s->last = pb__register_request__unpack(NULL, f->len, f->body);
    s->agent = c;
    s->registers++;
    link_send_pb(c, MSG_REGISTER_REPLY, 0, f->number, &r.base);
}

static void on_frame(struct link *c, const struct frame *f)
{
    struct stub *s = link_arg(c);
    if (f->type == MSG_REGISTER) {
        on_register(s, c, f);
    } else if (f->type == MSG_HEARTBEAT) {
        s->heartbeats++;
    } else if (f->type == MSG_LAUNCH_REPLY) {
        vec_push(&s->replies, pb__launch_reply__unpack(NULL, f->len, f->body));
    } else if (f->type == MSG_REPORT) {
        Pb__Report *r = pb__report__unpack(NULL, f->len, f->body);
        vec_push(&s->reports, r);
        if (s->ack)
            stub_ack(s, r);
    }
}

static void on_closed(struct link *c, const struct err *why)
{
    struct stub *s = link_arg(c);
    (void)why;
    if (s->agent == c)
        s->agent = NULL;
}

static const struct link_ops ops = { NULL, on_frame, on_closed };

/* ---- the folder, the agent ---- */

static void write_conf(struct stub *s)
{
    auto_free char *path = mem_printf("%s/slurm.conf", s->dir);
    auto_file FILE *f = fopen(path, "w");
    fprintf(
        f,
        "ClusterName=stub\nSlurmctldHost=localhost(127.0.0.1)\nSlurmctldPort=%u\nSpurTransport=plain\n"
        "SpurKeyFile=%s/key\nSpurSocketDir=%s\n"
        "SlurmdSpoolDir=%s/spool.%%n\nStateSaveLocation=%s/state\nSlurmdParameters=config_overrides\nSlurmdPidFile=%s/"
        "%%n.pid\n"
        "NodeName=%s CPUs=8 RealMemory=1000\nPartitionName=main Nodes=%s Default=YES\n",
        s->port, s->dir, s->dir, s->dir, s->dir, s->dir, NODE, NODE);
}

void stub_start(struct stub *s)
{
    struct err err = ERR_INIT;
    memset(s, 0, sizeof(*s));
    s->loop = uv_default_loop();
    s->ack = true;
    strcpy(s->dir, "/tmp/spur-node-XXXXXX");
    if (!mkdtemp(s->dir) || chmod(s->dir, 0755))
        abort();
    auto_free char *key = mem_printf("%s/key", s->dir), *wrong = mem_printf("%s/wrong", s->dir);
    if (cred_key_ensure(&s->key, key, 0, &err) || cred_key_ensure(&s->wrong_key, wrong, 0, &err))
        abort();
    struct link_listen_conf conf = { .loop = s->loop, .key = &s->key, .ops = &ops, .arg = s,
                                     .uses = HELLO_USE(CRED_AGENT) | HELLO_USE(CRED_CLIENT) };
    for (s->port = (uint16_t)(10000 + getpid() % 10000);
         link_listen_tcp(&s->server, &conf, "127.0.0.1", s->port, &err); s->port++)
        if (err.code != EADDRINUSE)
            abort();
    write_conf(s);
}

void stub_spurd(struct stub *s)
{
    auto_free char *conf = mem_printf("%s/slurm.conf", s->dir), *log = mem_printf("%s/spurd.log", s->dir);
    s->spurd = fork();
    if (s->spurd)
        return;
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    execl(getenv("SPURD"), "spurd", "-D", "-vv", "-N", NODE, "-f", conf, "-L", log, "-d", getenv("SPURSTEPD"), NULL);
    _exit(127);
}

void stub_kill_spurd(struct stub *s, int signo)
{
    kill(s->spurd, signo);
    waitpid(s->spurd, NULL, 0);
    s->spurd = 0;
}

static void print_log(struct stub *s)
{
    auto_free char *log = stub_read(s, "spurd.log");
    const char *pos = log ? log : "";
    for (char *line; (line = str_next(&pos, "\n")); free(line))
        printf("# %s\n", line);
}

void stub_stop(struct stub *s)
{
    if (s->spurd)
        stub_kill_spurd(s, SIGTERM);
    if (getenv("STUB_VERBOSE"))
        print_log(s);
    for (size_t i = 0; i < s->reports.n; i++)
        pb__report__free_unpacked(s->reports.at[i], NULL);
    for (size_t i = 0; i < s->replies.n; i++)
        pb__launch_reply__free_unpacked(s->replies.at[i], NULL);
    vec_clear(&s->reports);
    vec_clear(&s->replies);
    if (s->last)
        pb__register_request__free_unpacked(s->last, NULL);
    link_listener_close(s->server);
    stub_idle(s, 20);
    auto_free char *rm = mem_printf("rm -rf '%s'", s->dir);
    if (system(rm))
        printf("# cannot remove %s\n", s->dir);
}

/* ---- waiting ---- */

static void tick(uv_timer_t *t)
{
    *(bool *)t->data = true;
}

static void run_for(struct stub *s, unsigned ms, bool (*done)(struct stub *s))
{
    static uv_timer_t timer, wake;
    bool over = false, woken = false;
    uv_timer_init(s->loop, &timer);
    uv_timer_init(s->loop, &wake);
    timer.data = &over;
    wake.data = &woken;
    uv_timer_start(&timer, tick, ms, 0);
    uv_timer_start(&wake, tick, 10, 10);
    while (!over && !(done && done(s)))
        uv_run(s->loop, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_close((uv_handle_t *)&wake, NULL);
    uv_run(s->loop, UV_RUN_NOWAIT);
}

bool stub_until(struct stub *s, bool (*done)(struct stub *s))
{
    run_for(s, PATIENCE_MS, done);
    return done(s);
}

void stub_idle(struct stub *s, unsigned ms)
{
    run_for(s, ms, NULL);
}

/* ---- orders ---- */

void stub_set(char **where, const char *value)
{
    if (*where != protobuf_c_empty_string)
        free(*where);
    *where = mem_str(value);
}

static void set_bytes(ProtobufCBinaryData *to, const char *p, size_t n)
{
    to->data = mem_copy(p, n);
    to->len = n;
}

static Pb__NodeAlloc *new_alloc(void)
{
    Pb__NodeAlloc *a = NEW(Pb__NodeAlloc);
    pb__node_alloc__init(a);
    stub_set(&a->name, NODE);
    a->cpus = 1;
    a->tasks = 1;
    return a;
}

Pb__LaunchOrder *stub_order(struct stub *s, uint32_t job_id, const char *script)
{
    static const char env[] = "PATH=/usr/bin:/bin\0HOME=/tmp";
    Pb__LaunchOrder *o = NEW(Pb__LaunchOrder);
    pb__launch_order__init(o);
    o->spec = NEW(Pb__JobSpec);
    pb__job_spec__init(o->spec);
    stub_set(&o->node, NODE);
    o->job_id = job_id;
    o->attempt = 1;
    o->step_id = PB__STEP_NUMBER__STEP_BATCH;
    o->uid = geteuid();
    o->gid = getegid();
    stub_set(&o->user_name, "tester");
    stub_set(&o->spec->name, "job");
    stub_set(&o->spec->workdir, s->dir);
    set_bytes(&o->script, script, strlen(script));
    set_bytes(&o->env, env, sizeof(env));
    o->alloc = mem_array(1, sizeof(*o->alloc));
    o->alloc[0] = new_alloc();
    o->n_alloc = 1;
    stub_set(&o->nodes, NODE);
    stub_set(&o->partition, "main");
    o->issued_ms = clock_wall_ms();
    o->start_s = o->issued_ms / 1000;
    return o;
}

void stub_launch(struct stub *s, const Pb__LaunchOrder *o, const struct cred_key *key)
{
    size_t n = pb__launch_order__get_packed_size(o);
    auto_free uint8_t *body = mem_alloc(n);
    pb__launch_order__pack(o, body);
    auto_buf struct buf out = BUF_INIT;
    cred_sign(key, CRED_LAUNCH, body, n, &out);
    link_send(s->agent, MSG_LAUNCH, 0, 7, out.s, out.len);
}

void stub_kill(struct stub *s, const Pb__KillOrder *k)
{
    link_send_pb(s->agent, MSG_KILL, 0, 0, &k->base);
}

Pb__Report *stub_report(struct stub *s, uint32_t job_id)
{
    for (size_t i = s->reports.n; i--;)
        if (s->reports.at[i]->job_id == job_id && s->reports.at[i]->step_id != PB__STEP_NUMBER__STEP_EXTERN)
            return s->reports.at[i];
    return NULL;
}

bool stub_clean(struct stub *s, uint32_t job_id)
{
    for (size_t i = 0; i < s->reports.n; i++)
        if (s->reports.at[i]->job_id == job_id && s->reports.at[i]->node_clean)
            return true;
    return false;
}

char *stub_read(struct stub *s, const char *name)
{
    auto_free char *path = mem_printf("%s/%s", s->dir, name);
    auto_buf struct buf text = BUF_INIT;
    return buf_read_file(&text, path, 1 << 20) ? NULL : buf_take(&text);
}
