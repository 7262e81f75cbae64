/*
 * gres_conf - gres.conf: which device files stand behind a node's generic resources.
 *
 * Devices stand in the order of the file's lines; the n-th of a name (and type) is the one that bit n of an allocation
 * means.
 */
#ifndef SPUR_TEXT_GRES_CONF_H
#define SPUR_TEXT_GRES_CONF_H

#include <stdbool.h>

#include "base/vec.h"
#include "text/conf.h"

struct gres_device {
    char *name, *type; /* type "": not said */
    char *file;        /* "": this one has no device file */
    char *cores;       /* Cores= of its line; "": any */
    char *links;       /* Links= of its line; "": not said */
    char *flags;       /* Flags= of its line; "": none */
};

struct gres_conf {
    struct conf conf;
    VEC(struct gres_device) device; /* texts owned */
    const char *auto_detect;        /* AutoDetect for this node; NULL: not said */
};

#define auto_gres_conf __attribute__((cleanup(gres_conf_clear)))

/* What `dir`/gres.conf says about `node`; a file that is not there says nothing.  dir NULL: no file. */
int gres_conf_load(struct gres_conf *g, const char *dir, const char *node, struct err *err);
int gres_conf_parse(struct gres_conf *g, const char *text, size_t len, const char *node, struct err *err);
void gres_conf_clear(struct gres_conf *g);
/* Adds the devices of one line of `c`, for callers that read the file once and ask for many nodes. */
int gres_conf_add(struct gres_conf *g, const struct conf *c, const struct conf_line *line, struct err *err);

/* Device number `index` of (name, type); type "" or NULL: of any type.  NULL: there is none. */
const struct gres_device *gres_conf_device(const struct gres_conf *g, const char *name, const char *type,
                                           uint32_t index);

#endif
