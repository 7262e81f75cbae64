/*
 * refusal_log - a log line for each connection that was refused before its peer was known: its address, the identity
 * that the peer claimed, the reason.
 *
 * At most REFUSALS_A_SECOND lines a second: a flood of connections does not fill the disk.  The next line after a pause
 * tells how many were left out.
 */
#ifndef SPUR_IO_REFUSAL_LOG_H
#define SPUR_IO_REFUSAL_LOG_H

#include "io/link.h"

#define REFUSALS_A_SECOND 5

/* In `closed` of an accepted link that was never ready.  A peer that hung up before it said anything is not logged. */
void refusal_log(const struct link *l, const struct err *why);

/* A listener cannot accept: no descriptors are left, as a rule. */
void refusal_log_listener(const char *why);

#endif
