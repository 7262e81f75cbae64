/*
 * het - the further components of a heterogeneous job on the command line: sbatch OPTIONS : OPTIONS ... SCRIPT.
 *
 * Each has options of its own; what says how and when the whole runs is taken over from the one before it.
 */
#ifndef SPUR_CLI_HET_H
#define SPUR_CLI_HET_H

#include "cli/request.h"

struct het_comp {
    struct job_opts o;
    struct request req;
    struct strs words; /* of its #SBATCH lines */
    int argc;          /* its stretch of the command line; argv[0] is no option */
    char **argv;
};

struct het {
    VEC(struct het_comp *) at;        /* from the second component on */
    VEC(Pb__SubmitRequest *) message; /* of each, once filled */
    int first_argc;                   /* the first component's stretch */
    char **first_argv;
};

void het_clear(struct het *h);

/* Find the stretches.  `*first` becomes the index of the first word that is neither option nor ':'.  `glance` takes the
 * flags of all of them.  0, or the exit status. */
int het_cut(struct het *h, const struct opt_set *set, int argc, char **argv, int *first, struct job_opts *glance,
            struct err *err);

/* One more component than the command line has, as a script may: the last stretch is its, too. */
struct het_comp *het_add(struct het *h);

/* What a component gets from the one before it unless it says otherwise. */
int het_inherit(const struct opt_set *set, const struct job_opts *before, struct job_opts *o, struct err *err);

/* Memory said in another way than the first says it. */
void het_settle(const struct job_opts *first, struct job_opts *o);

/* Their requests, below that of the first. */
int het_fill(struct het *h, struct request *first, enum job_command command, const struct site *site, int argc,
             char **argv, struct err *err);

#endif
