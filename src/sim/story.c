/* story - the log as text, line by line. */
#include "core/record.h"
#include "sim/world.h"
#include "text/depend.h"
#include "text/hostlist.h"

/* The index of a simulated node is its number minus one. */
static char *nodes_of(Pb__NodeAlloc *const *alloc, size_t n)
{
    char **names = mem_array(n, sizeof(*names));
    for (size_t i = 0; i < n; i++)
        names[i] = mem_printf("n%u", alloc[i]->node + 1);
    char *text = hostlist_compress(names, n);
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
    return text;
}

static void tell_start(struct sim *s, const Pb__EvStart *e)
{
    auto_free char *nodes = nodes_of(e->alloc, e->n_alloc);
    uint32_t id = e->split ? e->new_id : e->job_id;
    if (e->split)
        sim_tell(s, "job %u is task %u of %u", id, e->task, e->job_id);
    sim_tell(s, "job %u started %s partition=%s", id, nodes, e->partition);
    for (size_t i = 0; i < e->n_het; i++)
        tell_start(s, e->het[i]);
}

static void tell_end(struct sim *s, const Pb__EvEnd *e)
{
    char code[32] = "";
    if (e->exit_code)
        snprintf(code, sizeof(code), " exit=%u:%u", e->exit_code >> 8, e->exit_code & 0x7f);
    sim_tell(s, "job %u ended %s%s%s%s", e->job_id, job_state_name(e->state), code, e->reason ? " reason=" : "",
             e->reason ? why_name(e->reason) : "");
}

/* "afterok:3,afterany:4", as the user would have written it. */
static char *depends_of(Pb__Depend *const *d, size_t n)
{
    struct depend_list l = { .at = mem_array(n, sizeof(*l.at)), .n = n, .any = n && d[0]->any };
    for (size_t i = 0; i < n; i++)
        l.at[i] = (struct depend){ (enum depend_type)d[i]->type, (enum depend_state)d[i]->state, d[i]->job,
                                   d[i]->has_task ? (int64_t)d[i]->task : DEPEND_NO_TASK, d[i]->after_min };
    char *text = depend_text(&l);
    depend_clear(&l);
    return text;
}

static void tell_submit(struct sim *s, const Pb__EvSubmit *e)
{
    auto_free char *depends = e->n_depend ? depends_of(e->depend, e->n_depend) : NULL;
    sim_tell(s, "job %u submitted uid=%u partition=%s%s%s%s%s", e->job_id, e->uid, e->partition,
             e->is_array ? " array" : "", e->hold ? " held" : "", depends ? " depends on " : "",
             depends ? depends : "");
    for (size_t i = 0; i < e->n_het; i++)
        tell_submit(s, e->het[i]);
}

static void tell_depend(struct sim *s, const Pb__EvDepend *e)
{
    auto_free char *depends = depends_of(e->depend, e->n_depend);
    sim_tell(s, "job %u depends on %s", e->job_id, str_or(depends, "nothing any more"));
}

static void tell_nodes(struct sim *s, const Pb__Event *ev)
{
    if (ev->body_case == PB__EVENT__BODY_NODE_UP)
        sim_tell(s, "n%u is up", ev->node_up->node + 1);
    else
        sim_tell(s, "n%u is %s%s%s", ev->node_state->node + 1, node_state_name(ev->node_state->state, false),
                 ev->node_state->has_reason ? ": " : "", ev->node_state->has_reason ? ev->node_state->reason : "");
}

static void tell_purge(struct sim *s, const Pb__EvPurge *e)
{
    for (size_t i = 0; i < e->n_job_id; i++)
        sim_tell(s, "job %u is forgotten", e->job_id[i]);
}

static void tell_event(struct sim *s, const Pb__Event *ev)
{
    switch (ev->body_case) {
    case PB__EVENT__BODY_CONFIG:
        sim_tell(s, "configured %zu nodes, %zu partitions", ev->config->n_nodes, ev->config->n_parts);
        break;
    case PB__EVENT__BODY_SUBMIT: tell_submit(s, ev->submit); break;
    case PB__EVENT__BODY_START: tell_start(s, ev->start); break;
    case PB__EVENT__BODY_READY: sim_tell(s, "job %u has its nodes ready", ev->ready->job_id); break;
    case PB__EVENT__BODY_SPLIT:
        sim_tell(s, "job %u is task %u of %u", ev->split->new_id, ev->split->task, ev->split->job_id);
        break;
    case PB__EVENT__BODY_END: tell_end(s, ev->end); break;
    case PB__EVENT__BODY_NODE_DONE: sim_tell(s, "job %u left a node", ev->node_done->job_id); break;
    case PB__EVENT__BODY_REQUEUE:
        sim_tell(s, "job %u goes back to the queue%s", ev->requeue->job_id, ev->requeue->hold ? " and is held" : "");
        break;
    case PB__EVENT__BODY_SUSPEND:
        sim_tell(s, "job %u is %s%s", ev->suspend->job_id, ev->suspend->resume ? "resumed" : "suspended",
                 ev->suspend->gang ? ", by turns" : "");
        break;
    case PB__EVENT__BODY_HOLD:
        sim_tell(s, "job %u is %s", ev->hold->job_id, ev->hold->hold ? "held" : "released");
        break;
    case PB__EVENT__BODY_UPDATE: sim_tell(s, "job %u is changed", ev->update->job_id); break;
    case PB__EVENT__BODY_DEPEND: tell_depend(s, ev->depend); break;
    case PB__EVENT__BODY_WARNED: sim_tell(s, "job %u is warned", ev->warned->job_id); break;
    case PB__EVENT__BODY_PURGE: tell_purge(s, ev->purge); break;
    case PB__EVENT__BODY_STEP_START:
        sim_tell(s, "job %u step %u started", ev->step_start->job_id, ev->step_start->step->id);
        break;
    case PB__EVENT__BODY_STEP_UPDATE:
        sim_tell(s, "job %u step %u is changed", ev->step_update->job_id, ev->step_update->step_id);
        break;
    case PB__EVENT__BODY_STEP_END:
        sim_tell(s, "job %u step %u ended on a node", ev->step_end->job_id, ev->step_end->step_id);
        break;
    case PB__EVENT__BODY_NODE_UP:
    case PB__EVENT__BODY_NODE_STATE: tell_nodes(s, ev); break;
    case PB__EVENT__BODY_NODE_UPDATE: sim_tell(s, "n%u is changed", ev->node_update->node + 1); break;
    case PB__EVENT__BODY_RESV:
        sim_tell(s, "reservation %s is %s", ev->resv->resv->name, ev->resv->remove ? "gone" : "made or changed");
        break;
    case PB__EVENT__BODY_PART_UPDATE: sim_tell(s, "partition %s is changed", ev->part_update->part->name); break;
    case PB__EVENT__BODY_RESIZE:
        sim_tell(s, ev->resize->into ? "job %u gives its nodes to job %u" : "job %u gives nodes away",
                 ev->resize->job_id, ev->resize->into);
        break;
    case PB__EVENT__BODY_ASSOC_UPDATE:
    case PB__EVENT__BODY_USAGE:
    case PB__EVENT__BODY_LEVEL:
    case PB__EVENT__BODY_REHEARSAL:
    case PB__EVENT__BODY_ACCRUE:
    case PB__EVENT__BODY__NOT_SET:
    case _PB__EVENT__BODY__CASE_IS_INT_SIZE: break;
    }
}

void story_entry(struct sim *s, const Pb__Entry *e)
{
    for (size_t i = 0; s->conf.story && i < e->n_events; i++)
        tell_event(s, e->events[i]);
}
