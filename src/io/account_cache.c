/* account_cache - users, groups and host names, looked up in a worker thread; see account_cache.h. */
#include "io/account_cache.h"

#include <errno.h>
#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <string.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"

#define TEXT_ROOM (64u << 10) /* an account's or a group's texts at first; doubled while they do not fit */
#define TEXT_MAX (16u << 20)
#define GROUPS_MAX 65536
#define SWEEP_LEAST 4096u

enum kind { USER, NAME, UID, GROUP, HOST };

struct entry {
    enum kind kind;
    char *key; /* UID, GROUP, HOST: "kind:name" */
    uint32_t uid, gid; /* asked for: USER; NAME without a group */
    char *name;        /* asked for: UID, GROUP, HOST */
    bool pending;      /* in the queue, or being looked up */
    bool known, found; /* an answer is there; it is a positive one */
    int64_t answered_ms;
    struct account_user user;
    struct account_group group;
    char address[64];
};

struct account_cache {
    struct accounts accounts; /* first */
    uv_loop_t *loop;
    account_cache_done_fn *done;
    void *arg;
    struct map names;   /* uid -> struct entry: asked for with every submission */
    struct map users;   /* uid << 32 | gid -> struct entry */
    struct smap others; /* key -> struct entry */
    VEC(struct entry *) queue; /* the first one is being looked up, if `working` */
    uint64_t begun, ended;
    int64_t busy_ms, idle_ms; /* since when lookups are under way; since when there is none */
    size_t sweep_at;          /* so many entries, and the old ones are dropped */
    uv_work_t work;
    struct entry *answer; /* made by the worker, for the first of the queue */
    bool working, closing;
};

/* ---- entries ---- */

static void user_clear(struct account_user *u)
{
    free(u->name);
    free(u->home);
    free(u->shell);
    free(u->group);
    free(u->gids);
    for (size_t i = 0; i < u->ngroups; i++)
        free(u->groups[i]);
    free(u->groups);
    *u = (struct account_user){ 0 };
}

static void answer_clear(struct entry *e)
{
    user_clear(&e->user);
    free(e->group.members);
    e->group = (struct account_group){ 0 };
}

static void entry_free(struct entry *e)
{
    if (!e)
        return;
    answer_clear(e);
    free(e->key);
    free(e->name);
    free(e);
}

/* ---- in the worker: the only place that asks the name services ---- */

/* Call one of the *_r functions with room enough. */
#define LOOK_UP(room, call)                                                                                            \
    do {                                                                                                               \
        (room)->len = 0;                                                                                               \
        for (size_t size_ = TEXT_ROOM; buf_room((room), size_), (call) == ERANGE && size_ < TEXT_MAX; size_ *= 2)      \
            ;                                                                                                          \
    } while (0)

static bool passwd_of(uint32_t uid, struct passwd *pw, struct buf *room)
{
    struct passwd *found = NULL;
    LOOK_UP(room, getpwuid_r(uid, pw, room->s, room->cap, &found));
    return found != NULL;
}

static bool passwd_named(const char *name, struct passwd *pw, struct buf *room)
{
    struct passwd *found = NULL;
    uint64_t uid;
    LOOK_UP(room, getpwnam_r(name, pw, room->s, room->cap, &found));
    return found || (str_u64(name, 0, UINT32_MAX - 1, &uid) && passwd_of((uint32_t)uid, pw, room));
}

static char *group_name(uint32_t gid, struct buf *room)
{
    struct group g, *found = NULL;
    LOOK_UP(room, getgrgid_r(gid, &g, room->s, room->cap, &found));
    return mem_str(found ? g.gr_name : "");
}

static void look_up_groups(struct account_user *u, struct buf *room)
{
    int n = 64;
    gid_t *list = mem_array((size_t)n, sizeof(*list));
    while (getgrouplist(u->name, u->gid, list, &n) < 0 && n < GROUPS_MAX)
        list = mem_grow(list, (size_t)n, sizeof(*list));
    u->gids = list;
    u->ngroups = (size_t)n;
    u->groups = mem_array(u->ngroups + 1, sizeof(*u->groups));
    for (size_t i = 0; i < u->ngroups; i++)
        u->groups[i] = group_name(list[i], room);
}

static void look_up_user(struct entry *e)
{
    auto_buf struct buf room = BUF_INIT;
    struct passwd pw;
    struct account_user *u = &e->user;
    e->found = passwd_of(e->uid, &pw, &room);
    u->uid = e->uid;
    u->gid = e->gid;
    u->name = mem_str(e->found ? pw.pw_name : "");
    u->home = mem_str(e->found ? pw.pw_dir : "");
    u->shell = mem_str(e->found ? pw.pw_shell : "");
    u->group = group_name(e->gid, &room);
    if (e->found)
        look_up_groups(u, &room);
}

static void look_up_name(struct entry *e)
{
    auto_buf struct buf room = BUF_INIT;
    struct passwd pw;
    e->found = passwd_of(e->uid, &pw, &room);
    e->user.name = mem_str(e->found ? pw.pw_name : "");
}

