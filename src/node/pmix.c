/* pmix - the helper that supervisors start for --mpi=pmix; see pmix.h. */
#include "node/pmix.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"

char *pmix_helper(const struct agent *a)
{
    static const char *const places[] = { "spurpmix", "../mpi/spurpmix" };
    const char *slash = strrchr(a->stepd, '/');
    for (size_t i = 0; slash && i < ARRAY_LEN(places); i++) {
        auto_free char *path = mem_printf("%.*s/%s", (int)(slash - a->stepd), a->stepd, places[i]);
        if (!access(path, X_OK))
            return realpath(path, NULL);
    }
    return NULL;
}
