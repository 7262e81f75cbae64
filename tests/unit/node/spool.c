/* The record of a step on a node: claimed once, read back, tested for a live supervisor, removed. */
#include "step/spool.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "test.h"

static char dir[] = "/tmp/spur-spool-XXXXXX";
static const struct step_key key = { 12, PB__STEP_NUMBER__STEP_BATCH, 3 };

static void test_names(void)
{
    char name[SPOOL_NAME];
    uint32_t job, attempt, step;
    is_str(spool_job_name(name, 12, 3), "job12.3", "a job's folder");
    ok(spool_job_parse("job12.3", &job, &attempt) && job == 12 && attempt == 3, "and back");
    static const char *const bad[] = { "job",     "job.",   "job12",      "job12.",    "job.3",  "jobx.3",
                                       "job12.x", "job0.1", "lost+found", "job12.3.4", "job-1.3" };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        ok(!spool_job_parse(bad[i], &job, &attempt), "\"%s\" is no job's folder", bad[i]);
    is_str(spool_file_name(name, PB__STEP_NUMBER__STEP_BATCH, "step"), "batch.step", "a batch step's file");
    is_str(spool_file_name(name, 4, "sock"), "4.sock", "a numbered step's socket");
    ok(spool_step_parse("batch", 5, &step) && step == PB__STEP_NUMBER__STEP_BATCH, "batch is a step");
    ok(spool_step_parse("7", 1, &step) && step == 7, "7 is a step");
    ok(!spool_step_parse("7x", 2, &step) && !spool_step_parse("", 0, &step), "other words are none");
}

static void test_life(int spool)
{
    struct err err = ERR_INIT;
    int jobdir = -1, fd = -1, again = -1;
    ok(!spool_job_open(&jobdir, spool, key, true, &err), "a job gets a folder");
    ok(!spool_claim(&fd, jobdir, key, false, "order", 5, &err), "a step is claimed");
    ok(spool_claim(&again, jobdir, key, false, "order", 5, &err) == EEXIST, "once");
    auto_close int other = openat(jobdir, "batch.step", O_RDWR);
    ok(spool_alive(other), "its supervisor holds the lock");
    auto_buf struct buf text = BUF_INIT;
    struct spool_record rec;
    ok(!spool_read(other, &text, &rec, &err) && rec.order.len == 5 && !memcmp(rec.order.data, "order", 5) &&
           !rec.report.data,
       "the order is there, no report yet");
    ok(!rec.started && !spool_add_start(fd, &err), "a supervisor notes that it has it");
    Pb__Report report = PB__REPORT__INIT;
    report.exit_code = 256;
    ok(!spool_add_report(fd, &report, &err), "the end is noted");
    close(fd);
    ok(!spool_alive(other), "without the supervisor the lock is gone");
    buf_clear(&text);
    ok(!spool_read(other, &text, &rec, &err) && rec.started && rec.report.data, "start and report are there");
    ok(!ftruncate(other, (off_t)text.len - 1), "when its last byte is missing");
    buf_clear(&text);
    ok(!spool_read(other, &text, &rec, &err) && rec.order.len == 5 && !rec.report.data, "there is no report");
    close(jobdir);
}

static void test_again(int spool)
{
    struct step_key next = { 77, 0, 1 };
    int jobdir = -1, fd = -1;
    uint32_t n;
    ok(!spool_set_free(spool, key, 5), "a folder is set free");
    ok(faccessat(spool, "job12.3", F_OK, 0) && spool_free_parse("free.5", &n) && n == 5, "it has another name now");
    ok(!spool_free_parse("free.", &n) && !spool_free_parse("job12.3", &n), "by which it is known");
    ok(!spool_use_free(spool, next, 5) && !spool_job_open(&jobdir, spool, next, false, NULL), "another job uses it");
    ok(!spool_claim(&fd, jobdir, next, true, "second", 6, NULL), "and claims its step");
    auto_buf struct buf text = BUF_INIT;
    struct spool_record rec;
    ok(!spool_read(fd, &text, &rec, NULL) && rec.order.len == 6 && !rec.report.data,
       "of the first job nothing is left in it");
    ok(spool_set_free(spool, next, 6), "while a supervisor holds the lock it cannot be set free");
    close(fd);
    close(jobdir);
    ok(!spool_set_free(spool, next, 6) && !spool_use_free(spool, key, 6), "after that it can");
}

static bool count(void *arg, int jobdir, struct step_key k)
{
    (void)jobdir;
    *(int *)arg += step_key_eq(k, key) ? 1 : 100;
    return true;
}

static void test_walk(int spool)
{
    int n = 0;
    mkdirat(spool, "job99.1", 0755); /* an interrupted launch */
    ok(!spool_each(spool, count, &n, NULL) && n == 1, "the walk finds the step");
    ok(faccessat(spool, "job99.1", F_OK, 0), "and removes an empty folder");
    spool_remove(spool, key);
    ok(faccessat(spool, "job12.3", F_OK, 0), "a forgotten step leaves no folder");
}

static void test_links(int spool)
{
    int jobdir = -1, fd = -1;
    struct step_key k = { 13, 0, 1 };
    ok(!symlinkat("/tmp", spool, "job13.1") && spool_job_open(&jobdir, spool, k, true, NULL),
       "a link is no job's folder");
    unlinkat(spool, "job13.1", 0);
    spool_job_open(&jobdir, spool, k, true, NULL);
    ok(!symlinkat("/tmp/x", jobdir, "0.step") && spool_claim(&fd, jobdir, k, false, "", 0, NULL), "nor a step's file");
    unlinkat(jobdir, "0.step", 0);
    close(jobdir);
    unlinkat(spool, "job13.1", AT_REMOVEDIR);
}

int main(void)
{
    int spool = -1;
    if (!mkdtemp(dir))
        return 1;
    ok(!chmod(dir, 0777) && spool_open(&spool, dir, NULL), "a spool that others may write to is refused");
    ok(!chmod(dir, 0755) && !spool_open(&spool, dir, NULL), "an ordinary one is opened");
    test_names();
    test_life(spool);
    test_again(spool);
    test_walk(spool);
    test_links(spool);
    close(spool);
    ok(!rmdir(dir), "nothing is left");
    return test_done();
}
