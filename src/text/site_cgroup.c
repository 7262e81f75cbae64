/* site_cgroup - cgroup.conf and job_container.conf; see site_cgroup.h. */
#include "text/site_cgroup.h"

#include <sys/stat.h>

#include "base/str.h"
#include "text/conf_keys.h"
#include "text/hostlist.h"

/* clang-format off */
#define AT(field) .at = offsetof(struct cgroup_conf, field) + 1
static const struct conf_key cgroup_rows[] = {
    { "AllowedRAMSpace", CONF_TEXT, USED, .dflt = "100", AT(percent_text[0]) },
    { "AllowedSwapSpace", CONF_TEXT, USED, .dflt = "0", AT(percent_text[1]) },
    { "CgroupAutomount", CONF_GONE, NOT_USED, .words = "nothing: cgroups are mounted by the system" },
    { "CgroupJobIdPaths", CONF_BOOL, NOT_USED },
    { "CgroupMountpoint", CONF_TEXT, USED, .dflt = "/sys/fs/cgroup", AT(mount) },
    { "CgroupPlugin", CONF_WORD, USED, .dflt = "autodetect", AT(plugin),
      .words = "autodetect|cgroup/v1|cgroup/v2|disabled" },
    { "CgroupSlice", CONF_TEXT, NOT_USED },
    { "ConstrainCores", CONF_BOOL, USED, .dflt = "no", AT(cores) },
    { "ConstrainDevices", CONF_BOOL, USED, .dflt = "no", AT(devices) },
    { "ConstrainKmemSpace", CONF_GONE, NOT_USED, .words = "ConstrainRAMSpace" },
    { "ConstrainRAMSpace", CONF_BOOL, USED, .dflt = "no", AT(ram) },
    { "ConstrainSwapSpace", CONF_BOOL, USED, .dflt = "no", AT(swap) },
    { "EnableControllers", CONF_BOOL, NOT_USED },
    { "EnableExtraControllers", CONF_TEXT, NOT_USED },
    { "IgnoreSystemd", CONF_BOOL, NOT_USED },
    { "IgnoreSystemdOnFailure", CONF_BOOL, NOT_USED },
    { "MaxRAMPercent", CONF_TEXT, USED, .dflt = "100", AT(percent_text[2]) },
    { "MaxSwapPercent", CONF_TEXT, USED, .dflt = "100", AT(percent_text[3]) },
    { "MemorySwappiness", CONF_U64, USED, .dflt = "INFINITE", AT(swappiness) },
    { "MinRAMSpace", CONF_U64, USED, .dflt = "30", AT(min_ram_mb) },
    { "SignalChildrenProcesses", CONF_BOOL, NOT_USED },
    { "SpurCpuQuota", CONF_BOOL, USED, .dflt = "no", AT(cpu_quota) },
    { "SpurMaxProcesses", CONF_U64, USED, .dflt = "0", AT(max_processes) },
    { "SystemdTimeout", CONF_U64, NOT_USED },
};
#undef AT

#define AT(field) .at = offsetof(struct container_conf, field) + 1
static const struct conf_key container_rows[] = {
    { "AutoBasePath", CONF_BOOL, USED, .dflt = "no", AT(auto_base) },
    { "BasePath", CONF_TEXT, USED, AT(base) },
    { "CloneNSEpilog", CONF_TEXT, USED, AT(clone_epilog) },
    { "CloneNSEpilog_Wait", CONF_U64, USED, .dflt = "10", AT(clone_epilog_wait_s) },
    { "CloneNSScript", CONF_TEXT, USED, AT(clone_script) },
    { "CloneNSScript_Wait", CONF_U64, USED, .dflt = "10", AT(clone_script_wait_s) },
    { "Dirs", CONF_LIST, USED, .dflt = "/tmp,/dev/shm", AT(dirs) },
    { "EntireStepInNS", CONF_BOOL, USED, .dflt = "no", AT(entire_step) },
    { "InitScript", CONF_TEXT, USED, AT(init_script) },
    { "NodeName", CONF_HOSTS, USED },
    { "Shared", CONF_BOOL, USED, .dflt = "no", AT(shared) },
};
#undef AT
/* clang-format on */

