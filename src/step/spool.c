/* spool - the record of a step on a node; see spool.h. */
#include "step/spool.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "wire/frame.h"

static const struct {
    uint32_t id;
    const char *name;
} named[] = {
    { PB__STEP_NUMBER__STEP_BATCH, "batch" },
    { PB__STEP_NUMBER__STEP_EXTERN, "extern" },
    { PB__STEP_NUMBER__STEP_PROLOG, "prolog" },
    { PB__STEP_NUMBER__STEP_EPILOG, "epilog" },
    { PB__STEP_NUMBER__STEP_INTERACTIVE, "interactive" },
};

char *spool_step_name(char out[static SPOOL_NAME], uint32_t step_id)
{
    for (size_t i = 0; i < ARRAY_LEN(named); i++)
        if (named[i].id == step_id)
            return strcpy(out, named[i].name);
    snprintf(out, SPOOL_NAME, "%u", step_id);
    return out;
}

bool spool_step_parse(const char *name, size_t len, uint32_t *step_id)
{
    if (len >= SPOOL_NAME)
        return false;
    char word[SPOOL_NAME];
    memcpy(word, name, len);
    word[len] = '\0';
    for (size_t i = 0; i < ARRAY_LEN(named); i++)
        if (str_eq(named[i].name, word)) {
            *step_id = named[i].id;
            return true;
        }
    uint64_t n;
    if (!str_u64(word, 0, UINT32_MAX, &n))
        return false;
    *step_id = (uint32_t)n;
    return true;
}

char *spool_job_name(char out[static SPOOL_NAME], uint32_t job_id, uint32_t attempt)
{
    snprintf(out, SPOOL_NAME, "job%u.%u", job_id, attempt);
    return out;
}

bool spool_job_parse(const char *name, uint32_t *job_id, uint32_t *attempt)
{
    const char *dot = strchr(name, '.');
    if (!str_has_prefix(name, "job") || !dot || dot - name >= SPOOL_NAME)
        return false;
    char job[SPOOL_NAME];
    size_t len = (size_t)(dot - name) - 3;
    memcpy(job, name + 3, len);
    job[len] = '\0';
    uint64_t j, a;
    if (!str_u64(job, 1, UINT32_MAX, &j) || !str_u64(dot + 1, 0, UINT32_MAX, &a))
        return false;
    *job_id = (uint32_t)j;
    *attempt = (uint32_t)a;
    return true;
}

char *spool_file_name(char out[static SPOOL_NAME], uint32_t step_id, const char *suffix)
{
    char name[SPOOL_NAME];
    snprintf(out, SPOOL_NAME, "%.40s.%s", spool_step_name(name, step_id), suffix);
    return out;
}

char *spool_step_mark(char out[static SPOOL_MARK], struct step_key key, const char *node)
{
    char step[SPOOL_NAME];
    snprintf(out, SPOOL_MARK, "%u.%s.%u@%.255s", key.job_id, spool_step_name(step, key.step_id), key.attempt, node);
    return out;
}

/* mkdir -p for the folders above the spool. */
static void make_parents(const char *path)
{
    auto_free char *copy = mem_str(path);
    for (char *p = copy + 1; (p = strchr(p, '/')); *p++ = '/') {
        *p = '\0';
        mkdir(copy, 0755);
    }
}

int spool_open(int *dirfd, const char *path, struct err *err)
{
    make_parents(path);
    if (mkdir(path, 0755) && errno != EEXIST)
        return err_set(err, errno, "cannot make the spool %s: %m", path);
    auto_close int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st))
        return err_set(err, errno, "cannot open the spool %s: %m", path);
    if (st.st_uid != geteuid())
        return err_set(err, EPERM, "the spool %s belongs to user %u, not to this daemon's user", path, st.st_uid);
    if (st.st_mode & 022)
        return err_set(err, EPERM, "the spool %s is writable by others (mode %04o): chmod go-w it", path,
                       st.st_mode & 07777);
    *dirfd = take_fd(fd);
    return 0;
}

#define LOCK_PATIENCE_MS 5000
#define LOCK_RETRY_MS 20

