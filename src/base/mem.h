/*
 * mem - allocation that does not fail, and resources that clean up after themselves.
 *
 * Running out of memory stops the process: the ledger brings it back.  So callers
 * measure input before they make room for it, and never test for NULL.
 */
#ifndef SPUR_BASE_MEM_H
#define SPUR_BASE_MEM_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/param.h> /* MIN, MAX */
#include <unistd.h>

void *mem_alloc(size_t n);                      /* zeroed */
void *mem_array(size_t n, size_t size);         /* zeroed; stops on overflow */
void *mem_grow(void *p, size_t n, size_t size); /* realloc; stops on overflow; new part is not zeroed */
char *mem_str(const char *s);                   /* strdup; NULL gives NULL */
char *mem_strn(const char *s, size_t n);        /* a NUL-terminated copy of n bytes */
void *mem_copy(const void *p, size_t n);
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Replace `*where` by a copy of `s` (NULL is welcome) and free what was there. */
void mem_set_str(char **where, const char *s);

#define NEW(type) ((type *)mem_alloc(sizeof(type)))

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define CONTAINER_OF(p, type, member) ((type *)(void *)((char *)(p)-offsetof(type, member)))
#ifndef MIN /* uv.h brings its own */
#endif

/* Hand a resource over: the old name is empty now. */
#define take(p)                                                                                                        \
    ({                                                                                                                 \
        __typeof__(p) take_ = (p);                                                                                     \
        (p) = NULL;                                                                                                    \
        take_;                                                                                                         \
    })
#define take_fd(fd)                                                                                                    \
    ({                                                                                                                 \
        int take_ = (fd);                                                                                              \
        (fd) = -1;                                                                                                     \
        take_;                                                                                                         \
    })

static inline void mem_cleanup_free(void *p)
{
    free(*(void **)p);
}
static inline void mem_cleanup_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}
static inline void mem_cleanup_file(FILE **f)
{
    if (*f)
        fclose(*f);
}

#define auto_free __attribute__((cleanup(mem_cleanup_free)))
#define auto_close __attribute__((cleanup(mem_cleanup_close)))
#define auto_file __attribute__((cleanup(mem_cleanup_file)))

#endif
