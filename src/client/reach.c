/* reach - a command's link to a controller or to a node's daemon; see reach.h. */
#include "client/reach.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/str.h"
#include "client/socket_trust.h"
#include "io/keys.h"

/* Connect to a socket that no other user can have made: what is sent is for a daemon's eyes. */
static int reach_unix(struct link_wait *w, const struct site *site, const char *path, enum link_class class,
                      struct err *err)
{
    int rc = socket_trust_path(site, path, err);
    if (!rc)
        rc = link_wait_unix(w, path, class, err);
    if (!rc && (rc = socket_trust_peer(site, w->fd, path, err)))
        link_wait_close(w);
    return rc;
}

/* ---- a credential from a daemon of this machine ---- */

static int take_credential(const struct frame *f, struct buf *out)
{
    Pb__CredReply *reply = f->type == MSG_CRED_REPLY ? pb__cred_reply__unpack(NULL, f->len, f->body) : NULL;
    int rc = reply && reply->cred ? 0 : EPROTO;
    if (!rc) {
        size_t n = pb__signed__get_packed_size(reply->cred);
        pb__signed__pack(reply->cred, (uint8_t *)buf_room(out, n));
        out->len += n;
    }
    if (reply)
        pb__cred_reply__free_unpacked(reply, NULL);
    return rc;
}

static int ask_daemon(const struct site *site, const char *path, const uint8_t nonce[static CRED_NONCE_LEN],
                      struct buf *out)
{
    struct link_wait w = LINK_WAIT_INIT;
    struct frame f;
    int64_t deadline_ms = clock_mono_ms() + REACH_MS;
    Pb__CredRequest req = PB__CRED_REQUEST__INIT;
    req.nonce = (ProtobufCBinaryData){ CRED_NONCE_LEN, (uint8_t *)nonce };
    req.use = CRED_CLIENT;
    int rc = reach_unix(&w, site, path, LINK_STRANGER, NULL);
    if (!rc)
        rc = link_wait_send(&w, MSG_CRED, 0, 1, &req.base, deadline_ms, NULL);
    if (!rc)
        rc = link_wait_next(&w, &f, deadline_ms, NULL);
    if (!rc)
        rc = take_credential(&f, out);
    link_wait_clear(&w);
    return rc;
}

/* Any Spur daemon of this machine will do: each has the key, and the kernel tells it the user. */
static int sign_by_daemon(void *arg, const uint8_t nonce[static CRED_NONCE_LEN], struct buf *out, struct err *err)
{
    const struct site *site = arg;
    DIR *d = opendir(site->socket_dir);
    int rc = ENOENT;
    for (struct dirent *e; d && rc && (e = readdir(d));) {
        if (!str_has_suffix(e->d_name, ".sock"))
            continue;
        auto_free char *path = mem_printf("%s/%s", site->socket_dir, e->d_name);
        rc = ask_daemon(site, path, nonce, out);
    }
    if (d)
        closedir(d);
    if (!rc)
        return 0;
    return err_set(err, EACCES,
                   "no Spur daemon runs on this machine to vouch for you (looked in %s), and %s cannot be read",
                   site->socket_dir, site->key_file);
}

/* ---- links ---- */

/* The owner of the configuration says where the keys are: keys of the same owner are as good. */
static uid_t conf_owner(const struct site *site)
{
    struct stat st;
    return site->path && !stat(site->path, &st) ? st.st_uid : 0;
}

/* `node` NULL: to a controller. */
static int reach_tcp(struct link_wait *w, const struct site *site, const char *node, const char *host, uint16_t port,
                     enum link_class class, struct err *err)
{
    struct cred_key key = { 0 };
    struct keys_conf conf = { .dir = site->key_dir, .cluster = site->cluster, .owner = conf_owner(site) };
    bool tls = site_uses_tls(site);
    int rc = tls ? keys_open(&key, &conf, err) : 0;
    if (rc)
        return rc;
    bool own = tls || !cred_key_load(&key, site->key_file, conf.owner, NULL);
    struct link_claim claim = { .key = own ? &key : NULL, .use = CRED_CLIENT, .to = node };
    rc = link_wait_tcp(w, host, port, class, &claim, sign_by_daemon, (void *)site, clock_mono_ms() + REACH_MS, err);
    keys_close(&key);
    return rc;
}

int reach_controller(struct link_wait *w, const struct site *site, uint64_t id, const char *host, uint16_t port,
                     struct err *err)
{
    auto_free char *path = mem_printf("%s/ctl%llu.sock", site->socket_dir, (unsigned long long)id);
    int rc = reach_unix(w, site, path, LINK_CONTROLLER, err);
    if (!rc || str_empty(host))
        return rc;
    struct err tcp = ERR_INIT;
    if (!reach_tcp(w, site, NULL, host, port, LINK_CONTROLLER, &tcp))
        return 0;
    if (rc == EPERM)
        return rc; /* a socket of another user explains more than a port without a listener */
    return err_set(err, tcp.code, "%s", tcp.text);
}

int reach_relay(struct link_wait *w, const struct site *site, struct err *err)
{
    DIR *d = site_uses_tls(site) && !str_empty(site->socket_dir) ? opendir(site->socket_dir) : NULL;
    auto_free char *path = NULL;
    bool beside = false; /* a controller has its socket there, too */
    for (struct dirent *e; d && !beside && (e = readdir(d));) {
        beside = str_has_prefix(e->d_name, "ctl") && str_has_suffix(e->d_name, ".sock");
        if (!path && str_has_prefix(e->d_name, "spurd-") && str_has_suffix(e->d_name, ".sock"))
            path = mem_printf("%s/%s", site->socket_dir, e->d_name);
    }
    if (d)
        closedir(d);
    if (!path || beside)
        return err_set(err, ENOENT, "no node's daemon of this machine can carry requests");
    return reach_unix(w, site, path, LINK_CONTROLLER, err);
}

int reach_agent(struct link_wait *w, const struct site *site, const char *node, const char *host, uint16_t port,
                struct err *err)
{
    if (strchr(node, '/'))
        return err_set(err, EINVAL, "%s is no name of a node", node);
    auto_free char *path = mem_printf("%s/spurd-%s.sock", site->socket_dir, node);
    int rc = reach_unix(w, site, path, LINK_AGENT, err);
    return rc && !str_empty(host) && port ? reach_tcp(w, site, node, host, port, LINK_AGENT, err) : rc;
}