int spool_lock(int *out, int spool, struct err *err)
{
    auto_close int fd = openat(spool, "agent.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_set(err, errno, "cannot make agent.lock in the spool: %m");
    for (int left = LOCK_PATIENCE_MS; flock(fd, LOCK_EX | LOCK_NB); left -= LOCK_RETRY_MS) {
        if (left <= 0)
            return err_set(err, EBUSY, "another spurd uses this spool: is the daemon of this node running already?");
        usleep(LOCK_RETRY_MS * 1000);
    }
    *out = take_fd(fd);
    return 0;
}

int spool_job_open(int *dirfd, int spool, struct step_key key, bool create, struct err *err)
{
    char name[SPOOL_NAME];
    spool_job_name(name, key.job_id, key.attempt);
    if (create && mkdirat(spool, name, 0755) && errno != EEXIST)
        return err_set(err, errno, "cannot make %s in the spool: %m", name);
    *dirfd = openat(spool, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (*dirfd < 0)
        return err_set(err, errno, "cannot open %s in the spool: %m", name);
    return 0;
}

static int write_all(int fd, const char *p, size_t len)
{
    while (len) {
        ssize_t n = write(fd, p, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        p += n;
        len -= (size_t)n;
    }
    return 0;
}

int spool_claim(int *out, int jobdir, struct step_key key, bool used, const void *order, size_t len, struct err *err)
{
    char name[SPOOL_NAME];
    spool_file_name(name, key.step_id, "step");
    auto_close int fd = openat(jobdir, name, O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC | (used ? 0 : O_CREAT | O_EXCL),
                               0600);
    if (fd < 0)
        return err_set(err, errno, "cannot make %s of job %u in the spool: %m", name, key.job_id);
    auto_buf struct buf text = BUF_INIT;
    frame_add(&text, MSG_LAUNCH, 0, 0, order, len);
    int rc = flock(fd, LOCK_EX | LOCK_NB) ? errno : write_all(fd, text.s, text.len);
    if (rc) {
        unlinkat(jobdir, name, 0);
        errno = rc;
        return err_set(err, rc, "cannot write %s of job %u in the spool: %m", name, key.job_id);
    }
    *out = take_fd(fd);
    return 0;
}

static int add_frame(int fd, enum msg_type type, const ProtobufCMessage *m, struct err *err)
{
    auto_buf struct buf text = BUF_INIT;
    frame_add_pb(&text, type, 0, 0, m);
    int rc = write_all(fd, text.s, text.len);
    return rc ? err_set(err, rc, "cannot write the step's record in the spool: %s", strerror(rc)) : 0;
}

int spool_add_start(int fd, struct err *err)
{
    return add_frame(fd, MSG_LAUNCH_REPLY, NULL, err);
}

int spool_add_report(int fd, const Pb__Report *report, struct err *err)
{
    return add_frame(fd, MSG_REPORT, &report->base, err);
}

int spool_read(int fd, struct buf *text, struct spool_record *out, struct err *err)
{
    struct stat st;
    if (fstat(fd, &st))
        return err_set(err, errno, "cannot read a step's record: %m");
    if (st.st_size > (off_t)FRAME_MAX + 65536)
        return err_set(err, EFBIG, "a step's record of %lld bytes is too long", (long long)st.st_size);
    size_t size = (size_t)st.st_size;
    char *at = buf_room(text, size);
    ssize_t n = pread(fd, at, size, 0);
    if (n < 0)
        return err_set(err, errno, "cannot read a step's record: %m");
    text->len = (size_t)n;
    *out = (struct spool_record){ 0 };
    for (size_t pos = 0, used; pos < text->len; pos += used) {
        struct frame f;
        if (frame_find(text->s + pos, text->len - pos, FRAME_MAX, &f, &used, NULL) <= 0)
            break; /* an incomplete last frame is ignored */
        ProtobufCBinaryData body = { f.len, (uint8_t *)f.body };
        if (f.type == MSG_LAUNCH)
            out->order = body;
        else if (f.type == MSG_LAUNCH_REPLY)
            out->started = true;
        else if (f.type == MSG_REPORT)
            out->report = body;
    }
    return 0;
}

bool spool_alive(int fd)
{
    if (flock(fd, LOCK_EX | LOCK_NB))
        return true;
    flock(fd, LOCK_UN);
    return false;
}

void spool_remove(int spool, struct step_key key)
{
    static const char *const suffix[] = { "sock", "step" };
    auto_close int dir = -1;
    if (spool_job_open(&dir, spool, key, false, NULL))
        return;
    char name[SPOOL_NAME];
    if (key.step_id == PB__STEP_NUMBER__STEP_BATCH)
        unlinkat(dir, SPOOL_SCRIPT, 0);
    for (size_t i = 0; i < ARRAY_LEN(suffix); i++)
        unlinkat(dir, spool_file_name(name, key.step_id, suffix[i]), 0);
    unlinkat(spool, spool_job_name(name, key.job_id, key.attempt), AT_REMOVEDIR);
}

/* ---- reused folders ---- */

#define FREE_RECORD "free.step"

static char *free_name(char out[static SPOOL_NAME], uint32_t n)
{
    snprintf(out, SPOOL_NAME, "free.%u", n);
    return out;
}

bool spool_free_parse(const char *name, uint32_t *n)
{
    uint64_t number;
    if (!str_has_prefix(name, "free.") || !str_u64(name + 5, 0, UINT32_MAX, &number))
        return false;
    *n = (uint32_t)number;
    return true;
}

/* A supervisor that is about to exit may still hold the lock; then the folder is not free yet. */
int spool_set_free(int spool, struct step_key key, uint32_t n)
{
    char job[SPOOL_NAME], file[SPOOL_NAME], to[SPOOL_NAME];
    auto_close int dir = -1, fd = -1;
    if (spool_job_open(&dir, spool, key, false, NULL))
        return ENOENT;
    spool_file_name(file, key.step_id, "step");
    fd = openat(dir, file, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) || ftruncate(fd, 0) || renameat(dir, file, dir, FREE_RECORD))
        return errno;
    return renameat(spool, spool_job_name(job, key.job_id, key.attempt), spool, free_name(to, n)) ? errno : 0;
}

int spool_use_free(int spool, struct step_key key, uint32_t n)
{
    char job[SPOOL_NAME], file[SPOOL_NAME], from[SPOOL_NAME], record[2 * SPOOL_NAME], step[2 * SPOOL_NAME + 1];
    spool_job_name(job, key.job_id, key.attempt);
    free_name(from, n);
    snprintf(record, sizeof(record), "%s/" FREE_RECORD, from);
    snprintf(step, sizeof(step), "%s/%s", from, spool_file_name(file, key.step_id, "step"));
    /* Rename the file first: a folder with the job's name then always has the step's file. */
    if (renameat(spool, record, spool, step))
        return errno;
    return renameat2(spool, from, spool, job, RENAME_NOREPLACE) ? errno : 0;
}

/* Call `each` for the steps of one job's folder.  An empty folder is from an interrupted launch and is removed. */
static bool each_step(int spool, const char *job, struct step_key key, spool_each_fn *each, void *arg)
{
    int fd = openat(spool, job, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        if (fd >= 0)
            close(fd);
        return true;
    }
    bool more = true;
    size_t steps = 0;
    for (struct dirent *e; more && (e = readdir(dir));) {
        const char *dot = strrchr(e->d_name, '.');
        if (!dot || !str_eq(dot, ".step") || !spool_step_parse(e->d_name, (size_t)(dot - e->d_name), &key.step_id))
            continue;
        steps++;
        more = each(arg, fd, key);
    }
    if (!steps) {
        unlinkat(fd, SPOOL_SCRIPT, 0);
        unlinkat(fd, FREE_RECORD, 0);
        unlinkat(spool, job, AT_REMOVEDIR);
    }
    closedir(dir);
    return more;
}

int spool_each(int spool, spool_each_fn *each, void *arg, struct err *err)
{
    int fd = openat(spool, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir)
        return err_set(err, errno, "cannot list the spool: %m");
    struct step_key key = { 0 };
    for (struct dirent *e; (e = readdir(dir));)
        if (spool_job_parse(e->d_name, &key.job_id, &key.attempt) && !each_step(spool, e->d_name, key, each, arg))
            break;
    closedir(dir);
    return 0;
}
