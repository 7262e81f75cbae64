/* pmix_space - the description of a step for libpmix: one namespace, its nodes, its ranks; see pmix_priv.h. */
#include <string.h>
#include <sys/stat.h>

#include "base/vec.h"
#include "mpi/pmix_priv.h"

typedef VEC(pmix_info_t) infos;

/* Append an empty element: the library's loaders need one, and some are macros that evaluate their argument
 * repeatedly. */
static pmix_info_t *next_info(infos *v)
{
    vec_reserve(v, v->n + 1);
    memset(&v->at[v->n], 0, sizeof(v->at[0]));
    return &v->at[v->n++];
}

static void add_text(infos *v, const char *key, const char *text)
{
    pmix_info_t *at = next_info(v);
    PMIX_INFO_LOAD(at, key, text, PMIX_STRING);
}

static void add_u32(infos *v, const char *key, uint32_t n)
{
    pmix_info_t *at = next_info(v);
    PMIX_INFO_LOAD(at, key, &n, PMIX_UINT32);
}

static void add_u16(infos *v, const char *key, uint32_t n)
{
    uint16_t small = (uint16_t)n;
    pmix_info_t *at = next_info(v);
    PMIX_INFO_LOAD(at, key, &small, PMIX_UINT16);
}

static void add_rank(infos *v, const char *key, pmix_rank_t n)
{
    pmix_info_t *at = next_info(v);
    PMIX_INFO_LOAD(at, key, &n, PMIX_PROC_RANK);
}

static void add_true(infos *v, const char *key)
{
    bool yes = true;
    pmix_info_t *at = next_info(v);
    PMIX_INFO_LOAD(at, key, &yes, PMIX_BOOL);
}

static void infos_clear(infos *v)
{
    for (size_t i = 0; i < v->n; i++)
        PMIX_INFO_DESTRUCT(&v->at[i]);
    vec_clear(v);
}

/* ---- the whole ---- */

static void add_list(struct buf *out, const Pb__Ranks *r)
{
    for (size_t i = 0; i < r->n_rank; i++)
        buf_addf(out, "%s%u", i ? "," : "", r->rank[i]);
}

/* Node names, and the ranks on each node, in the library's compressed notation. */
static int add_maps(const struct pmix_step *p, infos *v, struct err *err)
{
    auto_buf struct buf names = BUF_INIT, ranks = BUF_INIT;
    auto_free char *node_map = NULL, *rank_map = NULL;
    for (size_t i = 0; i < p->setup->n_node_names; i++) {
        buf_addf(&names, "%s%s", i ? "," : "", p->setup->node_names[i]);
        if (i)
            buf_addc(&ranks, ';');
        add_list(&ranks, p->setup->ranks[i]);
    }
    if (PMIx_generate_regex(names.s, &node_map) || PMIx_generate_ppn(ranks.s, &rank_map))
        return err_set(err, EINVAL, "PMIx cannot describe nodes %.100s with ranks %.100s", names.s, ranks.s);
    pmix_info_t *at = next_info(v);
    PMIX_INFO_LOAD(at, PMIX_NODE_MAP, node_map, PMIX_REGEX);
    at = next_info(v);
    PMIX_INFO_LOAD(at, PMIX_PROC_MAP, rank_map, PMIX_REGEX);
    return 0;
}

static void add_here(const struct pmix_step *p, infos *v)
{
    const Pb__Ranks *mine = p->setup->ranks[p->setup->node_index];
    auto_buf struct buf peers = BUF_INIT;
    uint32_t first = UINT32_MAX;
    add_list(&peers, mine);
    for (size_t i = 0; i < mine->n_rank; i++)
        first = MIN(first, mine->rank[i]);
    add_text(v, PMIX_LOCAL_PEERS, peers.s);
    add_u32(v, PMIX_LOCAL_SIZE, (uint32_t)mine->n_rank);
    add_u32(v, PMIX_NODE_SIZE, (uint32_t)mine->n_rank);
    add_rank(v, PMIX_LOCALLDR, first);
}

