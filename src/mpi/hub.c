/* hub - collectives and messages between the nodes of a step; see hub.h. */
#include "mpi/hub.h"

#include <string.h>

#include "base/bitmap.h"
#include "base/vec.h"

#define MEETINGS_MAX 65536 /* collectives under way at once; a correct program stays far below */

/* One collective: the hub first collects the nodes' parts, then sends the result. */
struct meeting {
    struct buf key, data;
    uint64_t number;
    struct bitmap nodes, here; /* nodes that take part; nodes whose part has arrived */
    size_t *sent;              /* bytes sent to each node, once all parts have arrived; NULL before */
    size_t left;               /* nodes that have not received the whole result */
    int32_t status;
};

struct hub {
    uint32_t nodes;
    hub_send_fn *send;
    void *arg;
    VEC(struct meeting *) meetings;
    struct bitmap lost;
    bool aborted;
    int code;
    uint32_t code_node;
    char *why;
};

struct hub *hub_new(uint32_t nodes, hub_send_fn *send, void *arg)
{
    struct hub *h = NEW(struct hub);
    h->nodes = nodes;
    h->send = send;
    h->arg = arg;
    return h;
}

static void meeting_free(struct meeting *g)
{
    buf_clear(&g->key);
    buf_clear(&g->data);
    bitmap_clear(&g->nodes);
    bitmap_clear(&g->here);
    free(g->sent);
    free(g);
}

void hub_free(struct hub *h)
{
    if (!h)
        return;
    for (size_t i = 0; i < h->meetings.n; i++)
        meeting_free(h->meetings.at[i]);
    vec_clear(&h->meetings);
    bitmap_clear(&h->lost);
    free(h->why);
    free(h);
}

/* ---- the result ---- */

/* Send one node its next piece.  True when every node has received the whole result. */
static bool send_piece(struct hub *h, struct meeting *g, uint32_t node)
{
    Pb__Mpi m = PB__MPI__INIT;
    size_t at = g->sent[node], n = MIN(g->data.len - at, HUB_PIECE);
    m.kind = MPI_COLLECT;
    m.key = (ProtobufCBinaryData){ g->key.len, (uint8_t *)g->key.s };
    m.number = g->number;
    m.status = g->status;
    m.data = (ProtobufCBinaryData){ n, (uint8_t *)g->data.s + at };
    m.more = at + n < g->data.len;
    g->sent[node] += n;
    h->send(h->arg, node, &m);
    return !m.more && !--g->left;
}

static void meeting_drop(struct hub *h, struct meeting *g)
{
    for (size_t i = 0; i < h->meetings.n; i++)
        if (h->meetings.at[i] == g) {
            h->meetings.at[i] = h->meetings.at[h->meetings.n - 1];
            h->meetings.n--;
            break;
        }
    meeting_free(g);
}

static void meeting_complete(struct hub *h, struct meeting *g)
{
    bool over = false;
    g->sent = mem_array(h->nodes, sizeof(*g->sent));
    if (g->status)
        buf_reset(&g->data);
    bitmap_minus(&g->nodes, &h->lost);
    g->left = bitmap_count(&g->nodes);
    over = !g->left;
    bitmap_each (&g->nodes, node)
        over = send_piece(h, g, (uint32_t)node);
    if (over)
        meeting_drop(h, g);
}

static void complete_if_all_here(struct hub *h, struct meeting *g)
{
    auto_bitmap struct bitmap missing = BITMAP_INIT;
    bitmap_copy(&missing, &g->nodes);
    bitmap_minus(&missing, &g->here);
    bitmap_minus(&missing, &h->lost);
    if (bitmap_none(&missing))
        meeting_complete(h, g);
}

/* ---- the parts ---- */

static bool same_key(const struct meeting *g, const Pb__Mpi *m)
{
    return g->number == m->number && g->key.len == m->key.len &&
           (!m->key.len || !memcmp(g->key.s, m->key.data, m->key.len));
}

/* A node takes part in one incomplete collective of a key at a time, so key and completeness identify a collective. */
static struct meeting *meeting_find(const struct hub *h, const Pb__Mpi *m, bool complete)
{
    for (size_t i = 0; i < h->meetings.n; i++)
        if (same_key(h->meetings.at[i], m) && !h->meetings.at[i]->sent == !complete)
            return h->meetings.at[i];
    return NULL;
}

