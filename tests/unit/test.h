/*
 * test - TAP for unit tests: ok(condition, "what it shows"), then return test_done().
 */
#ifndef SPUR_TEST_H
#define SPUR_TEST_H

#include <stdio.h>
#include <string.h>

static int test_count, test_failed;

#define ok(cond, ...)                                                                   \
    ((cond) ? (printf("ok %d - ", ++test_count), printf(__VA_ARGS__), puts(""), 1)      \
            : (printf("not ok %d - ", ++test_count), printf(__VA_ARGS__),               \
               printf("\n# %s:%d: %s\n", __FILE__, __LINE__, #cond), test_failed++, 0))

#define is_str(got, want, ...)                                                                              \
    do {                                                                                                    \
        const char *got_ = (got), *want_ = (want);                                                          \
        if (!ok(got_ && want_ ? !strcmp(got_, want_) : got_ == want_, __VA_ARGS__))                         \
            printf("#   got: %s\n#  want: %s\n", got_ ? got_ : "(null)", want_ ? want_ : "(null)");         \
    } while (0)

#define is_int(got, want, ...)                                                   \
    do {                                                                         \
        long long got_ = (long long)(got), want_ = (long long)(want);            \
        if (!ok(got_ == want_, __VA_ARGS__))                                     \
            printf("#   got: %lld\n#  want: %lld\n", got_, want_);               \
    } while (0)

static inline int test_done(void)
{
    printf("1..%d\n", test_count);
    return test_failed ? 1 : 0;
}

#endif
