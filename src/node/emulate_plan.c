/* emulate_plan - what an order means for emulated nodes; see emulate.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/errnum.h"
#include "base/mem.h"
#include "base/str.h"
#include "node/emulate.h"
#include "node/order.h"
#include "text/hostlist.h"
#include "text/strs.h"

#define RUN_MAX_S (400.0 * 86400)

/* The last order: a thousand nodes of one process receive the same order in turn. */
static struct {
    uint8_t *body;
    size_t len;
    Pb__LaunchOrder *order;
    struct strs names;
    struct smap place; /* name -> place in the allocation + 1 */
    uint32_t *step_at; /* place in the allocation -> place in the step + 1 */
    uint32_t *first;   /* place in the step -> first rank */
    uint64_t run_ms;
    uint32_t status;
} last;

/* ---- duration and status ---- */

static const char *env_variable(const ProtobufCBinaryData *env, const char *name)
{
    size_t n = strlen(name);
    for (size_t at = 0; at < env->len;) {
        const char *word = (const char *)env->data + at;
        size_t len = strnlen(word, env->len - at);
        if (at + len < env->len && len > n && !memcmp(word, name, n) && word[n] == '=')
            return word + n + 1;
        at += len + 1;
    }
    return NULL;
}

static bool seconds_of(const char *text, double *out)
{
    char *end;
    double s = strtod(text, &end);
    const char *unit = *end ? strchr("smhd", *end) : "s";
    if (end == text || !unit || (*end && end[1]) || !(s >= 0))
        return false;
    static const double factor[] = { 1, 60, 3600, 86400 };
    *out = s * factor[*end ? unit - "smhd" : 0];
    return *out <= RUN_MAX_S;
}

bool emulate_sleep(const char *script, size_t len, double *seconds)
{
    auto_free char *text = mem_strn(script, len);
    bool found = false;
    const char *pos = text;
    for (;;) {
        auto_free char *line = str_next(&pos, "\n");
        if (!line)
            return found;
        char *word = str_trim(line);
        if (!*word || *word == '#')
            continue;
        if (found || !str_has_prefix(word, "sleep ") || !seconds_of(str_trim(word + 6), seconds))
            return false;
        found = true;
    }
}

static bool command_sleeps(const Pb__StepSpec *s, double *seconds)
{
    const char *slash = s && s->n_argv == 2 ? strrchr(s->argv[0], '/') : NULL;
    return s && s->n_argv == 2 && str_eq(slash ? slash + 1 : s->argv[0], "sleep") && seconds_of(s->argv[1], seconds);
}

static void decide_end(const Pb__LaunchOrder *o, double dflt_s)
{
    double s = dflt_s;
    uint64_t code = 0;
    const char *said = env_variable(&o->env, "SPUR_EMULATE_S"), *ends = env_variable(&o->env, "SPUR_EMULATE_EXIT");
    bool batch = o->step_id == PB__STEP_NUMBER__STEP_BATCH;
    if (!said || !seconds_of(said, &s))
        (void)(batch ? emulate_sleep((char *)o->script.data, o->script.len, &s) : command_sleeps(o->step, &s));
    if (ends)
        str_u64(ends, 0, 255, &code);
    last.run_ms = (uint64_t)(s * 1000 + 0.5);
    last.status = (uint32_t)code << 8;
}

/* ---- the nodes' parts ---- */

static void forget_last(void)
{
    free(take(last.body));
    if (last.order)
        pb__launch_order__free_unpacked(take(last.order), NULL);
    smap_clear(&last.place);
    strs_clear(&last.names);
    free(take(last.step_at));
    free(take(last.first));
}

static int index_nodes(struct err *err)
{
    const Pb__LaunchOrder *o = last.order;
    size_t n;
    if (hostlist_count(o->nodes, &n, err) || !n || n > ORDER_NODES_MAX || hostlist_expand(o->nodes, &last.names, err))
        return err_set(err, EBADMSG, "the launch order of job %u names no nodes, or too many", o->job_id);
    for (size_t i = 0; i < n; i++)
        smap_put(&last.place, last.names.at[i], (void *)(uintptr_t)(i + 1));
    last.step_at = mem_array(n, sizeof(*last.step_at));
    last.first = mem_array(o->n_step_node + 1, sizeof(*last.first));
    for (uint32_t i = 0; i < o->n_step_node; i++) {
        if (o->step_node[i] < n)
            last.step_at[o->step_node[i]] = i + 1;
        last.first[i + 1] = last.first[i] + (i < o->n_step_tasks ? o->step_tasks[i] : 1);
    }
    return 0;
}

static int read_order(const struct cred_key *key, const Pb__Signed *s, double dflt_s, struct err *err)
{
    if (last.order && last.len == s->body.len && !memcmp(last.body, s->body.data, last.len))
        return 0;
    forget_last();
    if (key && !cred_verify(key, CRED_LAUNCH, s))
        return err_set(err, ESLURM_INVALID_JOB_CREDENTIAL,
                       "the launch order is not signed by a controller of this cluster");
    last.order = pb__launch_order__unpack(NULL, s->body.len, s->body.data);
    if (!last.order || !last.order->spec || !last.order->job_id)
        return err_set(err, EBADMSG, "the launch order does not parse");
    last.body = mem_copy(s->body.data, s->body.len);
    last.len = s->body.len;
    decide_end(last.order, dflt_s);
    return index_nodes(err);
}

static int check_place(const Pb__LaunchOrder *o, const char *name, uintptr_t place, int64_t now_ms, struct err *err)
{
    bool mine = place && (o->n_step_node ? last.step_at[place - 1] : place == o->batch_pos + 1);
    int64_t off_ms = now_ms - o->issued_ms;
    if (!mine || (!str_empty(o->node) && !str_eq(o->node, name)))
        return err_set(err, ESLURM_INVALID_NODE_NAME, "the launch order is for nodes %s, this is %s",
                       str_or(o->step_nodes, o->nodes), name);
    if (off_ms > LAUNCHED_LOG_WINDOW_MS || off_ms < -LAUNCHED_LOG_WINDOW_MS)
        return err_set(err, ETIME, "the launch order is %lld s old by this node's clock (are the clocks right?)",
                       (long long)off_ms / 1000);
    return 0;
}

int emulate_plan(const struct cred_key *key, const Pb__Signed *s, const char *name, double dflt_s, int64_t now_ms,
                 struct emulate_part *out, struct err *err)
{
    *out = (struct emulate_part){ 0 };
    int rc = read_order(key, s, dflt_s, err);
    if (rc) {
        forget_last();
        return rc;
    }
    const Pb__LaunchOrder *o = last.order;
    uintptr_t place = (uintptr_t)smap_get(&last.place, name);
    out->key = (struct step_key){ o->job_id, o->step_id, o->attempt };
    rc = check_place(o, name, place, now_ms, err);
    if (rc)
        return rc;
    uint32_t at = o->n_step_node ? last.step_at[place - 1] - 1 : 0;
    out->uid = o->uid;
    out->node_index = at;
    out->tasks = o->n_step_node ? last.first[at + 1] - last.first[at] : 1;
    out->first_task = last.first[at];
    out->ranks = at < o->n_step_ranks && o->step_ranks[at]->n_rank == out->tasks ? o->step_ranks[at] : NULL;
    out->io = o->step ? o->step->io : NULL;
    out->run_ms = last.run_ms;
    out->status = last.status;
    return 0;
}
