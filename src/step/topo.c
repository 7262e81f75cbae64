/* topo - the CPUs of this node; see topo.h. */
#include "step/topo.h"

#include "base/mem.h"
#include "base/str.h"

void topo_clear(struct topo *t)
{
    free(t->pu);
    *t = (struct topo)TOPO_INIT;
}

/* Parse "2:4:1" into `n` numbers; false: malformed. */
static bool numbers(const char *text, const char *sep, uint64_t min, uint32_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        auto_free char *word = str_next(&text, sep);
        uint64_t v;
        if (!word || !str_u64(word, min, TOPO_MAX, &v))
            return false;
        out[i] = (uint32_t)v;
    }
    return !*text;
}

static bool shape_fits(const uint32_t shape[4])
{
    uint64_t all = 1;
    for (size_t i = 0; i < 4; i++) {
        all *= shape[i];
        if (all > TOPO_MAX)
            return false;
    }
    return true;
}

int topo_parse(const char *text, struct topo *out, struct err *err)
{
    uint32_t shape[4], pu[2];
    const char *pos = text;
    auto_topo struct topo t = TOPO_INIT;
    auto_free char *first = str_next(&pos, " ");
    if (!first || !numbers(first, ":", 1, shape, 4) || !shape_fits(shape))
        return err_set(err, EINVAL, "the topology does not begin with boards, sockets, cores and threads");
    t.boards = shape[0];
    t.sockets = shape[1];
    t.cores = shape[2];
    t.threads = shape[3];
    for (;;) {
        auto_free char *word = str_next(&pos, " ");
        if (!word)
            break;
        if (t.npus >= TOPO_MAX || !numbers(word, ".", 0, pu, 2))
            return err_set(err, EINVAL, "\"%s\" in the topology is no CPU", word);
        if (!(t.npus & (t.npus + 1)))
            t.pu = mem_grow(t.pu, (size_t)2 * t.npus + 2, sizeof(*t.pu));
        t.pu[t.npus++] = (struct topo_pu){ pu[0], pu[1] };
    }
    *out = t;
    t = (struct topo)TOPO_INIT;
    return 0;
}

bool topo_os(const struct topo *t, const struct bitmap *cpus, struct bitmap *os)
{
    bool all = true;
    bitmap_each (cpus, i) {
        if (i < t->npus)
            bitmap_set(os, t->pu[i].os);
        else
            all = false;
    }
    return all;
}

uint32_t topo_domain(const struct topo *t, uint32_t cpu)
{
    return cpu < t->npus ? t->pu[cpu].numa : cpu / MAX(topo_per_socket(t), 1u);
}

void topo_numa_os(const struct topo *t, uint32_t numa, struct bitmap *os)
{
    for (uint32_t i = 0; i < t->npus; i++)
        if (t->pu[i].numa == numa)
            bitmap_set(os, t->pu[i].os);
}

uint32_t topo_numas(const struct topo *t)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->npus; i++)
        n = MAX(n, t->pu[i].numa + 1);
    return n;
}
