/* array - one task of an array gets a record of its own; see array.h. */
#include "ctl/array.h"

struct job *array_split(struct ctl *t, struct job *j, uint32_t task, struct err *err)
{
    EVENT(ev);
    Pb__EvSplit e = PB__EV_SPLIT__INIT;
    e.job_id = j->id;
    e.task = task;
    bool last = j->array && j->array->count == 1;
    e.new_id = last ? j->id : cluster_free_id(t->c, t->c->next_job);
    uint32_t id = e.new_id;
    BODY(ev, SPLIT, split, &e);
    return ctl_emit(t, &ev, err) ? NULL : cluster_job(t->c, id);
}
