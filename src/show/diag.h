/*
 * diag - the fields of sdiag: what the controller has done, and how fast.
 */
#ifndef SPUR_SHOW_DIAG_H
#define SPUR_SHOW_DIAG_H

#include "message.pb-c.h"
#include "show/node.h"

struct diag_row {
    const Pb__DiagReply *reply; /* with `main` and `fill` */
    show_user_fn *user;
};

extern const struct show_table show_diag; /* rows are struct diag_row */

/* Append the report of sdiag. */
void diag_report(const struct diag_row *r, struct buf *out);

#endif
