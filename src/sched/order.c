/*
 * order - who is next.
 *
 * Every waiting job has a seat; those that could start stand in one shape per partition
 * they asked for, sorted by priority and age.  Seats move only when their job was noted,
 * so a plan costs what changed, not what waits.
 */
#include "base/str.h"
#include "core/het.h"
#include "sched/sched_priv.h"

/* ---- shapes ---- */

static char *or_empty(const char *s)
{
    return mem_str(s ? s : "");
}

static void req_copy(struct req *to, const struct req *from)
{
    *to = *from;
    to->constraint = mem_str(from->constraint);
    to->prefer = mem_str(from->prefer);
    to->nodelist = mem_str(from->nodelist);
    to->exclude = mem_str(from->exclude);
    to->reservation = mem_str(from->reservation);
    to->lic = (struct license_list){ .any = from->lic.any };
    for (size_t i = 0; i < from->lic.n; i++)
        vec_push(&to->lic, ((struct license_item){ mem_str(from->lic.at[i].name), from->lic.at[i].count }));
    to->gres = from->ngres ? mem_array(from->ngres, sizeof(*to->gres)) : NULL;
    for (uint32_t i = 0; i < from->ngres; i++) {
        to->gres[i] = from->gres[i];
        to->gres[i].name = or_empty(from->gres[i].name);
        to->gres[i].type = mem_str(from->gres[i].type);
    }
}

static void add_text(struct buf *b, const char *s)
{
    buf_add(b, s ? s : "", s ? strlen(s) + 1 : 1);
}

/* Everything that decides where and when a job can start, as bytes. */
static void shape_key(const struct sched *s, const struct cluster *c, struct buf *b, const struct job *j,
                      const struct part *p, const struct resv_choice *in)
{
    const struct req *r = &j->spec->req;
    const uint64_t numbers[] = {
        p->index,
        s->by_user ? j->uid + 1ull : 0,
        s->qos_over.n ? share_qos(s, c, j) : 0,
        in->resv ? in->resv->pb->id * 2ull + in->drawn : 0,
        job_limit_in(j, p->pb),
        j->mem_per_node_mb,
        j->mem_per_cpu_mb,
        (uint64_t)j->spec->deadline_s,
        het_leads(j) ? j->id : 0,
        r->time_min,
        r->min_nodes,
        r->max_nodes,
        r->ntasks,
        r->ntasks_set,
        r->cpus_per_task,
        r->ntasks_per_node,
        r->ntasks_per_socket,
        r->ntasks_per_core,
        r->threads_per_core,
        r->sockets_per_node,
        r->cores_per_socket,
        r->mincpus,
        r->cpus_per_gpu,
        r->core_spec,
        r->mem_per_node_mb,
        r->mem_per_cpu_mb,
        r->mem_per_gpu_mb,
        r->tmp_mb,
        r->gives_way,
        r->switches,
        (uint64_t)topo_until(s, j),
        r->segment,
        (uint64_t)(r->consolidate_segments | r->spread_segments << 1 | r->exclusive_topo << 2),
        (uint64_t)(r->mem_all | r->exclusive << 1 | r->oversubscribe << 2 | r->overcommit << 3 | r->contiguous << 4 |
                   r->spread << 5 | r->use_min_nodes << 6 | r->exclusive_user << 7 |
                   (unsigned)r->core_dist << 8 | (unsigned)r->near << 12),
    };
    buf_add(b, numbers, sizeof(numbers));
    add_text(b, r->constraint);
    add_text(b, r->prefer);
    add_text(b, r->nodelist);
    add_text(b, r->exclude);
    for (size_t i = 0; i < r->lic.n; i++) {
        add_text(b, r->lic.at[i].name);
        buf_add(b, &r->lic.at[i].count, sizeof(r->lic.at[i].count));
        buf_addc(b, r->lic.any ? '|' : ',');
    }
    for (uint32_t i = 0; i < r->ngres; i++) {
        add_text(b, r->gres[i].name);
        add_text(b, r->gres[i].type);
        buf_add(b, &r->gres[i].count, sizeof(r->gres[i].count));
        buf_addc(b, (char)r->gres[i].scope);
    }
    limit_key(s, c, j, p, b);
}

