/* bcast - a file for every node of a job; see bcast.h. */
#include "cli/bcast.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/errnum.h"
#include "base/str.h"
#include "cli/bcast_libs.h"
#include "cli/say.h"
#include "client/agent.h"
#include "text/hostlist.h"
#include "wire/lz4.h"
#include "wire/sum.h"

#define EXIT_LOOKUP 255
#define WINDOW (4u << 20) /* bytes on their way, but always one block */
#define WINDOW_BLOCKS 8u

struct sending {
    const struct bcast_job *job;
    const Pb__PermitReply *permit;
    struct agent_link *link;
    Pb__AgentAddr **below;
    size_t nbelow;
    int timeout_ms;
    unsigned open; /* questions that are not answered yet */
    bool lost;     /* the connection is */
    struct buf block, small;
};

/* ---- where to ---- */

static const char *job_text(const struct bcast_job *b)
{
    static char text[64];
    if (b->id.has_step)
        snprintf(text, sizeof(text), "%u.%u", b->id.job, b->id.step);
    else
        snprintf(text, sizeof(text), "%u", b->id.job);
    return text;
}

static int ask_permit(struct client *c, const struct bcast_job *b, Pb__PermitReply **out)
{
    struct err err = ERR_INIT;
    Pb__PermitRequest ask = PB__PERMIT_REQUEST__INIT;
    auto_strs struct strs names = STRS_INIT;
    if (b->no_job && hostlist_expand(b->nodes, &names, &err)) {
        say_error("%s", err.text);
        return EXIT_LOOKUP;
    }
    ask.job_id = b->id.job;
    ask.has_task = b->id.has_task, ask.task = b->id.task;
    ask.has_step = b->id.has_step, ask.step = b->id.step;
    ask.no_job = b->no_job;
    ask.node = names.at, ask.n_node = names.n;
    int rc = agent_permit(c, &ask, out, &err);
    if (rc && !b->no_job && !b->id.has_step && rc == ESLURM_INVALID_JOB_ID) {
        say_error("Failed to load JobId=%u: '%s'", b->id.job, err_text(rc));
        return 1;
    }
    if (rc && b->no_job)
        say_error("%s", rc >= 1000 ? err_text(rc) : err.text);
    else if (rc)
        say_error("Slurm job %s lookup error: %s", job_text(b), rc >= 1000 ? err_text(rc) : err.text);
    else if (!(*out)->permit) {
        say_error("Slurm job %s lookup error: %s", job_text(b), err_text(ESLURM_USER_ID_MISSING));
        pb__permit_reply__free_unpacked(*out, NULL);
        *out = NULL;
        rc = EACCES;
    }
    return rc ? EXIT_LOOKUP : 0;
}

static Pb__AgentAddr *agent_by_name(const Pb__PermitReply *p, const char *name)
{
    for (size_t i = 0; i < p->n_nodes; i++)
        if (str_eq(p->nodes[i]->name, name))
            return p->nodes[i];
    return NULL;
}

/* All nodes of the permit, or the nodes of -w, which must be among them. */
static int choose_agents(struct sending *s, Pb__AgentAddr ***out, size_t *n)
{
    const struct bcast_job *b = s->job;
    auto_strs struct strs names = STRS_INIT;
    VEC(Pb__AgentAddr *) chosen = { 0 };
    bool some = b->nodes && !b->no_job, good = !some || !hostlist_expand(b->nodes, &names, NULL);
    for (size_t i = 0; good && i < (some ? names.n : s->permit->n_nodes); i++) {
        Pb__AgentAddr *at = some ? agent_by_name(s->permit, names.at[i]) : s->permit->nodes[i];
        good = at;
        vec_push(&chosen, at);
    }
    if (!good)
        say_error("Not all nodes in --nodelist/-w '%s' are in job %s.", b->nodes, job_text(b));
    *out = chosen.at;
    *n = chosen.n;
    return good && chosen.n ? 0 : EXIT_LOOKUP;
}

/* ---- the way ---- */

