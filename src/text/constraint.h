/*
 * constraint - what --constraint, --prefer and --batch ask of nodes: "intel&(ssd|nvme)", "[rack1|rack2]",
 * "[rack1*2&rack2*4]".
 *
 * A constraint says what every node must have, and perhaps more with a pair of brackets or a count: that all nodes
 * match the same one of several sets, or that so many nodes are of this kind and so many of that.  Within one node '&'
 * and '|' are read from left to right, neither binds closer.
 */
#ifndef SPUR_TEXT_CONSTRAINT_H
#define SPUR_TEXT_CONSTRAINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define CONSTRAINT_SETS_MAX 64 /* alternatives or counts between brackets */

enum constraint_how {
    CONSTRAINT_PLAIN,    /* nothing but what every node must have; no sets */
    CONSTRAINT_MATCHING, /* [a|b]: all nodes are of one of the sets */
    CONSTRAINT_COUNTED,  /* [a*2&b*1], a*2: at least so many nodes of each set; further ones may be any */
};

struct constraint;

/* Read `text`; ESLURM_INVALID_FEATURE with a sentence that says where it stops making sense. */
int constraint_parse(const char *text, struct constraint **out, struct err *err);
void constraint_free(struct constraint *c); /* NULL is welcome */
static inline void constraint_auto(struct constraint **c)
{
    constraint_free(*c);
}
#define auto_constraint __attribute__((cleanup(constraint_auto)))

enum constraint_how constraint_how(const struct constraint *c);
size_t constraint_sets(const struct constraint *c);
uint32_t constraint_count(const struct constraint *c, size_t set); /* nodes of a counted set */
uint32_t constraint_nodes(const struct constraint *c);             /* all counts together */

/* Does a node with these features (by comma; NULL: none) have what every node must? */
bool constraint_match(const struct constraint *c, const char *features);
/* Is it of this set? */
bool constraint_match_set(const struct constraint *c, size_t set, const char *features);

/* The names in it, one after the other; NULL after the last. */
const char *constraint_name(const struct constraint *c, size_t i);

#endif
