/* The grammar: what a text is split into, and what is refused where.  Each case was tried with Slurm first. */
#include "text/conf.h"

#include <sys/stat.h>

#include "base/str.h"
#include "test.h"

/* "1: Key=value Key=value|4: ..." */
static char *dump(const struct conf *c)
{
    auto_buf struct buf out = BUF_INIT;
    for (size_t i = 0; i < c->line.n; i++) {
        const struct conf_line *line = &c->line.at[i];
        buf_addf(&out, "%s%u:", i ? "|" : "", line->number);
        for (uint32_t k = 0; k < line->n; k++)
            buf_addf(&out, " %s=%s", c->pair.at[line->first + k].key, c->pair.at[line->first + k].value);
    }
    return buf_take(&out);
}

static const struct {
    const char *text, *want, *name;
} cases[] = {
    { "", "", "an empty file" },
    { "\n\n  \n\t\n", "", "blank lines" },
    { "# all comment\n", "", "a comment" },
    { "MailDomain=a", "1: MailDomain=a", "no newline at the end" },
    { "MailDomain=a#b MailProg=/x", "1: MailDomain=a", "a comment begins anywhere" },
    { "MailDomain=\"a # b\"\n", "1: MailDomain=\"a", "quotes do not protect a #" },
    { "Licenses=a\\#b", "1: Licenses=a#b", "a backslash does" },
    { "Licenses=a\\bc", "1: Licenses=abc", "a backslash keeps any character" },
    { "MailDomain=\"a\\ b\"", "1: MailDomain=a b", "inside quotes too" },
    { "Licenses=a\\\\\nMailProg=/z", "1: Licenses=a\\|2: MailProg=/z", "two backslashes are one, and join nothing" },
    { "Licenses=a,\\\nb,\\\nc\nX=1", "1: Licenses=a,b,c|4: X=1", "lines are joined, numbers stay right" },
    { "Licenses=\\\n  c\nMailDomain \\\n=foo", "1: Licenses=c|3: MailDomain=foo", "a join anywhere" },
    { "A=1 \\  \n B=2", "1: A=1 B=2", "blanks behind the joining backslash" },
    { "A=1 \\ # why\nB=2", "1: A=1 B=2", "a comment behind it" },
    { "A=1 # c \\\nB=2", "1: A=1|2: B=2", "a comment ends with its line" },
    { "A=1\\\n\\\nB", "1: A=1B", "words that are joined are one word" },
    { "A=1\\", "1: A=1", "a join at the end joins nothing" },
    { "A=1\r\nB=2\r\n", "1: A=1|2: B=2", "carriage returns are blanks" },
    { "  A  =  foo  B= bar ", "1: A=foo B=bar", "blanks around =" },
    { "A= B=/x", "1: A=B=/x", "an empty value takes the next word" },
    { "A=\"\" B=\"x y\"", "1: A= B=x y", "quoted values" },
    { "A=\"foo\"bar", "1: A=\"foo\"bar", "text behind the closing quote makes it no quote" },
    { "A=\"foo", "1: A=\"foo", "a quote that does not end" },
    { "A=b=c=d", "1: A=b=c=d", "= in a value" },
    { "A+=x B-=y C*=z D/=w", "1: A=x B=y C=z D=w", "operators are read and do nothing" },
    { "Foo.bar_2=1", "1: Foo.bar_2=1", "dots and underscores in keys" },
    { "NodeName=n[1-2] CPUs=2 Reason=\"a b\"", "1: NodeName=n[1-2] CPUs=2 Reason=a b", "a node line" },
};

static const struct {
    const char *text, *want;
} wrong[] = {
    { "hello", "f:1: parse error at \"hello\": expected key=value" },
    { "\n\nA=1 hello", "f:3: parse error at \"hello\": expected key=value" },
    { "A=", "f:1: parse error at \"A=\": expected key=value" },
    { "=3", "f:1: parse error at \"=3\": expected key=value" },
    { "Foo-bar=1", "f:1: parse error at \"Foo-bar=1\": expected key=value" },
    { "A=\"foo bar", "f:1: parse error at \"bar\": expected key=value" },
    { "A=\"foo bar\"baz", "f:1: parse error at \"bar\"baz\": expected key=value" },
    { "A='foo bar'", "f:1: parse error at \"bar'\": expected key=value" },
    { "A=1\nInclude x", "f:2: Include x: there is no file to include from" },
    { "include  a b", "f:1: Include takes one file name, not \"a b\"" },
};

static void test_grammar(void)
{
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_conf struct conf c = CONF_INIT;
        struct err err = ERR_INIT;
        int rc = conf_parse_text(&c, cases[i].text, strlen(cases[i].text), "f", NULL, NULL, &err);
        auto_free char *got = rc ? mem_str(err.text) : dump(&c);
        is_str(got, cases[i].want, "%s", cases[i].name);
    }
}

static void test_wrong(void)
{
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        auto_conf struct conf c = CONF_INIT;
        struct err err = ERR_INIT;
        int rc = conf_parse_text(&c, wrong[i].text, strlen(wrong[i].text), "f", NULL, NULL, &err);
        is_int(rc, EINVAL, "refused: %s", wrong[i].want);
        is_str(err.text, wrong[i].want, "and the sentence");
    }
    auto_conf struct conf c = CONF_INIT;
    struct err err = ERR_INIT;
    is_int(conf_parse_text(&c, "A=1\0B", 5, "f", NULL, NULL, &err), EINVAL, "a NUL byte is refused");
    is_str(err.text, "f: byte 3 is NUL: this is no text file", "with its place");
    is_int(conf_parse_text(&c, "", CONF_FILE_MAX + 1, "f", NULL, NULL, &err), EFBIG,
           "size is measured before anything is read");
}

