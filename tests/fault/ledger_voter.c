/*
 * ledger_voter - one voter of a ledger as a process, to be killed by ledger_crash.py.
 *
 *   ledger_voter ID DIR PORT...          stdin: "add KEY", "dump PATH", "hand", "quit"; stdout: what became of it
 *
 * Its state is the list of keys in the order they were applied, each once.  It lives as
 * a controller does: it changes its state first, keeps one entry on the way, and
 * executes itself again when that entry does not come back as a fact.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "store/ledger.h"

typedef VEC(uint64_t) keys;

static struct {
    uv_loop_t loop;
    uv_pipe_t in;
    struct ledger *l;
    keys state, wanted, turn;
    char line[256];
    size_t have;
    bool busy;
    char **argv;
} v;

static void say(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
    fflush(stdout);
}

static void again(void)
{
    execv("/proc/self/exe", v.argv);
    _exit(9);
}

static bool known(uint64_t key)
{
    for (size_t i = v.state.n; i-- > 0;)
        if (v.state.at[i] == key)
            return true;
    return false;
}

static void learn(const uint64_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (known(p[i]))
            say("repeated %" PRIu64, p[i]);
        else
            vec_push(&v.state, p[i]);
    }
}

static void apply(void *arg, uint64_t index, const void *p, size_t len, bool mine)
{
    if (!mine)
        learn(p, len / sizeof(uint64_t));
}

static void *freeze(void *arg)
{
    struct buf *b = NEW(struct buf);
    *b = (struct buf)BUF_INIT;
    buf_add(b, v.state.at, v.state.n * sizeof(uint64_t));
    return b;
}

static void write_frozen(const void *frozen, struct buf *out)
{
    const struct buf *b = frozen;
    buf_add(out, b->s, b->len);
}

static void release(void *frozen)
{
    buf_clear(frozen);
    free(frozen);
}

static int restore(void *arg, uint64_t index, const void *p, size_t len, struct err *err)
{
    v.state.n = 0;
    vec_reserve(&v.state, len / sizeof(uint64_t) + 1);
    memcpy(v.state.at, p, len);
    v.state.n = len / sizeof(uint64_t);
    return 0;
}

static void role(void *arg, enum ledger_role r, uint64_t leader)
{
    static const char *const names[] = { "follower", "candidate", "leader", "broken" };
    say("role %s %" PRIu64 " %" PRIu64, names[r], leader, ledger_term(v.l));
    if (r == LEDGER_BROKEN) {
        say("trouble %s", ledger_trouble(v.l));
        again();
    }
}

static void pump(void);

static void done(void *arg, int rc)
{
    v.busy = false;
    for (size_t i = 0; i < v.turn.n; i++)
        say("%s %" PRIu64, !rc ? "yes" : rc == LEDGER_UNKNOWN ? "unknown" : "no", v.turn.at[i]);
    if (rc)
        again();
    v.turn.n = 0;
    pump();
}

static void pump(void)
{
    if (v.busy || !v.wanted.n)
        return;
    keys empty = v.turn;
    v.turn = v.wanted;
    v.wanted = empty;
    v.busy = true;
    learn(v.turn.at, v.turn.n);
    ledger_append(v.l, v.turn.at, v.turn.n * sizeof(uint64_t), done, NULL);
}

static void add(uint64_t key)
{
    if (ledger_is_leader(v.l))
        vec_push(&v.wanted, key);
    else
        say("no %" PRIu64, key);
}

/* The file is whole before we say so.  The second number tells that an entry is on the way: it is not a fact yet. */
static void dump(const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return;
    for (size_t i = 0; i < v.state.n; i++)
        fprintf(f, "%" PRIu64 "\n", v.state.at[i]);
    fclose(f);
    say("dumped %zu %d %" PRIu64, v.state.n, v.busy, ledger_applied(v.l));
}

static void handed(void *arg, int rc)
{
    say("handed %d", rc);
}

static void gone(void *arg)
{
    _exit(0);
}

static void command(char *s)
{
    if (str_has_prefix(s, "add "))
        add(strtoull(s + 4, NULL, 10));
    else if (str_has_prefix(s, "dump "))
        dump(s + 5);
    else if (str_eq(s, "hand"))
        ledger_transfer(v.l, handed, NULL);
    else if (str_eq(s, "quit"))
        ledger_close(v.l, gone, NULL);
}

static void room(uv_handle_t *h, size_t n, uv_buf_t *out)
{
    *out = uv_buf_init(v.line + v.have, (unsigned)(sizeof(v.line) - 1 - v.have));
}

static void on_input(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
    if (n < 0)
        _exit(0);
    v.have += (size_t)n;
    v.line[v.have] = '\0';
    char *p = v.line;
    for (char *end; (end = strchr(p, '\n')); p = end + 1) {
        *end = '\0';
        command(p);
    }
    v.have = strlen(p);
    memmove(v.line, p, v.have + 1);
    pump();
}

int main(int argc, char **argv)
{
    struct ledger_peer peers[8];
    struct err err = ERR_INIT;
    v.argv = argv;
    size_t n = (size_t)argc - 3;
    if (argc < 4 || n > 8)
        return 2;
    for (size_t i = 0; i < n; i++)
        peers[i] = (struct ledger_peer){ i + 1, mem_printf("127.0.0.1:%s", argv[3 + i]) };
    struct ledger_conf conf = {
        .dir = argv[2],
        .id = strtoull(argv[1], NULL, 10),
        .peers = peers,
        .npeers = n,
        .snapshot_entries = getenv("SNAPSHOT_ENTRIES") ? strtoull(getenv("SNAPSHOT_ENTRIES"), NULL, 10) : 100,
        .fresh_ok = !getenv("REJOIN"),
    };
    struct ledger_fsm fsm = {
        .apply = apply, .freeze = freeze, .write = write_frozen, .release = release, .restore = restore, .role = role
    };
    uv_loop_init(&v.loop);
    if (ledger_open(&v.l, &v.loop, &conf, &fsm, &err)) {
        say("refused %s", err.text);
        return 3;
    }
    fcntl(0, F_SETFL, fcntl(0, F_GETFL) & ~O_NONBLOCK);
    uv_pipe_init(&v.loop, &v.in, 0);
    uv_pipe_open(&v.in, 0);
    uv_read_start((uv_stream_t *)&v.in, room, on_input);
    say("open %" PRIu64, ledger_applied(v.l));
    return uv_run(&v.loop, UV_RUN_DEFAULT);
}
