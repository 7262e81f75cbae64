/*
 * up - `spur up`: a whole cluster on this machine, started as the calling user; back when it answers.
 */
#include "cli/up.h"

#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/say.h"
#include "client/client.h"
#include "core/node.h"

#define NAP_MS 50
#define LOG_LINES 12
#define PATIENCE_MS 60000
#define PATIENCE_NODE_MS 200 /* and so much more for each node */
#define STOP_S 10

struct rise {
    struct instance *in;
    struct client *client;
    int64_t begun_ms;
    time_t begun_s;
    size_t started;
    bool tty;
};

static void up_progress(const struct rise *r, size_t controllers, size_t nodes)
{
    if (!r->tty)
        return;
    size_t all = r->in->site->nctl;
    fprintf(stderr, "\r\033[Kspur: controllers %zu/%zu  nodes %zu/%zu  %.1f s", controllers, all, nodes,
            instance_nodes(r->in), (double)(clock_mono_ms() - r->begun_ms) / 1000);
}

static void progress_end(const struct rise *r)
{
    if (r->tty)
        fputs("\r\033[K", stderr);
}

/* ---- waiting for it ---- */

static const char *daemon_label(const struct daemon *d)
{
    static char text[300];
    if (d->ctl_id)
        snprintf(text, sizeof(text), "controller %u", d->ctl_id);
    else
        snprintf(text, sizeof(text), d->emulated ? "the agent that plays %.200s" : "the agent of node %.200s", d->node);
    return text;
}

/* 0 while all that were started live. */
static int check_alive(struct rise *r, struct err *err)
{
    char how[128];
    for (size_t i = 0; i < r->in->daemons.n; i++) {
        struct daemon *d = &r->in->daemons.at[i];
        if (!daemon_ended(d, how, sizeof(how)))
            continue;
        progress_end(r);
        daemon_show_log(r->in, d, LOG_LINES);
        return err_set(err, ESRCH, "%s %s", daemon_label(d), how);
    }
    return 0;
}

/* How many controllers know the leader. */
static size_t controllers_ready(const struct rise *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->in->site->nctl; i++) {
        Pb__StatusReply *s = NULL;
        if (!client_status(r->client, i, &s, NULL) && s->leader_id)
            n++;
        if (s)
            client_free(&s->base);
    }
    return n;
}

static const Pb__Node *find_node(const Pb__NodeList *list, const char *name)
{
    for (size_t i = 0; list && i < list->n_nodes; i++)
        if (list->nodes[i]->def && str_eq(list->nodes[i]->def->name, name))
            return list->nodes[i];
    return NULL;
}

/* Has the agent that runs now registered?  What the log remembers of an earlier one does not count. */
static bool node_ready(const struct rise *r, const struct daemon *d, const Pb__Node *n)
{
    if (!n || !(n->state & NODE_REGISTERED) || n->state & NODE_NO_RESPOND)
        return false;
    return !d->child || n->start_s >= r->begun_s;
}

static size_t emulated_ready(const struct rise *r, const struct daemon *d, const Pb__NodeList *list)
{
    size_t n = 0;
    for (size_t i = 0; list && i < list->n_nodes; i++)
        n += node_ready(r, d, list->nodes[i]);
    return MIN(n, (size_t)d->nodes);
}

static size_t nodes_ready(const struct rise *r, const struct daemon **missing)
{
    Pb__NodeQuery query = PB__NODE_QUERY__INIT;
    Pb__NodeList *list = NULL;
    size_t n = 0;
    if (client_call(r->client, MSG_NODES, &query.base, MSG_NODES_REPLY, (ProtobufCMessage **)&list, NULL))
        list = NULL;
    for (size_t i = 0; i < r->in->daemons.n; i++) {
        const struct daemon *d = &r->in->daemons.at[i];
        if (d->ctl_id)
            continue;
        size_t ready = d->emulated ? emulated_ready(r, d, list) : 0;
        n += ready;
        if (ready == d->nodes)
            continue;
        if (!d->emulated && node_ready(r, d, find_node(list, d->node)))
            n++;
        else
            *missing = d;
    }
    if (list)
        client_free(&list->base);
    return n;
}

static int too_late(const struct rise *r, const struct daemon *missing, size_t controllers, struct err *err)
{
    const struct daemon *d = controllers < r->in->site->nctl ? &r->in->daemons.at[0] : missing;
    for (size_t i = 0; controllers < r->in->site->nctl && i < r->in->site->nctl; i++) {
        Pb__StatusReply *s = NULL;
        if (client_status(r->client, i, &s, NULL))
            d = &r->in->daemons.at[i];
        if (s)
            client_free(&s->base);
    }
    progress_end(r);
    daemon_show_log(r->in, d, LOG_LINES);
    return err_set(err, ETIMEDOUT, "%s does not answer after %lld s", daemon_label(d),
                   (long long)(clock_mono_ms() - r->begun_ms) / 1000);
}

