/*
 * down - `spur down`: stops what `spur up` started in a folder, and nothing else.
 */
#include "base/str.h"
#include "cli/cli.h"
#include "cli/up.h"

#define STOP_S 10

/* Agents first: they would report jobs to the controllers that end only because of this command. */
static void down_stop_daemons(struct instance *in, bool keep_jobs)
{
    size_t jobs = 0, ran = instance_running(in);
    daemons_stop(in, STOP_S);
    if (!keep_jobs)
        jobs = supervisors_stop(in, STOP_S);
    if (!ran && !jobs)
        printf("cluster %s in %s was not running\n", in->site->cluster, in->dir);
    else
        printf("cluster %s in %s is down: %zu daemon%s, %zu running step%s stopped\n", in->site->cluster, in->dir, ran,
               ran == 1 ? "" : "s", jobs, jobs == 1 ? "" : "s");
}

int cli_down(int argc, char **argv)
{
    struct up_opts o = { 0 };
    struct err err = ERR_INIT;
    int status;
    if (up_options(CMD_DOWN, argc, argv, &o, &status))
        return status;
    auto_instance struct instance in = INSTANCE_INIT;
    if (instance_find(&in, o.dir, true, &err) || instance_lock(&in, &err) || instance_load(&in, &err))
        return up_failed(&err);
    down_stop_daemons(&in, o.keep_jobs);
    return 0;
}
