/* resv - which jobs may use a reservation, and its times; see resv.h. */
#include "core/resv.h"

#include <time.h>

#include "base/mem.h"
#include "base/str.h"
#include "core/pbutil.h"

#define TURNS_MAX 800 /* of one that repeats, looked at when two are compared: two years of days */

struct resv *resv_new(const Pb__Resv *pb, size_t nnodes)
{
    struct resv *r = NEW(struct resv);
    r->pb = PB_DUP(Pb__Resv, pb);
    r->whole = true;
    for (size_t i = 0; i < pb->n_node; i++) {
        const Pb__ResvNode *n = pb->node[i];
        if (n->node < nnodes)
            bitmap_set(&r->nodes, n->node);
        r->whole &= !n->cpus && !n->n_gres;
    }
    return r;
}

void resv_free(struct resv *r)
{
    if (!r)
        return;
    pb__resv__free_unpacked(r->pb, NULL);
    bitmap_clear(&r->nodes);
    free(r);
}

/* ---- access ---- */

static bool in_list(const char *list, const char *word)
{
    const char *pos = list;
    bool found = false;
    for (char *name; !found && (name = str_next(&pos, ",")); free(name))
        found = str_eq(name + (*name == '-'), word ? word : "");
    return found;
}

static bool list_admits(const char *list, const char *word)
{
    return str_empty(list) || in_list(list, word) != resv_list_denies(list);
}

static bool uid_admits(const Pb__Resv *r, uint32_t uid)
{
    if (str_empty(r->users) && str_empty(r->groups))
        return true;
    bool named = false;
    for (size_t i = 0; i < r->n_uid && !named; i++)
        named = r->uid[i] == uid;
    return named != resv_list_denies(r->users);
}

bool resv_admits_user(const struct resv *r, uint32_t uid, const char *account)
{
    return !uid || (uid_admits(r->pb, uid) && list_admits(r->pb->accounts, account));
}

bool resv_admits(const struct resv *r, const struct resv_user *w)
{
    return !w->uid || (resv_admits_user(r, w->uid, w->account) && list_admits(r->pb->qos, w->qos) &&
                       list_admits(r->pb->partitions, w->partition));
}

/* ---- when ---- */

static int64_t days_later(int64_t start_s, int days)
{
    time_t at = (time_t)start_s;
    struct tm tm;
    localtime_r(&at, &tm);
    tm.tm_mday += days;
    tm.tm_isdst = -1;
    return (int64_t)mktime(&tm);
}

static int resv_weekday(int64_t at_s)
{
    time_t at = (time_t)at_s;
    struct tm tm;
    localtime_r(&at, &tm);
    return tm.tm_wday;
}

int64_t resv_next(uint64_t flags, int64_t start_s)
{
    if (flags & RESV_HOURLY)
        return start_s + 3600;
    if (flags & RESV_DAILY)
        return days_later(start_s, 1);
    if (flags & RESV_WEEKLY)
        return days_later(start_s, 7);
    int today = resv_weekday(start_s);
    if (flags & RESV_WEEKDAY) /* past Friday comes Monday */
        return days_later(start_s, today == 5 ? 3 : today == 6 ? 2 : 1);
    if (flags & RESV_WEEKEND)
        return days_later(start_s, today == 6 ? 1 : 6 - today);
    return 0;
}

void resv_span(const Pb__Resv *r, int64_t now_s, int64_t *from_s, int64_t *to_s)
{
    *from_s = r->start_s;
    *to_s = r->end_s;
    if (!(r->flags & RESV_TIME_FLOAT))
        return;
    *from_s = now_s + r->float_s;
    *to_s = *from_s + (r->end_s - r->start_s);
}

bool resv_hits(const Pb__Resv *r, int64_t now_s, int64_t from_s, int64_t to_s, int64_t hit_s[static 2])
{
    int64_t start, end;
    resv_span(r, now_s, &start, &end);
    for (int i = 0; start && start < to_s && i < TURNS_MAX; i++) {
        int64_t length = end - start;
        if (end > from_s) {
            hit_s[0] = start;
            hit_s[1] = end;
            return true;
        }
        start = resv_next(r->flags, start);
        end = start + length;
    }
    return false;
}

/* The two streams of turns, side by side: whichever ends first moves on. */
bool resv_meet(const Pb__Resv *a, const Pb__Resv *b, int64_t now_s)
{
    int64_t from[2], to[2];
    const uint64_t flags[2] = { a->flags, b->flags };
    resv_span(a, now_s, &from[0], &to[0]);
    resv_span(b, now_s, &from[1], &to[1]);
    for (int i = 0; i < TURNS_MAX; i++) {
        if (from[0] < to[1] && from[1] < to[0])
            return true;
        int k = to[0] <= to[1] ? 0 : 1;
        int64_t length = to[k] - from[k];
        from[k] = resv_next(flags[k], from[k]);
        if (!from[k])
            return false;
        to[k] = from[k] + length;
    }
    return false;
}
