/* groups - a user's groups, remembered for a while; see groups.h. */
#include "node/groups.h"

#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/str.h"

#define KEEP_MS 60000
#define GROUPS_MAX 65536

struct entry {
    char *list, *name;
    int64_t until_ms;
};

static struct map cache;

/* The account's name on this node: what the order says counts only if it is that user here, too. */
static char *account_name(uint32_t uid, const char *said)
{
    const struct passwd *pw = getpwuid(uid);
    return mem_str(pw ? pw->pw_name : said);
}

static char *list_groups(uint32_t uid, uint32_t gid, const char *said)
{
    auto_free char *user = account_name(uid, said);
    int n = 64;
    auto_free gid_t *list = mem_array((size_t)n, sizeof(*list));
    while (!str_empty(user) && getgrouplist(user, gid, list, &n) < 0 && n < GROUPS_MAX)
        list = mem_grow(list, (size_t)n, sizeof(*list));
    if (str_empty(user)) {
        list[0] = gid;
        n = 1;
    }
    auto_buf struct buf out = BUF_INIT;
    for (int i = 0; i < n; i++)
        buf_addf(&out, "%s%u", i ? "," : "", list[i]);
    return buf_take(&out);
}

struct groups groups_of(uint32_t uid, uint32_t gid, const char *user_name, int64_t now_ms)
{
    uint64_t key = (uint64_t)uid << 32 | gid;
    struct entry *e = map_get(&cache, key);
    if (!e) {
        e = NEW(struct entry);
        map_put(&cache, key, e);
    }
    if (now_ms >= e->until_ms) {
        free(e->list);
        free(e->name);
        const struct group *g = getgrgid(gid);
        e->name = mem_str(g ? g->gr_name : "");
        e->list = list_groups(uid, gid, user_name);
        e->until_ms = now_ms + KEEP_MS;
    }
    return (struct groups){ e->list, e->name };
}
