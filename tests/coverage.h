/*
 * coverage - included before every source of a build with -Db_coverage=true.
 *
 * A process that ends by _exit keeps its counts.
 */
#ifndef SPUR_COVERAGE_H
#define SPUR_COVERAGE_H

#include <unistd.h>

void __gcov_dump(void);
#define _exit(status) (__gcov_dump(), _exit(status))

#endif
