/*
 * socket_trust - may a command say anything to the daemon behind this Unix socket?
 *
 * A command sends scripts and environments.  It trusts root, its own user, SlurmUser and SlurmdUser, and no other user:
 * neither as the process that listens, nor as the owner of a folder or link on the way to the socket.
 */
#ifndef SPUR_CLIENT_SOCKET_TRUST_H
#define SPUR_CLIENT_SOCKET_TRUST_H

#include "base/err.h"
#include "text/site.h"

/* 0, or EPERM with the reason: no other user can have put this path there.  A path that does not exist is fine. */
int socket_trust_path(const struct site *site, const char *path, struct err *err);
/* 0, or EPERM with the reason: the kernel says that a trusted user listens at the other end of `fd`. */
int socket_trust_peer(const struct site *site, int fd, const char *path, struct err *err);

#endif
