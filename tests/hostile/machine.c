/*
 * machine - an attacker with a machine's stolen keys: connects by TLS and says what it is told to say.
 *
 *     machine KEYDIR CLUSTER PORT USE UID NODE HOST TO FILE
 *
 * USE, UID, NODE and HOST go into the credential as they are, signed with the stolen key; "-" is nothing.  TO: the node
 * that is expected at the port, "-" for a controller.  FILE: where the credential is kept; one that is there is used
 * again instead of a new one.  Then lines of stdin: "say TYPE HEX" sends a frame and prints the reply as "TYPE HEX", or
 * "closed"; "tell TYPE HEX" waits for no reply; "sign USE HEX" prints what the stolen key signs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "io/keys.h"
#include "io/link_wait.h"

static struct cred_key stolen;
static char **args;
#define PATIENCE_MS 30000

static char *arg(int i)
{
    return str_eq(args[i], "-") ? NULL : args[i];
}

static int make_credential(void *unused, const uint8_t nonce[static CRED_NONCE_LEN], struct buf *out, struct err *err)
{
    auto_file FILE *f = arg(9) ? fopen(arg(9), "r") : NULL;
    if (f) {
        char text[FRAME_MAX_HELLO];
        buf_add(out, text, fread(text, 1, sizeof(text), f));
        return 0;
    }
    Pb__Cred c = PB__CRED__INIT;
    c.use = (uint32_t)atoi(args[4]);
    c.uid = c.gid = (uint32_t)atoi(args[5]);
    c.node = arg(6);
    c.host = arg(7);
    c.raft_id = 1;
    c.issued_ms = clock_wall_ms();
    c.expires_ms = c.issued_ms + CRED_TTL_MS;
    c.nonce = (ProtobufCBinaryData){ CRED_NONCE_LEN, (uint8_t *)nonce };
    cred_make(&stolen, &c, out);
    auto_file FILE *keep = arg(9) ? fopen(arg(9), "w") : NULL;
    if (keep)
        fwrite(out->s, 1, out->len, keep);
    return 0;
}

static void print_hex(const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("%02x", ((const uint8_t *)p)[i]);
    printf("\n");
    fflush(stdout);
}

static void say(struct link_wait *w, unsigned type, const struct buf *body, bool wait)
{
    auto_buf struct buf out = BUF_INIT;
    struct frame f;
    int64_t end_ms = clock_mono_ms() + PATIENCE_MS;
    frame_add(&out, (enum msg_type)type, 0, 1, body->s, body->len);
    int rc = w->fd < 0 ? ENOTCONN : link_wait_send_bytes(w, out.s, out.len, end_ms, NULL);
    if (!wait)
        return;
    if (rc || link_wait_next(w, &f, end_ms, NULL)) {
        link_wait_close(w);
        printf("closed\n");
        fflush(stdout);
        return;
    }
    printf("%u ", f.type);
    print_hex(f.body, f.len);
}

static void obey(struct link_wait *w, const char *line)
{
    char word[8];
    unsigned number, byte;
    int used = 0;
    auto_buf struct buf body = BUF_INIT, signed_body = BUF_INIT;
    if (sscanf(line, "%7s %u %n", word, &number, &used) < 2)
        return;
    for (const char *p = line + used; sscanf(p, "%2x", &byte) == 1; p += 2)
        buf_add(&body, &(char){ (char)byte }, 1);
    if (str_eq(word, "sign")) {
        cred_sign(&stolen, (enum cred_use)number, body.s, body.len, &signed_body);
        print_hex(signed_body.s, signed_body.len);
    } else {
        say(w, number, &body, str_eq(word, "say"));
    }
}

int main(int argc, char **argv)
{
    struct err err = ERR_INIT;
    struct link_wait w = LINK_WAIT_INIT;
    static char line[1 << 16];
    if (argc != 10)
        return 2;
    args = argv;
    struct keys_conf conf = { .dir = argv[1], .cluster = argv[2] };
    if (keys_open(&stolen, &conf, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    struct cred_key silent = stolen; /* the link asks for a credential */
    silent.own = NULL;
    struct link_claim claim = { .key = &silent, .use = CRED_CLIENT, .to = arg(8) };
    if (link_wait_tcp(&w, "127.0.0.1", (uint16_t)atoi(argv[3]), LINK_CONTROLLER, &claim, make_credential, NULL,
                      clock_mono_ms() + PATIENCE_MS, &err))
        printf("refused %s\n", err.text);
    else
        printf("connected\n");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin))
        obey(&w, line);
    link_wait_clear(&w);
    keys_close(&stolen);
    return 0;
}
