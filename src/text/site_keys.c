/* site_keys - what the configuration says about the keys of the cluster's machines; see site.h. */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <pwd.h>
#include <unistd.h>

#include "base/str.h"
#include "text/site.h"

bool site_uses_tls(const struct site *s)
{
    return str_ieq(s->transport, "tls");
}

uid_t site_owner(const struct site *s)
{
    if (str_empty(s->slurm_user) || str_eq(s->slurm_user, "root"))
        return 0; /* commands do not pay for a look-up */
    const struct passwd *pw = getpwnam(s->slurm_user);
    return pw ? pw->pw_uid : 0;
}

static bool is_own_name(const char *name)
{
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    size_t len = strcspn(host, ".");
    return str_eq(name, host) || (strlen(name) == len && !strncmp(name, host, len)) || str_eq(name, "localhost");
}

static bool is_own_address(const char *text)
{
    struct in_addr v4;
    struct ifaddrs *all, *at;
    bool own = false;
    if (str_has_prefix(text, "127.") || str_eq(text, "::1"))
        return true;
    if (inet_pton(AF_INET, text, &v4) != 1 || getifaddrs(&all))
        return false;
    for (at = all; at && !own; at = at->ifa_next)
        own = at->ifa_addr && at->ifa_addr->sa_family == AF_INET &&
              ((struct sockaddr_in *)(void *)at->ifa_addr)->sin_addr.s_addr == v4.s_addr;
    freeifaddrs(all);
    return own;
}

bool site_founds(const struct site *s)
{
    return is_own_name(s->ctl[0].name) || is_own_name(s->ctl[0].host) || is_own_address(s->ctl[0].host);
}
