/*
 * scontrol_ctl - the controllers themselves: which answer, reading the configuration again, stopping, handing over.
 */
#include "base/clock.h"
#include "base/str.h"
#include "cli/say.h"
#include "cli/scontrol.h"
#include "show/ping.h"

/* ---- ping ---- */

static const char *ping_role(size_t i, size_t n, char *room, size_t size)
{
    if (i == 0)
        return "primary";
    if (n == 2)
        return "backup";
    snprintf(room, size, "backup%zu", i);
    return room;
}

static void ping_print(const struct scontrol *s, const struct ping_row *p, const struct site *site, size_t i)
{
    const Pb__StatusReply *status = p->status;
    char room[32];
    printf("Slurmctld(%s) at %s is %s\n", ping_role(i, site->nctl, room, sizeof(room)), p->host,
           status ? "UP" : "DOWN");
    if (!status || !s->detail)
        return;
    printf("   Role=%s Term=%llu Applied=%llu Jobs=%u Version=%s Pid=%u\n",
           status->leader_id == status->id ? "LEADER" : "FOLLOWER", (unsigned long long)status->term,
           (unsigned long long)status->applied, status->jobs, status->version, status->pid);
    printf("   OrdersSent=%llu NodesOrdered=%llu ReportsHeard=%llu NodesReported=%llu\n",
           (unsigned long long)status->orders_sent, (unsigned long long)status->nodes_ordered,
           (unsigned long long)status->reports_heard, (unsigned long long)status->nodes_reported);
}

int scontrol_ping(struct scontrol *s, int argc, char **argv)
{
    struct err err = ERR_INIT;
    struct client *c = scontrol_client(s, &err);
    if (!c)
        return scontrol_fail(s, "%s", err.text);
    const struct site *site = client_site(c);
    bool any = false;
    if (s->doc.format) {
        document_begin(&s->doc);
        document_rows_begin(&s->doc, "pings", &show_ping);
    }
    for (size_t i = 0; i < site->nctl; i++) {
        Pb__StatusReply *status = NULL;
        int64_t began = clock_mono_us();
        bool up = !client_status(c, i, &status, &err);
        struct ping_row row = { site->ctl[i].name, i == 0, up ? status : NULL, (uint64_t)(clock_mono_us() - began) };
        if (s->doc.format)
            document_row(&s->doc, &row);
        else
            ping_print(s, &row, site, i);
        if (status)
            client_free(&status->base);
        any |= up;
    }
    if (s->doc.format) {
        document_rows_end(&s->doc);
        document_end(&s->doc, c);
    }
    return any ? 0 : 1;
}

static int send_order(struct scontrol *s, enum msg_type type, const char *what)
{
    struct err err = ERR_INIT;
    Pb__Done ask = PB__DONE__INIT;
    ProtobufCMessage *reply;
    int rc = scontrol_call(s, type, &ask.base, MSG_DONE, &reply, &err);
    if (rc)
        return scontrol_fail(s, "%s error:%s", what, scontrol_words(rc, &err));
    const Pb__Done *done = (const Pb__Done *)reply;
    for (size_t i = 0; i < done->n_messages && !s->quiet; i++)
        fprintf(stderr, "%s\n", done->messages[i]);
    client_free(reply);
    return 0;
}

int scontrol_reconfigure(struct scontrol *s, int argc, char **argv)
{
    return send_order(s, MSG_RECONFIGURE, "slurm_reconfigure");
}

int scontrol_shutdown(struct scontrol *s, int argc, char **argv)
{
    if (argc > 1 && !str_has_iprefix("slurmctld", argv[1]) && !str_has_iprefix("controller", argv[1]))
        return scontrol_fail(s, "invalid shutdown argument:%s", argv[1]);
    return send_order(s, MSG_SHUTDOWN, "slurm_shutdown");
}

int scontrol_takeover(struct scontrol *s, int argc, char **argv)
{
    if (argc > 1) {
        say_error("takeover by number is not supported by this release of Spur: the controllers elect their leader");
        return 1;
    }
    return send_order(s, MSG_TAKEOVER, "slurm_takeover");
}
