/* names - users and groups, each asked for once; see names.h. */
#include "cli/names.h"

#include <grp.h>
#include <pwd.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"

static const char *names_remember(struct map *m, uint32_t id, const char *name)
{
    char *text = name ? mem_str(name) : mem_printf("%u", id);
    map_put(m, id, text);
    return text;
}

const char *names_user(uint32_t uid)
{
    static struct map known = MAP_INIT;
    const char *name = map_get(&known, uid);
    if (name)
        return name;
    const struct passwd *pw = getpwuid(uid);
    return names_remember(&known, uid, pw ? pw->pw_name : NULL);
}

const char *names_group(uint32_t gid)
{
    static struct map known = MAP_INIT;
    const char *name = map_get(&known, gid);
    if (name)
        return name;
    const struct group *gr = getgrgid(gid);
    return names_remember(&known, gid, gr ? gr->gr_name : NULL);
}

bool names_find_user(const char *text, uint32_t *uid)
{
    const struct passwd *pw = getpwnam(text);
    if (pw) {
        *uid = pw->pw_uid;
        return true;
    }
    uint64_t n;
    if (!str_u64(text, 0, UINT32_MAX - 1, &n))
        return false;
    *uid = (uint32_t)n;
    return true;
}
