/* space - a program that calls PMIx itself: fences of some tasks, data of remote tasks without a fence, the attributes
 * of the step. */
#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pmix_proc_t me;

static void fail(const char *what, pmix_status_t st)
{
    printf("task %u: %s: %s\n", me.rank, what, PMIx_Error_string(st));
    exit(1);
}

static void must(const char *what, pmix_status_t st)
{
    if (st != PMIX_SUCCESS)
        fail(what, st);
}

static uint32_t number(const char *key)
{
    pmix_value_t *v;
    pmix_proc_t all;
    PMIX_LOAD_PROCID(&all, me.nspace, PMIX_RANK_WILDCARD);
    must(key, PMIx_Get(&all, key, NULL, 0, &v));
    uint32_t n = v->data.uint32;
    PMIX_VALUE_RELEASE(v);
    return n;
}

static void put(const char *key)
{
    pmix_value_t v;
    char text[64];
    snprintf(text, sizeof(text), "%s of %u", key, me.rank);
    PMIX_VALUE_LOAD(&v, text, PMIX_STRING);
    must("put", PMIx_Put(PMIX_GLOBAL, key, &v));
    must("commit", PMIx_Commit());
    PMIX_VALUE_DESTRUCT(&v);
}

static void get(uint32_t rank, const char *key)
{
    pmix_value_t *v;
    pmix_proc_t from;
    char want[64];
    PMIX_LOAD_PROCID(&from, me.nspace, rank);
    must("get", PMIx_Get(&from, key, NULL, 0, &v));
    snprintf(want, sizeof(want), "%s of %u", key, rank);
    if (v->type != PMIX_STRING || strcmp(v->data.string, want))
        fail(want, PMIX_ERR_NOT_FOUND);
    PMIX_VALUE_RELEASE(v);
}

/* Those of our parity meet, twice; the others meet at the same time. */
static void fence_some(uint32_t size)
{
    pmix_proc_t some[64];
    size_t n = 0;
    for (uint32_t r = me.rank % 2; r < size && n < 64; r += 2, n++)
        PMIX_LOAD_PROCID(&some[n], me.nspace, r);
    for (int i = 0; i < 2; i++)
        must("a fence of some", PMIx_Fence(some, n, NULL, 0));
}

int main(void)
{
    must("init", PMIx_Init(&me, NULL, 0));
    uint32_t size = number(PMIX_JOB_SIZE);
    put("early");
    fence_some(size);
    get((me.rank + 2) % size, "early"); /* no fence collected the value: the server fetches it */
    /* libpmix gives one reply to two tasks that ask for the same peer at once: this fence keeps the requests apart */
    must("a fence without data", PMIx_Fence(NULL, 0, NULL, 0));
    if (me.rank % 2) { /* the part that is asked for before it is there */
        usleep(300000);
        put("tardy");
    } else {
        get((me.rank + 3) % size, "tardy");
    }
    bool collect = true;
    pmix_info_t info;
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    put("late");
    must("a fence of all", PMIx_Fence(NULL, 0, &info, 1));
    for (uint32_t r = 0; r < size; r++)
        get(r, "late");
    printf("task %u of %u, %u here: fine\n", me.rank, size, number(PMIX_LOCAL_SIZE));
    must("finalize", PMIx_Finalize(NULL, 0));
    return 0;
}
