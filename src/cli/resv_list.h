/*
 * resv_list - reservations in columns, as sinfo --reservation has them.
 */
#ifndef SPUR_CLI_RESV_LIST_H
#define SPUR_CLI_RESV_LIST_H

#include <stdbool.h>

#include "base/buf.h"
#include "message.pb-c.h"

void resv_list_text(const Pb__ResvList *list, bool header, struct buf *out);

#endif
