"""Functions that all checkers of this folder use: they read bytes by the tables of a document."""

import ctypes
import ctypes.util
import struct

try:
    import xxhash
except ImportError:
    xxhash = None

NONE = 0xFFFFFFFF


class Broken(Exception):
    """A rule of the document is broken."""


def require(holds, rule):
    if not holds:
        raise Broken(rule)


def fields(data, offset, layout):
    """Reads little-endian fields at an offset, which must be inside the data."""
    size = struct.calcsize("<" + layout)
    require(0 <= offset and offset + size <= len(data), f"a record at byte {offset} ends outside")
    return struct.unpack_from("<" + layout, data, offset)


def ascending(keys, what):
    for before, now in zip(keys, keys[1:]):
        require(before < now, f"{what} ascend strictly")


class _Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def _find_xxh3():
    """Returns a function from bytes to XXH3-128 in canonical form, from a module or the library."""
    if xxhash is not None:
        return xxhash.xxh3_128_digest
    name = ctypes.util.find_library("xxhash")
    if name is None:
        return None
    function = ctypes.CDLL(name).XXH3_128bits
    function.restype = _Hash128
    function.argtypes = [ctypes.c_char_p, ctypes.c_size_t]

    def digest(content):
        value = function(bytes(content), len(content))
        return struct.pack(">QQ", value.high, value.low)

    return digest


xxh3 = _find_xxh3()


def check_hash(stored, content, what):
    if xxh3 is not None:
        require(xxh3(content) == stored, f"{what} is the hash of the content")


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class Varints:
    def __init__(self, data, at=0):
        self.data = data
        self.at = at

    def read(self, size):
        require(self.at + size <= len(self.data), "a value is inside the data")
        self.at += size
        return self.data[self.at - size:self.at]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.read(1)[0]
            value |= (byte & 0x7F) << shift
            require(shift == 0 or byte != 0, "a varint has its shortest form")
            if byte < 0x80:
                require(value < 1 << 64, "a varint has at most 64 bits")
                return value
            shift += 7

    def signed_varint(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)
