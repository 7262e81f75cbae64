/* script - reading a batch script and its directives; see script.h. */
#include "cli/script.h"

#include <ctype.h>
#include <fcntl.h>

#include "base/str.h"

static char *try_dir(const char *dir, size_t len, const char *name)
{
    char *path = mem_printf("%.*s/%s", (int)len, dir, name);
    if (!access(path, R_OK))
        return path;
    free(path);
    return NULL;
}

char *script_find(const char *name, const char *cwd)
{
    if (name[0] == '/')
        return access(name, R_OK) ? NULL : mem_str(name);
    while (str_has_prefix(name, "./"))
        name += 2;
    char *path = try_dir(cwd, strlen(cwd), name);
    const char *dirs = str_has_prefix(name, "../") ? NULL : getenv("PATH");
    while (!path && dirs && *dirs) {
        size_t len = strcspn(dirs, ":");
        if (len)
            path = try_dir(dirs, len, name);
        dirs += len + (dirs[len] == ':');
    }
    return path;
}

int script_read(struct buf *out, const char *path, const char *name, struct err *err)
{
    auto_close int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
    if (fd < 0)
        return err_set(err, errno, "Unable to open file %s", name);
    int rc = buf_read(out, fd, SCRIPT_READ_MAX);
    if (rc == EISDIR) /* Slurm takes a folder for an empty file */
        rc = 0;
    return rc ? err_set(err, rc, "Unable to read file %s: %s", name, err_text(rc)) : 0;
}

void script_wrap(struct buf *out, const char *command)
{
    buf_addf(out, "#!/bin/sh\n# This script was created by sbatch --wrap.\n\n%s\n", command);
}

int script_check(const char *text, size_t len, struct err *err)
{
    if (!len)
        return err_set(err, EINVAL, "Batch script is empty!");
    size_t blank = 0;
    while (blank < len && isspace((unsigned char)text[blank]))
        blank++;
    if (blank == len)
        return err_set(err, EINVAL, "Batch script contains only whitespace!");
    if (len < 2 || text[0] != '#' || text[1] != '!')
        return err_set(err, EINVAL, "This does not look like a batch script.  The first\n"
                                    "line must start with #! followed by the path to an interpreter.\n"
                                    "For instance: #!/bin/sh");
    if (memchr(text, 0, len))
        return err_set(err, EINVAL,
                       "The Slurm controller does not allow scripts that\ncontain a NULL character '\\0'.");
    if (memmem(text, len, "\r\n", 2))
        return err_set(err, EINVAL,
                       "Batch script contains DOS line breaks (\\r\\n)\ninstead of expected UNIX line breaks (\\n).");
    return 0;
}

/* ---- directives ---- */

/* One line of the text, and the rest. */
struct lines {
    const char *at, *end;
    const char *line;
    size_t len;
    unsigned number;
};

static bool next_line(struct lines *l)
{
    if (l->at >= l->end)
        return false;
    const char *nl = memchr(l->at, '\n', (size_t)(l->end - l->at));
    l->line = l->at;
    l->len = (size_t)((nl ? nl : l->end) - l->at);
    l->at = nl ? nl + 1 : l->end;
    l->number++;
    return true;
}

/* Comments and blank lines may stand between directives; the first command ends them. */
static bool is_command(const struct lines *l)
{
    size_t i = 0;
    while (i < l->len && isspace((unsigned char)l->line[i]))
        i++;
    return i < l->len && l->line[i] != '#';
}

static bool is_directive(const struct lines *l, const char *magic)
{
    size_t n = strlen(magic);
    return l->len >= n && !memcmp(l->line, magic, n);
}

/* The next word of `*at`, in shell-like quotes, with a backslash keeping the next character even inside them.  A `#`
 * outside of quotes ends the line, and so does an empty word.  NULL at the end; `*quote` is the one left open. */
static char *next_word(const char **at, const char *end, char *quote)
{
    auto_buf struct buf word = BUF_INIT;
    const char *p = *at;
    *quote = 0;
    while (p < end && isspace((unsigned char)*p))
        p++;
    for (; p < end; p++) {
        if (*p == '\\') {
            if (++p < end)
                buf_addc(&word, *p);
            else
                break;
        } else if (*quote ? *p == *quote : *p == '"' || *p == '\'') {
            *quote = *quote ? 0 : *p;
        } else if (!*quote && (isspace((unsigned char)*p) || *p == '#')) {
            break;
        } else {
            buf_addc(&word, *p);
        }
    }
    *at = p;
    return word.len ? buf_take(&word) : NULL;
}

static int line_words(const struct lines *l, size_t skip, const char *name, struct strs *words, struct err *err)
{
    const char *at = l->line + skip, *end = l->line + l->len;
    while (at < end && isspace((unsigned char)*at))
        at++;
    for (;;) {
        char quote;
        const char *start = at;
        char *word = next_word(&at, end, &quote);
        if (quote) {
            free(word);
            return err_set(err, EINVAL, "%s: line %u: Unmatched `%c` in [%.*s]", name, l->number, quote,
                           (int)MIN(end - start, 300), start);
        }
        if (!word)
            return 0;
        strs_take(words, word);
    }
}

/* "#SBATCH hetjob" (or packjob): the next component of a heterogeneous job begins. */
static bool is_border(const struct strs *words)
{
    return words->n == 1 && (str_eq(words->at[0], "hetjob") || str_eq(words->at[0], "packjob"));
}

int script_words(const char *text, size_t len, const char *magic, const char *name, unsigned part, struct strs *words,
                 struct err *err)
{
    struct lines l = { .at = text, .end = text + len };
    unsigned at = 0;
    while (next_line(&l) && !is_command(&l)) {
        auto_strs struct strs line = STRS_INIT;
        int rc = is_directive(&l, magic) ? line_words(&l, strlen(magic), name, &line, err) : 0;
        if (rc)
            return rc;
        if (is_border(&line))
            at++;
        for (size_t i = 0; at == part && !is_border(&line) && i < line.n; i++)
            strs_add(words, line.at[i]);
    }
    return 0;
}

unsigned script_parts(const char *text, size_t len)
{
    struct lines l = { .at = text, .end = text + len };
    unsigned n = 1;
    while (next_line(&l) && !is_command(&l)) {
        auto_strs struct strs words = STRS_INIT;
        n += is_directive(&l, "#SBATCH") && !line_words(&l, strlen("#SBATCH"), "", &words, NULL) && is_border(&words);
    }
    return n;
}
