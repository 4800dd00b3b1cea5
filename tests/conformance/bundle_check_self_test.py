#!/usr/bin/env python3
"""Passes damaged golden files to bundle_check.py, which must detect all damage.

    bundle_check_self_test.py GOLDEN_FOLDER
"""

import pathlib
import sys

import bundle_check
import encoding


def finds(data, path):
    """True if the checker finds an error."""
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
        yield "the undamaged file is refused"
    for size in range(0, len(data), 7):
        if not finds(data[:size], path):
            yield f"a file of the first {size} bytes is accepted"
    has_hash = path.suffix in (".mbundle", ".mcat", ".mdict") and encoding.xxh3 is not None
    for offset in range(0, len(data) if has_hash else 0, 3):
        damaged = bytearray(data)
        damaged[offset] ^= 1 << offset % 8
        if not finds(damaged, path):
            yield f"a flipped bit in byte {offset} is not detected"


def main(folder):
    # Decompressing with a process per block would take minutes; the hashes detect the damage too.
    bundle_check.decompress = lambda frame, plain_size, dictionary: None
    complaints = [f"{path.name}: {complaint}" for path in sorted(pathlib.Path(folder).rglob("*.*"))
                  for complaint in missed(path)]
    print("\n".join(complaints) or "the checker detects all damage")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
