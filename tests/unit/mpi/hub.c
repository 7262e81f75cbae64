/* The hub: parts are collected, results sent in pieces, lost nodes reported, messages passed on. */
#include "test.h"

#include "base/buf.h"
#include "mpi/hub.h"

#define NODES 4

/* What each node was sent. */
static struct {
    int n, more, status;
    uint64_t number;
    uint32_t from, kind;
    struct buf data;
} got[NODES];

static void sent(void *arg, uint32_t node, const Pb__Mpi *m)
{
    got[node].n++;
    got[node].more = m->more;
    got[node].status = m->status;
    got[node].number = m->number;
    got[node].from = m->node;
    got[node].kind = m->kind;
    buf_add(&got[node].data, m->data.data, m->data.len);
}

static void forget(void)
{
    for (int i = 0; i < NODES; i++) {
        buf_clear(&got[i].data);
        memset(&got[i], 0, sizeof(got[i]));
    }
}

static int say(struct hub *h, uint32_t from, uint32_t kind, const char *key, uint64_t number, const void *data,
               size_t n)
{
    static uint32_t two[] = { 1, 3 };
    struct err err = ERR_INIT;
    Pb__Mpi m = PB__MPI__INIT;
    m.kind = kind;
    m.key = (ProtobufCBinaryData){ strlen(key), (uint8_t *)key };
    m.number = number;
    m.data = (ProtobufCBinaryData){ n, (uint8_t *)data };
    if (!strcmp(key, "two")) {
        m.nodes = two;
        m.n_nodes = 2;
    }
    return hub_take(h, from, &m, &err);
}

static void test_collect(struct hub *h)
{
    for (uint32_t i = 0; i < NODES - 1; i++)
        say(h, i, MPI_COLLECT, "", 0, "ab", 2);
    ok(!got[0].n, "no node gets a result before the last part is here");
    say(h, 3, MPI_COLLECT, "", 0, "cd", 2);
    for (int i = 0; i < NODES; i++)
        ok(got[i].n == 1 && !got[i].more && got[i].data.len == 8 && !memcmp(got[i].data.s, "abababcd", 8),
           "node %d gets all parts", i);
    ok(say(h, 1, MPI_MORE, "", 0, NULL, 0) != 0, "there is no more of what was taken whole");
    forget();
    say(h, 1, MPI_COLLECT, "two", 0, "x", 1);
    say(h, 3, MPI_COLLECT, "two", 0, "y", 1);
    ok(!got[0].n && !got[2].n && got[1].data.len == 2 && got[3].data.len == 2,
       "a collective of two nodes answers these two");
    ok(say(h, 0, MPI_COLLECT, "two", 1, "x", 1) != 0, "a node that is not in it has no part in it");
    forget();
}

static void test_order(struct hub *h)
{
    say(h, 1, MPI_COLLECT, "", 5, "1", 1);
    say(h, 1, MPI_COLLECT, "two", 9, "2", 1);
    ok(say(h, 1, MPI_COLLECT, "", 5, "1", 1) != 0, "a part does not come twice");
    say(h, 3, MPI_COLLECT, "two", 9, "2", 1);
    ok(got[1].n == 1 && got[1].number == 9, "collectives end in any order");
    forget();
    for (uint32_t i = 0; i < NODES; i++)
        if (i != 1)
            say(h, i, MPI_COLLECT, "", 5, "1", 1);
    ok(got[0].n == 1 && got[0].number == 5 && got[0].data.len == 4, "and the other one, too");
    forget();
}

static void test_pieces(struct hub *h)
{
    size_t part = HUB_PIECE - 1000, calls = 0;
    char *big = mem_alloc(part);
    memset(big, 'z', part);
    for (uint32_t i = 0; i < NODES; i++)
        say(h, i, MPI_COLLECT, "", 7, big, part);
    ok(got[2].n == 1 && got[2].more && got[2].data.len == HUB_PIECE, "a big result begins with a piece");
    for (uint32_t i = 0; i < NODES; i++)
        for (; got[i].more; calls++)
            say(h, i, MPI_MORE, "", 7, NULL, 0);
    ok(calls == 3 * NODES && got[0].data.len == 4 * part && got[3].data.len == 4 * part,
       "the rest is asked for, by each at its pace");
    ok(say(h, 0, MPI_MORE, "", 7, NULL, 0) != 0, "and then it is forgotten");
    free(big);
    forget();
}

static void test_pass_on(struct hub *h)
{
    struct err err = ERR_INIT;
    Pb__Mpi m = PB__MPI__INIT;
    m.kind = MPI_TO;
    m.node = 2;
    m.number = 77;
    hub_take(h, 1, &m, &err);
    ok(got[2].n == 1 && got[2].from == 1 && got[2].number == 77, "a message is passed on, with its sender");
    m.node = NODES;
    ok(hub_take(h, 1, &m, &err) && strstr(err.text, "node 4"), "to nobody: refused by name");
    m.kind = 99;
    ok(hub_take(h, 1, &m, &err) != 0, "an unknown kind is refused");
    ok(hub_take(h, NODES, &m, &err) != 0, "a node that is none is refused");
    forget();
}

static void test_lost(void)
{
    struct hub *h = hub_new(NODES, sent, NULL);
    for (uint32_t i = 0; i < 3; i++)
        say(h, i, MPI_COLLECT, "", 0, "a", 1);
    hub_lose(h, 3);
    ok(got[0].n == 1 && got[0].status && !got[0].data.len && !got[3].n,
       "a node that waits for a lost node gets an error");
    forget();
    for (uint32_t i = 0; i < 3; i++)
        say(h, i, MPI_COLLECT, "", 1, "a", 1);
    ok(got[2].n == 1 && got[2].status, "also when it was lost before");
    forget();
    say(h, 0, MPI_COLLECT, "", 2, "a", 1);
    hub_free(h);
    ok(!got[0].n, "what is left in the middle is thrown away");
    forget();
}

static void test_abort(struct hub *h)
{
    struct err err = ERR_INIT;
    Pb__Mpi m = PB__MPI__INIT;
    int code;
    uint32_t node;
    const char *why;
    ok(!hub_aborted(h, &code, &node, &why), "no task has aborted");
    m.kind = MPI_ABORT;
    m.status = 7;
    m.text = (char *)"enough";
    hub_take(h, 2, &m, &err);
    m.status = 8;
    hub_take(h, 3, &m, &err);
    ok(hub_aborted(h, &code, &node, &why) && code == 7 && node == 2 && !strcmp(why, "enough"),
       "the first abort counts");
}

int main(void)
{
    struct hub *h = hub_new(NODES, sent, NULL);
    test_collect(h);
    test_order(h);
    test_pieces(h);
    test_pass_on(h);
    test_abort(h);
    hub_free(h);
    test_lost();
    return test_done();
}
