/* config_words - see config_words.h. */
#include "ctl/config_words.h"

#include <stdlib.h>

#include "base/str.h"

#define NUMBER_MAX UINT32_MAX

uint64_t config_number(const struct site *site, const char *word, uint64_t otherwise)
{
    const char *text = site_param(site->scheduler_parameters, word);
    char *end;
    uint64_t n = text && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : otherwise;
    return MIN(n, (uint64_t)NUMBER_MAX);
}

static enum het_prio het_prio(const struct site *site)
{
    const char *said = site_param(site->scheduler_parameters, "bf_hetjob_prio");
    return !said                          ? HET_PRIO_FIRST
           : str_has_iprefix(said, "min") ? HET_PRIO_MIN
           : str_has_iprefix(said, "avg") ? HET_PRIO_AVG
           : str_has_iprefix(said, "max") ? HET_PRIO_MAX
                                          : HET_PRIO_FIRST;
}

void config_words(const struct site *site, struct sched_conf *out)
{
    const char *words = site->scheduler_parameters;
    out->planned_min_age_s = (int64_t)config_number(site, "bf_min_age_reserve", 0);
    out->planned_min_priority = (uint32_t)config_number(site, "bf_min_prio_reserve", 0);
    out->max_planned_per_array = (uint32_t)config_number(site, "bf_max_job_array_resv", 20);
    out->het_prio = het_prio(site);
    out->any_feature = site_param(words, "ignore_constraint_validation") != NULL;
    out->any_prefer = site_param(words, "ignore_prefer_validation") != NULL;
    out->more_licenses = site_param(words, "allow_zero_lic") != NULL;
    out->reclaim_licenses = site_param(site_value(site, "PreemptParameters"), "reclaim_licenses") != NULL;
}
