/* scontrol_show_license - scontrol show licenses [NAME]. */
#include <stdio.h>

#include "base/str.h"
#include "cli/say.h"
#include "cli/scontrol.h"
#include "show/license.h"

static bool license_wanted(const Pb__License *l, const char *id)
{
    return !id || str_eq(id, l->name);
}

/* Slurm shows all licences as JSON, whatever name was given. */
static int license_document(struct scontrol *s, const Pb__LicenseList *list)
{
    document_begin(&s->doc);
    document_rows_begin(&s->doc, "licenses", &show_license);
    for (size_t i = 0; i < list->n_licenses; i++)
        document_row(&s->doc, list->licenses[i]);
    document_rows_end(&s->doc);
    document_time(&s->doc, "last_update", list->now_s);
    document_end(&s->doc, s->client);
    return 0;
}

static int license_pairs(struct scontrol *s, const Pb__LicenseList *list, const char *id)
{
    auto_buf struct buf out = BUF_INIT;
    struct show_pairs pairs;
    show_pairs_init(&pairs, &show_license, s->one_line, s->detail);
    for (size_t i = 0; i < list->n_licenses; i++)
        if (license_wanted(list->licenses[i], id))
            show_pairs_row(&pairs, list->licenses[i], &out);
    show_pairs_clear(&pairs);
    if (out.len)
        fputs(out.s, stdout);
    else if (!list->n_licenses)
        puts("No licenses configured in Slurm.");
    else
        say_error("query \"%s\" matched zero licenses.", id);
    return list->n_licenses && !out.len;
}

int show_licenses(struct scontrol *s, const char *id)
{
    struct err err = ERR_INIT;
    Pb__LicenseQuery q = PB__LICENSE_QUERY__INIT;
    ProtobufCMessage *reply = NULL;
    int rc = scontrol_call(s, MSG_LICENSES, &q.base, MSG_LICENSES_REPLY, &reply, &err);
    if (rc)
        return scontrol_fail(s, "%s", err.text);
    const Pb__LicenseList *list = (const Pb__LicenseList *)reply;
    rc = s->doc.format ? license_document(s, list) : license_pairs(s, list, id);
    client_free(reply);
    return rc;
}
