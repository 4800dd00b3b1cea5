"""Vectors by net/WIRE_FORMAT.md: valid bytes, and bytes that break one rule each.

Each vector is checked with `packet_form` before it is printed, so that both files agree.
"""

import struct

import packet_form

ONES = 0xFFFFFFFF


class BitsOut:
    def __init__(self):
        self.value = 0
        self.at = 0

    def put(self, value, count):
        assert 0 <= value < 1 << count
        self.value |= value << self.at
        self.at += count
        return self

    def bytes(self):
        return self.value.to_bytes((self.at + 7) // 8, "little")


def acknowledgement(sections, ack=0, words=(ONES,), sent=0, hold=65535, delay=0, spelled=None,
                    padding=0):
    """The start of a body. `spelled`: for each word, whether all 32 bits are written."""
    bits = BitsOut().put(ack, 16).put(len(words) - 1, 3)
    for index, word in enumerate(words):
        if word == ONES and not (spelled and spelled[index]):
            bits.put(1, 1)
        else:
            bits.put(0, 1).put(word, 32)
    bits.put(sent, 16).put(hold, 16).put(delay, 12).put(sections, 8)
    free = -bits.at % 8
    return bits.put(padding if free else 0, free).bytes()


def message(channel=0, reliable=0, ordered=0, number=1, content=b"m", length=None, reserved=0):
    head = channel | reliable << 3 | ordered << 4 | reserved << 5
    if length is None:
        size = len(content)
        length = bytes([size]) if size < 128 else bytes([size & 127 | 128, size >> 7])
    return bytes([head]) + (struct.pack("<H", number) if reliable else b"") + length + content


def fragment(block=1, total=1, chunks=1, first=0, content=b"b"):
    return struct.pack("<HIB", block, total, chunks) + first.to_bytes(3, "little") + content


def close(reason=1, text=b""):
    return bytes([5, reason, len(text)]) + text


def counted(*items):
    return bytes([len(items)]) + b"".join(items)


def probe_body(size, overhead=packet_form.PACKET_HEADER + packet_form.TAG, before=b"", fill=0):
    start = (acknowledgement(1) + bytes([1 + bool(before)]) + before + b"\x04" +
             struct.pack("<H", size))
    return start + bytes([fill]) * (size - overhead - len(start))


def bodies_to_accept():
    yield "nothing was received, no section", acknowledgement(0)
    yield "packet 1 was received", acknowledgement(0, ack=1, hold=0)
    yield "one word with holes", acknowledgement(0, ack=200, words=(0x80000001,), hold=7)
    yield "eight words, all set", acknowledgement(0, ack=9999, words=(ONES,) * 8)
    yield "eight words with holes", acknowledgement(
        0, ack=300, words=(1, 2, 3, 4, ONES, 0, 0x7FFFFFFF, 0xFFFFFFFE), sent=65535, delay=4095)
    yield "a ping", acknowledgement(1) + counted(b"\x01")
    yield "sixteen items", acknowledgement(1) + counted(*[b"\x02" + bytes(8)] * 16)
    yield "every item", acknowledgement(1) + counted(
        b"\x01", b"\x02" + b"8 bytes!", b"\x03" + b"the same", b"\x06\x05\x00\x01",
        b"\x07\x00\x00", b"\x08\x01\x01\x01", close(2, b"bye"))
    yield "a limit of each channel", acknowledgement(1) + counted(
        *[b"\x08" + bytes([channel]) + b"\xff\xff" for channel in (1, 2)])
    yield "a close with the longest text", acknowledgement(1) + counted(close(1, b"t" * 128))
    yield "a block refused for each reason", acknowledgement(1) + counted(
        *[b"\x06\xff\xff" + bytes([reason]) for reason in (1, 2, 3)])
    for size in (1201, 1260, 1472):
        yield f"a probe of {size}", probe_body(size)
    yield "a probe after a ping", probe_body(1320, before=b"\x01")
    yield "a payload of one byte", acknowledgement(2) + b"\x01\x00p"
    yield "a payload of 1000", acknowledgement(2) + b"\xe8\x03" + bytes(1000)
    for size in (1, 127, 128, 1024):
        yield f"a message of {size}", acknowledgement(4) + counted(message(content=b"m" * size))
    yield "each kind of message", acknowledgement(4) + counted(
        message(7), message(1, 1, 0, 1), message(2, 1, 1, 2))
    yield "64 messages", acknowledgement(4) + counted(*[message()] * 64)
    yield "a block of a byte", acknowledgement(8) + counted(fragment())
    yield "the last chunk, shorter", acknowledgement(8) + counted(
        fragment(total=1025, first=4, content=b"e"))
    yield "five chunks", acknowledgement(8) + counted(
        fragment(total=1 << 20, chunks=5, first=9, content=bytes(1280)))
    yield "four fragments", acknowledgement(8) + counted(*[fragment()] * 4)
    yield "every section", (acknowledgement(15) + counted(b"\x01") + b"\x01\x00p" +
                            counted(message()) + counted(fragment()))


def bodies_to_drop():
    start = acknowledgement
    yield "a word that is all set, written out", start(0, ack=5, words=(ONES,), spelled=(True,))
    yield "the second word all set, written out", start(
        0, ack=90, words=(3, ONES), spelled=(False, True))
    yield "bit 0 of word 0 clear", start(0, ack=90, words=(0xFFFFFFFE,))
    for bit in range(7):
        yield f"bit {bit} of the padding", start(0, ack=90, words=(ONES, ONES), padding=1 << bit)
    for bit in range(4, 8):
        yield f"section bit {bit}", start(1 << bit)
    yield "a byte left over", start(0) + b"\x00"
    yield "a byte left over after a section", start(2) + b"\x01\x00p\x00"
    yield "no control items", start(1) + b"\x00"
    yield "17 control items", start(1) + b"\x11" + (b"\x02" + bytes(8)) * 17
    yield "item 0", start(1) + counted(b"\x00")
    yield "item 9", start(1) + counted(b"\x09")
    yield "half a limit", start(1) + counted(b"\x08\x01\x01")
    yield "two limits of a channel", start(1) + counted(*[b"\x08\x01\x01\x01"] * 2)
    yield "a limit of channel 8", start(1) + counted(b"\x08\x08\x01\x01")
    yield "two maps", start(1) + counted(b"\x07\x00\x00", b"\x07\x00\x00")
    yield "half a map", start(1) + counted(b"\x07\x00")
    yield "close before the end", start(1) + counted(close(), b"\x01")
    yield "two pings", start(1) + counted(b"\x01", b"\x01")
    yield "close for no reason", start(1) + counted(close(0))
    yield "close for reason 10", start(1) + counted(close(10))
    yield "a text of 129", start(1) + counted(close(1, b"t" * 129))
    yield "a block refused for no reason", start(1) + counted(b"\x06\x01\x00\x00")
    yield "a block refused for reason 4", start(1) + counted(b"\x06\x01\x00\x04")
    yield "a probe of 1200", probe_body(1200)
    yield "a probe of 1473", probe_body(1473)
    yield "a probe that is a byte too short", probe_body(1300)[:-1]
    yield "a probe that is a byte too long", probe_body(1300) + b"\x00"
    yield "a probe not filled with zeros", probe_body(1300, fill=1)
    yield "two probes", probe_body(1300, before=b"\x04" + struct.pack("<H", 1300))
    yield "an empty payload", start(2) + b"\x00\x00"
    yield "no messages", start(4) + b"\x00"
    yield "65 messages", start(4) + counted(*[message()] * 65)
    for bit in range(3):
        yield f"message bit {5 + bit}", start(4) + counted(message(reserved=1 << bit))
    yield "ordered without reliable", start(4) + counted(message(ordered=1))
    yield "an empty message", start(4) + counted(message(content=b"", length=b"\x00"))
    yield "a length of 5 in two bytes", start(4) + counted(
        message(content=b"mmmmm", length=b"\x85\x00"))
    yield "a message of 1025", start(4) + counted(message(content=b"m" * 1025))
    yield "no fragments", start(8) + b"\x00"
    yield "five fragments", start(8) + counted(*[fragment()] * 5)
    yield "a block of nothing", start(8) + counted(fragment(total=0, content=b""))
    yield "a block too large", start(8) + counted(fragment(total=(1 << 26) + 1, content=bytes(256)))
    yield "no chunks", start(8) + counted(fragment(chunks=0, content=b""))
    yield "six chunks", start(8) + counted(fragment(total=1 << 20, chunks=6, content=bytes(1536)))
    yield "a chunk outside the block", start(8) + counted(fragment(total=256, first=1, content=b""))
    yield "chunks that end outside the block", start(8) + counted(
        fragment(total=300, chunks=2, first=1, content=bytes(300)))
    for name, body in list(bodies_to_accept()):
        if "probe" not in name:
            yield f"the last byte missing: {name}", body[:-1]


def vectors():
    for rule, body in bodies_to_accept():
        yield "accept", "body", body, rule
    for rule, body in bodies_to_drop():
        yield "drop", "body", body, rule
    for size in (1201, 1472):
        open_probe = probe_body(size, overhead=packet_form.PACKET_HEADER)
        yield "accept", "open_body", open_probe, f"a probe of {size} without a tag"
        yield "drop", "body", open_probe, f"a probe of {size} without a required tag"


def lines():
    for verdict, kind, data, rule in vectors():
        broken = packet_form.broken_rule(kind, data)
        assert (broken is None) == (verdict == "accept"), (rule, broken)
        yield f"{verdict} {kind} {data.hex()} {rule}"
