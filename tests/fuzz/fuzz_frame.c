/* A frame is inside the bytes it was found in, and never over the limit; its body unpacks or is refused; so does a
 * credential. */
#include "fuzz.h"

#include "wire/cred.h"
#include "wire/frame.h"

static const struct cred_key key;
static const uint8_t nonce[CRED_NONCE_LEN];

static void look(struct frame *f)
{
    auto_buf struct buf room = BUF_INIT;
    struct err err = ERR_INIT;
    if (frame_unpack(f, &room, &err))
        return;
    check(f->len <= FRAME_MAX && !(f->flags & FRAME_PACKED));
    const ProtobufCMessageDescriptor *d = msg_descriptor(f->type);
    if (!d)
        return;
    ProtobufCMessage *m = protobuf_c_message_unpack(d, NULL, f->len, f->body);
    if (!m)
        return;
    if (f->type == MSG_LAUNCH)
        check(!cred_verify(&key, CRED_LAUNCH, (Pb__Signed *)m));
    if (f->type == MSG_HELLO && ((Pb__Hello *)m)->cred)
        check(!cred_open(&key, ((Pb__Hello *)m)->cred, CRED_CLIENT, nonce, 0, NULL));
    auto_buf struct buf again = BUF_INIT;
    frame_add_pb(&again, f->type, f->flags, f->number, m);
    protobuf_c_message_free_unpacked(m, NULL);
}

static void walk(const uint8_t *data, size_t n, uint32_t max)
{
    struct frame f;
    struct err err = ERR_INIT;
    size_t used = 0;
    while (frame_find(data, n, max, &f, &used, &err) == 1) {
        check(f.len <= max && used == FRAME_HEADER + f.len && used <= n && f.body == data + FRAME_HEADER);
        look(&f);
        data += used; /* the frame may be its unpacked self by now */
        n -= used;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    walk(data, n, FRAME_MAX);
    walk(data, n, FRAME_MAX_HELLO);
    return 0;
}
