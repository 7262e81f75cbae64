/*
 * resv - a reservation as a plain value: nodes, parts of nodes or licences, for some users for a time.
 *
 * Its times and its nodes are decided before they get here: what is applied is a whole record.  Times of
 * those that repeat are local times, so the day after is not always 86,400 seconds later.
 */
#ifndef SPUR_CORE_RESV_H
#define SPUR_CORE_RESV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bitmap.h"
#include "base/buf.h"
#include "base/err.h"
#include "record.pb-c.h"

/* The names are those of scontrol, in the order it shows them. */
/* clang-format off */
#define RESV_FLAGS(X) \
    X(RESV_MAINT,         "MAINT") \
    X(RESV_FLEX,          "FLEX") \
    X(RESV_OVERLAP,       "OVERLAP") \
    X(RESV_IGNORE_JOBS,   "IGNORE_JOBS") \
    X(RESV_HOURLY,        "HOURLY") \
    X(RESV_DAILY,         "DAILY") \
    X(RESV_WEEKDAY,       "WEEKDAY") \
    X(RESV_WEEKEND,       "WEEKEND") \
    X(RESV_WEEKLY,        "WEEKLY") \
    X(RESV_SPEC_NODES,    "SPEC_NODES") \
    X(RESV_ALL_NODES,     "ALL_NODES") \
    X(RESV_ANY_NODES,     "ANY_NODES") \
    X(RESV_STATIC,        "STATIC") \
    X(RESV_PART_NODES,    "PART_NODES") \
    X(RESV_TIME_FLOAT,    "TIME_FLOAT") \
    X(RESV_REPLACE,       "REPLACE") \
    X(RESV_REPLACE_DOWN,  "REPLACE_DOWN") \
    X(RESV_PURGE_COMP,    "PURGE_COMP") \
    X(RESV_NO_HOLD,       "NO_HOLD_JOBS_AFTER_END") \
    X(RESV_MAGNETIC,      "MAGNETIC") \
    X(RESV_USER_DELETE,   "USER_DELETE") \
    X(RESV_FORCE_START,   "FORCE_START")
/* clang-format on */

enum resv_flag { /* the values are the proto's */
#define X(flag, name) flag = PB__RESV_FLAG__##flag,
    RESV_FLAGS(X)
#undef X
};
#define RESV_REPEATS (RESV_HOURLY | RESV_DAILY | RESV_WEEKDAY | RESV_WEEKEND | RESV_WEEKLY)

#define RESV_PURGE_S 300      /* PURGE_COMP without a time */
#define RESV_ENDLESS_S (365 * 86400LL) /* what UNLIMITED comes to */

struct resv {
    Pb__Resv *pb; /* owned; pb->id is the key */
    struct bitmap nodes;
    bool whole; /* whole nodes, not cores or devices of them */
};

struct resv_user { /* the job or user that asks for it */
    uint32_t uid;
    const char *account, *qos, *partition; /* NULL or "": none */
};

static inline bool resv_has(const struct resv *r, uint64_t flag)
{
    return (r->pb->flags & flag) != 0;
}

/* May these use it?  Root may use any. */
bool resv_admits(const struct resv *r, const struct resv_user *user);
/* The same without QOS and partition: users that may delete it with USER_DELETE. */
bool resv_admits_user(const struct resv *r, uint32_t uid, const char *account);

/* The beginning of the turn after the one that begins at `start_s`; 0 when it does not repeat. */
int64_t resv_next(uint64_t flags, int64_t start_s);
/* From when to when, seen at `now_s`: TIME_FLOAT moves with it. */
void resv_span(const Pb__Resv *r, int64_t now_s, int64_t *from_s, int64_t *to_s);
/* Does it, in any of its turns, touch [from_s, to_s)?  `hit_s` (NULL is welcome): when that turn begins, and ends. */
bool resv_hits(const Pb__Resv *r, int64_t now_s, int64_t from_s, int64_t to_s, int64_t hit_s[static 2]);
/* Do the two ever touch? */
bool resv_meet(const Pb__Resv *a, const Pb__Resv *b, int64_t now_s);

/* ---- text ---- */
/* Flags by name ("MAINT,flex,PURGE_COMP=10:00"); `purge_s` stays when no time is told.  Those that Spur does not know
 * or that only it sets are refused by name. */
int resv_flags_parse(const char *text, uint64_t *flags, uint32_t *purge_s, struct err *err);
void resv_flags_text(uint64_t flags, uint32_t purge_s, struct buf *out); /* "" when there are none */

enum resv_op { RESV_SET, RESV_ADD, RESV_REMOVE }; /* =, +=, -= */
/* A list of names ("a,b", "-a,-b", "+a,-b") worked into `old`.  Yours; NULL when names that may and names that may not
 * would stand in one list (`err` says so). */
char *resv_list_change(const char *old, const char *text, enum resv_op op, struct err *err);
/* Does the list name what is excluded? */
static inline bool resv_list_denies(const char *list)
{
    return list && *list == '-';
}

struct resv *resv_new(const Pb__Resv *pb, size_t nnodes); /* a copy; the numbers of its nodes are below nnodes */
void resv_free(struct resv *r);

#endif
