/*
 * tls - TLS 1.3 as a step machine: bytes in, bytes out, a verdict.
 *
 * The server always shows a certificate, and the client checks that it has the expected role.  The client shows none:
 * what it is, it says inside, by a credential that is bound to the connection (tls_binding, link_hello.h).  The streams
 * of a step have no certificates on either side: both hold the step's token.
 *
 * In memory, bytes go in by tls_feed and come out by tls_out; tls_use_fd makes the machine read and write a socket that
 * does not block.  Only this file and cert.c know OpenSSL.
 */
#ifndef SPUR_IO_TLS_H
#define SPUR_IO_TLS_H

#include "wire/cred.h"

#define TLS_RECORD 16384 /* the most that one tls_read gives */

struct tls;

/* Certificates for both sides of a connection.  The part of struct keys (keys.h) that connections need. */
struct tls_identity {
    struct cred_trust trust;
    struct ssl_ctx_st *server, *client; /* replaced as a whole; connections keep what they began with */
};
/* `own` NULL: this process cannot be a server. */
int tls_identity_init(struct tls_identity *id, const struct cred_pair *own, struct err *err);
void tls_identity_clear(struct tls_identity *id);

/* ---- a connection ---- */
struct tls *tls_serve(const struct cred_key *key);
/* The server's certificate must name this role; `name` NULL: any of it. */
struct tls *tls_connect(const struct cred_key *key, enum cred_role role, const char *name);
/* Both sides know `secret`, which has 16 bytes or more. */
struct tls *tls_serve_secret(const void *secret, size_t len);
struct tls *tls_connect_secret(const void *secret, size_t len);
void tls_free(struct tls *t); /* NULL is welcome */

void tls_use_fd(struct tls *t, int fd); /* the descriptor stays the caller's */
/* Bytes that came.  They are borrowed until tls_handshake or tls_read has said EAGAIN. */
void tls_feed(struct tls *t, const void *p, size_t len);
struct buf *tls_out(struct tls *t); /* bytes to send; the caller empties it */

/* 0, EAGAIN (more bytes have to come or to go), or why the connection is of no use; `err` may be NULL. */
int tls_handshake(struct tls *t, struct err *err);
bool tls_begun(const struct tls *t);   /* the handshake is under way, or over */
bool tls_is_open(const struct tls *t); /* the handshake is over */
bool tls_wants_out(const struct tls *t); /* EAGAIN was about the socket that takes no more */
int tls_read(struct tls *t, void *p, size_t len, size_t *n, struct err *err); /* ECONNRESET: the peer closed */
/* After EAGAIN the same bytes have to come again.  In memory everything is taken. */
int tls_write(struct tls *t, const void *p, size_t len, size_t *n, struct err *err);

/* A value that both sides of this connection know and no other connection has. */
void tls_binding(struct tls *t, uint8_t out[static CRED_BINDING_LEN]);

#endif
