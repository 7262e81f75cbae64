/* receive - a file is written completely or not at all; links are not followed, files of other users stay. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "step/proc.h"
#include "step/receive.h"
#include "test.h"
#include "wire/lz4.h"
#include "wire/sum.h"

static char dir[] = "/tmp/spur-receive.XXXXXX";

static char *in(const char *name)
{
    static char path[128];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return path;
}

static void put(const char *name, const char *text)
{
    int fd = open(in(name), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ok(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "(%s is there)", name);
    close(fd);
}

static const char *get(const char *name)
{
    static struct buf text;
    buf_reset(&text);
    return buf_read_file(&text, in(name), 1 << 20) ? NULL : text.s ? text.s : "";
}

static size_t count(void)
{
    auto_buf struct buf cmd = BUF_INIT;
    buf_addf(&cmd, "ls -A %s | wc -l", dir);
    FILE *p = popen(cmd.s, "r");
    int n = -1;
    ok(p && fscanf(p, "%d", &n) == 1, "(the folder is listed)");
    pclose(p);
    return (size_t)n;
}

static int begin(struct receiving *r, const char *path, bool force)
{
    Pb__BcastOpen o = PB__BCAST_OPEN__INIT;
    o.path = (char *)path;
    o.mode = 0640;
    o.force = force;
    return receive_open(r, &o, NULL);
}

static int block(struct receiving *r, uint64_t at, const char *text)
{
    Pb__BcastData d = PB__BCAST_DATA__INIT;
    d.offset = at;
    d.data = (ProtobufCBinaryData){ strlen(text), (uint8_t *)text };
    return receive_data(r, &d, NULL);
}

static int end(struct receiving *r, const char *all, bool keep)
{
    Pb__BcastClose c = PB__BCAST_CLOSE__INIT;
    struct sum *sum = sum_new();
    sum_add(sum, all, strlen(all));
    c.hash = sum_value(sum);
    c.keep = keep;
    sum_free(sum);
    return receive_close(r, &c, NULL);
}

static void test_whole(void)
{
    struct receiving r = RECEIVING_INIT;
    struct stat st;
    is_int(begin(&r, in("a"), false), 0, "a file is begun");
    ok(access(in("a"), F_OK), "its name is not there yet");
    is_int(block(&r, 0, "hello "), 0, "a block");
    is_int(block(&r, 6, "world"), 0, "the next one");
    is_int(end(&r, "hello world", true), 0, "the end");
    is_str(get("a"), "hello world", "it is all there");
    ok(!stat(in("a"), &st) && (st.st_mode & 07777) == 0640, "with its mode");
    is_int(count(), 1, "and nothing else");
}

static void test_refused(void)
{
    struct receiving r = RECEIVING_INIT;
    is_int(begin(&r, in("a"), false), EEXIST, "what is there is not replaced");
    is_str(get("a"), "hello world", "it is as it was");
    is_int(begin(&r, in("no/such"), false), ENOENT, "a folder that is not there");
    is_int(begin(&r, "relative", false), EINVAL, "not a full path");
    is_int(begin(&r, in(""), true), EISDIR, "a folder is no target");
    is_int(begin(&r, in(".."), true), EISDIR, "nor is the one above");
    is_int(begin(&r, in("b"), false), 0, "(begun)");
    is_int(block(&r, 5, "x"), EPROTO, "a block that does not follow");
    receive_drop(&r);
    is_int(begin(&r, in("b"), false), 0, "(begun)");
    is_int(block(&r, 0, "abc"), 0, "(a block)");
    is_int(end(&r, "abd", true), EIO, "a wrong checksum");
    is_int(begin(&r, in("b"), false), 0, "(begun)");
    is_int(block(&r, 0, "abc"), 0, "(a block)");
    is_int(end(&r, "abc", false), 0, "one that is not wanted");
    is_int(begin(&r, in("b"), false), 0, "(begun)");
    put("b", "another's");
    is_int(end(&r, "", true), EEXIST, "one that came meanwhile is not replaced");
    is_str(get("b"), "another's", "it is as it was");
    is_int(count(), 2, "nothing is left of all these");
}

static void test_links(void)
{
    struct receiving r = RECEIVING_INIT;
    struct stat st;
    put("victim", "precious");
    auto_free char *link = mem_str(in("link"));
    ok(!symlink(in("victim"), link), "(a link is there)");
    is_int(begin(&r, link, false), EEXIST, "a link is something that is there");
    is_int(begin(&r, link, true), 0, "with force it is replaced");
    is_int(block(&r, 0, "new"), 0, "(a block)");
    is_int(end(&r, "new", true), 0, "(the end)");
    is_str(get("victim"), "precious", "what it pointed to is as it was");
    ok(!lstat(link, &st) && S_ISREG(st.st_mode), "in its place is the file");
}

static void test_packed(void)
{
    struct receiving r = RECEIVING_INIT;
    auto_buf struct buf text = BUF_INIT, small = BUF_INIT;
    for (int i = 0; i < 100; i++)
        buf_adds(&text, "again and ");
    ok(lz4_pack(text.s, text.len, &small), "(it gets smaller)");
    Pb__BcastData d = PB__BCAST_DATA__INIT;
    d.data = (ProtobufCBinaryData){ small.len, (uint8_t *)small.s };
    d.size = text.len;
    is_int(begin(&r, in("p"), false), 0, "(begun)");
    is_int(receive_data(&r, &d, NULL), 0, "a packed block");
    is_int(end(&r, text.s, true), 0, "the checksum is that of the file");
    is_str(get("p"), text.s, "it is unpacked");
    d.size = 1ull << 40;
    is_int(begin(&r, in("q"), false), 0, "(begun)");
    is_int(receive_data(&r, &d, NULL), EFBIG, "a size that lies gets no room");
    d.size = text.len + 1;
    is_int(receive_data(&r, &d, NULL), EBADMSG, "nor one that is a little wrong");
    receive_drop(&r);
}

static void test_folder(void)
{
    struct receiving r = RECEIVING_INIT;
    Pb__BcastOpen o = PB__BCAST_OPEN__INIT;
    auto_free char *path = mem_str(in("libs"));
    o.path = path;
    o.folder = true;
    o.mode = 0755;
    is_int(receive_open(&r, &o, NULL), 0, "a folder is made");
    is_int(receive_open(&r, &o, NULL), EEXIST, "once");
    o.force = true;
    is_int(receive_open(&r, &o, NULL), 0, "with force it may be there");
    o.path = in("a");
    is_int(receive_open(&r, &o, NULL), EEXIST, "but not be a file");
    receive_drop(&r);
}

static void test_stat(void)
{
    static const char line[] = "42 (a) b) (c) S 7 40 40 0 -1 4194304 10 20 3 4 100 50 25 25 20 0 1 0 999 8192000 100 "
                               "18446744073709551615";
    struct proc p = { 0 };
    ok(proc_parse_stat(line, &p), "a process whose name holds brackets");
    ok(p.parent == 7 && p.group == 40 && p.pages == 7, "its parents and its faults");
    is_int(p.user_us, 125 * 1000000 / sysconf(_SC_CLK_TCK), "its time with that of its children");
    is_int(p.vm_kb, 8000, "its size");
    ok(!proc_parse_stat("42 (x) S 1 2", &p) && !proc_parse_stat("", &p), "half a line is none");
    ok(proc_read(getpid(), &p) && p.rss_kb > 0 && p.parent == getppid(), "this process is there");
    ok(!proc_read(0x7ffffff0, &p), "another is not");
}

int main(void)
{
    if (!mkdtemp(dir))
        return 1;
    umask(0);
    test_whole();
    test_refused();
    test_links();
    test_packed();
    test_folder();
    test_stat();
    auto_buf struct buf cmd = BUF_INIT;
    buf_addf(&cmd, "rm -rf %s", dir);
    ok(!system(cmd.s), "(tidy)");
    return test_done();
}
