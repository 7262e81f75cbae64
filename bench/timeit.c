/*
 * timeit - run a command many times and say how long each took.
 *
 *     timeit [-j PARALLEL] COUNT COMMAND ARG...
 *
 * posix_spawn, output to /dev/null; prints one line: count rate p50_ms p99_ms failures.
 * Linked statically, so that the same program measures inside another system's tree.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    int at = 1, jobs = 1;
    if (argc > 3 && !strcmp(argv[1], "-j")) {
        jobs = atoi(argv[2]);
        at = 3;
    }
    if (argc < at + 2 || jobs < 1 || jobs > 1024) {
        fprintf(stderr, "usage: timeit [-j PARALLEL] COUNT COMMAND ARG...\n");
        return 2;
    }
    int count = atoi(argv[at]), begun = 0, ended = 0, failed = 0;
    char **command = argv + at + 1;
    double *took = calloc((size_t)count, sizeof(*took));
    struct run {
        pid_t pid;
        double from;
    } *run = calloc((size_t)jobs, sizeof(*run));
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
    double from = now();
    while (ended < count) {
        for (int i = 0; i < jobs && begun < count; i++) {
            if (run[i].pid)
                continue;
            run[i].from = now();
            if (posix_spawnp(&run[i].pid, command[0], &quiet, NULL, command, environ)) {
                perror(command[0]);
                return 1;
            }
            begun++;
        }
        int status;
        pid_t pid = wait(&status);
        for (int i = 0; i < jobs; i++) {
            if (run[i].pid != pid)
                continue;
            took[ended++] = now() - run[i].from;
            failed += status != 0;
            run[i].pid = 0;
        }
    }
    double all = now() - from;
    qsort(took, (size_t)count, sizeof(*took), by_size);
    printf("%d %.1f %.3f %.3f %d\n", count, count / all, took[count / 2] * 1e3, took[count * 99 / 100] * 1e3, failed);
    free(took);
    free(run);
    return 0;
}
