/* socket_trust - may a command say anything to the daemon behind this Unix socket?  See socket_trust.h. */
#include "client/socket_trust.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "io/link_sock.h"

static bool is_user(const char *name, uint32_t uid)
{
    const struct passwd *pw = str_empty(name) ? NULL : getpwnam(name);
    return pw && pw->pw_uid == uid;
}

static bool trusted(const struct site *site, uint32_t uid)
{
    return uid == 0 || uid == geteuid() || is_user(site->slurm_user, uid) || is_user(site->slurmd_user, uid);
}

/* In a sticky folder (/tmp) every user may make names, but only the owner of a name can replace it. */
static int check_name(const struct site *site, const char *path, struct err *err)
{
    struct stat st;
    if (lstat(path, &st))
        return 0; /* connecting says what is wrong */
    if (!trusted(site, st.st_uid))
        return err_set(err, EPERM, "%s belongs to user %u: no daemon of this cluster made it, so it is not used", path,
                       (unsigned)st.st_uid);
    if (S_ISDIR(st.st_mode) && st.st_mode & 022 && !(st.st_mode & S_ISVTX))
        return err_set(err, EPERM, "%s is writable by other users (mode %04o): a socket below it is not used", path,
                       (unsigned)st.st_mode & 07777);
    return 0;
}

/* Check every folder of the path and the path itself. */
static int check_names(const struct site *site, const char *path, struct err *err)
{
    auto_free char *copy = mem_str(path);
    int rc = 0;
    for (char *p = copy; !rc && (p = strchr(p + 1, '/')); *p = '/') {
        *p = '\0';
        rc = check_name(site, copy, err);
    }
    return rc ? rc : check_name(site, copy, err);
}

int socket_trust_path(const struct site *site, const char *path, struct err *err)
{
    auto_free char *real = realpath(path, NULL);
    int rc = check_names(site, path, err);
    return rc || !real || str_eq(real, path) ? rc : check_names(site, real, err);
}

int socket_trust_peer(const struct site *site, int fd, const char *path, struct err *err)
{
    struct link_peer peer;
    if (link_sock_peer(fd, &peer))
        return err_set(err, EPERM, "the kernel does not say which user listens at %s: %m", path);
    return trusted(site, peer.uid) ? 0
                                   : err_set(err, EPERM,
                                             "user %u listens at %s: that is no daemon of this cluster, "
                                             "so it is not used", peer.uid, path);
}