struct table {
    const struct conf_key *row;
    size_t n;
};
static const struct table cgroup_table = { cgroup_rows, ARRAY_LEN(cgroup_rows) };
static const struct table container_table = { container_rows, ARRAY_LEN(container_rows) };

static const struct conf_key *cgroup_key_find(const struct table *t, const char *name)
{
    for (size_t i = 0; i < t->n; i++)
        if (str_ieq(t->row[i].name, name))
            return &t->row[i];
    return NULL;
}

static void set_defaults(const struct table *t, void *base)
{
    auto_buf struct buf scratch = BUF_INIT;
    for (size_t i = 0; i < t->n; i++) {
        struct conf_value v;
        if (!t->row[i].dflt || conf_value_parse(&t->row[i], t->row[i].dflt, &v, &scratch, NULL))
            continue;
        if (v.text)
            v.text = t->row[i].dflt;
        conf_value_store(&t->row[i], &v, base);
    }
}

static int at_line(const struct conf_line *line, struct err *err)
{
    return err ? err_prefix(err, "%s:%u", line->file, line->number) : EINVAL;
}

/* The texts that words become are spelled by the table: they are kept with the conf. */
static int set_pair(const struct table *t, struct conf *c, const struct conf_pair *pair, void *base, struct err *err)
{
    const struct conf_key *key = cgroup_key_find(t, pair->key);
    if (!key)
        return err_set(err, EINVAL, "unknown key %.60s", pair->key);
    auto_buf struct buf scratch = BUF_INIT;
    struct conf_value v;
    int rc = conf_value_parse(key, pair->value, &v, &scratch, err);
    if (rc)
        return rc;
    if (v.text && v.text == scratch.s) {
        vec_push(&c->text, mem_str(v.text));
        v.text = c->text.at[c->text.n - 1];
    }
    conf_value_store(key, &v, base);
    return 0;
}

static int set_line(const struct table *t, struct conf *c, const struct conf_line *line, void *base, struct err *err)
{
    for (uint32_t k = 0; k < line->n; k++)
        if (set_pair(t, c, &c->pair.at[line->first + k], base, err))
            return at_line(line, err);
    return 0;
}

/* Read `dir`/`name`; a file that is not there is an empty one. */
static int read_beside(struct conf *c, const char *dir, const char *name, struct err *err)
{
    auto_free char *path = dir ? mem_printf("%s/%s", dir, name) : NULL;
    struct stat st;
    return !path || (stat(path, &st) && errno == ENOENT) ? 0 : conf_read(c, path, err);
}

/* ---- cgroup.conf ---- */

static int settle_percent(struct cgroup_conf *c, struct err *err)
{
    static const char *const names[] = { "AllowedRAMSpace", "AllowedSwapSpace", "MaxRAMPercent", "MaxSwapPercent" };
    double *const to[] = { &c->allowed_ram, &c->allowed_swap, &c->max_ram, &c->max_swap };
    for (size_t i = 0; i < ARRAY_LEN(to); i++) {
        char *end;
        *to[i] = strtod(c->percent_text[i], &end);
        end += *end == '%';
        if (end == c->percent_text[i] || *end || !(*to[i] >= 0 && *to[i] <= 100000))
            return err_set(err, EINVAL, "cgroup.conf: %s=%.60s: not a percentage", names[i], c->percent_text[i]);
    }
    return 0;
}

static int cgroup_settle(struct cgroup_conf *c, struct err *err)
{
    set_defaults(&cgroup_table, c);
    for (size_t i = 0; i < c->conf.line.n; i++) {
        int rc = set_line(&cgroup_table, &c->conf, &c->conf.line.at[i], c, err);
        if (rc)
            return rc;
    }
    if (c->swappiness != UINT64_MAX && c->swappiness > 100)
        return err_set(err, EINVAL, "cgroup.conf: MemorySwappiness=%llu: 0 to 100",
                       (unsigned long long)c->swappiness);
    if (c->max_processes == UINT64_MAX)
        c->max_processes = 0;
    return settle_percent(c, err);
}

