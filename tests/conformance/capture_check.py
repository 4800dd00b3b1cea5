#!/usr/bin/env python3
"""Checks captures by net/capture/CAPTURE_FORMAT.md alone.

usage: capture_check.py FILE...                whole captures
       capture_check.py --self-test FILE       also checks that damage to FILE is detected
"""

import pathlib
import struct
import sys

HEADER_BYTES, HEAD_BYTES, CONTENT_MAX, TIME_END = 32, 16, 1536, 1 << 50
OUT, PHASE, SERVER = 1, 2, 4
FLAGS = {1: SERVER, 2: OUT | PHASE, 3: OUT, 4: 0}


class Broken(Exception):
    """An error and its position."""


class Cut(Exception):
    """The file ends inside a record."""


def require(holds, what):
    if not holds:
        raise Broken(what)


def check_connection(content):
    require(len(content) >= 68, "a connection of too few bytes")
    _, cipher, channels, datagram, block, interrupted, closed = struct.unpack_from(
        "<IBBHQQQ", content)
    require(cipher in (0, 1, 255), "a cipher that does not exist")
    require(channels <= 8 and len(content) == 68 + channels, "channels")
    require(1200 <= datagram <= 1472 and block <= 1 << 26, "a size")
    require(interrupted < TIME_END and closed < TIME_END, "a timeout")
    require(all(delivery <= 2 for delivery in content[68:]), "a delivery that does not exist")


def check_packet(content, flags):
    require(8 <= len(content) <= 8 + 1472, "the size of a packet")
    sequence, datagram, verdict, reserved = struct.unpack_from("<IHBB", content)
    require(sequence != 0 and 7 <= datagram <= 1472 and reserved == 0, "a packet's fields")
    require(verdict <= 3 and (verdict == 0 or not flags & OUT), "a verdict")


def check_handshake(content):
    require(36 < len(content) <= 36 + 1472, "the size of a handshake")


def check_dropped(content):
    require(len(content) == 8 and content != bytes(8), "a count of dropped records")


def check(data):
    """Returns the number of records; raises Broken or Cut."""
    magic = b"MUSTCAP\0"
    require(data and data[:8] == magic[:len(data)], "the magic")
    if len(data) < HEADER_BYTES:
        raise Cut("header")
    version, zero, _, more_zero = struct.unpack_from("<IIQQ", data, 8)
    require(version == 1 and zero == 0 and more_zero == 0, "the header")
    at, last_time, count = HEADER_BYTES, 0, 0
    while at < len(data):
        if len(data) - at < HEAD_BYTES:
            raise Cut(f"head at {at}")
        size, kind, flags, connection, time = struct.unpack_from("<HBBIQ", data, at)
        require(size <= CONTENT_MAX and last_time <= time < TIME_END, f"a head at {at}")
        if len(data) - at - HEAD_BYTES < size:
            raise Cut(f"record at {at}")
        content = data[at + HEAD_BYTES:at + HEAD_BYTES + size]
        require(kind in FLAGS, f"a kind at {at}")
        require(flags & ~FLAGS[kind] == 0, f"flags at {at}")
        require((connection != 0) == (kind in (1, 2)), f"a connection id at {at}")
        if kind == 1:
            check_connection(content)
        elif kind == 2:
            check_packet(content, flags)
        elif kind == 3:
            check_handshake(content)
        else:
            check_dropped(content)
        at, last_time, count = at + HEAD_BYTES + size, time, count + 1
    return count


def self_test(name, data):
    whole = check(data)
    ends = 0
    for size in range(1, len(data)):
        try:
            ends += check(data[:size]) < whole
        except Cut:
            pass
    if ends != whole:
        raise SystemExit(f"{name}: {ends} cuts between records, of {whole} records")
    for at in list(range(16)) + list(range(24, 32)) + [34, 35]:
        damaged = bytearray(data)
        damaged[at] ^= 0x80
        try:
            check(bytes(damaged))
        except (Broken, Cut):
            continue
        raise SystemExit(f"{name}: a flipped bit at {at} is not detected")


def main():
    names = [name for name in sys.argv[1:] if name != "--self-test"]
    if not names:
        raise SystemExit(__doc__)
    for name in names:
        data = pathlib.Path(name).read_bytes()
        try:
            print(f"{name}: {check(data)} records")
        except (Broken, Cut) as problem:
            print(f"{name}: {type(problem).__name__}: {problem}")
            return 1
        if "--self-test" in sys.argv:
            self_test(name, data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
