/* config_words - words of SchedulerParameters and PreemptParameters that decide something, as the scheduler wants them.
 */
#ifndef SPUR_CTL_CONFIG_WORDS_H
#define SPUR_CTL_CONFIG_WORDS_H

#include "sched/sched.h"
#include "text/site.h"

void config_words(const struct site *site, struct sched_conf *out);

/* The number after a word of SchedulerParameters; `otherwise` when the word is not there, or has none. */
uint64_t config_number(const struct site *site, const char *word, uint64_t otherwise);

#endif
