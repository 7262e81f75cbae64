/*
 * names - users and groups by number and by name, each asked for once.
 */
#ifndef SPUR_CLI_NAMES_H
#define SPUR_CLI_NAMES_H

#include <stdbool.h>
#include <stdint.h>

const char *names_user(uint32_t uid);    /* the number as text when it has no name; kept until the end of the process */
const char *names_group(uint32_t gid);

/* A user by name or number; false when there is none. */
bool names_find_user(const char *text, uint32_t *uid);

#endif
