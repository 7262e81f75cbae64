/* tasks - how the tasks of a step end; see tasks.h. */
#include "cli/tasks.h"

#include <string.h>
#include <sys/wait.h>

#include "base/bitmap.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/say.h"
#include "text/array.h"
#include "text/signal.h"

void tasks_init(struct tasks *t, uint32_t n)
{
    *t = (struct tasks){ .at = mem_array(n ? n : 1, sizeof(struct task)), .n = n };
}

void tasks_clear(struct tasks *t)
{
    free(t->at);
    strs_clear(&t->nodes);
    *t = (struct tasks){ 0 };
}

void tasks_node(struct tasks *t, uint32_t node, const char *name, const uint32_t *rank, uint32_t n)
{
    while (t->nodes.n <= node)
        strs_add(&t->nodes, "");
    mem_set_str(&t->nodes.at[node], name);
    for (uint32_t i = 0; i < n; i++)
        if (rank[i] < t->n)
            t->at[rank[i]].node = node;
}

void tasks_end(struct tasks *t, uint32_t task, int status)
{
    if (task >= t->n || t->at[task].ended)
        return;
    t->at[task].ended = true;
    t->at[task].status = status;
    t->ended++;
    if (status)
        t->untold++;
}

void tasks_lose(struct tasks *t, uint32_t task)
{
    if (task >= t->n || t->at[task].ended)
        return;
    tasks_end(t, task, 1 << 8);
    t->at[task].lost = true;
    t->at[task].eof[1] = t->at[task].eof[2] = true;
}

void tasks_expected(struct tasks *t, int signo)
{
    for (uint32_t i = 0; i < t->n && t->untold; i++) {
        struct task *one = &t->at[i];
        if (!one->ended || one->told || !WIFSIGNALED(one->status) || WTERMSIG(one->status) != signo)
            continue;
        one->told = true;
        t->untold--;
    }
}

static const char *node_name(const struct tasks *t, uint32_t node)
{
    return node < t->nodes.n ? str_or(t->nodes.at[node], "?") : "?";
}

/* "task 3", "tasks 0-2,5" */
static char *task_list(const struct bitmap *set)
{
    auto_free char *list = array_text(set, 0, 0);
    return mem_printf("%s %s", bitmap_count(set) == 1 ? "task" : "tasks", list);
}

static void say_end(const struct tasks *t, const struct task *like, const struct bitmap *set)
{
    auto_free char *names = task_list(set);
    const char *node = node_name(t, like->node);
    if (like->lost)
        say_error("%s: %s: lost, the node is gone", node, names);
    else if (like->status == (int)STATUS_OUT_OF_MEMORY)
        say_error("%s: %s: Out Of Memory", node, names);
    else if (WIFSIGNALED(like->status))
        say_error("%s: %s: %s%s", node, names, strsignal(WTERMSIG(like->status)),
                  WCOREDUMP(like->status) ? " (core dumped)" : "");
    else
        say_error("%s: %s: Exited with exit code %d", node, names, WEXITSTATUS(like->status));
}

static bool tasks_alike(const struct task *a, const struct task *b)
{
    return b->ended && !b->told && a->node == b->node && a->status == b->status && a->lost == b->lost;
}

void tasks_tell(struct tasks *t)
{
    for (uint32_t i = 0; i < t->n && t->untold; i++) {
        struct task *first = &t->at[i];
        if (!first->ended || first->told || !first->status)
            continue;
        auto_bitmap struct bitmap set = BITMAP_INIT;
        for (uint32_t k = t->n; k-- > i;) {
            if (!tasks_alike(first, &t->at[k]))
                continue;
            bitmap_set(&set, k);
            t->at[k].told = true;
            t->untold--;
        }
        if (!t->once || t->said != first->status)
            say_end(t, first, &set);
        t->said = first->status;
    }
}

void tasks_status(const struct tasks *t, uint32_t job, uint32_t step)
{
    static const char *const words[] = { "running", "exited", "exited abnormally" };
    struct bitmap set[3] = { BITMAP_INIT, BITMAP_INIT, BITMAP_INIT };
    for (uint32_t i = 0; i < t->n; i++)
        bitmap_set(&set[!t->at[i].ended ? 0 : t->at[i].status ? 2 : 1], i);
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (!bitmap_none(&set[i])) {
            auto_free char *names = task_list(&set[i]);
            say_info("StepId=%u.%u %s: %s", job, step, names, words[i]);
        }
        bitmap_clear(&set[i]);
    }
}

static int code_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* To be killed is worse than any exit code. */
static bool is_worse(int a, int b)
{
    bool killed = WIFSIGNALED(a);
    return killed != WIFSIGNALED(b) ? killed : code_of(a) > code_of(b);
}

int tasks_worst(const struct tasks *t)
{
    int worst = 0;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->at[i].ended && is_worse(t->at[i].status, worst))
            worst = t->at[i].status;
    return worst;
}

int tasks_code(const struct tasks *t)
{
    return code_of(tasks_worst(t));
}
