/*
 * key - spur key: the keys and certificates of the cluster's machines, in the key folder (SpurKeyDir).
 */
#include <string.h>
#include <time.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/say.h"
#include "io/keys.h"
#include "text/opt.h"
#include "text/site.h"
#include "text/time.h"

struct key_options {
    int help, version;
    char *out;
    uint32_t days;
};

#define AT(member) .at = offsetof(struct key_options, member)

static const struct opt options[] = {
    { 1, 'o', "out", OPT_TEXT, AT(out), "DIR", "issue: write the machine's files into DIR (./NAME)" },
    { 1, 0, "days", OPT_COUNT, AT(days), "N", "issue: the certificate is good for N days" },
    { 1, 'h', "help", OPT_FLAG, AT(help), NULL, "this text" },
    { 1, 'V', "version", OPT_FLAG, AT(version), NULL, "the version" },
    { 0 },
};

static const struct opt_set set = {
    "spur key", 0, options, "init | issue ROLE NAME [ROLE NAME...] | show | revoke SERIAL | rotate add|switch|drop",
    true
};

typedef int key_fn(const struct keys_conf *conf, const struct key_options *o, int argc, char **argv, struct err *err);

static int key_init(const struct keys_conf *conf, const struct key_options *o, int argc, char **argv, struct err *err)
{
    int rc = keys_make_ca(conf, err);
    if (!rc)
        printf("made the CA of cluster %s in %s\n", conf->cluster, conf->dir);
    return rc;
}

static int key_issue(const struct keys_conf *conf, const struct key_options *o, int argc, char **argv, struct err *err)
{
    auto_buf struct buf roles = BUF_INIT;
    if (argc < 2 || argc % 2)
        return err_set(err, EINVAL, "say `issue ROLE NAME`: controller ID, agent NODE or host NAME");
    for (int i = 0; i < argc; i += 2)
        buf_addf(&roles, "%s%s/%s", i ? " " : "", argv[i], argv[i + 1]);
    const char *to = o->out ? o->out : argv[1];
    int rc = cert_roles_check(roles.s, err);
    if (!rc)
        rc = keys_issue(conf, roles.s, to, o->days ? o->days : CERT_DAYS, err);
    if (!rc)
        printf("made the files of %s in %s: copy them to the key folder of that machine\n", roles.s, to);
    return rc;
}

static int key_show(const struct keys_conf *conf, const struct key_options *o, int argc, char **argv, struct err *err)
{
    struct cred_key key;
    char from[TIME_TEXT], until[TIME_TEXT];
    int rc = keys_open(&key, conf, err);
    if (rc)
        return rc;
    const struct cred_identity *id = keys_self(&key);
    printf("folder   %s\ncluster  %s\n", conf->dir, conf->cluster);
    if (id)
        printf("roles    %s\nserial   %s\nvalid    %s to %s\n", id->roles, id->serial,
               time_stamp(from, (time_t)id->from_s, ""), time_stamp(until, (time_t)id->until_s, ""));
    else
        printf("this user cannot read this machine's key\n");
    keys_close(&key);
    return 0;
}

static int key_revoke(const struct keys_conf *conf, const struct key_options *o, int argc, char **argv, struct err *err)
{
    if (argc != 1)
        return err_set(err, EINVAL, "say `revoke SERIAL`");
    int rc = keys_revoke(conf, argv[0], err);
    if (!rc)
        printf("revoked: copy %s/revoked to the other machines, then `scontrol reconfigure`\n", conf->dir);
    return rc;
}

static int key_rotate(const struct keys_conf *conf, const struct key_options *o, int argc, char **argv, struct err *err)
{
    static const struct {
        const char *word, *then;
    } steps[] = {
        [KEYS_ROTATE_ADD] = { "add", "a second CA is trusted" },
        [KEYS_ROTATE_SWITCH] = { "switch", "the second CA signs: issue each machine's files again" },
        [KEYS_ROTATE_DROP] = { "drop", "the first CA is not trusted any more" },
    };
    for (size_t i = 0; argc == 1 && i < ARRAY_LEN(steps); i++) {
        if (!str_eq(argv[0], steps[i].word))
            continue;
        int rc = keys_rotate(conf, (enum keys_rotation)i, err);
        if (!rc)
            printf("%s; copy %s/ca.crt to the other machines, then `scontrol reconfigure`\n", steps[i].then, conf->dir);
        return rc;
    }
    return err_set(err, EINVAL, "say `rotate add`, then `rotate switch`, then `rotate drop`");
}

static const struct {
    const char *word;
    key_fn *run;
} verbs[] = {
    { "init", key_init }, { "issue", key_issue }, { "show", key_show }, { "revoke", key_revoke },
    { "rotate", key_rotate },
};

static int key_run(const struct key_options *o, int argc, char **argv, struct err *err)
{
    struct site *site;
    int rc = site_load_client(&site, site_find_conf(), err);
    if (rc)
        return rc;
    struct keys_conf conf = { .dir = site->key_dir, .cluster = site->cluster, .owner = site_owner(site) };
    rc = EINVAL;
    for (size_t i = 0; argc && i < ARRAY_LEN(verbs); i++)
        if (str_eq(argv[0], verbs[i].word))
            rc = verbs[i].run(&conf, o, argc - 1, argv + 1, err);
    if (rc == EINVAL && !err->code)
        err_set(err, EINVAL, "say %s", set.usage);
    site_free(site);
    return rc;
}

int cli_key(int argc, char **argv)
{
    struct key_options o = { 0 };
    struct err err = ERR_INIT;
    auto_buf struct buf text = BUF_INIT;
    int first, rc = opt_argv(&set, argc, argv, &first, &o, &err);
    if (rc) {
        if (err.text[0])
            say_error("%s", err.text);
        return rc;
    }
    if (o.help || o.version) {
        if (o.help)
            opt_help(&set, &text);
        else
            say_version(&text);
        say_flush(&text);
        return 0;
    }
    if (key_run(&o, argc - first, argv + first, &err)) {
        say_error("%s", err.text);
        return 1;
    }
    return 0;
}
