/* mpi - types of --mpi, and the placement of ranks on nodes; see mpi.h. */
#include "mpi/mpi.h"

#include <string.h>

#include "base/str.h"

bool mpi_type_parse(const char *name, enum mpi_type *out)
{
    if (str_empty(name) || str_ieq(name, "none"))
        *out = MPI_TYPE_NONE;
    else if (str_ieq(name, "pmi2"))
        *out = MPI_TYPE_PMI2;
    else if (str_ieq(name, "pmix") || (str_has_iprefix(name, "pmix_v") && strlen(name) == 7))
        *out = MPI_TYPE_PMIX;
    else
        return false;
    return true;
}

#ifndef SPUR_PMIX
#define SPUR_PMIX ""
#endif

bool mpi_type_here(const char *name)
{
    enum mpi_type type;
    if (!mpi_type_parse(name, &type))
        return false;
    return type != MPI_TYPE_PMIX || (SPUR_PMIX[0] && (str_ieq(name, "pmix") || str_ieq(name, SPUR_PMIX)));
}

void mpi_list(struct buf *out)
{
    buf_adds(out, "MPI plugin types are...\n\tnone\n\tpmi2\n");
    if (SPUR_PMIX[0])
        buf_adds(out, "\tpmix\nspecific pmix plugin versions available: " SPUR_PMIX "\n");
}

/* ---- ranks and nodes ---- */

const uint32_t *mpi_ranks(const Pb__LaunchOrder *o, uint32_t index, struct buf *room)
{
    uint32_t first = 0, n = index < o->n_step_tasks ? o->step_tasks[index] : 0;
    if (index < o->n_step_ranks && o->step_ranks[index]->n_rank == n)
        return o->step_ranks[index]->rank;
    for (uint32_t i = 0; i < index && i < o->n_step_tasks; i++)
        first += o->step_tasks[i];
    buf_reset(room);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t rank = first + i;
        buf_add(room, &rank, sizeof(rank));
    }
    return (const uint32_t *)(void *)room->s;
}

uint32_t mpi_size(const Pb__LaunchOrder *o)
{
    uint32_t n = 0;
    for (size_t i = 0; i < o->n_step_tasks; i++)
        n += o->step_tasks[i];
    return n;
}

struct block {
    uint32_t node, nodes, tasks; /* `tasks` consecutive ranks on each of `nodes` nodes, starting at `node` */
};

static uint32_t *node_of_rank(const Pb__LaunchOrder *o, uint32_t size)
{
    uint32_t *node = mem_array(size + 1u, sizeof(*node));
    auto_buf struct buf room = BUF_INIT;
    for (uint32_t i = 0; i < o->n_step_tasks; i++) {
        const uint32_t *ranks = mpi_ranks(o, i, &room);
        for (uint32_t k = 0; k < o->step_tasks[i]; k++)
            if (ranks[k] < size)
                node[ranks[k]] = i;
    }
    return node;
}

static void add_block(struct buf *out, const struct block *b)
{
    if (b->nodes)
        buf_addf(out, ",(%u,%u,%u)", b->node, b->nodes, b->tasks);
}

char *mpi_mapping(const Pb__LaunchOrder *o)
{
    auto_buf struct buf out = BUF_INIT;
    uint32_t size = mpi_size(o);
    auto_free uint32_t *node = node_of_rank(o, size);
    struct block b = { 0 };
    buf_adds(&out, "(vector");
    for (uint32_t i = 0, same; i < size; i += same) {
        for (same = 1; i + same < size && node[i + same] == node[i];)
            same++;
        if (b.nodes && node[i] == b.node + b.nodes && same == b.tasks) {
            b.nodes++;
            continue;
        }
        add_block(&out, &b);
        b = (struct block){ node[i], 1, same };
    }
    add_block(&out, &b);
    buf_addc(&out, ')');
    return buf_take(&out);
}

const struct mpi_variable mpi_launchers[] = {
    { "HYDRA_BOOTSTRAP", "slurm", "HYDRA_BOOTSTRAP" },
    { "HYDRA_LAUNCHER_EXTRA_ARGS", "--external-launcher", "HYDRA_BOOTSTRAP" },
    { "I_MPI_HYDRA_BOOTSTRAP", "slurm", "I_MPI_HYDRA_BOOTSTRAP" },
    { "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", "--external-launcher", "I_MPI_HYDRA_BOOTSTRAP" },
    { "OMPI_MCA_plm_slurm_args", "--external-launcher", "" },
    { "PRTE_MCA_plm_slurm_args", "--external-launcher", "" },
    { NULL, NULL, NULL },
};

bool mpi_launcher_wanted(const char *way_value)
{
    return !way_value || str_eq(way_value, "slurm");
}

bool mpi_join(struct buf *whole, const Pb__Mpi *m)
{
    buf_add(whole, m->data.data, m->data.len);
    return !m->more;
}