static void shape_judge(struct sched *s, const struct cluster *c, struct shape *sh)
{
    enum why_code was = sh->state == SHAPE_BARRED ? sh->barred : WHY_NONE;
    enum why_code is = need_barred(s, c, &sh->need);
    sh->tier = c->part.at[sh->need.part]->pb->priority_tier;
    sh->barred = is;
    if (is != WHY_NONE)
        sh->state = SHAPE_BARRED;
    else if (sh->state == SHAPE_BARRED)
        sh->state = SHAPE_UNTESTED;
    if (was != is)
        for (size_t i = sh->head; i < sh->rank.n; i++)
            vec_push(&s->fresh, rank_id(sh->rank.at[i]));
}

static struct shape *shape_get(struct sched *s, const struct cluster *c, const struct job *j, const struct part *p,
                               const struct resv_choice *in)
{
    auto_buf struct buf key = BUF_INIT;
    shape_key(s, c, &key, j, p, in);
    uint64_t hash = map_hash_bytes(key.s, key.len);
    struct shape *first = map_get(&s->shape_by_hash, hash);
    for (struct shape *sh = first; sh; sh = sh->chain)
        if (sh->key_len == key.len && !memcmp(sh->key, key.s, key.len))
            return sh;
    struct shape *sh = NEW(struct shape);
    sh->hash = hash;
    sh->key_len = key.len;
    sh->key = buf_take(&key);
    sh->chain = first;
    sh->deadline_s = j->spec->deadline_s;
    sh->het = het_leads(j) ? j->id : 0;
    req_copy(&sh->req, &j->spec->req);
    mem_set_str(&sh->req.reservation, in->resv ? in->resv->pb->name : NULL);
    need_init(&sh->need, s, c, &sh->req, j, p);
    sh->need.drawn = in->drawn;
    s->nears |= sh->need.near;
    map_put(&s->shape_by_hash, hash, sh);
    sh->at = s->shapes.n;
    vec_push(&s->shapes, sh);
    shape_judge(s, c, sh);
    return sh;
}

static void shape_free(struct shape *sh)
{
    need_clear(&sh->need);
    req_clear(&sh->req);
    vec_clear(&sh->rank);
    vec_clear(&sh->hope.at);
    free(sh->key);
    free(sh);
}

static void shape_drop(struct sched *s, struct shape *sh)
{
    struct shape *first = map_get(&s->shape_by_hash, sh->hash);
    if (first == sh) {
        map_del(&s->shape_by_hash, sh->hash);
        if (sh->chain)
            map_put(&s->shape_by_hash, sh->hash, sh->chain);
    } else {
        while (first->chain != sh)
            first = first->chain;
        first->chain = sh->chain;
    }
    s->shapes.at[sh->at] = s->shapes.at[--s->shapes.n];
    s->shapes.at[sh->at]->at = sh->at;
    shape_free(sh);
}

/* Shapes nobody stands in are kept for a while: the next job is often like the last. */
static void shapes_sweep(struct sched *s)
{
    size_t empty = 0;
    for (size_t i = 0; i < s->shapes.n; i++)
        empty += !shape_count(s->shapes.at[i]);
    if (empty < 64 + s->shapes.n / 2)
        return;
    for (size_t i = s->shapes.n; i-- > 0;)
        if (!shape_count(s->shapes.at[i]))
            shape_drop(s, s->shapes.at[i]);
}

