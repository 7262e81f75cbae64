/*
 * fuzz - what every target needs: the input as text, and a check that ends the run with its reason.
 */
#ifndef SPUR_FUZZ_H
#define SPUR_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

#define FUZZ_TEXT_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define check(cond)                                                               \
    do {                                                                          \
        if (!(cond)) {                                                            \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #cond);    \
            abort();                                                              \
        }                                                                         \
    } while (0)

#endif
