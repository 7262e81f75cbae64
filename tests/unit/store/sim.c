/*
 * The ledger's own turns, state machine and snapshots under libraft's simulator: three voters on a pretend clock, with
 * lost messages, slow networks and disks, and servers that die and come back.  Every index may hold one entry only, no
 * snapshot may be asked for in the middle of a turn, no mark may be ahead of its own disk, and an acknowledged entry
 * must be everywhere in the end.
 *
 *   store_sim [SEED [ROUNDS]]        SIM_TRACE=1 tells every step
 */
#include <inttypes.h>
#include <raft/fixture.h>
#include <sys/mman.h>

#include "base/vec.h"
#include "rig.h"
#include "store/ledger_priv.h"

#define N 3

struct server {
    struct ledger l;
    uint64_t hash, count;   /* the state */
    uint64_t asked;         /* key under way, 0: none */
};

static struct raft_fixture fix;
static uv_loop_t loop;
static struct server servers[N];
static VEC(uint64_t) story;      /* the state's hash after index i, from the first server to reach i; 0: not an entry */
static VEC(uint64_t) yes;        /* acknowledged keys */
static VEC(uint64_t) facts;      /* all keys that became entries, in the order of the story */
static uint64_t keys, violations, answers, unknown, refused;

static void violate(const char *what, const struct server *s, uint64_t index)
{
    if (!violations++)
        printf("# %s: server %" PRIu64 " at index %" PRIu64 "\n", what, s->l.id, index);
}

/* The first to come to an index writes the story, all others must tell the same. */
static void agree(struct server *s, uint64_t index, uint64_t key)
{
    while (story.n <= index)
        vec_push(&story, 0);
    if (!story.at[index]) {
        story.at[index] = s->hash;
        vec_push(&facts, key);
    } else if (story.at[index] != s->hash) {
        violate("another entry than the others", s, index);
    }
}

static void apply(void *arg, uint64_t index, const void *p, size_t len, bool mine)
{
    struct server *s = arg;
    uint64_t key;
    memcpy(&key, p, sizeof(key));
    if (len != sizeof(key) + key % 8)
        violate("a length that changed", s, index);
    if (mine && key != s->asked)
        violate("an entry called its own that is not", s, index);
    s->hash = XXH3_64bits_withSeed(p, len, s->hash);
    s->count++;
    agree(s, index, key);
}

static void *freeze(void *arg)
{
    struct server *s = arg;
    if (s->l.turn)
        violate("a snapshot while a turn is under way", s, raft_last_applied(s->l.raft));
    return mem_copy(&s->hash, sizeof(s->hash));
}

static void write_frozen(const void *frozen, struct buf *out)
{
    buf_add(out, frozen, sizeof(((struct server *)NULL)->hash));
}

static int restore(void *arg, uint64_t index, const void *p, size_t len, struct err *err)
{
    violate("a snapshot was sent", arg, 0);
    return EIO;
}

static void done(void *arg, int rc)
{
    struct server *s = arg;
    answers++;
    unknown += rc == LEDGER_UNKNOWN;
    refused += rc && rc != LEDGER_UNKNOWN;
    if (!rc)
        vec_push(&yes, s->asked);
    s->asked = 0;
}

static void ask(struct server *s)
{
    char entry[16] = { 0 };
    s->asked = ++keys;
    memcpy(entry, &s->asked, sizeof(s->asked));
    ledger_append(&s->l, entry, sizeof(s->asked) + s->asked % 8, done, s);
}

static void quiet(struct raft_tracer *t, int type, const void *info)
{
}

/* What ledger_open would have made, on the simulator's raft. */
static void server_init(struct server *s, unsigned i)
{
    struct ledger *l = &s->l;
    l->raft = raft_fixture_get(&fix, i);
    l->loop = &loop;
    l->id = i + 1;
    l->dir = (char *)"memory";
    l->fsm = (struct ledger_fsm){
        .apply = apply, .freeze = freeze, .write = write_frozen, .release = free, .restore = restore, .arg = s
    };
    l->mark = (struct ledger_mark)LEDGER_MARK_INIT;
    l->mark.mark_fd = memfd_create("mark", MFD_CLOEXEC);
    l->mark.id = l->id;
    l->snapshot_entries = 20;
    l->snapshot_bytes = 1u << 30;
    l->origin = 1000 + i;
    l->soon.data = l->sync_timer.data = l;
    uv_timer_init(&loop, &l->soon);
    uv_timer_init(&loop, &l->sync_timer);
    raft_set_snapshot_threshold(l->raft, l->snapshot_entries);
    raft_set_snapshot_trailing(l->raft, 1u << 30); /* the simulator's disk breaks when a snapshot replaces its log */
    raft_set_pre_vote(l->raft, true);
    static struct raft_tracer silence = { NULL, 2, quiet };
    if (!getenv("SIM_TRACE"))
        l->raft->tracer = &silence; /* the simulator tells every step otherwise */
}

