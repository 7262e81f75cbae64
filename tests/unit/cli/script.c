/* Batch scripts: which are none, and the options in their comments. */
#include "cli/script.h"

#include "cli/directives.h"
#include "test.h"

static void test_check(void)
{
    static const struct { const char *text; size_t len; const char *want; } cases[] = {
        { "#!/bin/sh\ntrue\n", 15, "" },
        { "", 0, "Batch script is empty!" },
        { " \n", 2, "Batch script contains only whitespace!" },
        { "echo\n", 5,
          "This does not look like a batch script.  The first\n"
          "line must start with #! followed by the path to an interpreter.\n"
          "For instance: #!/bin/sh" },
        { "#!/bin/sh\n\0\n", 12, "The Slurm controller does not allow scripts that\ncontain a NULL character '\\0'." },
        { "#!/bin/sh\r\n", 11,
          "Batch script contains DOS line breaks (\\r\\n)\ninstead of expected UNIX line breaks (\\n)." },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_INIT;
        int rc = script_check(cases[i].text, cases[i].len, &err);
        is_str(err.text, cases[i].want, "script %zu", i);
        ok((rc != 0) == (cases[i].want[0] != 0), "and its number");
    }
}

/* As the real sbatch answered: the words joined by "|", or the sentence. */
static void test_words(void)
{
    static const struct { const char *text, *want; } cases[] = {
        { "#SBATCH -J a\n", "-J|a" },
        { "#SBATCH -J a", "-J|a" },
        { " #SBATCH -J a\n", "" },
        { "# SBATCH -J a\n", "" },
        { "##SBATCH -J a\n", "" },
        { "#SBATCH\t-J\ta\n", "-J|a" },
        { "#SBATCH-J a\n", "-J|a" },
        { "#SBATCHX -J a\n", "X|-J|a" },
        { "#sbatch -J a\n", "" },
        { "\n  \n# words\n#SBATCH -J a\n", "-J|a" },
        { "echo\n#SBATCH -J a\n", "" },
        { "#SBATCH -J a # -J b\n", "-J|a" },
        { "#SBATCH -J a#b c\n", "-J|a" },
        { "#SBATCH -J \"a b\"\n", "-J|a b" },
        { "#SBATCH -J 'a b'\n", "-J|a b" },
        { "#SBATCH -J a\\ b\n", "-J|a b" },
        { "#SBATCH -J \"a\\\"b\"\n", "-J|a\"b" },
        { "#SBATCH -J 'a\\b'\n", "-J|ab" },
        { "#SBATCH -J x\"a b\"y\n", "-J|xa by" },
        { "#SBATCH --comment=\"x # y\"\n", "--comment=x # y" },
        { "#SBATCH -J \"\" --comment=z\n", "-J" },
        { "#SBATCH -J \"\"x\n", "-J|x" },
        { "#SBATCH -J a \\\n#SBATCH -J b\n", "-J|a|-J|b" },
        { "#SBATCH\n#SBATCH -J b\n", "-J|b" },
        { "#SBATCH -J\n#SBATCH b\n", "-J|b" },
        { "#SBATCH -J $HOME\n", "-J|$HOME" },
        { "#SBATCH -J \"a b\n", "!s: line 1: Unmatched `\"` in [ \"a b]" },
        { "\n#SBATCH --comment='open\n", "!s: line 2: Unmatched `'` in [--comment='open]" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_strs struct strs words = STRS_INIT;
        struct err err = ERR_INIT;
        int rc = script_words(cases[i].text, strlen(cases[i].text), "#SBATCH", "s", 0, &words, &err);
        auto_free char *got = rc ? mem_printf("!%s", err.text) : strs_join(&words, "|");
        is_str(got, cases[i].want, "%s", cases[i].want);
    }
}

static void test_apply(void)
{
    static const struct { const char *text; int rc; const char *name; uint32_t minutes; const char *why; } cases[] = {
        { "#!/bin/sh\n#SBATCH -J a -t 5\n", 0, "a", 5, "" },
        { "#!/bin/sh\n#SBATCH -J a\n#SBATCH -J b\n", 0, "b", 0, "" },
        { "#!/bin/sh\n#SBATCH -J\n#SBATCH --comment=z\n", 0, "--comment=z", 0, "" },
        { "#!/bin/sh\n#SBATCH bare\n", 255, "", 0, "Invalid directive found in batch script: bare" },
        { "#!/bin/sh\n#SBATCH -J a -- -J b\n", 255, "a", 0, "Invalid directive found in batch script: -J" },
        { "#!/bin/sh\n#SBATCH --\n", 0, "", 0, "" },
        { "#!/bin/sh\n#SBATCH -t nosuch\n", 255, "", 0, "Invalid --time specification" },
        { "#!/bin/sh\n#SBATCH -J sb\n#PBS -N pb -l walltime=1:00:00,nodes=2:ppn=3\n", 0, "pb", 60, "" },
        { "#!/bin/sh\n#PBS -Nglued\n", 0, "glued", 0, "" },
        { "#!/bin/sh\n#BSUB -J lsf -W 30\n", 0, "lsf", 30, "" },
        { "#!/bin/sh\n#SBATCH -J a -t 5\n#SBATCH hetjob\n#SBATCH -J b -t 6\n", 0, "a", 5, "" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        auto_strs struct strs words = STRS_INIT;
        struct buf text = { (char *)cases[i].text, strlen(cases[i].text), 0 };
        struct err err = ERR_INIT;
        struct job_opts o;
        bool fatal;
        job_opts_init(&o);
        is_int(directives_apply(&o, &text, "s", 0, false, &words, &fatal, &err), cases[i].rc, "script %zu", i);
        is_str(err.text, cases[i].why, "its error");
        is_str(o.spec.name, cases[i].name, "its name");
        is_int(o.spec.time_limit_min, cases[i].minutes, "its limit");
        job_opts_clear(&o);
    }
}

static void test_parts(void)
{
    static const char text[] = "#!/bin/sh\n#SBATCH -J a\n#SBATCH hetjob\n#SBATCH -J b\n"
                               "#SBATCH packjob # older\n\n#SBATCH -n3\ndate\n#SBATCH hetjob\n";
    static const char *const want[] = { "-J|a", "-J|b", "-n3", "" };
    is_int(script_parts(text, strlen(text)), 3, "three components; what follows a command is none");
    for (unsigned i = 0; i < ARRAY_LEN(want); i++) {
        auto_strs struct strs words = STRS_INIT;
        is_int(script_words(text, strlen(text), "#SBATCH", "s", i, &words, NULL), 0, "component %u", i);
        auto_free char *got = strs_join(&words, "|");
        is_str(got, want[i], "its words");
    }
    is_int(script_parts("", 0), 1, "a script without any is one");
    is_int(script_parts("#SBATCH hetjob x\n", 17), 1, "another word beside it is a mistake to be told, no border");
}

int main(void)
{
    test_check();
    test_words();
    test_apply();
    test_parts();
    return test_done();
}