/* ---- Include ---- */

struct files {
    const char *name[8], *text[8];
    int opened;
};

static int open_fake(void *arg, const char *path, struct buf *out, struct err *err)
{
    struct files *f = arg;
    f->opened++;
    for (size_t i = 0; f->name[i]; i++) {
        if (str_eq(f->name[i], path)) {
            buf_adds(out, f->text[i]);
            return 0;
        }
    }
    return err_set(err, ENOENT, "cannot read %s", path);
}

static void test_include(void)
{
    struct files f = { { "/etc/a.conf", "/etc/d/b.conf", "/x/c.conf", "/etc/me.conf", "/etc/loop.conf",
                         "/etc/twice.conf", "/etc/bad.conf" },
                       { "A=1\ninclude d/b.conf\n", "B=2\n", "C=3", "M=1", "Include loop.conf",
                         "Include twice.conf\nInclude twice.conf", "Z=1\noops\n" } };
    static const struct {
        const char *text, *want, *name;
    } inc[] = {
        { "X=0\nInclude a.conf\nY=9", "1: X=0|1: A=1|1: B=2|3: Y=9",
          "in place, and relative to the first file at any depth" },
        { "INCLUDE \t/x/c.conf # c", "1: C=3", "absolute, with a comment" },
        { "include \\\n/x/c.conf", "1: C=3", "joined" },
        { "ClusterName=me\nInclude %c.conf", "1: ClusterName=me|1: M=1", "%c is the cluster" },
        { "Include %c.conf", "/etc/slurm.conf:1: Include %c.conf: %c stands before ClusterName",
          "%c before it is known" },
        { "A=1\nInclude nope.conf", "/etc/slurm.conf:2: cannot read /etc/nope.conf", "a file that is not there" },
        { "\nInclude bad.conf", "/etc/bad.conf:2: parse error at \"oops\": expected key=value",
          "a mistake inside names the inner file" },
        { "Include=a.conf", "1: Include=a.conf", "with = it is a key like any other" },
    };
    for (size_t i = 0; i < ARRAY_LEN(inc); i++) {
        auto_conf struct conf c = CONF_INIT;
        struct err err = ERR_INIT;
        int rc = conf_parse_text(&c, inc[i].text, strlen(inc[i].text), "/etc/slurm.conf", open_fake, &f, &err);
        auto_free char *got = rc ? mem_str(err.text) : dump(&c);
        is_str(got, inc[i].want, "Include: %s", inc[i].name);
    }
    static const char *const endless[] = { "Include loop.conf", "Include twice.conf" };
    for (size_t i = 0; i < ARRAY_LEN(endless); i++) {
        auto_conf struct conf c = CONF_INIT;
        struct err err = ERR_INIT;
        f.opened = 0;
        int rc = conf_parse_text(&c, endless[i], strlen(endless[i]), "/etc/slurm.conf", open_fake, &f, &err);
        ok(rc == EINVAL && strstr(err.text, "files deep") && f.opened <= CONF_FILES_MAX, "an endless Include ends: %s",
           err.text);
    }
}

static void put(const char *dir, const char *name, const char *text)
{
    auto_free char *path = mem_printf("%s/%s", dir, name);
    auto_file FILE *f = fopen(path, "w");
    fputs(text, f);
}

static void test_files(void)
{
    char dir[] = "/tmp/conf-test-XXXXXX";
    ok(mkdtemp(dir), "a folder");
    put(dir, "slurm.conf", "A=1\nInclude nodes.conf\n");
    put(dir, "nodes.conf", "NodeName=n1 CPUs=2\n");
    auto_free char *path = mem_printf("%s/slurm.conf", dir), *inner = mem_printf("%s/nodes.conf", dir);
    auto_conf struct conf c = CONF_INIT;
    struct err err = ERR_INIT;
    is_int(conf_read(&c, path, &err), 0, "a real file with an Include");
    is_int(c.line.n, 2, "two lines");
    is_str(c.line.at[1].file, inner, "the second from the included file");
    is_str(conf_line_value(&c, &c.line.at[1], "cpus"), "2", "a pair by name, any case");
    ok(!conf_line_value(&c, &c.line.at[1], "Sockets"), "NULL when it is not there");
    unlink(inner);
    auto_conf struct conf d = CONF_INIT;
    is_int(conf_read(&d, path, &err), ENOENT, "a missing Include");
    auto_free char *want = mem_printf("%s:2: cannot read %s: No such file or directory", path, inner);
    is_str(err.text, want, "names both");
    is_int(truncate(path, (off_t)CONF_FILE_MAX + 1), 0, "a file that is too large");
    auto_conf struct conf e = CONF_INIT;
    is_int(conf_read(&e, path, &err), EFBIG, "is refused");
    unlink(path);
    is_int(conf_read(&e, path, &err), ENOENT, "no file");
    rmdir(dir);
}

int main(void)
{
    test_grammar();
    test_wrong();
    test_include();
    test_files();
    return test_done();
}
