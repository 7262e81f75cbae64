/* site_ctl - the controllers: SpurControllers, or SlurmctldHost and its older names. */
#include "base/str.h"
#include "text/site_lines.h"

#define CTL_MAX 64 /* more voters than a site runs */

struct ctl_list {
    VEC(struct site_ctl) ctl;
};

static char *short_hostname(struct site *s)
{
    char host[256] = "localhost";
    gethostname(host, sizeof(host) - 1);
    return site_strn(s, host, strcspn(host, "."));
}

static int add_ctl(struct site *s, struct ctl_list *list, uint32_t id, char *name, char *host, uint16_t port,
                   struct err *err)
{
    if (list->ctl.n >= CTL_MAX)
        return err_set(err, EINVAL, "more than %d controllers", CTL_MAX);
    for (size_t i = 0; i < list->ctl.n; i++)
        if (list->ctl.at[i].id == id)
            return err_set(err, EINVAL, "controller %u stands there twice", id);
    if (str_eq(name, "localhost"))
        name = short_hostname(s);
    vec_push(&list->ctl, (struct site_ctl){ id, name, host, port });
    return 0;
}

/* "name", or "name(address)" */
static int add_host(struct site *s, struct ctl_list *list, const char *value, struct err *err)
{
    size_t n = strcspn(value, "("), len = strlen(value);
    char *name = site_strn(s, value, n), *host = name;
    if (n < len) {
        if (!n || value[len - 1] != ')' || len - n < 3)
            return err_set(err, EINVAL, "SlurmctldHost=%.100s: say NAME or NAME(ADDRESS)", value);
        host = site_strn(s, value + n + 1, len - n - 2);
    }
    return add_ctl(s, list, (uint32_t)list->ctl.n + 1, name, host, s->ctl_port, err);
}

/* "1@127.0.0.1:7001", "2@[::1]:7002", "3@name" */
static int add_spur(struct site *s, struct ctl_list *list, const char *item, struct err *err)
{
    const char *at = strchr(item, '@'), *colon = strrchr(item, ':');
    uint64_t id = 0, port = s->ctl_port;
    auto_free char *number = at ? mem_strn(item, (size_t)(at - item)) : NULL;
    if (colon && at && (colon < at || strchr(colon, ']')))
        colon = NULL; /* part of an address */
    const char *end = colon ? colon : item + strlen(item);
    bool ok =
        at && str_u64(number, 1, UINT32_MAX, &id) && (!colon || str_u64(colon + 1, 1, 65535, &port)) && end > at + 1;
    if (!ok)
        return err_set(err, EINVAL, "\"%.100s\" is not ID@HOST:PORT", item);
    const char *host = at + 1;
    if (*host == '[' && end[-1] == ']' && end - host > 2) {
        host++;
        end--;
    }
    char *copy = site_strn(s, host, (size_t)(end - host));
    return add_ctl(s, list, (uint32_t)id, copy, copy, (uint16_t)port, err);
}

static int from_spur(struct site *s, struct ctl_list *list, const char *value, struct err *err)
{
    for (const char *pos = value;;) {
        auto_free char *item = str_next(&pos, ", \t");
        if (!item)
            return list->ctl.n ? 0 : err_set(err, EINVAL, "there is no controller");
        int rc = add_spur(s, list, item, err);
        if (rc)
            return rc;
    }
}

static int from_hosts(struct site *s, struct ctl_list *list, struct err *err)
{
    for (size_t i = 0; i < s->conf.line.n; i++) {
        const struct conf_line *line = &s->conf.line.at[i];
        const struct conf_pair *pair = &s->conf.pair.at[line->first];
        if (str_ieq(pair->key, "SlurmctldHost") && add_host(s, list, pair->value, err))
            return site_at(line, err);
    }
    return 0;
}

/* ControlMachine and BackupController count where no SlurmctldHost is. */
static int from_elders(struct site *s, struct ctl_list *list, struct err *err)
{
    static const char *const keys[][2] = { { "ControlMachine", "ControlAddr" }, { "BackupController", "BackupAddr" } };
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        const char *name = site_value(s, keys[i][0]), *addr = site_value(s, keys[i][1]);
        if (!name)
            continue;
        int rc =
            add_ctl(s, list, (uint32_t)list->ctl.n + 1, (char *)name, (char *)(addr ? addr : name), s->ctl_port, err);
        if (rc)
            return rc;
    }
    return 0;
}

/* The names of SlurmctldHost lines are the names of SpurControllers, in order. */
static void name_controllers(struct ctl_list *spur, const struct ctl_list *hosts)
{
    for (size_t i = 0; i < spur->ctl.n && i < hosts->ctl.n; i++)
        spur->ctl.at[i].name = hosts->ctl.at[i].name;
}

static int read_ports(struct site *s, struct err *err)
{
    uint64_t port;
    const char *ctl = site_value(s, "SlurmctldPort"), *node = site_value(s, "SlurmdPort");
    s->ctl_port = (uint16_t)strtoul(ctl, NULL, 10); /* a range is checked when it is read */
    if (!str_u64(node, 1, 65535, &port))
        return site_bad_global(s, "SlurmdPort", err, "not a port");
    s->node_port = (uint16_t)port;
    return 0;
}

int site_load_controllers(struct site *s, struct err *err)
{
    struct ctl_list hosts = { 0 }, spur = { 0 };
    const char *value = site_value(s, "SpurControllers");
    int rc = read_ports(s, err);
    if (!rc)
        rc = from_hosts(s, &hosts, err);
    if (!rc && !hosts.ctl.n)
        rc = from_elders(s, &hosts, err);
    struct err why = ERR_INIT;
    if (!rc && value && from_spur(s, &spur, value, &why))
        rc = site_bad_global(s, "SpurControllers", err, why.text);
    if (!rc && !value && !hosts.ctl.n)
        rc = err_set(err, EINVAL, "%s: no SlurmctldHost defined", s->path);
    if (rc) {
        vec_clear(&hosts.ctl);
        vec_clear(&spur.ctl);
        return rc;
    }
    name_controllers(&spur, &hosts);
    struct ctl_list *chosen = value ? &spur : &hosts, *other = value ? &hosts : &spur;
    vec_clear(&other->ctl);
    s->ctl = chosen->ctl.at;
    s->nctl = chosen->ctl.n;
    return 0;
}
