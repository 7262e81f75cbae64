/* site - global keys, defaults and the order of loading; see site.h.  Nodes, partitions and controllers have files of
 * their own. */
#include "text/license.h"
#include "text/site.h"

#include <ctype.h>
#include <sys/stat.h>

#include "base/str.h"
#include "text/license.h"
#include "text/site_gres.h"
#include "text/site_lines.h"
#include "text/topology.h"

#define POOL_CHUNK ((size_t)16 << 10)
#define MAX_JOB_ID 0x03ff0000u /* Slurm's: the bits above tell the cluster of a federation */
#define MAX_ARRAY_SIZE 4000001u
#define MIN_JOB_AGE_S 2u

/* ---- texts that live as long as the site ---- */

struct site_pool {
    struct site_pool *next;
    size_t used, room;
    _Alignas(16) char bytes[];
};

void *site_room(struct site *s, size_t n)
{
    n = (n + 15) & ~(size_t)15;
    if (!s->pool || s->pool->room - s->pool->used < n) {
        size_t room = MAX(n, POOL_CHUNK);
        struct site_pool *chunk = mem_alloc(sizeof(*chunk) + room);
        chunk->next = s->pool;
        chunk->room = room;
        s->pool = chunk;
    }
    void *p = s->pool->bytes + s->pool->used;
    s->pool->used += n;
    return p;
}

char *site_strn(struct site *s, const char *text, size_t n)
{
    char *copy = site_room(s, n + 1);
    memcpy(copy, text, n);
    return copy;
}

char *site_str(struct site *s, const char *text)
{
    return site_strn(s, text, strlen(text));
}

