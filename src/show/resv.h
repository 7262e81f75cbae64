/*
 * resv - the fields of a reservation.
 */
#ifndef SPUR_SHOW_RESV_H
#define SPUR_SHOW_RESV_H

#include "record.pb-c.h"
#include "show/show.h"

extern const struct show_table show_resv; /* rows are Pb__Resv */

#endif
