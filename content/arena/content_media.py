"""Makes pictures and sounds for the sample game, with equal bytes on every machine."""

import struct

from content_writer import noise


def adler32(data):
    a, b = 1, 0
    for start in range(0, len(data), 4096):
        for byte in data[start:start + 4096]:
            a += byte
            b += a
        a %= 65521
        b %= 65521
    return b << 16 | a


def crc32_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0xEDB88320 if value & 1 else 0)
        table.append(value)
    return table


CRC32 = crc32_table()


def crc32(data):
    value = 0xFFFFFFFF
    for byte in data:
        value = value >> 8 ^ CRC32[(value ^ byte) & 255]
    return value ^ 0xFFFFFFFF


def png(seed, size, base):
    """Returns a noisy square picture. The picture is stored without compression, because versions
    of zlib compress differently."""
    grain = noise(seed, size * size * 3)
    rows = bytearray()
    for y in range(size):
        rows.append(0)
        for x in range(size):
            shade = 24 if (x // 8 + y // 8) % 2 else 0
            for channel in range(3):
                value = base[channel] + shade + grain[(y * size + x) * 3 + channel] // 2 - 64
                rows.append(max(0, min(255, value)))
    stored = b"\x78\x01"
    for start in range(0, len(rows), 65535):
        piece = bytes(rows[start:start + 65535])
        last = start + 65535 >= len(rows)
        stored += struct.pack("<BHH", last, len(piece), len(piece) ^ 0xFFFF) + piece
    stored += struct.pack(">I", adler32(rows))

    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", crc32(name + body))
    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", stored)
            + chunk(b"IEND", b""))


def wav(seed, sample_count, period):
    """Returns a noisy decaying tone: 16 bit, mono, 11,025 Hz. The tone is computed with integers,
    so that the bytes do not depend on a maths library."""
    grain = noise(seed, sample_count * 2)
    samples = []
    for i in range(sample_count):
        phase = i % period
        tone = 4 * abs(phase - period // 2) * 6000 // period - 6000
        hiss = int.from_bytes(grain[2 * i:2 * i + 2], "little", signed=True) // 3
        samples.append((tone + hiss) * (sample_count - i) // sample_count)
    body = struct.pack(f"<{sample_count}h", *samples)
    form = struct.pack("<HHIIHH", 1, 1, 11025, 22050, 2, 16)
    return (b"RIFF" + struct.pack("<I", 36 + len(body)) + b"WAVEfmt " + struct.pack("<I", 16)
            + form + b"data" + struct.pack("<I", len(body)) + body)
