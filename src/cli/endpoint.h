/*
 * endpoint - where srun listens for the supervisors of its step: a Unix socket in a private folder and a TCP port.
 *
 * A peer that connects has to show the token, which only the controller and the node's supervisor know.
 */
#ifndef SPUR_CLI_ENDPOINT_H
#define SPUR_CLI_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "record.pb-c.h"

#define ENDPOINT_TOKEN_LEN 32

struct endpoint {
    int unix_fd, tcp_fd;                   /* tcp_fd -1: this machine has no TCP to listen on */
    uint16_t port;
    char dir[32], path[64], host[256];
    uint8_t token[ENDPOINT_TOKEN_LEN];
};

#define ENDPOINT_INIT { .unix_fd = -1, .tcp_fd = -1 }

int endpoint_open(struct endpoint *e, struct err *err);
void endpoint_close(struct endpoint *e);   /* also removes socket and folder; an unopened one is welcome */

/* From here on a signal that ends the process removes them too. */
void endpoint_guard(struct endpoint *e);

/* The endpoint as a supervisor gets it; borrows from `e`. */
void endpoint_tell(struct endpoint *e, Pb__IoEndpoint *io);

/* Is this the token?  Takes the same time whatever is wrong with it. */
bool endpoint_knows(const struct endpoint *e, const void *token, size_t len);

#endif
