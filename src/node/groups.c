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
    char *list, *name, *user, *home, *shell;
    int64_t until_ms;
};

static struct map cache;

static char *list_groups(const char *user, uint32_t gid)
{
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

/* The account's name on this node counts; what the order says, only where nobody knows the number. */
static void look_up(struct entry *e, uint32_t uid, uint32_t gid, const char *said, int64_t now_ms)
{
    const struct passwd *pw = getpwuid(uid);
    mem_set_str(&e->user, pw ? pw->pw_name : str_or(said, ""));
    mem_set_str(&e->home, pw ? pw->pw_dir : "");
    mem_set_str(&e->shell, pw ? pw->pw_shell : "");
    const struct group *g = getgrgid(gid);
    mem_set_str(&e->name, g ? g->gr_name : "");
    free(e->list);
    e->list = list_groups(e->user, gid);
    e->until_ms = now_ms + KEEP_MS;
}

struct groups groups_of(uint32_t uid, uint32_t gid, const char *user_name, int64_t now_ms)
{
    uint64_t key = (uint64_t)uid << 32 | gid;
    struct entry *e = map_get(&cache, key);
    if (!e) {
        e = NEW(struct entry);
        map_put(&cache, key, e);
    }
    if (now_ms >= e->until_ms)
        look_up(e, uid, gid, user_name, now_ms);
    return (struct groups){ e->list, e->name, e->user, e->home, e->shell };
}
