/* scontrol_show_license - scontrol show licenses [NAME]. */
#include <stdio.h>

#include "base/str.h"
#include "cli/say.h"
#include "cli/scontrol.h"

static void show_one(const struct scontrol *s, const Pb__License *l)
{
    uint64_t taken = l->used + l->reserved;
    printf("LicenseName=%s%sTotal=%llu Used=%llu Free=%llu Reserved=%llu Remote=no\n", l->name,
           s->one_line ? " " : "\n    ", (unsigned long long)l->count, (unsigned long long)l->used,
           (unsigned long long)(l->count - MIN(l->count, taken)), (unsigned long long)l->reserved);
}

int show_licenses(struct scontrol *s, const char *id)
{
    struct err err = ERR_INIT;
    struct client *c = scontrol_client(s, &err);
    Pb__LicenseQuery q = PB__LICENSE_QUERY__INIT;
    Pb__LicenseList *all = NULL;
    int rc = c ? client_call(c, MSG_LICENSES, &q.base, MSG_LICENSES_REPLY, (ProtobufCMessage **)&all, &err) : 1;
    if (rc)
        return scontrol_fail(s, "%s", err.text);
    bool found = false;
    for (size_t i = 0; i < all->n_licenses; i++) {
        if (id && !str_eq(id, all->licenses[i]->name))
            continue;
        show_one(s, all->licenses[i]);
        found = true;
    }
    if (!all->n_licenses)
        puts("No licenses configured in Slurm.");
    else if (!found)
        say_error("query \"%s\" matched zero licenses.", id);
    rc = all->n_licenses && !found;
    pb__license_list__free_unpacked(all, NULL);
    return rc;
}
