/*
 * tres - trackable resources as text: "cpu=4,mem=8G,node=1,billing=4,gres/gpu=2", both ways.
 *
 * A name is what stands before the '=': "cpu", "gres/gpu", "gres/gpu:a100", "license/matlab".
 * Memory is megabytes.  The list keeps Slurm's order: cpu, mem, energy, node, billing,
 * fs/disk, vmem, pages, then the others as they came.
 */
#ifndef SPUR_TEXT_TRES_H
#define SPUR_TEXT_TRES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "text/gres.h"

struct tres {
    char *name;
    uint64_t count;
};

struct tres_list {
    struct tres *at;
    size_t n, cap;
};

#define TRES_INIT { NULL, 0, 0 }
#define TRES_UNLIMITED UINT64_MAX /* written "-1" or "unlimited" */
#define auto_tres __attribute__((cleanup(tres_clear)))

void tres_clear(struct tres_list *l); /* free; reusable after */

/* Append "name=count,..."; a name that is there already is an error. */
int tres_parse(const char *text, struct tres_list *out, struct err *err);

void tres_set(struct tres_list *l, const char *name, uint64_t count);
void tres_add(struct tres_list *l, const char *name, uint64_t count);          /* saturates below TRES_UNLIMITED */
uint64_t tres_get(const struct tres_list *l, const char *name, uint64_t when_absent);

void tres_add_all(struct tres_list *l, const struct tres_list *what, uint64_t times);
void tres_sub_all(struct tres_list *l, const struct tres_list *what);          /* never below 0 */

/* Yours; entries of 0 are left out; "" when nothing is left. */
char *tres_text(const struct tres_list *l);

#endif