void site_free(struct site *s)
{
    if (!s)
        return;
    for (struct site_pool *chunk = s->pool, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    smap_clear(&s->node_by_name);
    conf_clear(&s->conf);
    topo_conf_free(s->topo);
    site_gres_free(s);
    free(s->node);
    free(s->part);
    free(s->nodeset);
    free(s->ctl);
    free(s);
}

/* ---- one line ---- */

int site_at(const struct conf_line *line, struct err *err)
{
    return err ? err_prefix(err, "%s:%u", line->file, line->number) : EINVAL;
}

static int unknown_key(const struct conf_line *line, enum conf_kind kind, const char *name, struct err *err)
{
    static const char *const where[CONF_KINDS] = { "",
                                                   " on a NodeName line",
                                                   " on a PartitionName line",
                                                   " on a DownNodes line",
                                                   " on a NodeSet line",
                                                   " on a PowerAction line" };
    const char *near = conf_key_nearest(kind, name);
    return err_set(err, EINVAL, "%s:%u: unknown key %.60s%s%s%s%s", line->file, line->number, name, where[kind],
                   near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

/* Programs that may stand on several lines are kept together, one a line. */
static void add_many(struct site *s, const struct conf_key *key, const char *value)
{
    if (!key->at)
        return;
    char **to = (char **)(void *)((char *)s + key->at - 1);
    auto_free char *all = *to ? mem_printf("%s\n%s", *to, value) : mem_str(value);
    *to = site_str(s, all);
}

static int set_pair(struct site *s, const struct conf_line *line, const struct conf_key *key, const char *value,
                    void *base, struct err *err)
{
    auto_buf struct buf scratch = BUF_INIT;
    struct conf_value v;
    if (conf_value_parse(key, value, &v, &scratch, err))
        return site_at(line, err);
    if (v.text && v.text == scratch.s)
        v.text = site_str(s, v.text);
    if (key->type == CONF_MANY)
        add_many(s, key, value);
    else
        conf_value_store(key, &v, base);
    return 0;
}

int site_line_set(struct site *s, const struct conf_line *line, enum conf_kind kind, void *base, struct err *err)
{
    for (uint32_t i = 1; i < line->n; i++) {
        const struct conf_pair *pair = &s->conf.pair.at[line->first + i];
        const struct conf_key *key = conf_key_find(kind, pair->key);
        if (!key)
            return unknown_key(line, kind, pair->key, err);
        int rc = set_pair(s, line, key, pair->value, base, err);
        if (rc)
            return rc;
    }
    return 0;
}

void site_line_defaults(enum conf_kind kind, void *base)
{
    auto_buf struct buf scratch = BUF_INIT;
    size_t n;
    const struct conf_key *row = conf_keys(kind, &n);
    for (size_t i = 0; i < n; i++) {
        struct conf_value v;
        if (!row[i].dflt || !row[i].at || row[i].type == CONF_MANY ||
            conf_value_parse(&row[i], row[i].dflt, &v, &scratch, NULL))
            continue;
        if (v.text)
            v.text = row[i].dflt; /* spelled as the table spells it, and it stays */
        conf_value_store(&row[i], &v, base);
    }
}

/* ---- global keys ---- */

static size_t row_of(const char *name)
{
    size_t n;
    return (size_t)(conf_key_find(CONF_GLOBAL, name) - conf_keys(CONF_GLOBAL, &n));
}

static int set_global(struct site *s, const struct conf_line *line, struct err *err)
{
    const struct conf_pair *pair = &s->conf.pair.at[line->first];
    const struct conf_key *key = conf_key_find(CONF_GLOBAL, pair->key);
    if (!key)
        return unknown_key(line, CONF_GLOBAL, pair->key, err);
    if (line->n > 1)
        return err_set(err, EINVAL, "%s:%u: parse error at \"%.60s=%.60s\": %s stands alone on its line", line->file,
                       line->number, pair[1].key, pair[1].value, key->name);
    s->value[row_of(key->name)] = pair->value;
    return set_pair(s, line, key, pair->value, s, err);
}

/* Power actions are checked, and then left alone. */
static int check_power(struct site *s, const struct conf_line *line, struct err *err)
{
    int rc = site_line_set(s, line, CONF_POWER, NULL, err);
    if (rc || conf_line_value(&s->conf, line, "Location"))
        return rc;
    err_set(err, EINVAL, "PowerAction=%.60s: needs Location=slurmctld or Location=slurmd",
            s->conf.pair.at[line->first].value);
    return site_at(line, err);
}

static int set_globals(struct site *s, struct err *err)
{
    int rc = 0;
    site_line_defaults(CONF_GLOBAL, s);
    for (size_t i = 0; i < s->conf.line.n && !rc; i++) {
        const struct conf_line *line = &s->conf.line.at[i];
        enum conf_kind kind = conf_line_kind(s->conf.pair.at[line->first].key);
        if (kind == CONF_GLOBAL)
            rc = set_global(s, line, err);
        else if (kind == CONF_POWER)
            rc = check_power(s, line, err);
    }
    return rc;
}

int site_bad_global(const struct site *s, const char *key, struct err *err, const char *why)
{
    for (size_t i = s->conf.line.n; i-- > 0;) {
        const struct conf_pair *pair = &s->conf.pair.at[s->conf.line.at[i].first];
        if (str_ieq(pair->key, key)) {
            err_set(err, EINVAL, "%s=%.100s: %s", key, pair->value, why);
            return site_at(&s->conf.line.at[i], err);
        }
    }
    return err_set(err, EINVAL, "%s: %s: %s", s->path ? s->path : "configuration", key, why);
}

static void no_limit(uint64_t *mb)
{
    if (*mb == UINT64_MAX)
        *mb = 0;
}

static char *lower_case(struct site *s, const char *text)
{
    char *copy = site_str(s, text);
    for (char *c = copy; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return copy;
}

/* As Slurm: of two ways to limit memory the one by node wins. */
static void settle_memory(struct site *s)
{
    no_limit(&s->def_mem_per_cpu_mb);
    no_limit(&s->def_mem_per_node_mb);
    no_limit(&s->max_mem_per_cpu_mb);
    no_limit(&s->max_mem_per_node_mb);
    if (s->def_mem_per_node_mb)
        s->def_mem_per_cpu_mb = 0;
    if (s->max_mem_per_node_mb)
        s->max_mem_per_cpu_mb = 0;
}

/* NAME[:COUNT],...: a '|' or a server's name has no meaning here. */
static int check_licenses(struct site *s, struct err *err)
{
    auto_license struct license_list l = LICENSE_INIT;
    if (!s->licenses || (!license_parse(s->licenses, &l, NULL) && !l.any))
        return 0;
    return site_bad_global(s, "Licenses", err,
                           "say NAME or NAME:COUNT, by comma; licences of other servers are not supported");
}

static int settle_globals(struct site *s, struct err *err)
{
    if (!s->cluster)
        return err_set(err, EINVAL, "%s: ClusterName needs to be specified", s->path);
    s->cluster = lower_case(s, s->cluster);
    settle_memory(s);
    s->max_job_id = MIN(s->max_job_id, MAX_JOB_ID);
    s->max_job_count = MIN(s->max_job_count, MAX_JOB_ID);
    s->min_job_age_s = MAX(s->min_job_age_s, MIN_JOB_AGE_S);
    s->max_array_size = MIN(s->max_array_size, MAX_ARRAY_SIZE);
    s->job_requeue = MIN(s->job_requeue, 1);
    if (!s->value[row_of("UnkillableStepTimeout")]) /* the default gives messages time to be repeated */
        s->unkillable_step_timeout_s = (uint16_t)MIN(MAX(60u, 5u * s->message_timeout_s), UINT16_MAX);
    s->config_overrides = site_param(s->slurmd_parameters, "config_overrides") != NULL;
    if (!s->value[row_of("SelectTypeParameters")] && !str_has_suffix(s->select_type, "cons_tres"))
        s->select_type_parameters = NULL;
    if (!s->max_job_count)
        return site_bad_global(s, "MaxJobCount", err, "no jobs would be permitted");
    if (!s->max_step_count)
        return site_bad_global(s, "MaxStepCount", err, "no steps would be permitted");
    if (!s->first_job_id)
        return site_bad_global(s, "FirstJobId", err, "cannot be zero");
    if (s->first_job_id > s->max_job_id)
        return site_bad_global(s, "FirstJobId", err, "greater than MaxJobId");
    return check_licenses(s, err);
}

/* A folder of that name in /tmp may be another user's. */
static bool is_own_dir(const char *path)
{
    struct stat st;
    return !lstat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

/* Every user finds root's daemons; only the user finds the user's own daemons. */
static void settle_socket_dir(struct site *s)
{
    const char *run = getenv("XDG_RUNTIME_DIR");
    if (s->socket_dir)
        return;
    auto_free char *own = run && *run ? mem_printf("%s/spur", run) : mem_printf("/tmp/spur-%u", (unsigned)geteuid());
    bool shared = geteuid() == 0 || (!is_own_dir(own) && !access("/run/spur", F_OK));
    s->socket_dir = site_str(s, shared ? "/run/spur" : own);
}

/* Beside the key file. */
static void settle_key_dir(struct site *s)
{
    const char *slash = strrchr(s->key_file, '/');
    if (s->key_dir)
        return;
    auto_free char *dir = mem_printf("%.*s/keys", slash ? (int)(slash - s->key_file) : 1, slash ? s->key_file : ".");
    s->key_dir = site_str(s, dir);
}

/* ---- loading ---- */

static int site_finish(struct site *s, struct err *err)
{
    int rc = set_globals(s, err);
    if (!rc)
        rc = settle_globals(s, err);
    if (!rc)
        rc = site_load_controllers(s, err);
    settle_socket_dir(s);
    settle_key_dir(s);
    if (!rc && !s->client)
        rc = site_load_nodes(s, err);
    if (!rc && !s->client)
        rc = site_load_parts(s, err);
    return rc;
}

/* What a machine without a file is: one node, one partition, state where the user may write. */
static int embedded_conf(struct site *s, struct err *err)
{
    char host[256] = "localhost";
    gethostname(host, sizeof(host) - 1);
    host[strcspn(host, ".")] = '\0';
    const char *home = getenv("HOME");
    auto_free char *own = mem_printf("%s/.local/state/spur", home && *home ? home : "/tmp");
    const char *dir = geteuid() == 0 ? "/var/spool/spur" : own;
    auto_free char *text = mem_printf("ClusterName=spur\n"
                                      "SlurmctldHost=%s(127.0.0.1)\n"
                                      "StateSaveLocation=\"%s/ctl\"\n"
                                      "SlurmdSpoolDir=\"%s/node.%%n\"\n"
                                      "NodeName=%s NodeAddr=127.0.0.1\n"
                                      "PartitionName=main Default=YES Nodes=ALL\n",
                                      host, dir, dir, host);
    return conf_parse_text(&s->conf, text, strlen(text), "(built in)", NULL, NULL, err);
}

static int site_load_file(struct site **out, const char *path, bool client, struct err *err)
{
    struct site *s = NEW(struct site);
    s->client = client;
    s->path = path ? site_str(s, path) : NULL;
    int rc = path ? conf_read(&s->conf, path, err) : embedded_conf(s, err);
    if (!rc)
        rc = site_finish(s, err);
    if (rc)
        site_free(s);
    else
        *out = s;
    return rc;
}

int site_load(struct site **out, const char *path, struct err *err)
{
    return site_load_file(out, path, false, err);
}

int site_load_client(struct site **out, const char *path, struct err *err)
{
    return site_load_file(out, path, true, err);
}

int site_load_text(struct site **out, const char *text, size_t len, const char *file, struct err *err)
{
    struct site *s = NEW(struct site);
    s->path = site_str(s, file);
    int rc = conf_parse_text(&s->conf, text, len, file, NULL, NULL, err);
    if (!rc)
        rc = site_finish(s, err);
    if (rc)
        site_free(s);
    else
        *out = s;
    return rc;
}
