/* fairshare_classic - fair share as it was before the fair tree; see fairshare.h. */
#include <math.h>

#include "base/mem.h"
#include "sched/fairshare.h"

struct fair_level { /* sums over the members below one parent */
    double shares, usage;
};

static void usage_add_up(struct fair_member *at, size_t n)
{
    for (size_t i = n; i-- > 0;)
        if (at[i].parent < i)
            at[at[i].parent].usage += at[i].usage;
}

/* Usage of the whole cluster is the sum of the members at the top.  A member with FairShare=parent has no shares of its
 * own. */
static double sum_levels(const struct fair_member *at, size_t n, struct fair_level *levels)
{
    double all = 0;
    for (size_t i = 0; i < n; i++) {
        struct fair_level *l = &levels[at[i].parent < i ? at[i].parent : n];
        l->shares += at[i].as_parent ? 0 : at[i].shares;
        l->usage += at[i].usage;
        all += at[i].parent < i ? 0 : at[i].usage;
    }
    return all;
}

/* How far its own usage moves a member from the ratio of its account: less, the further the account is from its norm;
 * fully where both deviate to the same side. */
static double usage_weight(double above, double own)
{
    double lean = log(above);
    return above <= 0 || own <= 0 || lean * log(own) >= 0 ? 1 : 1 / (1 + 25 * lean * lean);
}

static double oblivious_use(const struct fair_member *m, const struct fair_member *up, const struct fair_level *l,
                            double norm, double all)
{
    if (up->used <= 0 || up->norm_shares <= 0 || m->norm_shares <= 0 || norm <= 0)
        return 0;
    double above = up->used / up->norm_shares, siblings = l->usage / all / up->norm_shares;
    double own = norm / m->norm_shares / siblings;
    return above * pow(own, usage_weight(above, own)) * m->norm_shares;
}

static void compute_member(struct fair_member *at, size_t i, size_t top, const struct fair_level *l, double all,
                           bool oblivious)
{
    struct fair_member *m = &at[i], *up = m->parent < i ? &at[m->parent] : NULL;
    double norm = all > 0 ? m->usage / all : 0, part = l->shares > 0 ? m->shares / l->shares : 0;
    if (up && m->as_parent) {
        m->norm_shares = up->norm_shares;
        m->used = up->used;
        return;
    }
    m->norm_shares = part * (up ? up->norm_shares : 1);
    if (!up || m->parent == top) /* directly below the root account */
        m->used = norm;
    else
        m->used = oblivious ? oblivious_use(m, up, l, norm, all) : norm + (up->used - norm) * part;
}

void fairshare_classic(struct fair_member *at, size_t n, const struct fair_classic *how)
{
    auto_free struct fair_level *levels = mem_array(n + 1, sizeof(*levels));
    size_t tops = 0, top = SIZE_MAX;
    usage_add_up(at, n);
    double all = sum_levels(at, n, levels);
    for (size_t i = 0; i < n; i++)
        if (at[i].parent >= i)
            tops++, top = i;
    top = tops == 1 ? top : SIZE_MAX; /* the account "root" stands for the cluster, it is no level of its own */
    for (size_t i = 0; i < n; i++) {
        compute_member(at, i, top, &levels[at[i].parent < i ? at[i].parent : n], all, how->oblivious);
        at[i].level = 0;
        double ratio = at[i].norm_shares > 0 ? at[i].used / at[i].norm_shares / MAX(how->damping, 1u) : INFINITY;
        at[i].factor = at[i].norm_shares > 0 ? exp2(-ratio) : 0;
    }
}
