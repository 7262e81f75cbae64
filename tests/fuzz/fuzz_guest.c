/* What users say to an agent and what supervisors read of others: permits, step ids, intervals, lines of /proc. */
#include "fuzz.h"

#include <string.h>

#include "node/permit.h"
#include "step/proc.h"
#include "text/freq.h"
#include "text/stepid.h"

static const struct cred_key key;

static void look_permit(const uint8_t *data, size_t n)
{
    struct link_peer peer = { .uid = 1000, .use = CRED_CLIENT };
    Pb__Signed *s = pb__signed__unpack(NULL, n, data);
    if (s)
        check(!permit_open(&key, s, "n1", &peer, 0, NULL)); /* a signature is not guessed */
    if (s)
        pb__signed__free_unpacked(s, NULL);
    /* The same bytes, signed: whatever they name, nothing but this node and this user is let in. */
    auto_buf struct buf out = BUF_INIT;
    cred_sign(&key, CRED_PERMIT, data, n, &out);
    s = pb__signed__unpack(NULL, out.len, (uint8_t *)out.s);
    Pb__Permit *p = permit_open(&key, s, "n1", &peer, 5, NULL);
    if (p)
        check(p->uid == 1000 && strstr(p->nodes, "n") && p->expires_ms >= 5);
    if (p)
        pb__permit__free_unpacked(p, NULL);
    pb__signed__free_unpacked(s, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > FUZZ_TEXT_MAX)
        return 0;
    auto_free char *text = mem_strn((const char *)data, n);
    struct stepid id;
    struct proc p;
    uint32_t every_s = 0;
    if (!stepid_parse(text, &id))
        check(id.job && text[0] >= '0' && text[0] <= '9');
    if (freq_parse(text, &every_s))
        check(every_s < 0xffff);
    proc_parse_stat(text, &p);
    look_permit(data, n);
    return 0;
}
