/*
 * bcast_libs - the shared libraries that a program needs, as the dynamic loader finds them here.
 */
#ifndef SPUR_CLI_BCAST_LIBS_H
#define SPUR_CLI_BCAST_LIBS_H

#include "text/strs.h"

/* Append their paths, but for those below the folders of `exclude` ("NONE": none is left out).  Paths there that are
 * not full ones are said and ignored.  A program that is not one, or needs nothing, adds nothing. */
void bcast_libs(const char *program, const char *exclude, struct strs *out);

/* One line of ldd's: the path in it, or NULL.  Yours. */
char *bcast_lib_of(const char *line);

#endif
