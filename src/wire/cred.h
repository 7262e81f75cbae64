/*
 * cred - credentials and orders: signed, and checked.
 *
 * A credential names a user, one use and one connection (its nonce), and is good for a minute.  There are two kinds of
 * key.  The cluster's key (SpurTransport=plain) is shared: a process that can read its file is trusted, as with munge.
 * A machine's own key (Ed25519) signs with the machine's certificate beside the signature, and the roles in the
 * certificate decide what the signature is good for: a node's key signs no order.
 */
#ifndef SPUR_WIRE_CRED_H
#define SPUR_WIRE_CRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "message.pb-c.h"

#define CRED_KEY_LEN 32
#define CRED_NONCE_LEN 16
#define CRED_BINDING_LEN 32
#define CRED_TTL_MS 60000

enum cred_use {
    CRED_CLIENT = 1,
    CRED_AGENT = 2,
    CRED_PEER = 3,
    CRED_LAUNCH = 4,
    CRED_IO = 5,
    CRED_PERMIT = 6,
    CRED_KILL = 7,
    CRED_RELAY = 8 /* a connection of a machine's daemon, for the users of the machine */
};

/* ---- certificates, as seen from here ---- */
enum cred_role { CRED_ROLE_CONTROLLER, CRED_ROLE_AGENT, CRED_ROLE_HOST, CRED_ROLES };
extern const char *const cred_role_name[CRED_ROLES]; /* "controller", "agent", "host" */

/* What a valid certificate says about its holder. */
struct cred_identity {
    uint8_t public_key[32];
    char *roles;     /* "controller/1 agent/n1 agent/n2", separated by blanks; the name * is any name */
    char serial[41]; /* hexadecimal */
    int64_t from_s, until_s;
};
/* `name` NULL: any name. */
bool cred_identity_has(const struct cred_identity *id, enum cred_role role, const char *name);
/* Every role of a list "controller/1 host/a". */
bool cred_identity_has_all(const struct cred_identity *id, const char *roles);

/* Checks certificates: io/keys.c. */
struct cred_trust {
    /* Borrowed until the next call; NULL with a reason. */
    const struct cred_identity *(*check)(struct cred_trust *t, const void *cert, size_t len, struct err *err);
};

/* A machine's own key with its certificate (DER). */
struct cred_pair {
    uint8_t secret[64];
    struct buf cert;
};

struct cred_key {
    uint8_t bytes[CRED_KEY_LEN]; /* the cluster's key, if `trust` is NULL */
    struct cred_trust *trust;    /* the machines have keys of their own */
    const struct cred_pair *own; /* with `trust`: signs; NULL: this process cannot sign */
};
bool cred_can_sign(const struct cred_key *key); /* NULL: no */

/* ---- the cluster's key ---- */
/* Read the key; refused when others than its owner can read it, and when the owner is neither root, this user nor
 * `owner`. */
int cred_key_load(struct cred_key *key, const char *path, uid_t owner, struct err *err);
/* Make one if there is none (O_EXCL, mode 0600), then load it. */
int cred_key_ensure(struct cred_key *key, const char *path, uid_t owner, struct err *err);
/* May a secret be in a file of this owner and mode?  EPERM with a reason.  Public files may be read by others. */
int cred_file_check(const char *path, int fd, uid_t owner, bool is_public, struct err *err);

void cred_random(void *out, size_t n);

/* ---- signatures ---- */
/* Sign `body` for `use`: the signature covers both.  `out` is a packed pb.Signed, appended. */
void cred_sign(const struct cred_key *key, enum cred_use use, const void *body, size_t len, struct buf *out);
/* The same for a connection on which the sender has proved its role: a machine's signature would add nothing there, and
 * is left out. */
void cred_enclose(const struct cred_key *key, enum cred_use use, const void *body, size_t len, struct buf *out);
/* Is it signed by a key that may sign for this use?  `*by` (NULL is welcome) is the signer, NULL for the cluster's key;
 * borrowed until the next call. */
bool cred_signed_by(const struct cred_key *key, enum cred_use use, const Pb__Signed *s, const struct cred_identity **by,
                    struct err *err);
bool cred_verify(const struct cred_key *key, enum cred_use use, const Pb__Signed *s);

/* A credential for one connection, as a packed pb.Signed. */
void cred_make(const struct cred_key *key, const Pb__Cred *cred, struct buf *out);
/* The credential inside, or NULL with a reason: wrong signature, nonce, use, or a user's out of date at `now_ms`.  A
 * node or a controller whose clock is wrong is let in: the nonce says that it answers now.  Free with
 * pb__cred__free_unpacked. */
Pb__Cred *cred_open(const struct cred_key *key, const Pb__Signed *s, enum cred_use use,
                    const uint8_t nonce[static CRED_NONCE_LEN], int64_t now_ms, struct err *err);
/* The nonce of a connection inside TLS: the challenge and the connection's own secret (TLS exporter) in one.  An answer
 * to a challenge that another server relayed is good for no connection. */
void cred_bind(uint8_t nonce[static CRED_NONCE_LEN], const uint8_t binding[static CRED_BINDING_LEN]);

#endif
