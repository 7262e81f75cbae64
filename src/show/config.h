/*
 * config - the configuration that is in force, as scontrol show config has it.
 *
 * The controller sends lines "Key = value"; JSON gives them types.
 */
#ifndef SPUR_SHOW_CONFIG_H
#define SPUR_SHOW_CONFIG_H

#include "base/vec.h"
#include "show/show.h"

struct config_pair {
    const char *key, *value; /* into the text; the key without its "[0]" */
    size_t key_len, value_len;
};

struct config_row {
    VEC(struct config_pair) pair;
    int64_t boot_s, now_s;
};

extern const struct show_table show_config;      /* rows are struct config_row */
extern const struct show_table show_config_meta; /* the same rows: what is known about the configuration */

/* Take the lines of `text` apart, which has to live as long as the row. */
void config_row_init(struct config_row *r, const char *text, int64_t boot_s, int64_t now_s);
void config_row_clear(struct config_row *r);

#endif