static void setup(void)
{
    struct raft_configuration c;
    uv_loop_init(&loop);
    raft_fixture_initialize(&fix);
    for (unsigned i = 0; i < N; i++) {
        ledger_fsm_bind(&servers[i].l);
        raft_fixture_grow(&fix, &servers[i].l.raft_fsm);
        server_init(&servers[i], i);
    }
    raft_configuration_init(&c);
    raft_fixture_configuration(&fix, N, &c);
    raft_fixture_bootstrap(&fix, &c);
    raft_configuration_close(&c);
    raft_fixture_start(&fix);
}

static void step(void)
{
    raft_fixture_step(&fix);
    for (unsigned i = 0; i < N; i++) {
        struct ledger *l = &servers[i].l;
        if (raft_fixture_alive(&fix, i))
            ledger_watch(l);
        if (l->mark.committed > l->raft->last_stored)
            violate("a mark ahead of its own disk", &servers[i], l->mark.committed);
    }
    uv_run(&loop, UV_RUN_NOWAIT);
}

/* A disk completes its writes in order, as ours does; the fixture would let a write overtake the slower one before it.
 */
static void set_disk_latency(unsigned i, unsigned msec)
{
    const struct raft *r = servers[i].l.raft;
    if (r->last_stored == raft_last_index(servers[i].l.raft))
        raft_fixture_set_disk_latency(&fix, i, msec);
}

static void trouble(unsigned n)
{
    unsigned i = (unsigned)rand() % N, j = (unsigned)rand() % N, alive = 0;
    for (unsigned k = 0; k < N; k++)
        alive += raft_fixture_alive(&fix, k);
    switch (rand() % 7) {
    case 0:
    case 1:
        if (i != j)
            raft_fixture_saturate(&fix, i, j);
        break;
    case 2:
        if (i != j)
            raft_fixture_desaturate(&fix, i, j);
        break;
    case 3:
        raft_fixture_set_network_latency(&fix, i, 5 + (unsigned)rand() % 200);
        break;
    case 4:
        set_disk_latency(i, 1 + (unsigned)rand() % 100);
        break;
    case 5:
        if (alive == N && raft_fixture_alive(&fix, i))
            raft_fixture_kill(&fix, i);
        break;
    case 6:
        for (unsigned a = 0; a < N; a++)
            for (unsigned b = 0; b < N; b++)
                if (a != b)
                    raft_fixture_desaturate(&fix, a, b);
        break;
    }
}

static void heal(void)
{
    for (unsigned i = 0; i < N; i++) {
        for (unsigned j = 0; j < N; j++)
            if (i != j)
                raft_fixture_desaturate(&fix, i, j);
        raft_fixture_set_network_latency(&fix, i, 10);
        set_disk_latency(i, 5);
        if (!raft_fixture_alive(&fix, i))
            raft_fixture_revive(&fix, i);
    }
}

static bool settled(void)
{
    for (unsigned i = 0; i < N; i++)
        if (servers[i].asked || servers[i].hash != servers[0].hash || servers[i].count != facts.n)
            return false;
    return true;
}

static uint64_t missing(void)
{
    uint64_t n = 0;
    for (size_t i = 0, at = 0; i < yes.n; i++) {
        /* Both lists are nearly in order; look from where the last one was, then anywhere. */
        size_t k = 0;
        while (k < facts.n && facts.at[(at + k) % facts.n] != yes.at[i])
            k++;
        n += k == facts.n;
        at = facts.n ? (at + k) % facts.n : 0;
    }
    return n;
}

static void run(unsigned rounds)
{
    for (unsigned r = 0; r < rounds; r++) {
        for (unsigned k = 0; k < 400; k++) {
            struct server *s = &servers[rand() % N];
            if (raft_fixture_alive(&fix, (unsigned)(s - servers)) && !s->asked && ledger_is_leader(&s->l))
                ask(s);
            if (rand() % 40 == 0)
                trouble(r);
            step();
        }
        heal();
        for (unsigned k = 0; k < 200; k++)
            step();
    }
    for (unsigned k = 0; k < 20000 && !settled(); k++)
        step();
}

int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : (unsigned)uv_hrtime();
    srand(seed);
    printf("# seed %u\n", seed);
    setup();
    run(argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 8);
    uint64_t snapshots = 0;
    for (unsigned i = 0; i < N; i++)
        snapshots += servers[i].l.stats.snapshots;
    is_int(violations, 0, "one story, %d entries long", (int)facts.n);
    ok(settled(), "all came to the same state");
    is_int(missing(), 0, "all %d acknowledged entries are in it", (int)yes.n);
    is_int(answers, keys, "each of %d appends was answered once; %d not known, %d refused", (int)keys, (int)unknown,
           (int)refused);
    ok(yes.n > 50 && snapshots > 3, "it was worth the while: %d snapshots", (int)snapshots);
    return test_done();
}
