/*
 * pmix - does this node serve PMIx?  Where the helper for it is installed.
 */
#ifndef SPUR_NODE_PMIX_H
#define SPUR_NODE_PMIX_H

#include "node/agent.h"

/* Path of the helper, beside the supervisor or in the build tree; NULL: there is none.  Yours. */
char *pmix_helper(const struct agent *a);

#endif
