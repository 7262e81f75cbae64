/* groups - a job's user on this node, from the account cache; see groups.h. */
#include "node/groups.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "io/account_cache.h"

static struct {
    char *list, *name, *user, *home, *shell;
} own;

static void add_gids(struct buf *out, const uint32_t *gids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_addf(out, "%s%u", i ? "," : "", gids[i]);
}

void groups_start(struct agent *a)
{
    auto_buf struct buf list = BUF_INIT;
    uint32_t gids[1024];
    int n = getgroups(ARRAY_LEN(gids), gids);
    const struct passwd *pw = getpwuid(geteuid());
    own.user = mem_str(pw ? pw->pw_name : "");
    own.home = mem_str(pw ? pw->pw_dir : "");
    own.shell = mem_str(pw ? pw->pw_shell : "");
    const struct group *g = getgrgid(getegid());
    own.name = mem_str(g ? g->gr_name : "");
    if (pw && (n = ARRAY_LEN(gids), getgrouplist(pw->pw_name, getegid(), gids, &n) < 0))
        n = getgroups(ARRAY_LEN(gids), gids);
    if (n > 0)
        add_gids(&list, gids, (size_t)n);
    else
        buf_addf(&list, "%u", getegid());
    own.list = buf_take(&list);
}

/* The user name of this node's account is used; the name in the order only where the uid has no account here. */
bool groups_of(struct agent *a, uint32_t uid, uint32_t gid, const char *user_name, struct groups *out)
{
    static struct buf list;
    const struct account_user *u = NULL;
    if (own.list && uid == geteuid() && gid == getegid()) {
        *out = (struct groups){ own.list, own.name, own.user, own.home, own.shell };
        return true;
    }
    struct accounts *from = account_cache_accounts(a->accounts);
    int rc = from->user(from, uid, gid, &u);
    if (rc == EAGAIN)
        return false;
    buf_reset(&list);
    add_gids(&list, rc ? &gid : u->gids, rc ? 1 : u->ngroups);
    *out = (struct groups){ list.s, u->group, str_or(u->name, str_or(user_name, "")), u->home, u->shell };
    return true;
}
