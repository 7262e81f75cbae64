/* limits_priv - what the files of limits share among themselves. */
#ifndef SPUR_CORE_LIMITS_PRIV_H
#define SPUR_CORE_LIMITS_PRIV_H

#include "core/limits.h"

struct limit_counted { /* what a job counts for now, and where */
    VEC(struct limit_use *) at;
    uint32_t jobs, submitted, accruing;
    double factor; /* of its QOS: what a second of it counts for */
    struct tres_list tres;
};

enum use_kind { USE_ASSOC, USE_QOS, USE_QOS_USER, USE_QOS_ACCOUNT };

/* The holder as one number: its kind, the number of the association or QOS, the number of the user or account. */
static inline uint64_t use_key(enum use_kind kind, uint32_t id, uint32_t of)
{
    return (uint64_t)kind << 62 | (uint64_t)(id & 0x3fffffffu) << 32 | of;
}

/* The holder that a limit of `q`, or of `a`, speaks of. */
static inline uint64_t holder_key(const struct holders *h, const struct qos *q, const struct assoc *a, uint32_t scope)
{
    if (a)
        return use_key(USE_ASSOC, a->pb->id, 0);
    if (scope == LIMIT_USER)
        return use_key(USE_QOS_USER, q->pb->id, h->uid);
    return scope == LIMIT_ACCOUNT ? use_key(USE_QOS_ACCOUNT, q->pb->id, h->account) : use_key(USE_QOS, q->pb->id, 0);
}

/* What a second of the job counts for, by its own QOS. */
static inline double holders_factor(const struct holders *h)
{
    return h->own ? h->own->pb->usage_factor : 1;
}

/* Minutes of running jobs are counted up to this time, once for all checks. */
void limits_walk(const struct cluster *c, int64_t now_s);
/* QOS flag Relative: the whole that percents are of. */
uint64_t limits_whole(const struct cluster *c, const struct qos *q, const char *tres);
/* Where a TRES stands in limits.minute_tres; SIZE_MAX: nowhere. */
size_t limits_minute(const struct limits *l, const char *tres);

#endif