int cgroup_conf_load(struct cgroup_conf *c, const char *dir, struct err *err)
{
    *c = (struct cgroup_conf){ 0 };
    int rc = read_beside(&c->conf, dir, "cgroup.conf", err);
    return rc ? rc : cgroup_settle(c, err);
}

int cgroup_conf_parse(struct cgroup_conf *c, const char *text, size_t len, struct err *err)
{
    *c = (struct cgroup_conf){ 0 };
    int rc = conf_parse_text(&c->conf, text, len, "cgroup.conf", NULL, NULL, err);
    return rc ? rc : cgroup_settle(c, err);
}

void cgroup_conf_clear(struct cgroup_conf *c)
{
    conf_clear(&c->conf);
}

void cgroup_conf_unused(const struct cgroup_conf *c, site_key_fn *each, void *arg)
{
    for (size_t i = 0; i < c->conf.line.n; i++) {
        const struct conf_line *line = &c->conf.line.at[i];
        for (uint32_t k = 0; k < line->n; k++) {
            const struct conf_key *key = cgroup_key_find(&cgroup_table, c->conf.pair.at[line->first + k].key);
            if (key && key->use == NOT_USED)
                each(arg, key->name, line->file, line->number);
        }
    }
}

/* ---- job_container.conf ---- */

static int names_node(const char *expr, const char *node, bool *is, struct err *err)
{
    auto_strs struct strs names = STRS_INIT;
    int rc = hostlist_expand(expr, &names, err);
    *is = false;
    for (size_t i = 0; !rc && i < names.n; i++)
        *is |= str_eq(names.at[i], node);
    return rc;
}

/* Lines for all nodes first, then those that name this one: the latter win.  Every line is checked. */
static int container_pass(struct container_conf *c, const char *node, bool named, struct err *err)
{
    for (size_t i = 0; i < c->conf.line.n; i++) {
        const struct conf_line *line = &c->conf.line.at[i];
        const char *nodes = conf_line_value(&c->conf, line, "NodeName");
        struct container_conf other = *c;
        bool is = true;
        if (nodes && names_node(nodes, node, &is, err))
            return at_line(line, err);
        int rc = set_line(&container_table, &c->conf, line, (nodes != NULL) == named && is ? c : &other, err);
        if (rc)
            return rc;
    }
    return 0;
}

static int container_check(const struct container_conf *c, struct err *err)
{
    if (!c->base || str_ieq(c->base, "none"))
        return 0;
    if (c->base[0] != '/')
        return err_set(err, EINVAL, "job_container.conf: BasePath=%.200s: not a full path", c->base);
    const char *pos = c->dirs;
    for (char *dir; (dir = str_next(&pos, ",")); free(dir))
        if (dir[0] != '/' || str_eq(dir, c->base)) {
            err_set(err, EINVAL, "job_container.conf: Dirs=%.200s: %s", dir,
                    dir[0] != '/' ? "not a full path" : "is the BasePath");
            free(dir);
            return EINVAL;
        }
    return 0;
}

static int container_settle(struct container_conf *c, const char *node, struct err *err)
{
    set_defaults(&container_table, c);
    int rc = container_pass(c, node, false, err);
    if (!rc)
        rc = container_pass(c, node, true, err);
    return rc ? rc : container_check(c, err);
}

int container_conf_load(struct container_conf *c, const char *dir, const char *node, struct err *err)
{
    *c = (struct container_conf){ 0 };
    int rc = read_beside(&c->conf, dir, "job_container.conf", err);
    return rc ? rc : container_settle(c, node, err);
}

int container_conf_parse(struct container_conf *c, const char *text, size_t len, const char *node, struct err *err)
{
    *c = (struct container_conf){ 0 };
    int rc = conf_parse_text(&c->conf, text, len, "job_container.conf", NULL, NULL, err);
    return rc ? rc : container_settle(c, node, err);
}

void container_conf_clear(struct container_conf *c)
{
    conf_clear(&c->conf);
}