static int wait_for_it(struct rise *r, struct err *err)
{
    size_t all_ctl = r->in->site->nctl, all_nodes = instance_nodes(r->in), controllers = 0, nodes = 0;
    int64_t end = r->begun_ms + PATIENCE_MS + (int64_t)all_nodes * PATIENCE_NODE_MS;
    const struct daemon *missing = NULL;
    for (;;) {
        int rc = check_alive(r, err);
        if (rc)
            return rc;
        if (controllers < all_ctl)
            controllers = controllers_ready(r);
        if (controllers == all_ctl)
            nodes = nodes_ready(r, &missing);
        up_progress(r, controllers, nodes);
        if (controllers == all_ctl && nodes == all_nodes)
            return 0;
        if (clock_mono_ms() > end)
            return too_late(r, missing, controllers, err);
        poll(NULL, 0, NAP_MS);
    }
}

/* ---- starting it ---- */

static int start_all(struct rise *r, struct err *err)
{
    for (size_t i = 0; i < r->in->daemons.n; i++) {
        struct daemon *d = &r->in->daemons.at[i];
        int rc = d->proc.pid ? 0 : daemon_start(r->in, d, err);
        if (rc)
            return rc;
        r->started += d->child;
    }
    return 0;
}

/* A rise that fails leaves nothing of its own behind. */
static void up_undo(struct rise *r)
{
    for (size_t i = 0; i < r->in->daemons.n; i++)
        if (!r->in->daemons.at[i].child)
            r->in->daemons.at[i].proc.pid = 0;
    daemons_stop(r->in, STOP_S);
}

static int up_start(struct rise *r, struct err *err)
{
    setenv("SLURM_CONF", r->in->conf, 1);
    int rc = client_open(&r->client, err);
    if (rc)
        return rc;
    client_patience(r->client, 1);
    rc = start_all(r, err);
    if (!rc)
        rc = wait_for_it(r, err);
    progress_end(r);
    client_close(r->client);
    if (rc)
        up_undo(r);
    return rc;
}

/* ---- the command ---- */

static void up_print(const struct rise *r, const struct up_opts *o)
{
    size_t ctl = r->in->site->nctl, nodes = instance_nodes(r->in);
    bool emulated = r->in->daemons.at[ctl].emulated;
    printf("cluster %s is up: %zu controller%s, %zu %snode%s, %.1f s\n", r->in->site->cluster, ctl, ctl == 1 ? "" : "s",
           nodes, emulated ? "emulated " : "", nodes == 1 ? "" : "s", (double)(clock_mono_ms() - r->begun_ms) / 1000);
    printf("its folder is %s; to use it:\n    eval \"$(spur env%s%s)\"\n", r->in->dir, o->dir ? " --dir " : "",
           o->dir ? r->in->dir : "");
}

/* All of it runs already: does it fit what was asked for? */
static int up_already(const struct instance *in, const struct up_opts *o)
{
    size_t ctl = in->site->nctl, nodes = instance_nodes(in);
    if ((o->controllers && o->controllers != ctl) || (o->nodes && o->nodes != nodes)) {
        say_error("the cluster in %s is running with %zu controllers and %zu nodes; `spur down` first", in->dir, ctl,
                  nodes);
        return 1;
    }
    printf("cluster %s is already running in %s\n", in->site->cluster, in->dir);
    return 0;
}

int cli_up(int argc, char **argv)
{
    struct up_opts o = { 0 };
    struct err err = ERR_INIT;
    int status;
    if (up_options(CMD_UP, argc, argv, &o, &status))
        return status;
    umask(022); /* commands of other users must find the configuration and the sockets */
    auto_instance struct instance in = INSTANCE_INIT;
    struct instance_request request = { o.dir, o.conf, o.nodes, o.controllers, o.emulate };
    if (instance_find(&in, o.dir, false, &err) || instance_make(&in, &request, &err) || up_links(&in, &err))
        return up_failed(&err);
    if (instance_running(&in) == in.daemons.n)
        return up_already(&in, &o);
    struct rise r = { .in = &in, .begun_ms = clock_mono_ms(), .begun_s = time(NULL), .tty = isatty(2) };
    if (up_start(&r, &err))
        return up_failed(&err);
    up_print(&r, &o);
    return 0;
}
