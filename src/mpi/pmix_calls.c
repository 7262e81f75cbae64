/* pmix_calls - callbacks of libpmix: fences, data of tasks on other nodes, the end of the step; see pmix_priv.h. */
#include <pthread.h>
#include <string.h>

#include "base/vec.h"
#include "mpi/pmix_priv.h"

#define ASK "ask" /* key of a message that requests a task's data: its rank */
#define EARLY_MS 20
#define EARLY_TRIES 1500 /* half a minute; then the request is passed to the library */
#define ANSWER "answer"  /* key of the message with the data */

/* A request of the library that waits for data of other nodes. */
struct waiting {
    struct buf key, data;
    uint64_t number;
    pmix_modex_cbfunc_t done;
    void *arg;
};

/* How many collectives a set of tasks has had: the number tells them apart. */
struct times {
    struct buf key;
    uint64_t n;
};

/* A request for a key that a task of this node has not put yet.  The library does not report when it is put, so it is
 * polled. */
struct early {
    uint32_t rank, node;
    uint64_t number;
    unsigned tries;
    char *key;
};

static struct {
    pthread_mutex_t lock;
    struct pmix_step *step;
    VEC(struct waiting *) waiting;
    VEC(struct times) times;
    VEC(struct early) early; /* used by the main thread only */
    uint64_t asked;
    bool lost; /* the other nodes cannot be reached any more */
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

void calls_init(struct pmix_step *p)
{
    all.step = p;
}

static ProtobufCBinaryData pb_bytes(const void *p, size_t n)
{
    return (ProtobufCBinaryData){ n, (uint8_t *)p };
}

static bool same_bytes(const struct buf *a, const void *p, size_t n)
{
    return a->len == n && (!n || !memcmp(a->s, p, n));
}

/* ---- pending requests ---- */

static bool link_lost(void)
{
    pthread_mutex_lock(&all.lock);
    bool is = all.lost;
    pthread_mutex_unlock(&all.lock);
    return is;
}

static void wait_for(const struct buf *key, uint64_t number, pmix_modex_cbfunc_t done, void *arg)
{
    struct waiting *w = NEW(struct waiting);
    buf_add(&w->key, key->s, key->len);
    w->number = number;
    w->done = done;
    w->arg = arg;
    pthread_mutex_lock(&all.lock);
    vec_push(&all.waiting, w);
    pthread_mutex_unlock(&all.lock);
}

/* Add a piece to a pending request; a complete request is removed from the list and returned. */
static struct waiting *reply_arrived(const Pb__Mpi *m)
{
    struct waiting *found = NULL;
    pthread_mutex_lock(&all.lock);
    for (size_t i = 0; i < all.waiting.n && !found; i++) {
        struct waiting *w = all.waiting.at[i];
        if (w->number != m->number || !same_bytes(&w->key, m->key.data, m->key.len))
            continue;
        if (!mpi_join(&w->data, m))
            break;
        found = w;
        vec_remove(&all.waiting, i);
    }
    pthread_mutex_unlock(&all.lock);
    return found;
}

static void give_direct(const Pb__Mpi *m)
{
    struct waiting *w = reply_arrived(m);
    if (!w) {
        Pb__Mpi more = PB__MPI__INIT;
        more.kind = MPI_MORE;
        more.key = m->key;
        more.number = m->number;
        if (m->more)
            say(all.step, &more);
        return;
    }
    size_t n = w->data.len;
    char *data = n ? buf_take(&w->data) : NULL;
    w->done(m->status ? PMIX_ERR_LOST_CONNECTION : PMIX_SUCCESS, data, n, w->arg, free, data);
    buf_clear(&w->data);
    buf_clear(&w->key);
    free(w);
}

/* ---- the fence ---- */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Sort, and remove duplicates. */
static size_t unique_sorted(uint32_t *at, size_t n)
{
    size_t to = 0;
    qsort(at, n, sizeof(*at), by_number);
    for (size_t i = 0; i < n; i++)
        if (!to || at[to - 1] != at[i])
            at[to++] = at[i];
    return to;
}

static uint64_t which_time(const struct buf *key)
{
    uint64_t n = 0;
    bool found = false;
    pthread_mutex_lock(&all.lock);
    for (size_t i = 0; i < all.times.n && !found; i++)
        if (same_bytes(&all.times.at[i].key, key->s, key->len)) {
            n = ++all.times.at[i].n;
            found = true;
        }
    if (!found) {
        struct times t = { BUF_INIT, 0 };
        buf_add(&t.key, key->s, key->len);
        vec_push(&all.times, t);
    }
    pthread_mutex_unlock(&all.lock);
    return n;
}

/* The ranks (`key`) and the nodes (`m`) of a set of tasks; both stay empty for all tasks of the step. */
static pmix_status_t collective_members(const pmix_proc_t *procs, size_t n, struct buf *key, Pb__Mpi *m)
{
    struct pmix_step *p = all.step;
    auto_free uint32_t *ranks = mem_array(n, sizeof(*ranks));
    for (size_t i = 0; i < n; i++) {
        if (strncmp(procs[i].nspace, p->setup->space, PMIX_MAX_NSLEN))
            return PMIX_ERR_NOT_SUPPORTED; /* tasks of another step */
        if (procs[i].rank == PMIX_RANK_WILDCARD)
            return PMIX_SUCCESS;
        if (procs[i].rank >= p->size)
            return PMIX_ERR_BAD_PARAM;
        ranks[i] = procs[i].rank;
    }
    n = unique_sorted(ranks, n);
    if (n == p->size)
        return PMIX_SUCCESS;
    buf_add(key, ranks, n * sizeof(*ranks));
    m->nodes = mem_array(n, sizeof(*m->nodes));
    for (size_t i = 0; i < n; i++)
        m->nodes[i] = p->node[ranks[i]];
    m->n_nodes = unique_sorted(m->nodes, n);
    return PMIX_SUCCESS;
}

static pmix_status_t on_fence(const pmix_proc_t procs[], size_t nprocs, const pmix_info_t info[], size_t ninfo,
                              char *data, size_t ndata, pmix_modex_cbfunc_t done, void *arg)
{
    auto_buf struct buf key = BUF_INIT;
    Pb__Mpi m = PB__MPI__INIT;
    pmix_status_t st = link_lost() ? PMIX_ERR_LOST_CONNECTION : collective_members(procs, nprocs, &key, &m);
    if (st == PMIX_SUCCESS) {
        m.kind = MPI_COLLECT;
        m.key = pb_bytes(key.s, key.len);
        m.number = which_time(&key);
        m.data = pb_bytes(data, ndata);
        wait_for(&key, m.number, done, arg);
        say(all.step, &m);
    }
    free(m.nodes);
    free(data); /* the callee owns it, by the contract of the call */
    return st;
}

/* ---- data of a task elsewhere ---- */

static pmix_status_t on_modex(const pmix_proc_t *proc, const pmix_info_t info[], size_t ninfo, pmix_modex_cbfunc_t done,
                              void *arg)
{
    struct pmix_step *p = all.step;
    auto_buf struct buf key = BUF_INIT;
    if (link_lost())
        return PMIX_ERR_LOST_CONNECTION;
    if (strncmp(proc->nspace, p->setup->space, PMIX_MAX_NSLEN) || proc->rank >= p->size)
        return PMIX_ERR_NOT_FOUND;
    Pb__Mpi m = PB__MPI__INIT;
    uint32_t rank = proc->rank;
    m.kind = MPI_TO;
    m.node = p->node[rank];
    pthread_mutex_lock(&all.lock);
    m.number = ++all.asked;
    pthread_mutex_unlock(&all.lock);
    m.key = pb_bytes(ASK, strlen(ASK));
    m.data = pb_bytes(&rank, sizeof(rank));
    for (size_t i = 0; i < ninfo; i++)
        if (PMIX_CHECK_KEY(&info[i], PMIX_REQUIRED_KEY) && info[i].value.type == PMIX_STRING)
            m.text = info[i].value.data.string;
    buf_adds(&key, ANSWER);
    wait_for(&key, m.number, done, arg);
    say(p, &m);
    return PMIX_SUCCESS;
}

static void answer_direct(uint32_t node, uint64_t number, pmix_status_t status, const char *data, size_t n)
{
    Pb__Mpi m = PB__MPI__INIT;
    m.kind = MPI_TO;
    m.node = node;
    m.number = number;
    m.key = pb_bytes(ANSWER, strlen(ANSWER));
    m.status = status;
    m.data = pb_bytes(data, n);
    say(all.step, &m);
}

struct asker {
    uint32_t node;
    uint64_t number;
};

static void on_local_data(pmix_status_t status, char *data, size_t n, void *arg)
{
    struct asker *a = arg;
    answer_direct(a->node, a->number, status, data, n);
    free(a);
}

static void ask_library(uint32_t rank, uint32_t node, uint64_t number)
{
    pmix_proc_t proc;
    PMIX_LOAD_PROCID(&proc, all.step->setup->space, rank);
    struct asker *a = NEW(struct asker);
    *a = (struct asker){ node, number };
    pmix_status_t st = PMIx_server_dmodex_request(&proc, on_local_data, a);
    if (st != PMIX_SUCCESS)
        on_local_data(st, NULL, 0, a);
}

/* A task commits its data in parts.  Has the part with that key been committed? */
static bool is_here(uint32_t rank, const char *key)
{
    pmix_proc_t proc;
    pmix_info_t info;
    pmix_value_t *v = NULL;
    bool yes = true;
    PMIX_LOAD_PROCID(&proc, all.step->setup->space, rank);
    PMIX_INFO_LOAD(&info, PMIX_OPTIONAL, &yes, PMIX_BOOL);
    bool here = PMIx_Get(&proc, key, &info, 1, &v) == PMIX_SUCCESS;
    if (v)
        PMIX_VALUE_RELEASE(v);
    PMIX_INFO_DESTRUCT(&info);
    return here;
}

static void take_request(const Pb__Mpi *m)
{
    uint32_t rank;
    if (m->data.len != sizeof(rank))
        return;
    memcpy(&rank, m->data.data, sizeof(rank));
    if (!m->text[0] || is_here(rank, m->text))
        ask_library(rank, m->node, m->number);
    else
        vec_push(&all.early, (struct early){ rank, m->node, m->number, 0, mem_str(m->text) });
}

int calls_again(void)
{
    for (size_t i = all.early.n; i-- > 0;) {
        struct early *e = &all.early.at[i];
        if (!is_here(e->rank, e->key) && ++e->tries < EARLY_TRIES)
            continue;
        ask_library(e->rank, e->node, e->number);
        free(e->key);
        *e = all.early.at[--all.early.n];
    }
    return all.early.n ? EARLY_MS : -1;
}

/* ---- the end ---- */

static pmix_status_t on_abort(const pmix_proc_t *proc, void *object, int status, const char msg[], pmix_proc_t procs[],
                              size_t nprocs, pmix_op_cbfunc_t done, void *arg)
{
    Pb__Mpi m = PB__MPI__INIT;
    m.kind = MPI_ABORT;
    m.status = status;
    m.text = (char *)(msg ? msg : "");
    say(all.step, &m);
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t on_connected(const pmix_proc_t *proc, void *object, pmix_info_t info[], size_t ninfo,
                                  pmix_op_cbfunc_t done, void *arg)
{
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t on_finalized(const pmix_proc_t *proc, void *object, pmix_op_cbfunc_t done, void *arg)
{
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t on_register_events(pmix_status_t *codes, size_t ncodes, const pmix_info_t info[], size_t ninfo,
                                        pmix_op_cbfunc_t done, void *arg)
{
    return PMIX_OPERATION_SUCCEEDED; /* events of this node only */
}

static pmix_status_t on_deregister_events(pmix_status_t *codes, size_t ncodes, pmix_op_cbfunc_t done, void *arg)
{
    return PMIX_OPERATION_SUCCEEDED;
}

/* A task that exits without finalizing would leave other tasks waiting for it: end the step. */
static void on_event(size_t id, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[], size_t ninfo,
                     pmix_info_t *results, size_t nresults, pmix_event_notification_cbfunc_fn_t done, void *arg)
{
    Pb__Mpi m = PB__MPI__INIT;
    m.kind = MPI_ABORT;
    if (status == PMIX_ERR_LOST_CONNECTION)
        say(all.step, &m);
    if (done)
        done(PMIX_SUCCESS, NULL, 0, NULL, NULL, arg);
}

void calls_watch(void)
{
    PMIx_Register_event_handler(NULL, 0, NULL, 0, on_event, NULL, NULL);
}

pmix_server_module_t calls = {
    .client_connected2 = on_connected,
    .client_finalized = on_finalized,
    .abort = on_abort,
    .fence_nb = on_fence,
    .direct_modex = on_modex,
    .register_events = on_register_events,
    .deregister_events = on_deregister_events,
};

/* Fail all pending requests, and all later ones. */
static void give_up(void)
{
    for (;;) {
        Pb__Mpi m = PB__MPI__INIT;
        auto_buf struct buf key = BUF_INIT;
        pthread_mutex_lock(&all.lock);
        bool found = all.waiting.n;
        if (found) {
            buf_add(&key, all.waiting.at[0]->key.s, all.waiting.at[0]->key.len);
            m.number = all.waiting.at[0]->number;
        }
        all.lost = true;
        pthread_mutex_unlock(&all.lock);
        if (!found)
            return;
        m.key = pb_bytes(key.s, key.len);
        m.status = EPIPE;
        give_direct(&m);
    }
}

void calls_take(const Pb__Mpi *m)
{
    if (m->kind == MPI_LOST)
        give_up();
    else if (m->kind == MPI_COLLECT)
        give_direct(m);
    else if (m->kind == MPI_TO && m->key.len == strlen(ASK) && !memcmp(m->key.data, ASK, m->key.len))
        take_request(m);
    else if (m->kind == MPI_TO)
        give_direct(m);
}
