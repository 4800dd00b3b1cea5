#!/usr/bin/env python3
"""Checks emitted bundles, catalogs, objects and prefabs by runtime/bundle/BUNDLE_FORMAT.md alone.

    bundle_check.py FILE...

Shares no code with the implementation, so that both must follow the document. The magic number
gives the kind of a file. Hashes are checked if libxxhash or the Python module `xxhash` is
installed. Compressed blocks are read if the module `zstandard` or the `zstd` command is installed.
All other checks always run. Payloads of bundle entries (objects, prefabs) are also checked. Prints
a line per file. The exit code is 1 if a file breaks a rule, and 2 if a file cannot be read.
"""

import pathlib
import shutil
import struct
import subprocess
import sys

from encoding import NONE, Broken, Varints, ascending, check_hash, fields, require, varint
from form_check import check_object, check_prefab

try:
    import zstandard
except ImportError:
    zstandard = None

MAGIC_TAIL = b"\r\n\x1a\n"


# --- 1. bundle


def check_bundle(data, path):
    magic, version, flags, reserved, bundle_hash = fields(data, 0, "8sHHI16s")
    file_bytes, entry_count, block_count, block_size, reserved2, plain_total = fields(
        data, 32, "QIIIIQ")
    require(magic == b"MBND" + MAGIC_TAIL and version == 2, "magic and version")
    require(flags == reserved == reserved2 == 0, "flags and reserved are 0")
    require(file_bytes == len(data), "file_bytes is the size of the file")
    require(entry_count <= 1 << 20 and block_count <= 1 << 22, "counts are within bounds")
    require(4096 <= block_size <= 1 << 20 and block_size & (block_size - 1) == 0, "block size")
    check_hash(bundle_hash, data[32:], "bundle_hash")

    entries = [fields(data, 64 + i * 64, "16sq16sQIHHII") for i in range(entry_count)]
    ascending([(guid, local_id) for guid, local_id, *_ in entries], "entries")
    block_table = 64 + entry_count * 64
    next_block, next_offset = 0, block_table + block_count * 16
    for entry in entries:
        _, _, plain_hash, plain_bytes, first_block, kind, flags, dictionary, reserved = entry
        require(1 <= kind <= 5, "kind is 1 to 5")
        require(flags == reserved == 0, "entry flags and reserved are 0")
        codings = []
        require(plain_bytes <= 1 << 32, "plain_bytes is at most 2^32")
        require(first_block == next_block, "first_block is the sum of the counts before")
        pieces = []
        for start in range(0, plain_bytes, block_size):
            plain_size = min(block_size, plain_bytes - start)
            offset, stored, coding = fields(data, block_table + next_block * 16, "QII")
            require(offset == next_offset, "blocks have no gaps")
            pieces.append(read_block(data[offset:offset + stored], stored, coding, plain_size,
                                     find_dictionary(path, dictionary) if coding else ""))
            codings.append(coding)
            next_block, next_offset = next_block + 1, offset + stored
        require(dictionary == 0 or 1 in codings, "a stored block needs no dictionary")
        if None not in pieces:
            plain = b"".join(pieces)
            check_hash(plain_hash, plain, "plain_hash")
            check_payload(kind, plain)
    require(next_block == block_count, "block_count is the sum of the entries' blocks")
    require(next_offset == len(data), "the last block ends the file")
    require(plain_total == sum(entry[3] for entry in entries), "plain_bytes is the sum")
    return f"{entry_count} entries, {block_count} blocks, {plain_total} plain bytes"


def find_dictionary(path, dictionary):
    """Finds the dictionary that a bundle's entries name, beside the bundle's folder."""
    if dictionary == 0:
        return ""
    folder = pathlib.Path(path).absolute().parent.parent / "dictionaries"
    found = sorted(folder.glob(f"{dictionary:08x}*.mdict"))
    require(len(found) == 1, f"a dictionary whose hash begins with {dictionary:08x} is there")
    return str(found[0])


def check_dictionary(data, path):
    require(data[:4] == b"\x37\xa4\x30\xec" and 8 < len(data) <= 1 << 20, "a zstd dictionary")
    require(data[4:8] != bytes(4), "the dictionary has an id of its own")
    name = pathlib.Path(path).name
    require(len(name) == 38 and name.endswith(".mdict"), "the file is named by its hash")
    check_hash(bytes.fromhex(name[:32]), data, "the hash that names it")
    return f"{len(data)} bytes"


