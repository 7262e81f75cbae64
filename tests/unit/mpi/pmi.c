/* Commands and replies of PMI-1 and PMI-2: two tasks of a step of four. */
#include "test.h"

#include "base/buf.h"
#include "mpi/pmi.h"

static struct buf heard[2], part, said;
static int fences, aborts, code;

static void on_reply(void *arg, uint32_t local, const void *p, size_t n)
{
    buf_add(&heard[local], p, n);
}

static void on_fence(void *arg, uint64_t number, const void *p, size_t n)
{
    fences++;
    buf_reset(&part);
    buf_add(&part, p, n);
}

static void on_abort(void *arg, uint32_t local, int status, const char *why)
{
    aborts++;
    code = status;
    buf_reset(&said);
    buf_adds(&said, why);
}

static void on_complaint(void *arg, uint32_t local, const char *text)
{
    buf_reset(&said);
    buf_adds(&said, text);
}

static const struct pmi_ops ops = { on_reply, on_fence, on_abort, on_complaint };

static struct pmi *server(void)
{
    static const uint32_t rank[] = { 2, 3 };
    struct pmi_place place = { "42.0", "(vector,(0,2,2))", 4, 2, rank };
    return pmi_new(&place, &ops, NULL);
}

/* Send it byte by byte: the boundaries of reads must not matter. */
static const char *ask(struct pmi *p, uint32_t local, const char *text)
{
    struct err err = ERR_INIT;
    buf_reset(&heard[local]);
    buf_adds(&heard[local], "");
    for (const char *c = text; *c; c++)
        if (pmi_input(p, local, c, 1, &err))
            return "refused";
    return heard[local].s;
}

static const char *ask2(struct pmi *p, uint32_t local, const char *body)
{
    auto_buf struct buf text = BUF_INIT;
    buf_addf(&text, "%6zu%s", strlen(body), body);
    const char *got = ask(p, local, text.s);
    return strlen(got) > 6 ? got + 6 : got;
}

static void test_one(void)
{
    static const struct {
        const char *ask, *want;
    } talk[] = {
        { "cmd=get_maxes\n", "" }, /* nothing before init */
        { "cmd=init pmi_version=1 pmi_subversion=1\n", "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1\n" },
        { "cmd=get_maxes\n", "cmd=maxes rc=0 kvsname_max=256 keylen_max=64 vallen_max=1024\n" },
        { "cmd=get_appnum\n", "cmd=appnum rc=0 appnum=-1\n" },
        { "cmd=get_my_kvsname\n", "cmd=my_kvsname rc=0 kvsname=42.0\n" },
        { "cmd=get_universe_size\n", "cmd=universe_size rc=0 size=4\n" },
        { "cmd=get kvsname=42.0 key=PMI_process_mapping\n", "cmd=get_result rc=0 value=(vector,(0,2,2))\n" },
        { "cmd=get kvsname=42.0 key=nosuch\n", "cmd=get_result rc=1\n" },
        { "cmd=put kvsname=42.0 key=a value=b=c;d\n", "cmd=put_result rc=0\n" },
        { "cmd=put kvsname=42.0 key= value=b\n", "cmd=put_result rc=-1 msg=there_is_no_key\n" },
        { "mcmd=spawn\nnprocs=2\nexecname=x\nendcmd\n", "cmd=spawn_result rc=-1 msg=spawn_is_not_supported\n" },
        { "cmd=bogus\n", "" },
        { "cmd=finalize\n", "cmd=finalize_ack rc=0\n" },
    };
    struct pmi *p = server();
    for (size_t i = 0; i < ARRAY_LEN(talk); i++)
        is_str(ask(p, 0, talk[i].ask), talk[i].want, "PMI-1: %.*s", (int)strcspn(talk[i].ask, "\n"), talk[i].ask);
    pmi_free(p);
}

static void test_fence(void)
{
    static const char from_far[] = "far\0away\0half";
    struct pmi *p = server();
    ask(p, 0, "cmd=init pmi_version=1\ncmd=put key=a value=1\n");
    ask(p, 1, "cmd=init pmi_version=1\ncmd=put key=b value=2\n");
    fences = 0;
    is_str(ask(p, 0, "cmd=barrier_in\n"), "", "the first in the barrier waits");
    ask(p, 0, "cmd=barrier_in\n");
    is_int(fences, 0, "and is one however often it says so");
    ask(p, 1, "cmd=barrier_in\n");
    ok(fences == 1 && part.len == 8 && !memcmp(part.s, "a\0001\0b\0002", 8), "the last one sends what both put");
    pmi_fenced(p, from_far, sizeof(from_far) - 1, 0);
    ok(!strcmp(heard[1].s, "cmd=barrier_out rc=0\n"), "and the result lets them go");
    is_str(ask(p, 1, "cmd=get key=far\n"), "cmd=get_result rc=0 value=away\n", "what others put is there");
    is_str(ask(p, 1, "cmd=get key=half\n"), "cmd=get_result rc=1\n", "what is cut short is not");
    size_t before = heard[0].len;
    pmi_fenced(p, "", 0, 0);
    ok(heard[0].len == before, "a result that no task waits for is dropped");
    ask(p, 0, "cmd=barrier_in\n");
    ask(p, 1, "cmd=barrier_in\n");
    ok(fences == 2 && !part.len, "the next fence has what is new: nothing");
    pmi_fenced(p, "", 0, 1);
    ok(!strcmp(heard[0].s, "cmd=barrier_out rc=-1\n"), "a fence that failed says so");
    ask(p, 0, "cmd=abort exitcode=7\n");
    ok(aborts == 1 && code == 7, "abort carries its code");
    pmi_free(p);
}

