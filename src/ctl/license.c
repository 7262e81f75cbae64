/* license - see license.h. */
#include "ctl/license.h"

#include "ctl/request.h"

void license_config_begin(const struct site *s, struct license_list *lic, Pb__EvConfig *out)
{
    if (str_empty(s->licenses) || license_parse(s->licenses, lic, NULL))
        return;
    out->licenses = license_to_pb(lic);
    out->n_licenses = lic->n;
}

bool license_allowed(const struct ctl *t, const char *text)
{
    auto_license struct license_list l = LICENSE_INIT;
    bool more = site_param(t->site->scheduler_parameters, "allow_zero_lic") != NULL;
    return str_empty(text) || (!license_parse(text, &l, NULL) && !license_check(t->c, &l, more, NULL));
}

/* What reservations that are on keep of it. */
static uint64_t license_reserved(const struct ctl *t, const char *name)
{
    uint64_t n = 0;
    for (size_t i = 0; i < t->c->resv.n; i++) {
        const Pb__Resv *r = t->c->resv.at[i]->pb;
        auto_license struct license_list l = LICENSE_INIT;
        if (!r->active || str_empty(r->licenses) || license_parse(r->licenses, &l, NULL))
            continue;
        for (size_t k = 0; k < l.n; k++)
            n += str_eq(l.at[k].name, name) ? l.at[k].count : 0;
    }
    return n;
}

static bool asked_for(const Pb__LicenseQuery *q, const char *name)
{
    for (size_t i = 0; i < q->n_name; i++)
        if (str_eq(q->name[i], name))
            return true;
    return !q->n_name;
}

void ctl_licenses(const struct ctl_call *call)
{
    const struct ctl *t = call->t;
    const struct license_table *all = &t->c->licenses;
    Pb__LicenseList r = PB__LICENSE_LIST__INIT;
    auto_free Pb__License *one = mem_array(all->n, sizeof(*one));
    auto_free Pb__License **at = mem_array(all->n, sizeof(*at));
    for (size_t i = 0; i < all->n; i++) {
        if (!asked_for((Pb__LicenseQuery *)call->m, all->at[i].name))
            continue;
        pb__license__init(&one[i]);
        one[i].name = all->at[i].name, one[i].count = all->at[i].total, one[i].used = all->at[i].used;
        one[i].reserved = license_reserved(t, all->at[i].name);
        at[r.n_licenses++] = &one[i];
    }
    r.licenses = at;
    r.now_s = NOW_S(t);
    ctl_reply(call, MSG_LICENSES_REPLY, &r.base);
}
