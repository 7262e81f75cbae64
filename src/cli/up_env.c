/*
 * up_env - `spur env`: the lines that point a shell at a cluster, and the names of Slurm's commands it then finds.
 */
#include <string.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/up.h"

int up_links(const struct instance *in, struct err *err)
{
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (n <= 0)
        return err_set(err, errno, "cannot find this program: %m");
    self[n] = '\0';
    const char *pos = SPUR_LINKS " spur"; /* links.txt */
    for (;;) {
        auto_free char *name = str_next(&pos, " ");
        if (!name)
            return 0;
        auto_free char *path = instance_path(in, "bin/%s", name);
        char now[4096];
        ssize_t k = readlink(path, now, sizeof(now));
        if (k == n && !memcmp(now, self, (size_t)n))
            continue;
        unlink(path);
        if (symlink(self, path))
            return err_set(err, errno, "cannot link %s: %m", path);
    }
}

int cli_env(int argc, char **argv)
{
    struct up_opts o = { 0 };
    struct err err = ERR_INIT;
    int status;
    if (up_options(CMD_ENV, argc, argv, &o, &status))
        return status;
    auto_instance struct instance in = INSTANCE_INIT;
    if (instance_find(&in, o.dir, true, &err))
        return up_failed(&err);
    printf("export SLURM_CONF='%s'\n", in.conf);
    printf("case \":$PATH:\" in *':%s/bin:'*) ;; *) export PATH='%s/bin':\"$PATH\" ;; esac\n", in.dir, in.dir);
    return 0;
}
