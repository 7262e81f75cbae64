/*
 * cred - the cluster's key, and what is signed with it.
 *
 * A credential names a user, one use and one connection (the server's nonce), and is
 * good for a minute.  A process that can read the key file is trusted, as with munge: the
 * file belongs to root or the Spur user.
 */
#ifndef SPUR_WIRE_CRED_H
#define SPUR_WIRE_CRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "message.pb-c.h"

#define CRED_KEY_LEN 32
#define CRED_NONCE_LEN 16
#define CRED_TTL_MS 60000

enum cred_use { CRED_CLIENT = 1, CRED_AGENT = 2, CRED_PEER = 3, CRED_LAUNCH = 4, CRED_IO = 5, CRED_PERMIT = 6 };

struct cred_key {
    uint8_t bytes[CRED_KEY_LEN];
};

/* Read the key; refused when the file is readable by others than its owner. */
int cred_key_load(struct cred_key *key, const char *path, struct err *err);
/* Make one if there is none (O_EXCL, mode 0600), then load it. */
int cred_key_ensure(struct cred_key *key, const char *path, struct err *err);

void cred_random(void *out, size_t n);

/* Sign `body` for `use`: the MAC covers both.  `out` is a packed pb.Signed, appended. */
void cred_sign(const struct cred_key *key, enum cred_use use, const void *body, size_t len, struct buf *out);
bool cred_verify(const struct cred_key *key, enum cred_use use, const Pb__Signed *s);

/* A credential for one connection, as a packed pb.Signed. */
void cred_make(const struct cred_key *key, const Pb__Cred *cred, struct buf *out);
/* The credential inside, or NULL with a reason: wrong signature, nonce, use, or out of date at `now_ms`. Free with
 * pb__cred__free_unpacked. */
Pb__Cred *cred_open(const struct cred_key *key, const Pb__Signed *s, enum cred_use use,
                    const uint8_t nonce[static CRED_NONCE_LEN], int64_t now_ms, struct err *err);

#endif
