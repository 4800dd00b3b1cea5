#!/usr/bin/env python3
"""Feeds damaged golden files to bundle_check.py: it must find what it is for.

    bundle_check_self_test.py GOLDEN_FOLDER
"""

import pathlib
import sys

import bundle_check
import encoding


def finds(data, path):
    """Whether the checker finds something wrong."""
    check = bundle_check.CHECKS.get(bytes(data[:4]))
    if check is None:
        return True
    try:
        check(bytes(data), path)
    except (encoding.Broken, UnicodeDecodeError):
        return True
    return False


def missed(path):
    data = path.read_bytes()
    if finds(data, path):
        yield "it finds fault with the file as it is"
    for size in range(0, len(data), 7):
        if not finds(data[:size], path):
            yield f"it takes the first {size} bytes"
    has_hash = path.suffix in (".mbundle", ".mcat", ".mdict") and encoding.xxh3 is not None
    for offset in range(0, len(data) if has_hash else 0, 3):
        damaged = bytearray(data)
        damaged[offset] ^= 1 << offset % 8
        if not finds(damaged, path):
            yield f"it misses a flipped bit in byte {offset}"


def main(folder):
    # Decompressing in a process per block would take minutes; the hashes see the damage as well.
    bundle_check.decompress = lambda frame, plain_size, dictionary: None
    complaints = [f"{path.name}: {complaint}" for path in sorted(pathlib.Path(folder).rglob("*.*"))
                  for complaint in missed(path)]
    print("\n".join(complaints) or "the checker finds what it should")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
