/*
 * freq - how often usage is looked at: "30", "task=30,energy=10" (JobAcctGatherFrequency, --acctg-freq).
 */
#ifndef SPUR_TEXT_FREQ_H
#define SPUR_TEXT_FREQ_H

#include <stdbool.h>
#include <stdint.h>

/* The seconds between looks at the tasks: `*task_s` is left alone when the text says nothing of tasks.  False: it is
 * not such a text (kinds are task, energy, network, filesystem). */
bool freq_parse(const char *text, uint32_t *task_s);

#endif