def read_block(stored_data, stored, coding, plain_size, dictionary):
    """Returns the plain bytes of a block, or None if zstd is not installed."""
    require(len(stored_data) == stored, "a block is inside the file")
    require(coding in (0, 1), "coding is 0 or 1")
    if coding == 0:
        require(stored == plain_size, "a stored block has its plain size")
        return stored_data
    require(0 < stored < plain_size <= stored * 32768, "a compressed block is smaller, not absurd")
    require(stored_data[:4] == b"\x28\xb5\x2f\xfd", "a compressed block is a zstd frame")
    require(stored_data[4] & 0x07 == 0, "the frame has no checksum and no dictionary id")
    require(frame_content_size(stored_data) == plain_size, "the frame has its plain size")
    plain = decompress(stored_data, plain_size, dictionary)
    require(plain is None or len(plain) == plain_size, "the frame expands to its plain size")
    return plain


def frame_content_size(frame):
    """Reads the content size (RFC 8878, 3.1.1.1). The descriptor's top bits give its width."""
    descriptor = frame[4]
    is_single_segment = bool(descriptor & 0x20)
    at = 5 if is_single_segment else 6
    width = (1 if is_single_segment else 0, 2, 4, 8)[descriptor >> 6]
    require(width > 0 and len(frame) >= at + width, "the frame has a content size")
    size = int.from_bytes(frame[at:at + width], "little")
    return size + 256 if width == 2 else size


def decompress(frame, plain_size, dictionary):
    if zstandard is not None:
        shared = zstandard.ZstdCompressionDict(
            pathlib.Path(dictionary).read_bytes()) if dictionary else None
        return zstandard.ZstdDecompressor(dict_data=shared).decompress(
            frame, max_output_size=plain_size)
    if shutil.which("zstd"):
        command = ["zstd", "-dcq"] + (["-D", dictionary] if dictionary else [])
        run = subprocess.run(command, input=frame, capture_output=True, check=False)
        require(run.returncode == 0, "the frame decompresses")
        return run.stdout
    return None


def check_payload(kind, plain):
    # Test bundles contain arbitrary bytes under every kind. Check only those with the magic number.
    if kind in (1, 4) and plain[:4] == b"MOBJ":
        check_object(plain)
    if kind == 2 and plain[:4] == b"MPFB":
        check_prefab(plain)


# --- 2. catalog

SECTIONS = (("bundles", 56), ("dependencies", 4), ("assets", 32), ("registries", 56),
            ("entries", 56), ("slots", 4), ("effects", 32), ("presentations", 48),
            ("components", 40), ("variant_values", 24), ("alternatives", 16),
            ("alternative_keys", 4), ("text", 1), ("descriptions", 1),
            ("dictionaries", 24))


class Catalog:
    def __init__(self, data):
        self.data = data
        self.directory = {}
        self.text_end = 0

    def records(self, section, layout):
        offset, count, size = self.directory[section]
        require(struct.calcsize("<" + layout) == size, f"layout of {section} in this checker")
        return [fields(self.data, offset + i * size, layout) for i in range(count)]

    def text(self, start, length):
        """Returns the next text. Texts have the same order as the references to them."""
        offset, size, _ = self.directory["text"]
        require(start == self.text_end, "texts are in the order of their references, without gaps")
        self.text_end += length
        require(length <= 65535 and self.text_end <= size, "a text is inside its section")
        text = self.data[offset + start:offset + start + length]
        require(0 not in text, "a text has no NUL")
        text.decode("utf-8")
        return text


