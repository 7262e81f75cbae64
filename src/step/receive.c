/* receive - write a file that arrives in blocks, as a user; see receive.h. */
#include "step/receive.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "io/link_wait.h"
#include "step/tmpfs.h"
#include "wire/cred.h"
#include "wire/frame.h"
#include "wire/lz4.h"
#include "wire/sum.h"

#define TRIES 16
#define SECOND_NS 1000000000

/* ---- the file ---- */

/* The folder of the target, and the target's name in it. */
static int open_folder(struct receiving *r, const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');
    if (!slash || path[0] != '/')
        return err_set(err, EINVAL, "%s is not a full path", path);
    if (!slash[1] || str_eq(slash + 1, ".") || str_eq(slash + 1, ".."))
        return err_set(err, EISDIR, "%s", strerror(EISDIR));
    auto_free char *dir = mem_strn(path, slash == path ? 1 : (size_t)(slash - path));
    r->dir = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (r->dir < 0)
        return err_set(err, errno, "%m");
    r->name = mem_str(slash + 1);
    return 0;
}

/* May the existing target be replaced?  A folder never, anything else only with `force`. */
static int check_target(const struct receiving *r, struct err *err)
{
    struct stat st;
    if (fstatat(r->dir, r->name, &st, AT_SYMLINK_NOFOLLOW))
        return errno == ENOENT ? 0 : err_set(err, errno, "%m");
    if (!r->force)
        return err_set(err, EEXIST, "%s", strerror(EEXIST));
    if (S_ISDIR(st.st_mode))
        return err_set(err, EISDIR, "%s", strerror(EISDIR));
    /* Replacing a file amounts to writing to it, so write permission is required. */
    if (S_ISREG(st.st_mode) && faccessat(r->dir, r->name, W_OK, AT_EACCESS))
        return err_set(err, errno, "%m");
    return 0;
}

