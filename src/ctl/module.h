/*
 * module - a part of the controller with a state of its own: one row in modules.c.
 *
 * A module's state is made by `open` and freed by `close`.  A controller that stops leading closes and opens every
 * module: nothing that a leader remembered is left, and leading again begins as a fresh process would.  What `lead`
 * needs has to be in the replicated state.
 */
#ifndef SPUR_CTL_MODULE_H
#define SPUR_CTL_MODULE_H

#include "ctl/change.h"

struct ctl_module {
    const char *name;
    void (*open)(struct ctl *t);
    void (*close)(struct ctl *t);
    void (*configure)(struct ctl *t); /* t->site is another configuration; also right after `open` */
    void (*lead)(struct ctl *t);      /* inside a turn: this controller leads from now on */
    void (*session_closed)(struct ctl *t, uint64_t session);
    void (*turn_end)(struct ctl *t); /* all requests and timers of the turn have been decided; only while leading */
    unsigned wants;                  /* CHANGE() bits ... */
    void (*changed)(struct ctl *t,
                    const struct change *ch); /* ... of which it hears, right after the event was applied */
};

typedef void timer_fn(struct ctl *t, const struct timer_entry *e);

void modules_open(struct ctl *t);
void modules_close(struct ctl *t);
void modules_configure(struct ctl *t);
void modules_lead(struct ctl *t);
void modules_session_closed(struct ctl *t, uint64_t session);
void modules_turn_end(struct ctl *t);
void modules_changed(struct ctl *t, const struct change *ch);
void modules_timer(struct ctl *t, const struct timer_entry *e);

#endif
