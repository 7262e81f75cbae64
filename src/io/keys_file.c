/* keys_file - reading and replacing the files of a key folder; see keys_priv.h. */
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "io/keys_priv.h"

int keys_read(const struct keys_conf *conf, const char *name, bool is_public, struct buf *out, struct err *err)
{
    auto_free char *path = mem_printf("%s/%s", conf->dir, name);
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT)
        return ENOENT;
    if (fd < 0)
        return err_set(err, errno, "cannot open %s: %m", path);
    int rc = cred_file_check(path, fd, conf->owner, is_public, err);
    if (rc)
        return rc;
    rc = buf_read(out, fd, CERT_FILE_MAX);
    return rc ? err_set(err, rc, "cannot read %s: %s", path, strerror(rc)) : 0;
}

static int write_all(int fd, const struct buf *text)
{
    for (size_t at = 0; at < text->len;) {
        ssize_t n = write(fd, text->s + at, text->len - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? errno : EIO;
        at += (size_t)n;
    }
    return fsync(fd) ? errno : 0;
}

int keys_write(const char *dir, const char *name, bool is_public, const struct buf *text, struct err *err)
{
    auto_free char *path = mem_printf("%s/%s", dir, name), *next = mem_printf("%s/.%s.new", dir, name);
    unlink(next); /* of a process that was killed; the folder's lock is held */
    auto_close int fd = open(next, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, is_public ? 0644 : 0600);
    int rc = fd < 0 || fchmod(fd, is_public ? 0644 : 0600) ? errno : write_all(fd, text);
    if (!rc && rename(next, path))
        rc = errno;
    auto_close int folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!rc && (folder < 0 || fsync(folder)))
        rc = errno;
    return rc ? err_set(err, rc, "cannot write %s: %s", path, strerror(rc)) : 0;
}

static int check_folder(const struct keys_conf *conf, int fd, struct err *err)
{
    struct stat st;
    if (fstat(fd, &st))
        return err_set(err, errno, "cannot stat %s: %m", conf->dir);
    if (st.st_uid && st.st_uid != geteuid() && st.st_uid != conf->owner)
        return err_set(err, EPERM, "%s belongs to user %u: a key folder belongs to root or to the daemon's user",
                       conf->dir, st.st_uid);
    if (st.st_mode & 022)
        return err_set(err, EPERM, "%s can be written by others (mode %03o): chmod 755 it", conf->dir,
                       st.st_mode & 0777);
    return 0;
}

int keys_lock(const struct keys_conf *conf, int *fd, struct err *err)
{
    if (mkdir(conf->dir, 0755) && errno != EEXIST)
        return err_set(err, errno, "cannot make the key folder %s: %m", conf->dir);
    *fd = open(conf->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd < 0)
        return err_set(err, errno, "cannot open the key folder %s: %m", conf->dir);
    int rc = check_folder(conf, *fd, err);
    if (!rc && flock(*fd, LOCK_EX))
        rc = err_set(err, errno, "cannot lock the key folder %s: %m", conf->dir);
    if (rc)
        close(take_fd(*fd));
    return rc;
}
