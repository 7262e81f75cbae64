/* sacctmgr - accounts, users, QOS and their limits: loaded from, and dumped to, Slurm's flat file. */
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/say.h"
#include "client/client.h"
#include "text/opt.h"
#include "text/assoc_file.h"

#define FILE_MOST (32u << 20)

struct sacctmgr {
    int help, immediate, no_header, quiet, read_only, usage, version;
    unsigned verbose;
    const char *file, *cluster;
    bool clean, check;
};

#define AT(member) .at = offsetof(struct sacctmgr, member)

/* clang-format off */
static const struct opt options[] = {
    { 1, 's', "associations", OPT_REFUSED, 0, NULL, NULL },
    { 1, 0,   "autocomplete", OPT_REFUSED, 0, "OPTION", NULL },
    { 1, 'h', "help",         OPT_FLAG, AT(help), NULL, "this text" },
    { 1, 'i', "immediate",    OPT_FLAG, AT(immediate), NULL, "do it without asking; it never asks" },
    { 1, 0,   "json",         OPT_REFUSED, 0, "PARSER", NULL },
    { 1, 'n', "noheader",     OPT_REFUSED, 0, NULL, NULL },
    { 1, 'o', "oneliner",     OPT_REFUSED, 0, NULL, NULL },
    { 1, 'p', "parsable",     OPT_REFUSED, 0, NULL, NULL },
    { 1, 'P', "parsable2",    OPT_REFUSED, 0, NULL, NULL },
    { 1, 'Q', "quiet",        OPT_FLAG, AT(quiet), NULL, "errors alone" },
    { 1, 'r', "readonly",     OPT_FLAG, AT(read_only), NULL, "check what would be done, change nothing" },
    { 1, 0,   "usage",        OPT_FLAG, AT(usage), NULL, "this text" },
    { 1, 'v', "verbose",      OPT_MORE, AT(verbose), NULL, "say more" },
    { 1, 'V', "version",      OPT_FLAG, AT(version), NULL, "the version" },
    { 1, 0,   "yaml",         OPT_REFUSED, 0, "PARSER", NULL },
    { 0 },
};
/* clang-format on */

const struct opt_set sacctmgr_set = {
    "sacctmgr", 0, options, "[OPTIONS] load [FILE=]FILE [clean] | dump [CLUSTER] [FILE=]FILE", true,
};

/* ---- load ---- */

static int sacctmgr_load(struct sacctmgr *s, struct err *err)
{
    auto_buf struct buf text = BUF_INIT;
    struct client *c = NULL;
    Pb__AssocLoad q = PB__ASSOC_LOAD__INIT;
    Pb__AssocLoaded *r = NULL;
    if (!s->file)
        return err_set(err, EINVAL, "load needs a file: sacctmgr load FILE");
    int rc = buf_read_file(&text, s->file, FILE_MOST);
    if (rc)
        err_set(err, rc, "%s", err_text(rc));
    if (!rc)
        rc = client_open(&c, err);
    q.text = (ProtobufCBinaryData){ text.len, (uint8_t *)text.s };
    q.remove_unlisted = s->clean;
    q.only_check = s->read_only;
    if (!rc)
        rc = client_call(c, MSG_ASSOC_LOAD, &q.base, MSG_ASSOC_LOADED, (ProtobufCMessage **)&r, err);
    if (rc)
        err_prefix(err, "%s", s->file);
    for (size_t i = 0; !rc && i < r->n_warnings; i++)
        say_info("%s: %s", s->file, r->warnings[i]);
    if (!rc && !s->quiet)
        printf("%u QOS and %u associations %s, %u taken away\n", r->qos, r->assocs,
               s->read_only ? "would be loaded" : "loaded", r->dropped);
    if (r)
        pb__assoc_loaded__free_unpacked(r, NULL);
    client_close(c);
    return rc;
}

/* ---- dump ---- */

static void limits_from(struct limit_list *out, Pb__Limit *const *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (from[i]->what < (int)LIMIT_WHATS && from[i]->scope < (int)LIMIT_SCOPES)
            limit_set(out, (enum limit_what)from[i]->what, (enum limit_scope)from[i]->scope,
                      str_empty(from[i]->tres) ? NULL : from[i]->tres, from[i]->max);
}

static char *text_of(const char *s)
{
    return str_empty(s) ? NULL : mem_str(s);
}

static const char *account_of(const Pb__AssocReply *r, uint32_t id)
{
    for (size_t i = 0; i < r->n_assocs; i++)
        if (r->assocs[i]->id == id)
            return r->assocs[i]->account;
    return NULL;
}

static const Pb__AcctUser *user_of(const Pb__AssocReply *r, const char *name)
{
    for (size_t i = 0; i < r->n_users; i++)
        if (str_eq(r->users[i]->name, name))
            return r->users[i];
    return NULL;
}

static char *joined(char *const *words, size_t n)
{
    struct buf out = BUF_INIT;
    for (size_t i = 0; i < n; i++)
        buf_addf(&out, "%s%s", i ? "," : "", words[i]);
    return out.s;
}

/* A user's rights stand with the first association of the user. */
static void add_rights(const Pb__AssocReply *r, struct assoc_file_assoc *out, struct smap *seen)
{
    const Pb__AcctUser *u = out->user ? user_of(r, out->user) : NULL;
    if (!u || smap_put(seen, u->name, (void *)u))
        return;
    out->admin = (unsigned)u->admin;
    out->coordinates = joined(u->coordinates, u->n_coordinates);
    out->def_wckey = text_of(u->def_wckey);
    out->wckeys = joined(u->wckeys, u->n_wckeys);
}