def check_catalog(data, path):
    magic, version, flags, reserved, fingerprint = fields(data, 0, "8sHHI16s")
    file_bytes, target, reserved2, section_count, _ = fields(data, 32, "QHHI16s")
    require(magic == b"MCAT" + MAGIC_TAIL and version == 4, "magic and version")
    require(flags == reserved == reserved2 == 0, "no preview; flags and reserved are 0")
    require(file_bytes == len(data) <= 1 << 31, "file_bytes is the size of the file")
    require(target in (1, 2) and section_count == len(SECTIONS), "target and section count")
    check_hash(fingerprint, data[32:], "fingerprint")

    catalog = Catalog(data)
    end = 64 + len(SECTIONS) * 16
    for i, (name, size) in enumerate(SECTIONS):
        offset, count, record_bytes, reserved = fields(data, 64 + i * 16, "IIII")
        require(record_bytes == size and reserved == 0, f"directory of {name}")
        require(offset == (end + 7) // 8 * 8, f"{name} starts at the end of its predecessor")
        require(not any(data[end:offset]), "padding is zero")
        end = offset + count * size
        require(end <= len(data), f"{name} is inside the file")
        catalog.directory[name] = (offset, count, size)
    require(end == len(data), "the last section ends the file")

    bundles = check_bundles(catalog)
    assets = check_assets(catalog, len(bundles))
    check_registries(catalog, assets)
    check_effects_and_presentations(catalog, assets)
    check_components(catalog)
    check_variants(catalog, bundles)
    check_dictionaries(catalog)
    require(catalog.text_end == catalog.directory["text"][1], "texts fill their section")
    return f"{len(bundles)} bundles, {len(assets)} assets"


def check_bundles(catalog):
    bundles = catalog.records("bundles", "16s16sQIIH6s")
    dependencies = [index for (index,) in catalog.records("dependencies", "I")]
    ascending([(row[5], row[0]) for row in bundles], "bundles")
    end = 0
    for i, (_, _, file_bytes, first, count, kind, reserved) in enumerate(bundles):
        require(file_bytes <= 1 << 43, "no bundle is larger than 2^43 bytes")
        require(kind in (0, 1, 2) and not any(reserved), "bundle kind and reserved")
        require(first == end, "dependencies are in order, without gaps")
        end += count
        mine = dependencies[first:end]
        require(len(mine) == count, "dependencies are inside their section")
        ascending(mine, "dependencies")
        require(all(d < len(bundles) and d != i for d in mine), "dependencies are other bundles")
    require(end == len(dependencies), "dependencies fill their section")
    return bundles


def check_assets(catalog, bundle_count):
    """Returns guid -> (index, bundle)."""
    assets = catalog.records("assets", "16sIIII")
    ascending([row[0] for row in assets], "assets")
    for _, bundle, start, length, reserved in assets:
        require(bundle == NONE or bundle < bundle_count, "an asset's bundle exists")
        require(reserved == 0, "reserved is 0")
        catalog.text(start, length)
    return {row[0]: (i, row[1]) for i, row in enumerate(assets)}


def check_registries(catalog, assets):
    registries = catalog.records("registries", "16sIIIIIIIIQ")
    entries = catalog.records("entries", "II16s16sIIIBBH")
    slots = [slot for (slot,) in catalog.records("slots", "I")]
    keys = []
    for guid, class_at, class_size, path_at, path_size, *_ in registries:
        keys.append((catalog.text(class_at, class_size), guid))
        catalog.text(path_at, path_size)
    ascending(keys, "registries")
    roles = []
    for _, bundle, guid, _, role_at, role_size, asset, targets, flags, reserved in entries:
        roles.append(catalog.text(role_at, role_size))
        require((asset, bundle) == assets.get(guid, (NONE, NONE)), "an entry's asset and bundle")
        require(1 <= targets <= 3 and flags in (0, 1) and reserved == 0, "entry flags")
    entry_end = slot_end = 0
    for *_, first_entry, entry_count, first_slot, slot_count, reserved in registries:
        require(first_entry == entry_end and first_slot == slot_end, "ranges have no gaps")
        require(reserved == 0, "reserved is 0")
        entry_end, slot_end = entry_end + entry_count, slot_end + slot_count
        mine = range(first_entry, entry_end)
        require(entry_end <= len(entries) and slot_end <= len(slots), "ranges lie inside")
        ascending([(entries[i][0], entries[i][2], roles[i]) for i in mine], "entries")
        wanted = {}
        for i in mine:
            require(entries[i][0] <= 65534, "a type id is at most 65534")
            wanted.setdefault(entries[i][0], i)
        require(slot_count == (max(wanted) + 1 if wanted else 0), "slot_count")
        for type_id, slot in enumerate(slots[first_slot:slot_end]):
            require(slot == wanted.get(type_id, NONE), "a slot names the first entry of its id")
    require(entry_end == len(entries) and slot_end == len(slots), "ranges fill their sections")


def check_effects_and_presentations(catalog, assets):
    effects = catalog.records("effects", "II16sIHH")
    ascending([(row[4], row[0]) for row in effects], "effects")
    for type_id, _, prefab, bundle, kind, reserved in effects:
        require(type_id <= 65534 and kind in (0, 1) and reserved == 0, "effect fields")
        require(bundle == assets.get(prefab, (NONE, NONE))[1], "an effect's bundle")
    presentations = catalog.records("presentations", "16sHHI16sII")
    ascending([(row[0], row[1], row[3], row[2]) for row in presentations], "presentations")
    for *_, presentation, bundle, reserved in presentations:
        require(reserved == 0, "reserved is 0")
        require(bundle == assets.get(presentation, (NONE, NONE))[1], "a presentation's bundle")


def check_components(catalog):
    components = catalog.records("components", "16sIIIIII")
    offset, size, _ = catalog.directory["descriptions"]
    end = 0
    names = []
    for description_hash, name_at, name_size, size_bytes, alignment, start, length in components:
        names.append(catalog.text(name_at, name_size))
        require(size_bytes <= 65536, "size_bytes")
        require(0 < alignment <= 4096 and alignment & (alignment - 1) == 0, "alignment_bytes")
        require(start == end and start + length <= size, "descriptions have no gaps")
        end += length
        description = catalog.data[offset + start:offset + end]
        identity = check_description(names[-1], size_bytes, alignment, description)
        check_hash(description_hash, identity, "a component's hash")
    ascending(names, "components")
    require(end == size, "descriptions fill their section")


def check_variants(catalog, bundles):
    values = []
    for axis_at, axis_size, value_at, value_size, flags, *reserved in (
            catalog.records("variant_values", "IIIIHHI")):
        values.append((catalog.text(axis_at, axis_size), catalog.text(value_at, value_size), flags))
        require(flags in (0, 1, 2) and not any(reserved), "a value's flags and reserved")
        require(all(values[-1][:2]), "an axis and a value have names")
    require(len(values) <= 256, "at most 256 values")
    axes = list(dict.fromkeys(axis for axis, _, _ in values))
    require(len(axes) <= 8, "at most 8 axes")
    require([axis for axis, _, _ in values] ==
            [axis for axis in axes for other, _, _ in values if other == axis],
            "the values of an axis are consecutive")
    require(len({value[:2] for value in values}) == len(values), "each value once")
    for axis in axes:
        flags = [flag for other, _, flag in values if other == axis]
        require(flags.count(1) <= 1 and (2 not in flags or flags == [2]),
                "one default, or one value that is built in")
    keys = [key for (key,) in catalog.records("alternative_keys", "I")]
    alternatives = catalog.records("alternatives", "IIII")
    end = 0
    pairs = []
    for bundle, alternative, first, count in alternatives:
        require(max(bundle, alternative) < len(bundles), "alternatives are of bundles")
        require(bundles[bundle][5] != 2 and bundles[alternative][5] == 2,
                "a variant replaces a bundle that is not a variant")
        require(first == end and count > 0, "keys are in order, without gaps")
        end += count
        mine = keys[first:end]
        require(len(mine) == count, "keys are inside their section")
        require(all(key < len(values) and values[key][2] != 2 for key in mine), "keys are values")
        ascending(mine, "keys")
        require(len({values[key][0] for key in mine}) == count, "each key is of another axis")
        pairs.append((bundle, mine))
    ascending(pairs, "alternatives")
    require(end == len(keys), "keys fill their section")


def check_dictionaries(catalog):
    dictionaries = catalog.records("dictionaries", "16sIHH")
    require(len(dictionaries) <= 64, "at most 64 dictionaries")
    ids = [row[0][:4] for row in dictionaries]
    ascending([bytes(4)] + ids, "the first four bytes of dictionaries' hashes")
    for _, file_bytes, kind, reserved in dictionaries:
        require(0 < file_bytes <= 1 << 20 and 1 <= kind <= 5 and reserved == 0, "a dictionary")


def check_description(name, size_bytes, alignment, description):
    """Returns the bytes that the description's hash covers."""
    reader = Varints(description)
    identity = varint(len(name)) + name + struct.pack("<II", size_bytes, alignment)
    field_end = 0
    for _ in range(reader.varint()):
        field_name = reader.read(reader.varint())
        kind = reader.read(1)
        offset, count, element = reader.varint(), reader.varint(), reader.varint()
        unit = reader.read(reader.varint())
        numbers, codes = reader.read(32), reader.read(3)
        rollback, sampling, missing = codes[2] & 15, codes[2] >> 4 & 3, codes[2] >> 6
        require(kind[0] <= 16 and codes[0] <= 2 and codes[1] <= 3, "field codes")
        require(rollback <= 1 and sampling <= 2 and missing <= 2, "a field's rules")
        require(offset >= field_end and count > 0 and element > 0, "fields do not overlap")
        field_end = offset + count * element
        identity += varint(len(field_name)) + field_name + kind
        identity += struct.pack("<III", offset, count, element)
        identity += varint(len(unit)) + unit + numbers + codes[:2] + bytes([codes[2] & 63])
        names = reader.varint()
        identity += varint(names)
        for _ in range(names):
            word = reader.read(reader.varint())
            identity += varint(len(word)) + word
    require(field_end <= size_bytes, "fields are inside the component")
    reader.read(size_bytes)
    require(reader.at == len(description), "a description has the length in its record")
    return identity


CHECKS = {b"MBND": check_bundle, b"MCAT": check_catalog,
          b"MOBJ": lambda data, _: check_object(data), b"MPFB": lambda data, _: check_prefab(data),
          b"\x37\xa4\x30\xec": check_dictionary}


def main(paths):
    if not paths:
        print(__doc__)
        return 2
    status = 0
    for path in paths:
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError as error:
            print(f"{path}: {error}")
            status = 2
            continue
        try:
            check = CHECKS.get(data[:4])
            require(check is not None, "a known magic number")
            print(f"{path}: good: {check(data, path)}")
        except (Broken, UnicodeDecodeError) as broken:
            print(f"{path}: BROKEN: {broken}")
            status = max(status, 1)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
