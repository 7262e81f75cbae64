/* scontrol_show_resv - scontrol show reservation, and sinfo --reservation. */
#include "base/str.h"
#include "cli/format.h"
#include "cli/resv_list.h"
#include "cli/scontrol.h"
#include "core/resv.h"
#include "text/time.h"

static const char *or_null(const char *text)
{
    return str_or(text, "(null)");
}

static const char *state_of(const Pb__Resv *r)
{
    return r->active ? "ACTIVE" : "INACTIVE";
}

/* "n1 0-1,4;n2 0": a line for each. */
static void add_cores(const struct scontrol *s, struct buf *out, const char *text)
{
    const char *pos = text;
    for (char *one; (one = str_next(&pos, ";")); free(one)) {
        size_t name = strcspn(one, " ");
        scontrol_line(s, out);
        buf_addf(out, "  NodeName=%.*s CoreIDs=%s", (int)name, one, one + name + (one[name] == ' '));
    }
}

static void add_resv(const struct scontrol *s, struct buf *out, const Pb__Resv *r)
{
    char start[TIME_TEXT], end[TIME_TEXT], length[TIME_TEXT], delay[TIME_TEXT];
    buf_addf(out, "ReservationName=%s StartTime=%s EndTime=%s Duration=%s", r->name,
             time_stamp(start, (time_t)r->start_s, "Unknown"), time_stamp(end, (time_t)r->end_s, "Unknown"),
             time_secs_text(length, (uint64_t)(r->end_s - r->start_s)));
    scontrol_line(s, out);
    buf_addf(out, "Nodes=%s NodeCnt=%u CoreCnt=%u Features=%s PartitionName=%s Flags=", or_null(r->nodes), r->node_cnt,
             r->shown_cores, or_null(r->features), or_null(r->partition));
    resv_flags_text(r->flags, r->purge_s, out);
    add_cores(s, out, r->core_text);
    scontrol_line(s, out);
    buf_addf(out, "TRES=%s", or_null(r->tres));
    scontrol_line(s, out);
    buf_addf(out, "AllowedPartitions=%s QOS=%s", or_null(r->partitions), or_null(r->qos));
    scontrol_line(s, out);
    buf_addf(out, "Users=%s Groups=%s Accounts=%s Licenses=%s State=%s BurstBuffer=(null)", or_null(r->users),
             or_null(r->groups), or_null(r->accounts), or_null(r->licenses), state_of(r));
    scontrol_line(s, out);
    buf_addf(out, "MaxStartDelay=%s",
             r->max_start_delay_s ? time_secs_text(delay, r->max_start_delay_s) : "(null)");
    if (!str_empty(r->comment)) {
        scontrol_line(s, out);
        buf_addf(out, "Comment=%s", r->comment);
    }
    scontrol_end(s, out);
}

int show_resvs(struct scontrol *s, const char *id)
{
    struct err err = ERR_INIT;
    struct buf out = BUF_INIT;
    Pb__PartQuery q = PB__PART_QUERY__INIT;
    ProtobufCMessage *reply;
    q.name = (char **)&id;
    q.n_name = id ? 1 : 0;
    int rc = scontrol_call(s, MSG_RESVS, &q.base, MSG_RESVS_REPLY, &reply, &err);
    if (rc)
        return scontrol_fail(s, "slurm_load_reservations error: %s", scontrol_words(rc, &err));
    const Pb__ResvList *list = (const Pb__ResvList *)reply;
    for (size_t i = 0; i < list->n_resvs; i++)
        add_resv(s, &out, list->resvs[i]);
    if (!list->n_resvs && !s->quiet)
        buf_addf(&out, id ? "Reservation %s not found\n" : "No reservations in the system\n", id);
    rc = !list->n_resvs && id;
    format_flush(&out);
    buf_clear(&out);
    client_free(reply);
    return rc;
}

void resv_list_text(const Pb__ResvList *list, bool header, struct buf *out)
{
    char start[TIME_TEXT], end[TIME_TEXT], length[TIME_TEXT];
    int width = (int)strlen("RESV_NAME");
    for (size_t i = 0; i < list->n_resvs; i++)
        width = MAX(width, (int)strlen(list->resvs[i]->name));
    if (!list->n_resvs) {
        buf_adds(out, "No reservations in the system\n");
        return;
    }
    if (header)
        buf_addf(out, "%-*s  %8s  %19s  %19s  %11s  %s\n", width, "RESV_NAME", "STATE", "START_TIME", "END_TIME",
                 "DURATION", "NODELIST");
    for (size_t i = 0; i < list->n_resvs; i++) {
        const Pb__Resv *r = list->resvs[i];
        buf_addf(out, "%-*s  %8s  %19s  %19s  %11s  %s\n", width, r->name, state_of(r),
                 time_stamp(start, (time_t)r->start_s, "Unknown"), time_stamp(end, (time_t)r->end_s, "Unknown"),
                 time_secs_text(length, (uint64_t)(r->end_s - r->start_s)), or_null(r->nodes));
    }
}