static void test_two(void)
{
    static const struct {
        const char *ask, *want;
    } talk[] = {
        { "cmd=fullinit;pmijobid=42.0;pmirank=2;threaded=FALSE;",
          "cmd=fullinit-response;rc=0;pmi-version=2;pmi-subversion=0;rank=2;size=4;appnum=-1;"
          "debugged=FALSE;pmiverbose=FALSE;" },
        { "cmd=job-getid;", "cmd=job-getid-response;rc=0;jobid=42.0;" },
        { "cmd=info-getjobattr;key=PMI_process_mapping;",
          "cmd=info-getjobattr-response;rc=0;found=TRUE;value=(vector,(0,2,2));" },
        { "cmd=info-getjobattr;key=universeSize;", "cmd=info-getjobattr-response;rc=0;found=TRUE;value=4;" },
        { "cmd=info-getjobattr;key=nosuch;", "cmd=info-getjobattr-response;rc=0;found=FALSE;" },
        { "cmd=kvs-put;key=a;value=b;;c=;;;", "cmd=kvs-put-response;rc=0;" },
        { "cmd=kvs-get;jobid=x;srcid=-1;key=a;thrid=5;",
          "cmd=kvs-get-response;thrid=5;rc=0;found=TRUE;value=b;;c=;;;" },
        { "cmd=kvs-get;key=zz;", "cmd=kvs-get-response;rc=0;found=FALSE;" },
        { "cmd=info-getnodeattr;key=n;wait=FALSE;", "cmd=info-getnodeattr-response;rc=0;found=FALSE;" },
        { "cmd=info-putnodeattr;key=n;value=w;", "cmd=info-putnodeattr-response;rc=0;" },
        { "cmd=info-getnodeattr;key=n;wait=TRUE;", "cmd=info-getnodeattr-response;rc=0;found=TRUE;value=w;" },
        { "cmd=spawn;ncmds=1;", "cmd=spawn-response;rc=-1;errmsg=spawn is not supported;" },
        { "cmd=name-lookup;name=x;", "cmd=name-lookup-response;rc=-1;errmsg=not supported by this server;" },
        { "cmd=bogus;", "" },
        { "cmd=finalize;", "cmd=finalize-response;rc=0;" },
    };
    struct pmi *p = server();
    is_str(ask(p, 0, "cmd=init pmi_version=2 pmi_subversion=0\n"),
           "cmd=response_to_init rc=0 pmi_version=2 pmi_subversion=0\n",
           "PMI-2 begins with a line of PMI-1");
    for (size_t i = 0; i < ARRAY_LEN(talk); i++)
        is_str(ask2(p, 0, talk[i].ask), talk[i].want, "PMI-2: %s", talk[i].ask);
    pmi_free(p);
}

static void test_two_together(void)
{
    struct pmi *p = server();
    for (uint32_t i = 0; i < 2; i++)
        ask(p, i, "cmd=init pmi_version=2 pmi_subversion=0\n");
    is_str(ask2(p, 1, "cmd=info-getnodeattr;key=late;wait=TRUE;"), "",
           "an attribute that is not there yet is waited for");
    ask2(p, 0, "cmd=info-putnodeattr;key=late;value=now;");
    ok(strstr(heard[1].s, "found=TRUE;value=now;") != NULL, "and comes when it is put");
    ask2(p, 0, "cmd=kvs-fence;");
    ask2(p, 1, "cmd=kvs-fence;");
    pmi_fenced(p, "", 0, 0);
    is_str(heard[0].s, "28    cmd=kvs-fence-response;rc=0;", "the fence lets go");
    aborts = 0;
    ask2(p, 0, "cmd=abort;isworld=TRUE;msg=ouch;");
    ok(aborts == 1 && !code && !strcmp(said.s, "ouch"), "abort carries its words");
    pmi_free(p);
}

static void test_nonsense(void)
{
    static const char *const lengths[] = { "abcdef", "     0", "  -10x", "999999", "1 2   " };
    struct err err = ERR_INIT;
    for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
        struct pmi *p = server();
        ask(p, 0, "cmd=init pmi_version=2 pmi_subversion=0\n");
        is_str(ask(p, 0, lengths[i]), "refused", "\"%s\" is no length", lengths[i]);
        pmi_free(p);
    }
    struct pmi *p = server();
    auto_free char *line = mem_alloc(PMI_LINE_MAX + 100);
    memset(line, 'x', PMI_LINE_MAX + 99);
    ok(pmi_input(p, 0, line, PMI_LINE_MAX + 99, &err) != 0, "a line without end is refused");
    is_str(ask(p, 1, "cmd=init pmi_version=9\n"), "cmd=response_to_init rc=-1 pmi_version=2 pmi_subversion=0\n",
           "so is PMI-9");
    ask(p, 1, "cmd=init pmi_version=1\n");
    memset(line, 'v', 1100);
    strcpy(line + 1100, "\n");
    auto_free char *put = mem_printf("cmd=put key=k value=%s", line);
    is_str(ask(p, 1, put), "cmd=put_result rc=-1 msg=the_value_is_too_long\n", "a value that is too long is refused");
    pmi_free(p);
}

int main(void)
{
    test_one();
    test_fence();
    test_two();
    test_two_together();
    test_nonsense();
    for (int i = 0; i < 2; i++)
        buf_clear(&heard[i]);
    buf_clear(&part);
    buf_clear(&said);
    return test_done();
}