/* Every node that failed, in Slurm's words; the last one's number is the exit status. */
static int bcast_hear(struct sending *s, const char *first)
{
    struct err err = ERR_INIT;
    Pb__BcastReply *r = NULL;
    int rc = agent_hear(s->link, MSG_BCAST_REPLY, (ProtobufCMessage **)&r, s->timeout_ms, &err);
    s->open--;
    if (rc) {
        s->lost = true;
        say_error("REQUEST_FILE_BCAST(%s): %s", first, err.text);
        return rc;
    }
    for (size_t i = 0; i < r->n_failed; i++) {
        const Pb__NodeFailure *f = r->failed[i];
        rc = f->code ? f->code : EIO;
        say_error("REQUEST_FILE_BCAST(%s): %s", f->node, str_empty(f->text) ? err_text(f->code) : f->text);
    }
    client_free(&r->base);
    return rc;
}

static int bcast_send(struct sending *s, enum msg_type type, const ProtobufCMessage *m, const char *first)
{
    struct err err = ERR_INIT;
    int rc = agent_send(s->link, type, m, &err);
    s->lost = rc;
    s->open++;
    if (rc)
        say_error("REQUEST_FILE_BCAST(%s): %s", first, err.text);
    return rc;
}

static int send_open(struct sending *s, const char *dest, const struct stat *st, bool folder, const char *first)
{
    Pb__BcastOpen o = PB__BCAST_OPEN__INIT;
    o.permit = s->permit->permit;
    o.path = (char *)dest;
    o.mode = folder ? 0755 : st->st_mode & 07777;
    o.force = s->job->force;
    o.preserve = s->job->preserve && !folder;
    o.folder = folder;
    if (st) {
        o.atime_ns = st->st_atim.tv_sec * 1000000000ll + st->st_atim.tv_nsec;
        o.mtime_ns = st->st_mtim.tv_sec * 1000000000ll + st->st_mtim.tv_nsec;
        o.size = (uint64_t)st->st_size;
    }
    o.fanout = s->job->fanout;
    o.below = s->below, o.n_below = s->nbelow;
    int rc = bcast_send(s, MSG_BCAST_OPEN, &o.base, first);
    return rc ? rc : bcast_hear(s, first);
}

static int send_close(struct sending *s, uint64_t hash, const char *first)
{
    Pb__BcastClose c = PB__BCAST_CLOSE__INIT;
    c.hash = hash;
    c.keep = true;
    int rc = bcast_send(s, MSG_BCAST_CLOSE, &c.base, first);
    return rc ? rc : bcast_hear(s, first);
}

/* One block, packed where that is wanted and worth it. */
static int send_block(struct sending *s, const char *p, size_t n, uint64_t offset, const char *first)
{
    Pb__BcastData d = PB__BCAST_DATA__INIT;
    d.offset = offset;
    d.data = (ProtobufCBinaryData){ n, (uint8_t *)p };
    buf_reset(&s->small);
    if (s->job->packed && lz4_pack(p, n, &s->small)) {
        d.size = n;
        d.data = (ProtobufCBinaryData){ s->small.len, (uint8_t *)s->small.s };
    }
    return bcast_send(s, MSG_BCAST_DATA, &d.base, first);
}

static ssize_t read_block(int fd, char *to, size_t room)
{
    ssize_t n;
    do
        n = read(fd, to, room);
    while (n < 0 && errno == EINTR);
    return n;
}

/* Answers, until there is room for another block on the way, or (`all`) none is left. */
static int hear_some(struct sending *s, uint32_t room, bool all, const char *first)
{
    int rc = 0;
    while (!rc && s->open && (all || s->open >= WINDOW_BLOCKS || (uint64_t)(s->open + 1) * room > WINDOW))
        rc = bcast_hear(s, first);
    return rc;
}

/* The blocks of the file, a few of them on their way at once.  `sum` grows by what was sent. */
static int send_blocks(struct sending *s, int fd, const char *source, struct sum *sum, const char *first)
{
    uint32_t room = s->job->block ? MIN(s->job->block, BCAST_BLOCK_MAX) : BCAST_BLOCK;
    uint64_t offset = 0;
    buf_reset(&s->block);
    char *to = buf_room(&s->block, room);
    ssize_t n;
    while ((n = read_block(fd, to, room)) > 0) {
        sum_add(sum, to, (size_t)n);
        int rc = send_block(s, to, (size_t)n, offset, first);
        offset += (uint64_t)n;
        if (!rc)
            rc = hear_some(s, room, false, first);
        if (rc)
            return rc;
    }
    if (n < 0) {
        say_error("Can't read `%s`: %s", source, strerror(errno));
        return EXIT_LOOKUP;
    }
    return hear_some(s, room, true, first);
}