static void look_up_uid(struct entry *e)
{
    auto_buf struct buf room = BUF_INIT;
    struct passwd pw;
    e->found = passwd_named(e->name, &pw, &room);
    e->uid = e->found ? pw.pw_uid : 0;
}

static void add_member(struct account_group *g, uint32_t uid)
{
    for (size_t i = 0; i < g->nmembers; i++)
        if (g->members[i] == uid)
            return;
    g->members = mem_grow(g->members, g->nmembers + 1, sizeof(*g->members));
    g->members[g->nmembers++] = uid;
}

static void look_up_group(struct entry *e)
{
    auto_buf struct buf room = BUF_INIT, more = BUF_INIT;
    struct group g, *found = NULL;
    struct passwd pw, *next = NULL;
    LOOK_UP(&room, getgrnam_r(e->name, &g, room.s, room.cap, &found));
    e->found = found;
    if (!found)
        return;
    e->group.gid = g.gr_gid;
    for (char **m = g.gr_mem; *m; m++)
        if (passwd_named(*m, &pw, &more))
            add_member(&e->group, pw.pw_uid);
    buf_room(&more, TEXT_ROOM);
    setpwent();
    while (!getpwent_r(&pw, more.s, more.cap, &next) && next)
        if (pw.pw_gid == g.gr_gid)
            add_member(&e->group, pw.pw_uid);
    endpwent();
}

static void look_up_host(struct entry *e)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list;
    if (getaddrinfo(e->name, NULL, &hints, &list))
        return;
    e->found = !getnameinfo(list->ai_addr, list->ai_addrlen, e->address, sizeof(e->address), NULL, 0, NI_NUMERICHOST);
    freeaddrinfo(list);
}

static void on_work(uv_work_t *w)
{
    struct account_cache *c = w->data;
    switch (c->answer->kind) {
    case USER: look_up_user(c->answer); break;
    case NAME: look_up_name(c->answer); break;
    case UID: look_up_uid(c->answer); break;
    case GROUP: look_up_group(c->answer); break;
    case HOST: look_up_host(c->answer); break;
    }
}

/* ---- the queue ---- */

static void start_next(struct account_cache *c);

static void cache_destroy(struct account_cache *c)
{
    size_t pos = 0;
    for (struct entry *e; (e = map_next(&c->names, &pos, NULL));)
        entry_free(e);
    pos = 0;
    for (struct entry *e; (e = map_next(&c->users, &pos, NULL));)
        entry_free(e);
    pos = 0;
    for (struct entry *e; (e = smap_next(&c->others, &pos, NULL));)
        entry_free(e);
    map_clear(&c->names);
    map_clear(&c->users);
    smap_clear(&c->others);
    vec_clear(&c->queue);
    free(c);
}

static void take_answer(struct entry *e, struct entry *answer)
{
    answer_clear(e);
    e->user = answer->user;
    e->group = answer->group;
    if (e->kind == UID)
        e->uid = answer->uid;
    memcpy(e->address, answer->address, sizeof(e->address));
    e->found = answer->found;
    e->known = true;
    e->pending = false;
    e->answered_ms = clock_mono_ms();
    free(answer->name);
    free(answer);
}

static void on_looked_up(uv_work_t *w, int status)
{
    struct account_cache *c = w->data;
    (void)status; /* never cancelled */
    c->working = false;
    take_answer(c->queue.at[0], take(c->answer));
    vec_remove(&c->queue, 0);
    c->ended++;
    if (!c->queue.n)
        c->idle_ms = clock_mono_ms();
    if (c->closing) {
        cache_destroy(c);
        return;
    }
    start_next(c);
    c->done(c->arg, c->ended);
}

static void start_next(struct account_cache *c)
{
    if (c->working || !c->queue.n)
        return;
    const struct entry *e = c->queue.at[0];
    c->answer = NEW(struct entry);
    *c->answer = (struct entry){ .kind = e->kind, .uid = e->uid, .gid = e->gid, .name = mem_str(e->name) };
    c->work.data = c;
    c->working = !uv_queue_work(c->loop, &c->work, on_work, on_looked_up);
}

/* ---- questions ---- */

/* An answer is fresh for a minute.  It does not age while further lookups run: a request that needs a thousand of them
 * finds them all in the end. */
static bool fresh(const struct account_cache *c, const struct entry *e, int64_t now_ms)
{
    int64_t since_ms = e->answered_ms;
    if (e->answered_ms >= c->busy_ms)
        since_ms = MIN(c->queue.n ? now_ms : c->idle_ms, e->answered_ms + 10 * ACCOUNT_CACHE_MS);
    return e->known && now_ms < MAX(since_ms, e->answered_ms) + ACCOUNT_CACHE_MS;
}

static uint64_t user_key(uint32_t uid, uint32_t gid)
{
    return (uint64_t)uid << 32 | gid;
}

static size_t count_entries(const struct account_cache *c)
{
    return c->names.n + c->users.n + c->others.n;
}