static int make_file(struct receiving *r, struct err *err)
{
    for (int i = 0; i < TRIES && r->fd < 0; i++) {
        uint64_t dice;
        cred_random(&dice, sizeof(dice));
        free(r->tmp);
        r->tmp = mem_printf(".%.200s.%016llx", r->name, (unsigned long long)dice);
        r->fd = openat(r->dir, r->tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (r->fd < 0 && errno != EEXIST)
            break;
    }
    if (r->fd >= 0)
        return 0;
    free(take(r->tmp));
    return err_set(err, errno, "%m");
}

/* Create a folder; an existing one is accepted with `force`. */
static int make_folder(struct receiving *r, struct err *err)
{
    struct stat st;
    if (!mkdirat(r->dir, r->name, 0700 | (r->mode & 0777)))
        return 0;
    if (errno == EEXIST && r->force && !fstatat(r->dir, r->name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode))
        return 0;
    return err_set(err, errno, "%m");
}

int receive_open(struct receiving *r, const Pb__BcastOpen *o, struct err *err)
{
    receive_drop(r);
    r->force = o->force;
    r->folder = o->folder;
    r->preserve = o->preserve;
    r->atime_ns = o->atime_ns;
    r->mtime_ns = o->mtime_ns;
    r->mode = o->mode & (o->preserve ? 07777u : 0777u);
    r->got = 0;
    int rc = open_folder(r, o->path, err);
    if (!rc && r->folder)
        return make_folder(r, err);
    if (!rc)
        rc = check_target(r, err);
    if (!rc)
        rc = make_file(r, err);
    if (!rc)
        r->sum = sum_new();
    return rc;
}

static int write_all(struct receiving *r, const uint8_t *p, size_t len, struct err *err)
{
    for (size_t at = 0; at < len;) {
        ssize_t n = write(r->fd, p + at, len - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return err_set(err, n ? errno : ENOSPC, "%s", strerror(n ? errno : ENOSPC));
        at += (size_t)n;
    }
    sum_add(r->sum, p, len);
    r->got += len;
    return 0;
}

int receive_data(struct receiving *r, const Pb__BcastData *d, struct err *err)
{
    if (r->fd < 0 || d->offset != r->got)
        return err_set(err, EPROTO, "a block of a file that does not follow the last one");
    if (!d->size)
        return write_all(r, d->data.data, d->data.len, err);
    if (d->size > LZ4_MAX)
        return err_set(err, EFBIG, "a block of a file that is too big");
    auto_free uint8_t *block = mem_alloc(d->size);
    if (!lz4_unpack(d->data.data, d->data.len, block, d->size))
        return err_set(err, EBADMSG, "a block of a file that cannot be unpacked");
    return write_all(r, block, d->size, err);
}

static struct timespec moment(int64_t ns)
{
    return (struct timespec){ ns / SECOND_NS, ns % SECOND_NS };
}

/* The file is complete and correct: set its mode, times and name. */
static int finish(struct receiving *r, struct err *err)
{
    if (fchmod(r->fd, r->mode))
        return err_set(err, errno, "%m");
    struct timespec times[2] = { moment(r->atime_ns), moment(r->mtime_ns) };
    if (r->preserve && futimens(r->fd, times))
        return err_set(err, errno, "%m");
    int fd = take_fd(r->fd);
    if (close(fd)) /* some file systems report ENOSPC here */
        return err_set(err, errno, "%m");
    int rc = check_target(r, err);
    if (!rc && renameat2(r->dir, r->tmp, r->dir, r->name, r->force ? 0 : RENAME_NOREPLACE)) {
        /* File systems without RENAME_NOREPLACE: a hard link never replaces another file either. */
        if (errno != EINVAL || r->force || linkat(r->dir, r->tmp, r->dir, r->name, 0))
            return err_set(err, errno, "%m");
        unlinkat(r->dir, r->tmp, 0);
    }
    if (!rc)
        free(take(r->tmp));
    return rc;
}

int receive_close(struct receiving *r, const Pb__BcastClose *c, struct err *err)
{
    int rc = 0;
    if (c->keep && !r->folder && r->fd < 0)
        rc = err_set(err, EPROTO, "there is no file to close");
    else if (c->keep && !r->folder && sum_value(r->sum) != c->hash)
        rc = err_set(err, EIO, "the checksum of what arrived is wrong");
    else if (c->keep && !r->folder)
        rc = finish(r, err);
    receive_drop(r);
    return rc;
}

void receive_drop(struct receiving *r)
{
    if (r->fd >= 0)
        close(take_fd(r->fd));
    if (r->tmp)
        unlinkat(r->dir, r->tmp, 0);
    if (r->dir >= 0)
        close(take_fd(r->dir));
    free(take(r->tmp));
    free(take(r->name));
    sum_free(take(r->sum));
}

/* ---- the process ---- */

/* Become the user for good, before any path is used. */
static int become(const Pb__BcastAs *as, struct err *err)
{
    auto_free gid_t *groups = mem_array(as->n_group + 1, sizeof(*groups));
    for (size_t i = 0; i < as->n_group; i++)
        groups[i] = as->group[i];
    if (geteuid() && geteuid() != as->uid)
        return err_set(err, EPERM, "this daemon is not root: it cannot write files of user %u", as->uid);
    int rc = geteuid() ? 0
                       : tmpfs_join(as->tmpfs, (struct step_key){ .job_id = as->job_id, .attempt = as->attempt }, err);
    if (rc)
        return rc;
    if (!geteuid() && (setgroups(as->n_group, groups) || setresgid(as->gid, as->gid, as->gid) ||
                       setresuid(as->uid, as->uid, as->uid)))
        return err_set(err, errno, "cannot become user %u: %m", as->uid);
    return 0;
}

struct receiver {
    struct receiving file;
    bool known;        /* the process runs as the user */
    struct err broken; /* the first error; all later requests fail with it */
};

static int take_frame(struct receiver *r, const struct frame *f, struct err *err)
{
    const ProtobufCMessageDescriptor *d = msg_descriptor(f->type);
    ProtobufCMessage *m = d ? protobuf_c_message_unpack(d, NULL, f->len, f->body) : NULL;
    int rc;
    if (!m)
        return err_set(err, EBADMSG, "a message that does not parse");
    if (f->type == MSG_BCAST_AS && !r->known) {
        rc = become((Pb__BcastAs *)m, err);
        r->known = !rc;
    } else if (!r->known) {
        rc = err_set(err, EPERM, "no user was named before the file");
    } else if (f->type == MSG_BCAST_OPEN) {
        rc = receive_open(&r->file, (Pb__BcastOpen *)m, err);
    } else if (f->type == MSG_BCAST_DATA) {
        rc = receive_data(&r->file, (Pb__BcastData *)m, err);
    } else if (f->type == MSG_BCAST_CLOSE) {
        rc = receive_close(&r->file, (Pb__BcastClose *)m, err);
    } else {
        rc = err_set(err, EPROTO, "a message that is none of a file");
    }
    protobuf_c_message_free_unpacked(m, NULL);
    return rc;
}

static bool handle(struct receiver *r, struct link_wait *w, const struct frame *f)
{
    struct err err = ERR_INIT;
    if (r->broken.code)
        err = r->broken;
    else if (take_frame(r, f, &err)) {
        r->broken = err;
        receive_drop(&r->file); /* free the disk space, which may be what was missing */
    }
    if (f->type == MSG_BCAST_AS && !err.code)
        return true;
    Pb__Done done = PB__DONE__INIT;
    done.code = err.code;
    done.text = err.text;
    return !link_wait_send(w, MSG_DONE, 0, f->number, &done.base, -1, NULL);
}

int receive_main(void)
{
    struct receiver r = { .file = RECEIVING_INIT };
    struct link_wait agent = LINK_WAIT_INIT;
    struct frame f;
    int rc;
    umask(0);
    signal(SIGXFSZ, SIG_IGN);
    link_wait_use(&agent, RECEIVE_FD, LINK_AGENT);
    do
        rc = link_wait_next(&agent, &f, -1, NULL);
    while (rc == EINTR || (!rc && handle(&r, &agent, &f)));
    receive_drop(&r.file);
    link_wait_clear(&agent);
    return 0;
}
