/*
 * coverage - included before every source of a build with -Db_coverage=true.
 *
 * A process that ends by _exit, or becomes another program, keeps its counts.  Counters are set to 0 once they are
 * written: a vforked child shares them with its parent, and libgcov writes only once between two resets, so without
 * that the parent would lose all that it counts after its first child.
 */
#ifndef SPUR_COVERAGE_H
#define SPUR_COVERAGE_H

#include <unistd.h>

void __gcov_dump(void);
void __gcov_reset(void);
#define COVERAGE_WRITE() (__gcov_dump(), __gcov_reset())

/* The build has -fno-builtin for these: gcc would replace them with wrappers that write and do not reset. */
#define _exit(status) \
    __extension__({ \
        int coverage_status = (status); /* first: the whole of a supervisor runs in it */ \
        COVERAGE_WRITE(); \
        _exit(coverage_status); \
    })
#define execl(...) (COVERAGE_WRITE(), execl(__VA_ARGS__))
#define execv(...) (COVERAGE_WRITE(), execv(__VA_ARGS__))
#define execve(...) (COVERAGE_WRITE(), execve(__VA_ARGS__))
#define execvp(...) (COVERAGE_WRITE(), execvp(__VA_ARGS__))

#endif