static void sweep(struct account_cache *c, int64_t now_ms)
{
    VEC(struct entry *) old = { 0 };
    size_t pos = 0;
    if (count_entries(c) < c->sweep_at)
        return;
    for (struct entry *e; (e = map_next(&c->names, &pos, NULL));)
        if (!e->pending && !fresh(c, e, now_ms))
            vec_push(&old, e);
    pos = 0;
    for (struct entry *e; (e = map_next(&c->users, &pos, NULL));)
        if (!e->pending && !fresh(c, e, now_ms))
            vec_push(&old, e);
    pos = 0;
    for (struct entry *e; (e = smap_next(&c->others, &pos, NULL));)
        if (!e->pending && !fresh(c, e, now_ms))
            vec_push(&old, e);
    for (size_t i = 0; i < old.n; i++) {
        struct entry *e = old.at[i];
        if (e->kind == NAME)
            map_del(&c->names, e->uid);
        else if (e->kind == USER)
            map_del(&c->users, user_key(e->uid, e->gid));
        else
            smap_del(&c->others, e->key);
        entry_free(e);
    }
    vec_clear(&old);
    c->sweep_at = MAX(2 * count_entries(c), SWEEP_LEAST);
}

static void begin(struct account_cache *c, struct entry *e, int64_t now_ms)
{
    if (!c->queue.n)
        c->busy_ms = now_ms;
    e->pending = true;
    vec_push(&c->queue, e);
    c->begun++;
    start_next(c);
}

/* The entry, if its answer is there and fresh; NULL: it is being looked up. */
static const struct entry *answer_of(struct account_cache *c, struct entry *e, int64_t now_ms)
{
    if (fresh(c, e, now_ms))
        return e;
    if (!e->pending)
        begin(c, e, now_ms);
    return NULL;
}

static const struct entry *find_user(struct account_cache *c, enum kind kind, uint32_t uid, uint32_t gid)
{
    int64_t now_ms = clock_mono_ms();
    struct map *m = kind == NAME ? &c->names : &c->users;
    uint64_t key = kind == NAME ? uid : user_key(uid, gid);
    struct entry *e = map_get(m, key);
    if (!e) {
        sweep(c, now_ms);
        e = NEW(struct entry);
        *e = (struct entry){ .kind = kind, .uid = uid, .gid = gid };
        map_put(m, key, e);
    }
    return answer_of(c, e, now_ms);
}

static const struct entry *find_named(struct account_cache *c, enum kind kind, const char *name)
{
    int64_t now_ms = clock_mono_ms();
    auto_free char *key = mem_printf("%d:%s", kind, name);
    struct entry *e = smap_get(&c->others, key);
    if (!e) {
        sweep(c, now_ms);
        e = NEW(struct entry);
        *e = (struct entry){ .kind = kind, .key = take(key), .name = mem_str(name) };
        smap_put(&c->others, e->key, e);
    }
    return answer_of(c, e, now_ms);
}

static int ask_user(struct accounts *a, uint32_t uid, uint32_t gid, const struct account_user **out)
{
    const struct entry *e = find_user((struct account_cache *)a, USER, uid, gid);
    *out = e ? &e->user : NULL;
    return !e ? EAGAIN : e->found ? 0 : ENOENT;
}

static int ask_name(struct accounts *a, uint32_t uid, const char **out)
{
    const struct entry *e = find_user((struct account_cache *)a, NAME, uid, 0);
    *out = e ? e->user.name : NULL;
    return !e ? EAGAIN : e->found ? 0 : ENOENT;
}

static int ask_uid(struct accounts *a, const char *name, uint32_t *uid)
{
    const struct entry *e = find_named((struct account_cache *)a, UID, name);
    if (e && e->found)
        *uid = e->uid;
    return !e ? EAGAIN : e->found ? 0 : ENOENT;
}

static int ask_group(struct accounts *a, const char *name, const struct account_group **out)
{
    const struct entry *e = find_named((struct account_cache *)a, GROUP, name);
    *out = e ? &e->group : NULL;
    return !e ? EAGAIN : e->found ? 0 : ENOENT;
}

int account_cache_host(struct account_cache *c, const char *host, const char **address)
{
    const struct entry *e = find_named(c, HOST, host);
    *address = e ? e->address : "";
    return !e ? EAGAIN : e->found ? 0 : ENOENT;
}

struct account_cache *account_cache_new(uv_loop_t *loop, account_cache_done_fn *done, void *arg)
{
    struct account_cache *c = NEW(struct account_cache);
    c->accounts = (struct accounts){ ask_user, ask_uid, ask_group, ask_name };
    c->loop = loop;
    c->sweep_at = SWEEP_LEAST;
    c->done = done;
    c->arg = arg;
    return c;
}

void account_cache_free(struct account_cache *c)
{
    if (!c)
        return;
    c->closing = true;
    if (!c->working)
        cache_destroy(c);
}

struct accounts *account_cache_accounts(struct account_cache *c)
{
    return &c->accounts;
}

uint64_t account_cache_begun(const struct account_cache *c)
{
    return c->begun;
}
