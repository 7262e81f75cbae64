/*
 * link_hello - the exchange that opens a TCP link: challenge, credential, verdict.
 *
 *     server                          client
 *     MSG_CHALLENGE nonce       ->
 *                               <-    MSG_HELLO credential: user, use and this nonce, signed
 *     open, or MSG_FAILURE      ->
 *
 * Inside TLS the nonce that is signed is the challenge and the TLS connection in one (cred_bind): a server cannot have
 * its challenge answered for a connection of its own to another server.  The server's identity is TLS's part: its
 * certificate has to have the role that the claim expects.
 *
 * A pure step machine: bytes in, bytes out, a verdict.  It knows no socket and no clock; the loop form (link.c), the
 * poll form (link_wait.c) and the fuzzer run the same code.  On a Unix socket the kernel names the peer and nothing is
 * exchanged.
 *
 * Between controllers the server confirms by one byte (HELLO_ACCEPTED) before the raw stream goes to libraft, so that
 * no byte of libraft's can be taken for a part of the exchange.
 */
#ifndef SPUR_IO_LINK_HELLO_H
#define SPUR_IO_LINK_HELLO_H

#include "base/buf.h"
#include "base/err.h"
#include "io/link_limits.h"
#include "wire/cred.h"

#define HELLO_ACCEPTED 'R'

/* The identity of a peer: the kernel's word (Unix socket) or a verified credential. */
struct link_peer {
    uint32_t uid, gid;
    enum cred_use use; /* CRED_CLIENT for Unix sockets; 0: not known yet */
    char node[65];     /* CRED_AGENT */
    uint64_t raft_id;  /* CRED_PEER */
    uint32_t level;    /* CRED_PEER: the feature level that it reads */
    int64_t wall_ms;   /* CRED_PEER: its wall clock at the hello */
    bool local;        /* Unix socket */
    char via[65];      /* the node whose machine vouches for the user; "": a machine that may vouch for any user */
};
enum link_class link_peer_class(const struct link_peer *peer);

/* What this process says it is. */
struct link_claim {
    const struct cred_key *key; /* signs the credential; NULL, or no key to sign: hello_step asks by HELLO_SIGN */
    enum cred_use use;
    const char *node;    /* CRED_AGENT, CRED_RELAY */
    uint64_t raft_id;    /* CRED_PEER */
    const char *address; /* CRED_PEER: where this controller listens */
    uint32_t uid, gid;   /* of the process; set by the link */
    int64_t wall_ms;     /* the wall clock; set by the link */
    uint32_t level;      /* CRED_PEER: the feature level that it reads */
    const char *to;      /* the server: a node's name; NULL: a controller */
    ProtobufCBinaryData token; /* instead of all else: a secret that both sides know */
};

enum hello_stage { HELLO_CHALLENGE, HELLO_CREDENTIAL, HELLO_ANSWER, HELLO_ACCEPT, HELLO_OVER };

struct hello {
    enum hello_stage stage;      /* what is waited for */
    const struct cred_key *key;  /* server: verifies with it */
    unsigned uses;               /* server: HELLO_USE() of each use that is let in */
    struct link_claim claim;     /* client; its texts are borrowed */
    uint8_t nonce[CRED_NONCE_LEN];
    bool bound;                  /* inside TLS, with this binding */
    uint8_t binding[CRED_BINDING_LEN];
    struct link_peer peer;       /* server: known after HELLO_OPEN ... */
    char address[256];           /* ... and of a controller, where it listens */
    char claimed[96];            /* server, after HELLO_REFUSED: what the client said to be; "": nothing */
};
#define HELLO_USE(use) (1u << (use))

enum hello_verdict {
    HELLO_MORE,    /* more bytes are needed */
    HELLO_SIGN,    /* client without a key: call hello_sign() with a credential for `nonce` */
    HELLO_OPEN,    /* the exchange is over; what follows the used bytes are frames */
    HELLO_REFUSED, /* send `out` (it may be empty) and hang up */
};

/* Begin as the server; `nonce` is fresh randomness.  Appends the challenge to `out`. */
void hello_serve(struct hello *h, const struct cred_key *key, unsigned uses, const uint8_t nonce[static CRED_NONCE_LEN],
                 struct buf *out);
/* Begin as the client. */
void hello_connect(struct hello *h, const struct link_claim *claim);
/* Right after either: the exchange runs inside this TLS connection. */
void hello_bind(struct hello *h, const uint8_t binding[static CRED_BINDING_LEN]);

/* Take the bytes that came and were not used before; `*used` of them are done with.  Call again while the verdict is
 * HELLO_MORE and something was used.  `now_ms` is the time (clock_cluster_ms); `err` is not NULL. */
enum hello_verdict hello_step(struct hello *h, const void *in, size_t len, size_t *used, int64_t now_ms,
                              struct buf *out, struct err *err);
/* Answer HELLO_SIGN: `cred` is a packed pb.Signed. */
enum hello_verdict hello_sign(struct hello *h, const void *cred, size_t len, struct buf *out, struct err *err);

#endif
