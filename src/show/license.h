/*
 * license - the fields of a licence.
 */
#ifndef SPUR_SHOW_LICENSE_H
#define SPUR_SHOW_LICENSE_H

#include "show/show.h"

extern const struct show_table show_license; /* rows are Pb__License */

#endif
