"""The protocol as an attacker speaks it: the schema is read from proto/*.proto and the message table from
src/wire/message.h, so that a new message or field needs no word here.  Frames, credentials, connections."""
import ctypes
import glob
import hashlib
import os
import re
import socket
import struct
import time

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
CLIENT, AGENT, PEER = 1, 2, 3  # enum cred_use
SILENCE = "SILENCE"
MORE = 1                       # flag of a frame: the reply goes on in the next frame


# ---- raw protobuf ----
def varint(n):
    n &= (1 << 64) - 1
    if n < 0x80:
        return bytes([n])
    out = b""
    while n >= 0x80:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def num(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    if isinstance(value, str):
        value = value.encode()
    return varint(field << 3 | 2) + varint(len(value)) + value


def records(message):
    """(number, wire type, value) of each field, in order."""
    at = 0

    def read():
        nonlocal at
        shift = value = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
    while at < len(message):
        tag = read()
        kind = tag & 7
        if kind == 0:
            yield tag >> 3, 0, read()
            continue
        n = {1: 8, 5: 4}.get(kind) or read()
        yield tag >> 3, kind, message[at:at + n]
        at += n


def fields(message):
    """{number: last value}"""
    return {number: value for number, _, value in records(message)}


# ---- the schema ----
class Field:
    def __init__(self, name, kind, number, many):
        self.name, self.kind, self.number, self.many = name, kind, number, many


class Schema:
    """messages: {"JobSpec": [Field]}; enums: {"JobOp": {"OP_HOLD": 0}}; types: {"SUBMIT": (10, "SubmitRequest")}"""

    def __init__(self):
        self.messages, self.enums, self.types = {}, {}, {}
        for path in sorted(glob.glob(f"{TOP}/proto/*.proto")):
            with open(path) as f:
                self.read_proto(re.sub(r"//[^\n]*", "", f.read()))
        bodies = {name.lower(): name for name in self.messages}
        with open(f"{TOP}/src/wire/message.h") as f:
            for name, number, body in re.findall(r"X\(MSG_(\w+),\s*(\d+),\s*(\w+)\)", f.read()):
                self.types[name] = int(number), bodies[body.replace("_", "")]
        assert len(self.types) > 60 and len(self.messages["JobSpec"]) > 90
        self.names = {number: name for name, (number, _) in self.types.items()}

    def read_proto(self, text):
        for what, name, body in re.findall(r"\b(message|enum)\s+(\w+)\s*\{([^{}]*)\}", text):
            if what == "enum":
                self.enums[name] = {k: int(v, 0) for k, v in re.findall(r"(\w+)\s*=\s*(\w+)\s*;", body)}
                continue
            self.messages[name] = [Field(field, kind, int(number), bool(many)) for many, kind, field, number in
                                   re.findall(r"(repeated\s+)?([\w.]+)\s+(\w+)\s*=\s*(\d+)\s*(?:\[[^]]*\])?;", body)]
            left = re.sub(r"(repeated\s+)?([\w.]+)\s+(\w+)\s*=\s*(\d+)\s*(?:\[[^]]*\])?;|reserved[^;]*;", "", body)
            assert not left.strip(), f"{name}: not understood: {left.strip()}"

    def encode(self, message, /, **values):
        """A message from {field name: value}; a nested message is a dict or bytes, a repeated field a list."""
        out, known = [], {f.name: f for f in self.messages[message]}
        for name, value in values.items():
            f = known[name]
            out += [self.encode_field(f, one) for one in (value if f.many else [value])]
        return b"".join(out)

    def encode_field(self, f, value):
        if f.kind in ("string", "bytes"):
            return data(f.number, value)
        if f.kind in self.messages:
            return data(f.number, value if isinstance(value, bytes) else self.encode(f.kind, **value))
        if f.kind == "double":
            return varint(f.number << 3 | 1) + struct.pack("<d", value)
        if f.kind in ("sint32", "sint64"):
            value = value << 1 if value >= 0 else (-value << 1) - 1
        return num(f.number, int(value))

    def decode(self, message, text):
        """{field name: value} of what is there; a repeated field is a list."""
        out, known = {}, {f.number: f for f in self.messages[message]}
        for number, wire, value in records(text):
            f = known.get(number)
            if not f:
                continue
            values = self.decode_field(f, wire, value)
            if f.many:
                out.setdefault(f.name, []).extend(values)
            else:
                out[f.name] = values[-1]
        return out

    def decode_field(self, f, wire, value):
        if f.kind in self.messages:
            return [self.decode(f.kind, value)]
        if f.kind == "string":
            return [value.decode(errors="replace")]
        if f.kind == "bytes":
            return [value]
        if f.kind == "double":
            return [x for x, in struct.iter_unpack("<d", value)]
        values = [value] if wire == 0 else unpack_varints(value)
        if f.kind in ("sint32", "sint64"):
            return [v >> 1 ^ -(v & 1) for v in values]
        return [v - (1 << 64) if f.kind in ("int32", "int64") and v >> 63 else v for v in values]


def unpack_varints(text):
    out, value, shift = [], 0, 0
    for byte in text:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            out.append(value)
            value = shift = 0
    return out


SCHEMA = Schema()
encode = SCHEMA.encode


# ---- frames ----
def frame(kind, body=b"", number=1):
    """kind: a name of the message table, or a number."""
    return struct.pack("<IHHQ", len(body), SCHEMA.types[kind][0] if isinstance(kind, str) else kind, 0, number) + body


def request(kind, /, **values):
    """A frame of this type with these fields."""
    return frame(kind, encode(SCHEMA.types[kind][1], **values))


def signature(key, use, body):
    return hashlib.blake2b(b"spur\x01" + bytes([use, 0, 0]) + body, key=key, digest_size=32).digest()


def cred(key, nonce, use, uid=0, issued=0, life=60000, node="", signed_as=None):
    now = int(time.time() * 1000) + issued
    body = encode("Cred", uid=uid, gid=uid, issued_ms=now, expires_ms=now + life, nonce=nonce, use=use, node=node)
    return encode("Signed", body=body, mac=signature(key, signed_as or use, body))


# ---- connections ----
class Connection:
    """Frames over a socket.  Reading gives (type name, body); (None, b"") when the other side hung up, (SILENCE, b"")
    when it said nothing in time."""

    def __init__(self, s):
        self.s = s
        self.more = False

    def read(self):
        try:
            size, kind, flags, _ = struct.unpack("<IHHQ", self.exactly(16))
            self.more = bool(flags & MORE)
            return SCHEMA.names.get(kind, str(kind)), self.exactly(size)
        except socket.timeout:
            return SILENCE, b""
        except (ConnectionError, EOFError):
            return None, b""

    def exactly(self, n):
        out = bytearray()
        while len(out) < n:
            more = self.s.recv(min(n - len(out), 1 << 20))
            if not more:
                raise EOFError
            out += more
        return bytes(out)

    def say(self, *frames):
        try:
            self.s.sendall(b"".join(frames))
        except (ConnectionError, socket.timeout):
            pass

    def ask(self, kind, /, **values):
        """(type name, decoded reply): all frames of a long reply, with their repeated fields joined."""
        self.say(request(kind, **values))
        return self.reply()

    def reply(self):
        out, name = {}, None
        while True:
            name, body = self.read()
            if name in (None, SILENCE):
                return name, out
            for key, value in SCHEMA.decode(SCHEMA.types[name][1], body).items():
                out[key] = out.get(key, []) + value if isinstance(value, list) else value
            if not self.more:
                return name, out

    def close(self):
        self.s.close()


class Peer(Connection):
    """A TCP connection that has read the challenge."""

    def __init__(self, port):
        super().__init__(socket.create_connection(("127.0.0.1", port), timeout=30))
        kind, body = self.read()
        assert kind == "CHALLENGE", kind
        self.nonce = fields(body)[1]

    def hello(self, signed):
        self.say(request("HELLO", cred=signed))


SETRESUID, SETRESGID = {"x86_64": (117, 119), "aarch64": (147, 149)}.get(os.uname().machine, (0, 0))


def become(uid, gid, euid_first):
    """Effective ids of this thread alone: glibc's own functions change every thread."""
    libc = ctypes.CDLL(None, use_errno=True)
    calls = [(SETRESGID, gid), (SETRESUID, uid)]
    for number, value in calls if not euid_first else calls[::-1]:
        if libc.syscall(ctypes.c_long(number), ctypes.c_long(-1), ctypes.c_long(value), ctypes.c_long(-1)):
            raise OSError(ctypes.get_errno(), "setres*id")


class Local(Connection):
    """A connection to a daemon's Unix socket as another user: the kernel takes the identity at connect()."""

    def __init__(self, path, uid=0, gid=None, timeout=30):
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(timeout)
        if uid:
            become(uid, gid if gid is not None else uid, False)
        try:
            s.connect(path)
        finally:
            if uid:
                become(0, 0, True)
        super().__init__(s)


def refused(p, ask=None):
    """After what was said: does a question get nothing but a failure?"""
    p.say(ask if ask is not None else frame("JOBS"))
    return p.read()[0] in (None, "FAILURE")