static struct meeting *meeting_begin(struct hub *h, const Pb__Mpi *m, struct err *err)
{
    if (h->meetings.n >= MEETINGS_MAX) {
        err_set(err, EOVERFLOW, "more than %d collectives at once", MEETINGS_MAX);
        return NULL;
    }
    struct meeting *g = NEW(struct meeting);
    buf_add(&g->key, m->key.data, m->key.len);
    g->number = m->number;
    if (!m->n_nodes)
        bitmap_set_range(&g->nodes, 0, h->nodes);
    for (size_t i = 0; i < m->n_nodes; i++)
        if (m->nodes[i] < h->nodes)
            bitmap_set(&g->nodes, m->nodes[i]);
    vec_push(&h->meetings, g);
    return g;
}

static int take_part(struct hub *h, uint32_t from, const Pb__Mpi *m, struct err *err)
{
    struct meeting *g = meeting_find(h, m, false);
    if (!g)
        g = meeting_begin(h, m, err);
    if (!g)
        return err->code;
    if (!bitmap_has(&g->nodes, from) || bitmap_has(&g->here, from))
        return err_set(err, EBADMSG, "node %u takes part in a collective that is not its own", from);
    bitmap_set(&g->here, from);
    if (m->status)
        g->status = m->status;
    else if (g->data.len + m->data.len > HUB_DATA_MAX)
        g->status = EOVERFLOW;
    else
        buf_add(&g->data, m->data.data, m->data.len);
    auto_bitmap struct bitmap never = BITMAP_INIT; /* lost nodes whose part is missing */
    bitmap_copy(&never, &g->nodes);
    bitmap_minus(&never, &g->here);
    bitmap_and(&never, &h->lost);
    if (!bitmap_none(&never))
        g->status = EPIPE;
    complete_if_all_here(h, g);
    return 0;
}

static int take_more(struct hub *h, uint32_t from, const Pb__Mpi *m, struct err *err)
{
    struct meeting *g = meeting_find(h, m, true);
    if (!g || !bitmap_has(&g->nodes, from) || g->sent[from] >= g->data.len)
        return err_set(err, EBADMSG, "node %u asks for more of a result that it has", from);
    if (send_piece(h, g, from))
        meeting_drop(h, g);
    return 0;
}

/* ---- what is not collective ---- */

static int pass_on(struct hub *h, uint32_t from, const Pb__Mpi *m, struct err *err)
{
    Pb__Mpi to = *m;
    if (m->node >= h->nodes)
        return err_set(err, EBADMSG, "node %u has a message for node %u of %u", from, m->node, h->nodes);
    to.node = from;
    to.more = false;
    if (!bitmap_has(&h->lost, m->node))
        h->send(h->arg, m->node, &to);
    return 0;
}

static void take_abort(struct hub *h, uint32_t from, const Pb__Mpi *m)
{
    if (h->aborted)
        return; /* the first abort counts */
    h->aborted = true;
    h->code = m->status;
    h->code_node = from;
    h->why = mem_str(m->text);
}

int hub_take(struct hub *h, uint32_t from, const Pb__Mpi *m, struct err *err)
{
    if (from >= h->nodes)
        return err_set(err, EBADMSG, "there is no node %u in the step", from);
    switch (m->kind) {
    case MPI_COLLECT: return take_part(h, from, m, err);
    case MPI_MORE: return take_more(h, from, m, err);
    case MPI_TO: return pass_on(h, from, m, err);
    case MPI_ABORT: take_abort(h, from, m); return 0;
    }
    return err_set(err, EBADMSG, "node %u sends an MPI message of an unknown kind (%u)", from, m->kind);
}

/* Continue one collective without a lost node: its part will not arrive, and it receives no result. */
static void lose_from(struct hub *h, struct meeting *g, uint32_t node)
{
    if (!bitmap_has(&g->nodes, node))
        return;
    if (!g->sent) {
        if (!bitmap_has(&g->here, node))
            g->status = EPIPE;
        complete_if_all_here(h, g);
    } else if (g->sent[node] < g->data.len && !--g->left) {
        meeting_drop(h, g);
    }
}

void hub_lose(struct hub *h, uint32_t node)
{
    if (node >= h->nodes || bitmap_has(&h->lost, node))
        return;
    bitmap_set(&h->lost, node);
    for (size_t i = h->meetings.n; i-- > 0;) /* backwards: meeting_drop() fills the slot with one already visited */
        lose_from(h, h->meetings.at[i], node);
}

bool hub_aborted(const struct hub *h, int *code, uint32_t *node, const char **why)
{
    if (!h->aborted)
        return false;
    *code = h->code;
    *node = h->code_node;
    *why = h->why ? h->why : "";
    return true;
}
