/* scontrol_show_resv - scontrol show reservation, and sinfo --reservation. */
#include "base/str.h"
#include "cli/resv_list.h"
#include "cli/say.h"
#include "cli/scontrol.h"
#include "show/resv.h"

static int resvs_document(struct scontrol *s, const Pb__ResvList *list)
{
    document_begin(&s->doc);
    document_rows_begin(&s->doc, "reservations", &show_resv);
    for (size_t i = 0; i < list->n_resvs; i++)
        document_row(&s->doc, list->resvs[i]);
    document_rows_end(&s->doc);
    document_time(&s->doc, "last_update", list->now_s);
    document_end(&s->doc, s->client);
    return 0;
}

static int resvs_pairs(const struct scontrol *s, const Pb__ResvList *list, const char *id)
{
    struct buf out = BUF_INIT;
    struct show_pairs pairs;
    show_pairs_init(&pairs, &show_resv, s->one_line, s->detail);
    for (size_t i = 0; i < list->n_resvs; i++)
        show_pairs_row(&pairs, list->resvs[i], &out);
    show_pairs_clear(&pairs);
    if (!list->n_resvs && !s->quiet)
        buf_addf(&out, id ? "Reservation %s not found\n" : "No reservations in the system\n", id);
    say_flush(&out);
    buf_clear(&out);
    return !list->n_resvs && id;
}

int show_resvs(struct scontrol *s, const char *id)
{
    struct err err = ERR_INIT;
    Pb__PartQuery q = PB__PART_QUERY__INIT;
    ProtobufCMessage *reply;
    q.name = (char **)&id;
    q.n_name = id ? 1 : 0;
    int rc = scontrol_call(s, MSG_RESVS, &q.base, MSG_RESVS_REPLY, &reply, &err);
    if (rc)
        return scontrol_fail(s, "slurm_load_reservations error: %s", scontrol_words(rc, &err));
    const Pb__ResvList *list = (const Pb__ResvList *)reply;
    rc = s->doc.format ? resvs_document(s, list) : resvs_pairs(s, list, id);
    client_free(reply);
    return rc;
}

/* ---- sinfo --reservation ---- */

static void bad_column(const char *what)
{
    abort(); /* the columns are our own */
}

void resv_list_text(const Pb__ResvList *list, bool header, struct buf *out)
{
    struct show_columns columns = { 0 };
    int width = (int)strlen("RESV_NAME");
    for (size_t i = 0; i < list->n_resvs; i++)
        width = MAX(width, (int)strlen(list->resvs[i]->name));
    if (!list->n_resvs) {
        buf_adds(out, "No reservations in the system\n");
        return;
    }
    auto_free char *spec = mem_printf("RESV_NAME:%d  ,STATE:.8  ,START_TIME:.19  ,END_TIME:.19  ,"
                                      "DURATION:.11  ,NODELIST:",
                                      width);
    show_columns_names(&columns, &show_resv, spec, bad_column);
    if (header)
        show_columns_head(&columns, out);
    for (size_t i = 0; i < list->n_resvs; i++)
        show_columns_row(&columns, list->resvs[i], out);
    show_columns_clear(&columns);
}