/* It went wrong somewhere, and that was said: when all have answered, nothing is left anywhere. */
static void give_up(struct sending *s)
{
    Pb__BcastClose c = PB__BCAST_CLOSE__INIT;
    if (!s->lost && !agent_send(s->link, MSG_BCAST_CLOSE, &c.base, NULL))
        s->open++;
    while (!s->lost && s->open--)
        s->lost = agent_hear(s->link, MSG_BCAST_REPLY, NULL, s->timeout_ms, NULL);
}

/* One file to every node; a failure anywhere, and it appears nowhere. */
static int send_file(struct sending *s, const char *source, const char *dest)
{
    const char *first = s->permit->nodes[0]->name;
    struct stat st;
    auto_close int fd = open(source, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st)) {
        say_error("Can't open `%s`: %s", source, strerror(errno));
        return EXIT_LOOKUP;
    }
    if (!S_ISREG(st.st_mode)) {
        say_error("Can't mmap file `%s`, %s.", source, strerror(ENODEV));
        return EXIT_LOOKUP;
    }
    if (!st.st_size)
        fprintf(stderr, "%s: warning: file `%s` is empty.\n", say_name, source);
    struct sum *sum = sum_new();
    int rc = send_open(s, dest, &st, false, first);
    if (!rc)
        rc = send_blocks(s, fd, source, sum, first);
    if (!rc)
        rc = send_close(s, sum_value(sum), first);
    if (rc)
        give_up(s);
    sum_free(sum);
    return rc;
}

/* ---- libraries ---- */

char *bcast_lib_folder(const char *dest)
{
    return mem_printf("%s_libs", dest);
}

static int send_libs(struct sending *s, const struct site *site, const char *source, const char *dest)
{
    auto_strs struct strs libs = STRS_INIT;
    const char *exclude = s->job->exclude ? s->job->exclude : site_value(site, "BcastExclude");
    bcast_libs(source, str_or(exclude, BCAST_EXCLUDE), &libs);
    auto_free char *folder = bcast_lib_folder(dest);
    int rc = send_open(s, folder, NULL, true, s->permit->nodes[0]->name);
    for (size_t i = 0; !rc && i < libs.n; i++) {
        const char *slash = strrchr(libs.at[i], '/');
        auto_free char *to = mem_printf("%s/%s", folder, slash ? slash + 1 : libs.at[i]);
        rc = send_file(s, libs.at[i], to);
    }
    return rc;
}

/* ---- all of it ---- */

static void tell_more(const struct bcast_job *b, const Pb__PermitReply *p, size_t n)
{
    if (!b->verbose)
        return;
    auto_free char **names = mem_array(p->n_nodes, sizeof(*names));
    for (size_t i = 0; i < p->n_nodes; i++)
        names[i] = p->nodes[i]->name;
    auto_free char *list = hostlist_compress(names, p->n_nodes);
    say_info("jobid      = %s", job_text(b));
    say_info("node_list  = %s", list);
    say_info("nodes      = %zu", n);
}

int bcast_file(struct client *c, const struct bcast_job *b, const char *source, const char *dest)
{
    Pb__PermitReply *permit = NULL;
    struct err err = ERR_INIT;
    const struct site *site = client_site(c);
    int rc = ask_permit(c, b, &permit);
    if (rc)
        return rc;
    struct sending s = { .job = b, .permit = permit };
    auto_free Pb__AgentAddr **nodes = NULL;
    size_t n = 0;
    rc = choose_agents(&s, &nodes, &n);
    s.timeout_ms = (int)MIN(b->timeout_s ? b->timeout_s : MAX(site->message_timeout_s, 10u) * 6u, 1u << 20) * 1000;
    if (!rc && agent_open(&s.link, site, nodes[0], &err)) {
        say_error("REQUEST_FILE_BCAST(%s): %s", nodes[0]->name, err.text);
        rc = err.code;
    }
    if (!rc) {
        s.below = nodes + 1, s.nbelow = n - 1;
        tell_more(b, permit, n);
        rc = send_file(&s, source, dest);
    }
    if (!rc && b->libs)
        rc = send_libs(&s, site, source, dest);
    agent_close(s.link);
    buf_clear(&s.block);
    buf_clear(&s.small);
    client_free(&permit->base);
    return rc > 255 ? EXIT_LOOKUP : rc;
}
