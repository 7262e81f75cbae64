/*
 * jobref - jobs as users name them: "12", "12_3", "12_[1-3,7]", "12_*", "12.0", "12_3.batch".
 */
#ifndef SPUR_CLI_JOBREF_H
#define SPUR_CLI_JOBREF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "message.pb-c.h"

struct jobrefs {
    VEC(Pb__JobRef *) ref;
    VEC(char *) text;            /* each as it was written */
};

void jobrefs_clear(struct jobrefs *l);

/* Add the job `text` names; false: it is none.  `steps`: "12.0" is welcome. */
bool jobrefs_add(struct jobrefs *l, const char *text, bool steps);

/* A step by number or name ("batch", "extern", "interactive"). */
bool jobref_step(const char *text, uint32_t *step);

#endif
