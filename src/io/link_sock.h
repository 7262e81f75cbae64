/*
 * link_sock - sockets for links: made, tuned, listened on, asked for the kernel's word about their peer.
 *
 * Everything here that opens returns a file descriptor (close-on-exec), or -1 with a reason.
 */
#ifndef SPUR_IO_LINK_SOCK_H
#define SPUR_IO_LINK_SOCK_H

#include <sys/socket.h>

#include "base/err.h"
#include "io/link_hello.h"

/* "host:port" or "[v6]:port" into its parts; `host` has room for `size` bytes. */
bool link_address_split(const char *address, char *host, size_t size, uint16_t *port);
/* A numeric address; 0: it is a name, or nothing.  Names are resolved elsewhere: that blocks. */
socklen_t link_address_parse(const char *host, uint16_t port, struct sockaddr_storage *out);

int link_sock_connect_unix(const char *path, struct err *err);
/* Begins to connect: the socket does not block, and is writable when the outcome is known (link_sock_outcome). */
int link_sock_connect(const struct sockaddr *to, socklen_t len, enum link_class class, struct err *err);
int link_sock_outcome(int fd); /* 0, or why the connection was not made */

/* Listening sockets do not block.  The path may be longer than an address holds if it is relative to a descriptor. */
int link_sock_listen_unix(const char *path, mode_t mode, struct err *err);
int link_sock_listen_tcp(uint16_t *port, struct err *err); /* any address, a port that is free */
int link_sock_accept(int fd, enum link_class class);       /* does not block; -1 with errno */

/* Notice a dead peer of this class in time, and send small frames at once.  Nothing happens to a Unix socket. */
void link_sock_tune(int fd, enum link_class class);
/* The kernel's word about the other end of a Unix socket. */
int link_sock_peer(int fd, struct link_peer *out);

#endif
