/*
 * site_lines - what one NodeName or DownNodes line says, before it becomes nodes; inside `site` only.
 */
#ifndef SPUR_TEXT_SITE_LINES_H
#define SPUR_TEXT_SITE_LINES_H

#include "text/site.h"

struct node_line {
    struct site_node node;                                             /* what all its nodes share */
    char *hostnames, *addrs, *bcast_addrs, *ports;                     /* lists beside NodeName's; NULL: not set */
    uint16_t cpus, boards, sockets, sockets_per_board, cores, threads; /* 0: not set */
    uint32_t tmp_mb;
};

struct down_line {
    char *reason, *state;
};

/* Texts that live as long as the site. */
char *site_str(struct site *s, const char *text);
char *site_strn(struct site *s, const char *text, size_t n);
void *site_room(struct site *s, size_t n); /* zeroed, aligned */

/* Set the defaults of a kind in `base`, or what a line says from its second pair on. */
void site_line_defaults(enum conf_kind kind, void *base);
int site_line_set(struct site *s, const struct conf_line *line, enum conf_kind kind, void *base, struct err *err);

/* "file:line: " before the sentence. */
int site_at(const struct conf_line *line, struct err *err);

/* The sentence about a global key whose value does not fit, at the line where it stands last. */
int site_bad_global(const struct site *s, const char *key, struct err *err, const char *why);

/* The steps of site_load. */
int site_load_nodes(struct site *s, struct err *err);
int site_load_parts(struct site *s, struct err *err);
int site_load_controllers(struct site *s, struct err *err);

/* Indexes of the nodes that `expr` names, ascending, each once: ALL, node sets and feature{} included.
 * EINVAL with a sentence about the name that is no node. */
int site_find_nodes(const struct site *s, const char *expr, bool sets, uint32_t **out, size_t *n, struct err *err);

#endif
