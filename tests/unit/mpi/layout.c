/* Types of --mpi, and the placement of ranks in PMI's notation. */
#include "test.h"

#include "mpi/mpi.h"

static void test_types(void)
{
    static const struct {
        const char *name;
        bool known;
        enum mpi_type type;
    } cases[] = {
        { "none", true, MPI_TYPE_NONE },    { "", true, MPI_TYPE_NONE },        { "PMI2", true, MPI_TYPE_PMI2 },
        { "pmix", true, MPI_TYPE_PMIX },    { "pmix_v4", true, MPI_TYPE_PMIX }, { "pmix_v44", false, 0 },
        { "openmpi", false, 0 },            { "pmi1", false, 0 },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        enum mpi_type type = MPI_TYPE_NONE;
        ok(mpi_type_parse(cases[i].name, &type) == cases[i].known && type == cases[i].type, "--mpi=%s", cases[i].name);
    }
    ok(mpi_type_here("pmi2") && !mpi_type_here("pmix_v1"), "a version that was not built is not here");
}

static void test_mapping(void)
{
    static const struct {
        const char *what, *want;
        uint32_t tasks[4], n;
        uint32_t ranks[4][4];
        bool listed;
    } cases[] = {
        { "blocks", "(vector,(0,4,2))", { 2, 2, 2, 2 }, 4 },
        { "an uneven end", "(vector,(0,1,3),(1,1,1))", { 3, 1 }, 2 },
        { "round robin", "(vector,(0,2,1),(0,2,1))", { 2, 2 }, 2, { { 0, 2 }, { 1, 3 } }, true },
        { "backwards", "(vector,(1,1,2),(0,1,2))", { 2, 2 }, 2, { { 2, 3 }, { 0, 1 } }, true },
        { "one task", "(vector,(0,1,1))", { 1 }, 1 },
        { "none", "(vector)", { 0 }, 0 },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        Pb__LaunchOrder o = PB__LAUNCH_ORDER__INIT;
        Pb__Ranks ranks[4], *list[4];
        for (uint32_t k = 0; k < 4; k++) {
            pb__ranks__init(&ranks[k]);
            ranks[k].rank = (uint32_t *)cases[i].ranks[k];
            ranks[k].n_rank = cases[i].tasks[k];
            list[k] = &ranks[k];
        }
        o.step_tasks = (uint32_t *)cases[i].tasks;
        o.n_step_tasks = cases[i].n;
        o.step_ranks = list;
        o.n_step_ranks = cases[i].listed ? cases[i].n : 0;
        auto_free char *got = mpi_mapping(&o);
        is_str(got, cases[i].want, "mapping: %s", cases[i].what);
    }
}

int main(void)
{
    test_types();
    test_mapping();
    return test_done();
}
