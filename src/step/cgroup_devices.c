/*
 * cgroup_devices - deny access to devices that are not allocated to the job.
 *
 * v1 has a list per cgroup.  v2 runs a BPF program each time a device is opened; the program, a few instructions that
 * compare type and numbers with each denied device, is assembled here.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "step/cgroup_priv.h"

/* ---- v1 ---- */

static int deny_v1(const struct cgroup *c, const char *dir, const bool *mine, struct err *err)
{
    for (size_t i = 0; i < c->node.device.n; i++) {
        const struct cgroup_device *d = &c->node.device.at[i];
        int rc = !d->kind || mine[i] ? 0
                                     : cgroup_writef(dir, "devices.deny", "%c %u:%u rwm", d->kind, d->major, d->minor);
        if (rc)
            return err_set(err, rc, "cannot deny device %u:%u in %s: %s", d->major, d->minor, dir, strerror(rc));
    }
    return 0;
}

/* ---- v2 ---- */

enum { R0, R1, R2, R3, R4 };

static struct bpf_insn load(int to, int from, short off)
{
    return (struct bpf_insn){ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = to & 15, .src_reg = from & 15, .off = off };
}

static struct bpf_insn set(int to, int value)
{
    return (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = to & 15, .imm = value };
}

static struct bpf_insn skip_unless(int reg, int value, short jump)
{
    return (struct bpf_insn){ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = reg & 15, .off = jump, .imm = value };
}

static struct bpf_insn leave(void)
{
    return (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
}

typedef VEC(struct bpf_insn) program;

/* R2 type, R3 major, R4 minor; the low half of access_type is the type. */
static void begin(program *p)
{
    vec_push(p, load(R2, R1, offsetof(struct bpf_cgroup_dev_ctx, access_type)));
    vec_push(p, ((struct bpf_insn){ .code = BPF_ALU64 | BPF_AND | BPF_K, .dst_reg = R2, .imm = 0xffff }));
    vec_push(p, load(R3, R1, offsetof(struct bpf_cgroup_dev_ctx, major)));
    vec_push(p, load(R4, R1, offsetof(struct bpf_cgroup_dev_ctx, minor)));
}

static void deny(program *p, const struct cgroup_device *d)
{
    vec_push(p, skip_unless(R2, d->kind == 'b' ? BPF_DEVCG_DEV_BLOCK : BPF_DEVCG_DEV_CHAR, 4));
    vec_push(p, skip_unless(R3, (int)d->major, 3));
    vec_push(p, skip_unless(R4, (int)d->minor, 2));
    vec_push(p, set(R0, 0));
    vec_push(p, leave());
}

static int load_program(const program *p)
{
    union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_CGROUP_DEVICE,
                            .insn_cnt = (unsigned)p->n,
                            .insns = (uintptr_t)p->at,
                            .license = (uintptr_t) "Apache-2.0" };
    return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static int attach(const char *dir, int program_fd)
{
    auto_close int cgroup = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    union bpf_attr attr = { .target_fd = (unsigned)cgroup,
                            .attach_bpf_fd = (unsigned)program_fd,
                            .attach_type = BPF_CGROUP_DEVICE,
                            .attach_flags = BPF_F_ALLOW_MULTI };
    return cgroup < 0 || syscall(SYS_bpf, BPF_PROG_ATTACH, &attr, sizeof(attr)) ? errno : 0;
}

static int deny_v2(const struct cgroup *c, const char *dir, const bool *mine, struct err *err)
{
    program p = { 0 };
    begin(&p);
    for (size_t i = 0; i < c->node.device.n; i++)
        if (c->node.device.at[i].kind && !mine[i])
            deny(&p, &c->node.device.at[i]);
    vec_push(&p, set(R0, 1));
    vec_push(&p, leave());
    auto_close int fd = load_program(&p);
    int rc = fd < 0 ? errno : attach(dir, fd);
    vec_clear(&p);
    return rc ? err_set(err, rc, "cannot deny devices in %s: %s", dir, strerror(rc)) : 0;
}

int cgroup_devices(const struct cgroup *c, const char *dir, bool v2, const bool *mine, struct err *err)
{
    return v2 ? deny_v2(c, dir, mine, err) : deny_v1(c, dir, mine, err);
}
