/*
 * cgroup_text - the cgroups that an agent found, as text for its supervisors: lines of words in one variable of the
 * spawner's environment.
 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "step/cgroup_priv.h"

char *cgroups_text(const struct cgroups *c)
{
    const struct cgroup_rules *r = &c->rules;
    auto_buf struct buf out = BUF_INIT;
    if (!c->tree.n)
        return mem_str("");
    buf_addf(&out, "rules %d %d %d %d %d %d %.6f %.6f %.6f %.6f %llu %llu %llu %llu\n", r->ram, r->swap, r->cores,
             r->devices, r->quota, r->oom_kill_step, r->allowed_ram, r->allowed_swap, r->max_ram, r->max_swap,
             (unsigned long long)r->min_ram_mb, (unsigned long long)r->swappiness, (unsigned long long)r->max_processes,
             (unsigned long long)r->node_mem_mb);
    for (size_t i = 0; i < c->tree.n; i++)
        buf_addf(&out, "tree %d %u %s\n", c->tree.at[i].v2, c->tree.at[i].what, c->tree.at[i].dir);
    for (size_t i = 0; i < c->device.n; i++) {
        const struct cgroup_device *d = &c->device.at[i];
        buf_addf(&out, "device %d %u %u %s %s\n", d->kind, d->major, d->minor, d->name, d->type);
    }
    return buf_take(&out);
}

static bool parse_rules(struct cgroup_rules *r, const char *text)
{
    int flag[6];
    unsigned long long n[4];
    int got = sscanf(text, "rules %d %d %d %d %d %d %lf %lf %lf %lf %llu %llu %llu %llu", &flag[0], &flag[1], &flag[2],
                     &flag[3], &flag[4], &flag[5], &r->allowed_ram, &r->allowed_swap, &r->max_ram, &r->max_swap, &n[0],
                     &n[1], &n[2], &n[3]);
    if (got != 14)
        return false;
    r->ram = flag[0], r->swap = flag[1], r->cores = flag[2], r->devices = flag[3], r->quota = flag[4],
    r->oom_kill_step = flag[5];
    r->min_ram_mb = n[0], r->swappiness = n[1], r->max_processes = n[2], r->node_mem_mb = n[3];
    return true;
}

static bool parse_tree(struct cgroups *c, const char *line)
{
    struct cgroup_tree t = { 0 };
    int v2, at = 0;
    if (sscanf(line, "tree %d %u %n", &v2, &t.what, &at) != 2 || !at || line[at] != '/' || c->tree.n == CGROUP_WHATS)
        return false;
    t.v2 = v2;
    t.dir = mem_str(line + at);
    vec_push(&c->tree, t);
    return true;
}

static bool parse_device(struct cgroups *c, const char *line)
{
    int kind, at = 0;
    struct cgroup_device d = { 0 };
    if (sscanf(line, "device %d %u %u %n", &kind, &d.major, &d.minor, &at) != 3 || !at)
        return false;
    const char *type = strchr(line + at, ' ');
    if (!type)
        return false;
    d.kind = (char)kind;
    d.name = mem_strn(line + at, (size_t)(type - line - at));
    d.type = mem_str(type + 1);
    vec_push(&c->device, d);
    return true;
}

bool cgroups_parse(struct cgroups *c, const char *text)
{
    *c = (struct cgroups){ 0 };
    bool good = parse_rules(&c->rules, text);
    const char *pos = text;
    for (char *line; (line = str_next(&pos, "\n")); free(line))
        good &= str_has_prefix(line, "tree ")     ? parse_tree(c, line)
                : str_has_prefix(line, "device ") ? parse_device(c, line)
                                                  : str_has_prefix(line, "rules ");
    return good && c->tree.n;
}
