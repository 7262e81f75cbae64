/*
 * limits - what the machine itself can do: the ceilings that the other numbers are seen against.
 *
 * Prints name and rate, one a line: spawn (a sh script that runs true), fdatasync (4 KiB appends), round trips
 * (loopback TCP, 64 bytes).
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECONDS 1.0

extern char **environ;

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* As many at once as there are cores: the machine's rate, not one core's. */
static double spawns(const char *script)
{
    char *argv[] = { (char *)script, NULL };
    double from = now();
    long n = 0, open_now = 0;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    while (now() - from < 2 * SECONDS || open_now) {
        while (open_now < 2 * cores && now() - from < 2 * SECONDS) {
            pid_t pid;
            if (posix_spawn(&pid, script, NULL, NULL, argv, environ))
                return 0;
            open_now++;
        }
        wait(NULL);
        open_now--;
        n++;
    }
    return (double)n / (now() - from);
}

static double syncs(const char *dir)
{
    char path[4096], block[4096] = { 1 };
    snprintf(path, sizeof(path), "%s/limits.tmp", dir);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || posix_fallocate(fd, 0, 8 << 20))
        return 0;
    double from = now();
    long n = 0;
    for (; now() - from < SECONDS; n++)
        if (pwrite(fd, block, sizeof(block), (n % 2000) * 4096) < 0 || fdatasync(fd))
            break;
    double rate = (double)n / (now() - from);
    close(fd);
    unlink(path);
    return rate;
}

static void *echo(void *arg)
{
    char b[64];
    int fd = accept(*(int *)arg, NULL, NULL), one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    for (ssize_t n; (n = read(fd, b, sizeof(b))) > 0;)
        if (write(fd, b, (size_t)n) != n)
            break;
    close(fd);
    return NULL;
}

static double trips(void)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(a);
    int l = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    pthread_t t;
    char b[64] = { 0 };
    if (bind(l, (struct sockaddr *)&a, len) || listen(l, 1) || getsockname(l, (struct sockaddr *)&a, &len))
        return 0;
    pthread_create(&t, NULL, echo, &l);
    if (connect(c, (struct sockaddr *)&a, len))
        return 0;
    setsockopt(c, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    double from = now();
    long n = 0;
    for (; now() - from < SECONDS; n++)
        if (write(c, b, sizeof(b)) != sizeof(b) || read(c, b, sizeof(b)) <= 0)
            break;
    double rate = (double)n / (now() - from);
    close(c);
    pthread_join(t, NULL);
    close(l);
    return rate;
}

int main(int argc, char **argv)
{
    const char *dir = argc > 1 ? argv[1] : "/tmp";
    char script[] = "/tmp/limits.XXXXXX.sh";
    int fd = mkstemps(script, 3);
    if (fd < 0 || write(fd, "#!/bin/sh\ntrue\n", 15) != 15)
        return 1;
    fchmod(fd, 0700);
    close(fd);
    printf("spawn %.0f\n", spawns(script));
    printf("fdatasync %.0f\n", syncs(dir));
    printf("round_trips %.0f\n", trips());
    unlink(script);
    return 0;
}