/* First place at or after `rank`. */
static size_t rank_find(const struct shape *sh, uint64_t rank)
{
    size_t lo = sh->head, hi = sh->rank.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (sh->rank.at[mid] < rank)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void shape_add(struct shape *sh, uint64_t rank)
{
    sh->fresh = true;
    if (sh->head > 64 && sh->head > sh->rank.n / 2) {
        memmove(sh->rank.at, sh->rank.at + sh->head, shape_count(sh) * sizeof(*sh->rank.at));
        sh->rank.n -= sh->head;
        sh->head = 0;
    }
    if (rank < sh->hope.rank)
        hope_forget(sh); /* fewer places stand before it than before the one that was tested */
    size_t at = rank_find(sh, rank);
    vec_push(&sh->rank, rank);
    memmove(sh->rank.at + at + 1, sh->rank.at + at, (sh->rank.n - 1 - at) * sizeof(*sh->rank.at));
    sh->rank.at[at] = rank;
}

static void shape_remove(struct shape *sh, uint64_t rank)
{
    size_t at = rank_find(sh, rank);
    if (at >= sh->rank.n || sh->rank.at[at] != rank)
        return;
    if (at == sh->head)
        sh->head++;
    else
        vec_remove(&sh->rank, at);
    if (sh->head == sh->rank.n)
        sh->head = sh->rank.n = 0;
}

/* ---- seats ---- */

struct seat *order_seat(const struct sched *s, uint32_t id)
{
    return map_get(&s->seats, id);
}

static enum why_code depend_waits(const struct job *j)
{
    uint32_t open = 0, met = 0, failed = 0;
    for (uint32_t i = 0; i < j->ndepend; i++) {
        open += j->depend[i].state == 0;
        met += j->depend[i].state == 1;
        failed += j->depend[i].state == 2;
    }
    if (j->ndepend && j->depend[0].any)
        return met ? WHY_NONE : open ? WHY_DEPENDENCY : failed ? WHY_DEPEND_NEVER : WHY_NONE;
    return failed ? WHY_DEPEND_NEVER : open ? WHY_DEPENDENCY : WHY_NONE;
}

/* Why it cannot stand in the order yet, whatever the nodes say. */
static enum why_code seat_waits(const struct job *j, int64_t now_s)
{
    if (j->state != JOB_PENDING)
        return WHY_CLEANING;
    if (j->hold)
        return j->reason ? (enum why_code)j->reason : j->hold == HOLD_ADMIN ? WHY_HELD_ADMIN : WHY_HELD_USER;
    enum why_code code = depend_waits(j);
    if (code != WHY_NONE)
        return code;
    return j->eligible_s > now_s ? WHY_BEGIN_TIME : WHY_NONE;
}

static void seat_leave(struct seat *seat)
{
    for (uint32_t i = 0; i < seat->nshapes; i++)
        shape_remove(seat->shape[i], seat->rank);
    if (seat->shape != &seat->one)
        free(seat->shape);
    seat->shape = NULL;
    seat->nshapes = 0;
}

static void seat_free(struct seat *seat)
{
    if (seat->shape != &seat->one)
        free(seat->shape);
    free(seat);
}

/* One more shape for the seat, unless it is there already (a partition may be named twice). */
static void seat_add(const struct cluster *c, struct seat *seat, struct shape *sh)
{
    for (uint32_t i = 0; i < seat->nshapes; i++)
        if (seat->shape[i] == sh)
            return;
    if (seat->nshapes == 1) {
        seat->shape = mem_array(c->part.n * MIN(c->resv.n + 1, (size_t)RESV_CHOICES), sizeof(*seat->shape));
        seat->shape[0] = seat->one;
    }
    seat->shape[seat->nshapes++] = sh;
    shape_add(sh, seat->rank);
}

/* One shape for each reservation of the partition that it may start in, and one for outside. */
static void seat_enter_part(struct sched *s, const struct cluster *c, struct seat *seat, const struct job *j,
                            const struct part *p)
{
    struct resv_choice in[RESV_CHOICES] = { { NULL, false } };
    size_t n = s->nresv || j->spec->req.reservation ? resv_choices(s, c, j, p, in) : 1;
    for (size_t i = 0; i < n; i++)
        seat_add(c, seat, shape_get(s, c, j, p, &in[i]));
}

static void seat_enter(struct sched *s, const struct cluster *c, struct seat *seat, const struct job *j)
{
    seat->shape = &seat->one;
    if (!strchr(j->partition, ',')) {
        const struct part *p = cluster_part(c, j->partition);
        if (p)
            seat_enter_part(s, c, seat, j, p);
    } else {
        const char *pos = j->partition;
        for (char *name; (name = str_next(&pos, ",")); free(name)) {
            const struct part *p = cluster_part(c, name);
            if (p)
                seat_enter_part(s, c, seat, j, p);
        }
    }
    if (!seat->nshapes) /* the partition is gone, or what it asked for */
        seat->waits = j->spec->req.reservation ? WHY_RESERVATION : WHY_PART_DOWN;
}

static void begin_add(struct sched *s, int64_t at_s, uint32_t id)
{
    size_t at = s->begins.n;
    vec_reserve(&s->begins, s->begins.n + 1);
    while (at > 0 && s->begins.at[at - 1].at_s < at_s) {
        s->begins.at[at] = s->begins.at[at - 1];
        at--;
    }
    s->begins.at[at].at_s = at_s;
    s->begins.at[at].id = id;
    s->begins.n++;
}

static void seat_remember(struct seat *seat, const struct job *j)
{
    seat->spec_id = j->spec->blob ? j->spec->blob->id : 0;
    seat->priority = job_priority(j);
    seat->limit_min = j->time_limit_min;
    seat->hold = j->hold;
    seat->ndepend = j->ndepend;
    seat->eligible_s = j->eligible_s;
    seat->mem_mb = j->mem_per_node_mb + j->mem_per_cpu_mb;
}

static bool seat_same(const struct sched *s, const struct seat *seat, const struct job *j)
{
    return j->spec->blob && seat->spec_id == j->spec->blob->id && seat->priority == job_priority(j) &&
           seat->limit_min == j->time_limit_min && seat->hold == j->hold && seat->ndepend == j->ndepend &&
           !j->ndepend && seat->eligible_s == j->eligible_s && seat->mem_mb == j->mem_per_node_mb + j->mem_per_cpu_mb &&
           j->state == JOB_PENDING && seat->nshapes == 1 && !(s->conf.het_prio && het_is(j)) && !j->spec->req.reservation && !s->drawing &&
           str_eq(j->partition, s->part.at[seat->one->need.part]);
}

static void seat_drop(struct sched *s, struct seat *seat)
{
    map_del(&s->seats, seat->id);
    seat_free(seat);
}

static void seat_take(struct sched *s, const struct cluster *c, struct seat *seat, const struct job *j, int64_t now_s)
{
    seat_remember(seat, j);
    seat->rank = policy_rank(s, c, j);
    seat->waits = het_is(j) ? het_waits(c, j, now_s, seat_waits) : seat_waits(j, now_s);
    if (seat->waits == WHY_NONE && (!het_is(j) || het_leads(j)))
        seat_enter(s, c, seat, j); /* a further component of a heterogeneous job comes with the first */
    else if (seat->waits == WHY_BEGIN_TIME)
        begin_add(s, het_is(j) ? het_eligible_s(c, j) : j->eligible_s, j->id);
    seat->switch_until_s = seat->nshapes ? topo_until(s, j) : 0;
    if (seat->switch_until_s)
        begin_add(s, seat->switch_until_s, j->id); /* then any switches will do */
    vec_push(&s->fresh, j->id);
}

/* A seat moves.  Whoever leaves the order without having started makes way for those behind. */
static void seat_move(struct sched *s, const struct cluster *c, uint32_t id, int64_t now_s)
{
    struct seat *seat = order_seat(s, id);
    const struct job *j = cluster_job(c, id);
    const struct shape *was = seat && seat->nshapes ? seat->shape[0] : NULL;
    uint64_t rank = seat ? seat->rank : 0;
    if (seat)
        seat_leave(seat);
    if (!j || !job_pending(j)) {
        places_forget(s, id);
        if (seat)
            seat_drop(s, seat);
        s->freed |= !j || !job_holds_nodes(j);
        return;
    }
    if (!seat) {
        seat = NEW(struct seat);
        seat->id = id;
        map_put(&s->seats, id, seat);
    }
    seat_take(s, c, seat, j, now_s);
    bool moved = was && (!seat->nshapes || seat->shape[0] != was || seat->rank != rank);
    if (moved)
        places_forget(s, id);
    else
        moved = places_prune(s, seat);
    s->freed |= moved;
}

static void seat_note(struct sched *s, const struct cluster *c, uint32_t id, int64_t now_s)
{
    const struct job *j = cluster_job(c, id);
    seat_move(s, c, id, now_s);
    if (j && het_is(j) && !het_leads(j))
        seat_move(s, c, j->het_job, now_s);
}

/* ---- another order of the same jobs ---- */

static int by_rank(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

void order_front(struct sched *s, uint32_t id, uint32_t at)
{
    struct seat *seat = order_seat(s, id);
    if (!seat || !seat->nshapes)
        return;
    places_forget(s, id);
    for (uint32_t i = 0; i < seat->nshapes; i++)
        shape_remove(seat->shape[i], seat->rank);
    seat->rank = (uint64_t)at << 32 | id;
    for (uint32_t i = 0; i < seat->nshapes; i++)
        shape_add(seat->shape[i], seat->rank);
    s->freed = true;
}

/* All at once: one by one each would have to be moved past many others. */
void sched_rank(struct sched *s, const struct cluster *c)
{
    size_t pos = 0;
    places_age(s);
    for (size_t i = 0; i < s->shapes.n; i++)
        s->shapes.at[i]->rank.n = s->shapes.at[i]->head = s->shapes.at[i]->hope.rank = 0;
    for (struct seat *seat; (seat = map_next(&s->seats, &pos, NULL));) {
        const struct job *j = cluster_job(c, seat->id);
        if (j) {
            seat->rank = policy_rank(s, c, j);
            seat->priority = job_priority(j);
        }
        for (uint32_t i = 0; i < seat->nshapes; i++)
            vec_push(&seat->shape[i]->rank, seat->rank);
    }
    for (size_t i = 0; i < s->shapes.n; i++)
        if (s->shapes.at[i]->rank.n)
            qsort(s->shapes.at[i]->rank.at, s->shapes.at[i]->rank.n, sizeof(uint64_t), by_rank);
    places_sort(s);
    s->freed = true;
}

/* ---- in step with the cluster ---- */

static bool parts_changed(const struct sched *s, const struct cluster *c)
{
    if (s->seen != c || s->part.n != c->part.n)
        return true;
    for (size_t i = 0; i < c->part.n; i++)
        if (!str_eq(s->part.at[i], c->part.at[i]->pb->name) || c->part.at[i]->index != i)
            return true;
    return false;
}

void order_clear(struct sched *s)
{
    size_t pos = 0;
    places_cut(s, 0);
    for (struct seat *seat; (seat = map_next(&s->seats, &pos, NULL));)
        seat_free(seat);
    map_clear(&s->seats);
    for (size_t i = 0; i < s->shapes.n; i++)
        shape_free(s->shapes.at[i]);
    vec_clear(&s->shapes);
    map_clear(&s->shape_by_hash);
    for (size_t i = 0; i < s->part.n; i++)
        free(s->part.at[i]);
    vec_clear(&s->part);
    vec_clear(&s->told);
    vec_clear(&s->begins);
    vec_clear(&s->fresh);
}

static void parts_take(struct sched *s, const struct cluster *c)
{
    order_clear(s);
    for (size_t i = 0; i < c->part.n; i++) {
        vec_push(&s->part, mem_str(c->part.at[i]->pb->name));
        vec_push(&s->told, 0);
        vec_push(&s->told, 0);
    }
    s->seen = c;
}

/* Anything may have changed: look at everything, but move only what moved. */
static void sync_all(struct sched *s, const struct cluster *c, int64_t now_s)
{
    if (parts_changed(s, c))
        parts_take(s, c);
    places_age(s);
    share_sync(s, c);
    lanes_sync(s, c);
    runs_sync(s, c);
    s->gives++;
    for (size_t i = 0; i < s->shapes.n; i++) {
        hope_forget(s->shapes.at[i]);
        need_again(&s->shapes.at[i]->need, c);
        pick_need(&s->shapes.at[i]->need, s, c);
        share_need(&s->shapes.at[i]->need, s, c);
        shape_judge(s, c, s->shapes.at[i]);
    }
    VEC(uint32_t) gone = { 0 };
    size_t pos = 0;
    for (struct seat *seat; (seat = map_next(&s->seats, &pos, NULL));) {
        const struct job *j = cluster_job(c, seat->id);
        if (!j || !job_pending(j))
            vec_push(&gone, seat->id);
    }
    for (size_t i = 0; i < gone.n; i++)
        seat_note(s, c, gone.at[i], now_s);
    vec_clear(&gone);
    for (const struct job *j = c->pending.head; j; j = j->next) {
        const struct seat *seat = order_seat(s, j->id);
        if (!seat || !seat_same(s, seat, j))
            seat_note(s, c, j->id, now_s);
    }
    places_sort(s);
    s->freed = true;
}

static void sync_begins(struct sched *s, const struct cluster *c, int64_t now_s)
{
    while (s->begins.n && s->begins.at[s->begins.n - 1].at_s <= now_s) {
        uint32_t id = s->begins.at[--s->begins.n].id;
        const struct seat *seat = order_seat(s, id);
        bool insisted = seat && seat->switch_until_s && seat->switch_until_s <= now_s;
        if (insisted || (seat && seat->waits == WHY_BEGIN_TIME && !seat->nshapes))
            seat_note(s, c, id, now_s);
    }
}

void order_sync(struct sched *s, const struct cluster *c, int64_t now_s)
{
    if (share_news(s, c)) {
        s->by_user = s->all = true;
        s->seen = NULL; /* shapes of different users are different from now on */
    }
    if (s->all || parts_changed(s, c) || s->nlanes != c->nnodes)
        sync_all(s, c, now_s);
    for (size_t i = 0; i < s->noted.n; i++) {
        runs_note(s, c, s->noted.at[i]);
        seat_note(s, c, s->noted.at[i], now_s);
    }
    s->noted.n = 0;
    map_clear(&s->noted_set);
    s->all = false;
    sync_begins(s, c, now_s);
    shapes_sweep(s);
}
