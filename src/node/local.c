/* local - the agent's Unix socket: it carries the requests of local users (relay.h), and signs their identities, so
 * that they can connect to a controller by TCP. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "node/listen.h"
#include "node/relay.h"

/* Sign the peer's identity, as the kernel gives it, for use as a client and for nothing else. */
static void sign(struct agent *a, struct link *c, const struct frame *f, const Pb__CredRequest *req)
{
    if (req->nonce.len != CRED_NONCE_LEN || (req->use && req->use != CRED_CLIENT)) {
        listen_refuse(c, f->number, EINVAL, "credentials are made for clients, with a controller's challenge");
        return;
    }
    Pb__Cred cred = PB__CRED__INIT;
    cred.uid = link_peer(c)->uid;
    cred.gid = link_peer(c)->gid;
    cred.issued_ms = clock_cluster_ms();
    cred.expires_ms = cred.issued_ms + CRED_TTL_MS;
    cred.nonce = req->nonce;
    cred.host = (char *)a->name;
    cred.use = CRED_CLIENT;
    auto_buf struct buf packed = BUF_INIT;
    cred_make(&a->key, &cred, &packed);
    Pb__CredReply reply = PB__CRED_REPLY__INIT;
    reply.cred = pb__signed__unpack(NULL, packed.len, (uint8_t *)packed.s);
    link_send_pb(c, MSG_CRED_REPLY, 0, f->number, &reply.base);
    pb__signed__free_unpacked(reply.cred, NULL);
}

void local_cred(struct agent *a, struct link *c, const struct frame *f, const struct link_peer *peer)
{
    Pb__CredRequest *req = pb__cred_request__unpack(NULL, f->len, f->body);
    if (req && peer->local)
        sign(a, c, f, req);
    else
        listen_refuse(c, f->number, EPERM, "credentials are made for users of this machine, at its socket");
    if (req)
        pb__cred_request__free_unpacked(req, NULL);
}

int local_start(struct agent *a, struct err *err)
{
    const char *dir = a->site->socket_dir;
    if (str_empty(dir))
        return 0;
    if (mkdir(dir, 0755) && errno != EEXIST)
        return err_set(err, errno, "cannot make %s: %m", dir);
    auto_free char *path = mem_printf("%s/spurd-%s.sock", dir, a->name);
    struct link_listen_conf conf = { .loop = a->loop, .ops = &listen_ops, .arg = a, .bounded = true };
    relay_start(a);
    return link_listen_unix(&a->local, &conf, path, err);
}
