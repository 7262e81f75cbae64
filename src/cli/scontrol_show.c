/*
 * scontrol_show - scontrol show: which kind of record, and the kinds that need no table.
 */
#include <fcntl.h>

#include "base/str.h"
#include "cli/say.h"
#include "cli/scontrol.h"
#include "show/config.h"
#include "text/hostlist.h"

#define HOSTS_FILE_MAX (16u << 20)

/* ---- host lists ---- */

/* The names of `text`: a list, or the absolute path of a file that holds one. */
static int read_hosts(struct scontrol *s, const char *text, struct strs *names)
{
    auto_buf struct buf file = BUF_INIT;
    struct err err = ERR_INIT;
    if (*text == '/') {
        if (buf_read_file(&file, text, HOSTS_FILE_MAX))
            return scontrol_fail(s, "Can not open %s", text);
        for (size_t i = 0; i < file.len; i++)
            if (strchr(" \t\n\r", file.s[i]))
                file.s[i] = ',';
        text = file.s ? file.s : "";
    }
    if (hostlist_expand(text, names, &err)) {
        scontrol_fail(s, "Invalid hostlist: %s", text);
        return -1;
    }
    return 0;
}

static int show_hostnames(struct scontrol *s, const char *id)
{
    auto_strs struct strs names = STRS_INIT;
    const char *text = id ? id : getenv("SLURM_NODELIST");
    if (!text) {
        say_error("host list is empty");
        return 0;
    }
    int rc = read_hosts(s, text, &names);
    for (size_t i = 0; i < names.n; i++)
        puts(names.at[i]);
    return rc > 0;
}

static int show_compressed(struct scontrol *s, const char *id, char *make(char *const *names, size_t n))
{
    auto_strs struct strs names = STRS_INIT;
    int rc = id ? read_hosts(s, id, &names) : 0;
    if (rc)
        return rc > 0;
    auto_free char *list = make(names.at, names.n);
    puts(list);
    return 0;
}

static int show_hostlist(struct scontrol *s, const char *id)
{
    return show_compressed(s, id, hostlist_compress);
}

static int show_hostlist_sorted(struct scontrol *s, const char *id)
{
    return show_compressed(s, id, hostlist_compress_sorted);
}

/* ---- the configuration ---- */

/* All of it, or the lines whose key is or begins with `id`. */
static void print_config(const char *text, const char *id)
{
    struct buf out = BUF_INIT;
    for (const char *line = text; *line; line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n'))
        if (!id || str_has_iprefix(line, id) || line == text)
            buf_addf(&out, "%.*s\n", (int)strcspn(line, "\n"), line);
    say_flush(&out);
    buf_clear(&out);
}

static void config_document(struct scontrol *s, const Pb__ConfigReply *config)
{
    struct config_row row;
    config_row_init(&row, config->text, config->boot_s, config->now_s);
    document_begin(&s->doc);
    document_record(&s->doc, "slurm_conf", &show_config, &row);
    document_record(&s->doc, "slurm_conf_meta", &show_config_meta, &row);
    document_end(&s->doc, s->client);
    config_row_clear(&row);
}

static int config_show(struct scontrol *s, const char *id)
{
    struct err err = ERR_INIT;
    Pb__Done ask = PB__DONE__INIT;
    ProtobufCMessage *reply;
    int rc = scontrol_call(s, MSG_CONFIG, &ask.base, MSG_CONFIG_REPLY, &reply, &err);
    if (rc)
        return scontrol_fail(s, "slurm_load_ctl_conf error: %s", scontrol_words(rc, &err));
    const Pb__ConfigReply *config = (const Pb__ConfigReply *)reply;
    if (s->doc.format)
        config_document(s, config);
    else
        print_config(config->text, id);
    client_free(reply);
    if (s->doc.format)
        return 0;
    if (id)
        return 0;
    puts("");
    return scontrol_ping(s, 1, (char *[]){ (char *)"ping", NULL });
}

/* Which daemons this machine should run. */
static int show_daemons(struct scontrol *s, const char *id)
{
    struct err err = ERR_INIT;
    struct client *c = scontrol_client(s, &err);
    if (!c)
        return scontrol_fail(s, "%s", err.text);
    const struct site *site = client_site(c);
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    host[strcspn(host, ".")] = 0;
    bool control = false;
    for (size_t i = 0; i < site->nctl; i++)
        control |= str_eq(site->ctl[i].name, host);
    puts(control ? "slurmctld slurmd" : "slurmd");
    return 0;
}

/* ---- which ---- */

static const struct {
    const char *name;
    int (*show)(struct scontrol *s, const char *id);   /* NULL: refused */
} entities[] = {
    { "config", config_show },
    { "daemons", show_daemons },
    { "hostlist", show_hostlist },
    { "hostlistsorted", show_hostlist_sorted },
    { "hostnames", show_hostnames },
    { "jobs", show_jobs },
    { "nodes", show_nodes },
    { "partitions", show_parts },
    { "reservations", show_resvs },
    { "steps", show_steps },
    { "aliases", NULL },
    { "assoc_mgr", NULL },
    { "bbstat", NULL },
    { "burstbuffer", NULL },
    { "dwstat", NULL },
    { "federation", NULL },
    { "licenses", show_licenses },
    { "slurmd", NULL },
    { "topoconf", NULL },
};

int scontrol_show(struct scontrol *s, int argc, char **argv)
{
    const char *what = argv[1], *id = argc > 2 ? argv[2] : NULL;
    auto_free char *joined = NULL;
    char *equals = strchr(argv[1], '=');
    if (equals && !id) { /* "show job=12" */
        joined = mem_strn(what, (size_t)(equals - what));
        what = joined;
        id = equals + 1;
    }
    if (strlen(what) > 4 && str_has_iprefix("topology", what))
        return show_topology(s, equals ? 1 : argc - 2, equals ? (char *[]){ equals + 1, NULL } : argv + 2);
    if (argc > 3)
        return scontrol_fail(s, "too many arguments for keyword:%s", argv[0]);
    for (size_t i = 0; i < ARRAY_LEN(entities); i++) {
        if (strlen(what) < 3 || !str_has_iprefix(entities[i].name, what))
            continue;
        if (entities[i].show)
            return entities[i].show(s, id);
        if (!s->quiet)
            say_error("show %s is not supported by this release of Spur", what);
        return 1;
    }
    return scontrol_fail(s, "invalid entity:%s for keyword:show", what);
}