static void assoc_file_from(const Pb__AssocReply *r, struct assoc_file *out)
{
    for (size_t i = 0; i < r->n_qos; i++) {
        const Pb__Qos *q = r->qos[i];
        struct assoc_file_qos one = { .name = text_of(q->name),
                                  .description = text_of(q->description),
                                  .preempt = text_of(q->preempt),
                                  .preempt_mode = text_of(q->preempt_mode),
                                  .priority = q->priority,
                                  .grace_s = q->grace_s,
                                  .exempt_s = q->has_exempt ? q->exempt_s : EXEMPT_UNSET,
                                  .flags = q->flags,
                                  .usage_factor = q->usage_factor,
                                  .limit_factor = q->limit_factor,
                                  .usage_threshold = q->has_threshold ? q->usage_threshold : -1 };
        limits_from(&one.limits, q->limits, q->n_limits);
        vec_push(&out->qos, one);
    }
    struct smap seen = { 0 };
    for (size_t i = 0; i < r->n_assocs; i++) {
        const Pb__Assoc *a = r->assocs[i];
        struct assoc_file_assoc one = { .account = text_of(a->account),
                                    .parent = str_empty(a->user) ? text_of(account_of(r, a->parent)) : NULL,
                                    .user = text_of(a->user),
                                    .partition = text_of(a->partition),
                                    .qos = text_of(a->qos),
                                    .def_qos = text_of(a->def_qos),
                                    .description = text_of(a->description),
                                    .organization = text_of(a->organization),
                                    .shares = a->shares,
                                    .priority = a->priority,
                                    .is_default = a->is_default };
        limits_from(&one.limits, a->limits, a->n_limits);
        add_rights(r, &one, &seen);
        vec_push(&out->assoc, one);
    }
    smap_clear(&seen);
    out->cluster = text_of(r->cluster);
}

static int sacctmgr_dump(struct sacctmgr *s, struct err *err)
{
    struct client *c = NULL;
    struct assoc_file all = { 0 };
    Pb__AssocQuery q = PB__ASSOC_QUERY__INIT;
    Pb__AssocReply *r = NULL;
    int rc = client_open(&c, err);
    if (!rc)
        rc = client_call(c, MSG_ASSOC, &q.base, MSG_ASSOC_REPLY, (ProtobufCMessage **)&r, err);
    if (!rc && s->cluster && !str_eq(s->cluster, r->cluster))
        rc = err_set(err, EINVAL, "there is no cluster %s, this one is %s", s->cluster, r->cluster);
    if (!rc) {
        assoc_file_from(r, &all);
        auto_free char *text = assoc_file_text(&all), *name = mem_printf("%s.cfg", r->cluster);
        const char *path = s->file ? s->file : name;
        FILE *f = str_eq(path, "-") ? stdout : fopen(path, "we");
        if (!f || fputs(text, f) < 0 || (f != stdout && fclose(f)))
            rc = err_set(err, errno, "%s: %m", path);
    }
    assoc_file_clear(&all);
    if (r)
        pb__assoc_reply__free_unpacked(r, NULL);
    client_close(c);
    return rc;
}

/* ---- words ---- */

static int sacctmgr_words(struct sacctmgr *s, int argc, char **argv, bool dumps, struct err *err)
{
    for (int i = 0; i < argc; i++) {
        const char *w = argv[i], *equal = strchr(w, '=');
        if (str_has_iprefix(w, "file="))
            s->file = equal + 1;
        else if (str_has_iprefix(w, "cluster="))
            s->cluster = equal + 1;
        else if (str_ieq(w, "clean") && !dumps)
            s->clean = true;
        else if (equal)
            return err_set(err, EINVAL, "Unknown option: %s", w);
        else if (dumps && !s->cluster && !strpbrk(w, "./-"))
            s->cluster = w;
        else if (!s->file)
            s->file = w;
        else
            return err_set(err, EINVAL, "Unknown option: %s", w);
    }
    return 0;
}

static int sacctmgr_run(struct sacctmgr *s, int argc, char **argv, struct err *err)
{
    bool dumps = argc && str_ieq(argv[0], "dump"), loads = argc && str_ieq(argv[0], "load");
    if (!dumps && !loads)
        return argc ? err_set(err, EINVAL, "%s: this release has load and dump; change the file, and load it again",
                              argv[0])
                    : err_set(err, EINVAL, "load or dump?");
    int rc = sacctmgr_words(s, argc - 1, argv + 1, dumps, err);
    return rc ? rc : dumps ? sacctmgr_dump(s, err) : sacctmgr_load(s, err);
}

static int sacctmgr_help(const struct sacctmgr *s)
{
    auto_buf struct buf out = BUF_INIT;
    if (s->version)
        say_version(&out);
    else
        opt_help(&sacctmgr_set, &out);
    fwrite(out.s, 1, out.len, stdout);
    return 0;
}

int cli_sacctmgr(int argc, char **argv)
{
    struct sacctmgr s = { 0 };
    struct err err = ERR_INIT;
    int first = 1;
    int rc = opt_argv(&sacctmgr_set, argc, argv, &first, &s, &err);
    if (!rc)
        rc = s.help || s.usage || s.version ? sacctmgr_help(&s) : sacctmgr_run(&s, argc - first, argv + first, &err);
    if (err.text[0])
        say_error("%s", err.text);
    return rc ? 1 : 0;
}
