/*
 * license - licences as slurm.conf has them and jobs ask for them: "matlab:4,ansys" (all of them), "matlab:2|octave"
 * (one of them).
 */
#ifndef SPUR_TEXT_LICENSE_H
#define SPUR_TEXT_LICENSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct license_item {
    char *name;
    uint64_t count;
};

struct license_list {
    struct license_item *at;
    size_t n, cap;
    bool any; /* '|' between them: one is enough, the first that can be had; ',' : all are needed */
};

#define LICENSE_INIT                                                                                                   \
    {                                                                                                                  \
        NULL, 0, 0, false                                                                                              \
    }
#define auto_license __attribute__((cleanup(license_list_clear)))

void license_list_clear(struct license_list *l); /* free; reusable after */

/* Append what `text` says; counts of one name add up, a count of 0 is nothing.  ESLURM_INVALID_LICENSES when it cannot
 * be read. */
int license_parse(const char *text, struct license_list *out, struct err *err);

/* "matlab:2,ansys:1" with `sep` between; yours, "" when empty. */
char *license_text(const struct license_list *l, char sep);

#endif
