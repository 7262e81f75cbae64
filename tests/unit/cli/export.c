/* --export in all its forms, as the real sbatch answered. */
#include "cli/export.h"

#include "base/str.h"
#include "test.h"

static char *const env[] = { "KEEP=kept", "OTHER=other", "EMPTY=", "HOME=/root", "SLURM_CONF=/x", "SPANK_A=1", NULL };

static void test_forms(void)
{
    static const struct { const char *spec, *keep, *other, *empty, *new, *conf; bool login; } cases[] = {
        { NULL, "kept", "other", "", NULL, "/x", false },
        { "ALL", "kept", "other", "", NULL, "/x", false },
        { "all", "kept", "other", "", NULL, "/x", false },
        { "NONE", NULL, NULL, NULL, NULL, "/x", true },
        { "NIL", NULL, NULL, NULL, NULL, "/x", false },
        { "KEEP", "kept", NULL, NULL, NULL, "/x", true },
        { "KEEP,OTHER", "kept", "other", NULL, NULL, "/x", true },
        { "NEW=fresh", NULL, NULL, NULL, "fresh", "/x", true },
        { "ALL,NEW=fresh", "kept", "other", "", "fresh", "/x", true },
        { "KEEP,NEW=", "kept", NULL, NULL, "", "/x", true },
        { "ALL,NEW=a b", "kept", "other", "", "a b", "/x", true },
        { "NEW='a,b',KEEP", "kept", NULL, NULL, "a,b", "/x", true },
        { "KEEP=mine", "mine", NULL, NULL, NULL, "/x", true },
        { "NOSUCH", NULL, NULL, NULL, NULL, "/x", true },
        { ",,EMPTY,", NULL, NULL, "", NULL, "/x", true },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_export struct export e = EXPORT_INIT;
        bool login;
        export_fill(&e, cases[i].spec, env, &login);
        const char *name = cases[i].spec ? cases[i].spec : "(nothing)";
        is_str(export_get(&e, "KEEP"), cases[i].keep, "%s: KEEP", name);
        is_str(export_get(&e, "OTHER"), cases[i].other, "%s: OTHER", name);
        is_str(export_get(&e, "EMPTY"), cases[i].empty, "%s: EMPTY", name);
        is_str(export_get(&e, "NEW"), cases[i].new, "%s: NEW", name);
        is_str(export_get(&e, "SLURM_CONF"), cases[i].conf, "%s: SLURM_CONF", name);
        ok(login == cases[i].login, "%s: login environment", name);
    }
}

static void test_set(void)
{
    auto_export struct export e = EXPORT_INIT;
    auto_buf struct buf b = BUF_INIT;
    export_set(&e, "A", "1");
    export_set(&e, "AB", "2");
    export_setf(&e, "A", "%d", 3);
    export_pack(&e, &b);
    ok(b.len == 9 && !memcmp(b.s, "A=3\0AB=2\0", 9), "each name once, the last value wins");
}

static void test_file(void)
{
    auto_export struct export e = EXPORT_INIT;
    struct err err = ERR_INIT;
    char path[] = "/tmp/spur-export.XXXXXX";
    int fd = mkstemp(path);
    ok(write(fd, "A=1\0B=two\nlines\0bare\0", 21) == 21 && !export_file(&e, path, &err), "a file of variables");
    is_str(export_get(&e, "B"), "two\nlines", "a value may have lines");
    close(fd);
    unlink(path);
    ok(export_file(&e, path, &err) != 0 && strstr(err.text, "Could not open user environment file"), "a missing file");
}

int main(void)
{
    test_forms();
    test_set();
    test_file();
    return test_done();
}
