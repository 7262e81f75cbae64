/* notice - a line about the job in the file that is its stderr; see notice.h. */
#include "step/notice.h"

#include <unistd.h>

#include "base/mem.h"
#include "step/as_user.h"
#include "step/files.h"

#define NOTICE_MS 1000

struct notice {
    const char *line;
    size_t len;
};

static void notice_helper(struct step *s, int fd, void *arg)
{
    const struct notice *n = arg;
    auto_close int file = files_open_notice(s);
    (void)fd;
    if (file >= 0 && write(file, n->line, n->len) < 0)
        return; /* a full disk loses the message, not the job */
}

void notice_write(struct step *s, const char *line, size_t len)
{
    struct as_user helper = AS_USER_INIT;
    struct notice n = { line, len };
    if (s->notices_stuck || as_user_start(&helper, s, notice_helper, &n, NULL))
        return;
    s->notices_stuck = !as_user_wait(&helper, NOTICE_MS);
    as_user_end(&helper);
}