static void add_task(const struct pmix_step *p, infos *v, uint32_t node, uint32_t local)
{
    infos one = { 0 };
    uint32_t rank = p->setup->ranks[node]->rank[local];
    add_rank(&one, PMIX_RANK, rank);
    add_u32(&one, PMIX_APPNUM, 0);
    add_rank(&one, PMIX_APPLDR, 0);
    add_rank(&one, PMIX_GLOBAL_RANK, rank);
    add_rank(&one, PMIX_APP_RANK, rank);
    add_u16(&one, PMIX_LOCAL_RANK, local);
    add_u16(&one, PMIX_NODE_RANK, local);
    add_u32(&one, PMIX_NODEID, node);
    if (node == p->setup->node_index) {
        auto_free char *dir = mem_printf("%s/%u", p->folder, rank);
        add_text(&one, PMIX_PROCDIR, dir);
    }
    pmix_data_array_t array = { .type = PMIX_INFO, .size = one.n, .array = one.at };
    pmix_info_t *at = next_info(v);
    PMIX_INFO_LOAD(at, PMIX_PROC_DATA, &array, PMIX_DATA_ARRAY); /* makes a copy */
    infos_clear(&one);
}

static int describe_space(const struct pmix_step *p, infos *v, struct err *err)
{
    auto_free char *job = mem_printf("%u.%u", p->setup->job_id, p->setup->step_id);
    add_text(v, PMIX_JOBID, job);
    add_u32(v, PMIX_UNIV_SIZE, p->size);
    add_u32(v, PMIX_JOB_SIZE, p->size);
    add_u32(v, PMIX_MAX_PROCS, p->size);
    add_u32(v, PMIX_JOB_NUM_APPS, 1);
    add_u32(v, PMIX_NUM_NODES, (uint32_t)p->setup->n_node_names);
    add_u32(v, PMIX_NODEID, p->setup->node_index);
    add_text(v, PMIX_TMPDIR, p->folder);
    add_text(v, PMIX_NSDIR, p->folder);
    add_true(v, PMIX_TDIR_RMCLEAN);
    add_here(p, v);
    for (uint32_t i = 0; i < p->setup->n_ranks; i++)
        for (uint32_t k = 0; k < p->setup->ranks[i]->n_rank; k++)
            add_task(p, v, i, k);
    return add_maps(p, v, err);
}

int space_register(struct pmix_step *p, struct err *err)
{
    infos v = { 0 };
    const Pb__Ranks *mine = p->setup->ranks[p->setup->node_index];
    int rc = describe_space(p, &v, err);
    if (!rc) {
        /* without a callback the call blocks until it is done */
        pmix_status_t st = PMIx_server_register_nspace(p->setup->space, (int)mine->n_rank, v.at, v.n, NULL, NULL);
        if (st != PMIX_SUCCESS && st != PMIX_OPERATION_SUCCEEDED)
            rc = err_set(err, EIO, "PMIx does not take namespace %s: %s", p->setup->space, PMIx_Error_string(st));
    }
    infos_clear(&v);
    return rc;
}

/* ---- one task ---- */

static void take_env(char **env, struct buf *out)
{
    for (char **e = env; e && *e; e++) {
        buf_add(out, *e, strlen(*e) + 1);
        free(*e);
    }
    free(env);
}

int space_client(struct pmix_step *p, uint32_t local, struct buf *env, struct err *err)
{
    pmix_proc_t proc;
    uint32_t rank = p->setup->ranks[p->setup->node_index]->rank[local];
    auto_free char *dir = mem_printf("%s/%u", p->folder, rank);
    char **list = NULL;
    PMIX_LOAD_PROCID(&proc, p->setup->space, rank);
    if (mkdir(dir, 0700) && errno != EEXIST)
        return err_set(err, errno, "cannot make %s: %m", dir);
    pmix_status_t st = PMIx_server_register_client(&proc, p->setup->uid, p->setup->gid, NULL, NULL, NULL);
    if (st == PMIX_SUCCESS || st == PMIX_OPERATION_SUCCEEDED)
        st = PMIx_server_setup_fork(&proc, &list);
    take_env(list, env);
    return st == PMIX_SUCCESS || st == PMIX_OPERATION_SUCCEEDED
               ? 0
               : err_set(err, EIO, "PMIx does not take task %u: %s", rank, PMIx_Error_string(st));
}
