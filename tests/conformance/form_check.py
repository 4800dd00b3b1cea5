"""Checks the object form and the prefab form: BUNDLE_FORMAT.md, sections 3 and 4."""

import math
import struct

from encoding import Varints, ascending, fields, require


# --- 3. object form


class ObjectForm:
    def __init__(self, data):
        self.data = data
        self.documents, total = fields(data, 8, "II")
        require(self.documents <= 1 << 22, "document_count")
        marks = max(self.documents - 1, 0) // 16
        self.file_ids = fields(data, 16, f"{self.documents}q")
        self.sizes = fields(data, 16 + self.documents * 8, f"{self.documents}I")
        self.marks = fields(data, 16 + self.documents * 12, f"{marks}I")
        self.documents_at = 16 + self.documents * 12 + marks * 4
        require(total == len(data) == self.documents_at + sum(self.sizes), "total_bytes")
        self.values = 0


def check_object(data):
    magic, version, flags = fields(data, 0, "4sHH")
    require(magic == b"MOBJ" and version == 2 and flags == 0, "magic, version, flags")
    form = ObjectForm(data)
    at = form.documents_at
    for index, size in enumerate(form.sizes):
        if index and index % 16 == 0:
            require(form.marks[index // 16 - 1] == at - form.documents_at, "marks")
        check_document(form, Varints(data[at:at + size]), index)
        at += size
    return f"{form.documents} documents, {form.values} values"


def check_document(form, document, index):
    document.varint()  # The class.
    require(document.read(1)[0] <= 1, "document flags")
    name = document.varint()
    require(name != 2, "a type name is not empty")
    type_name = document.read(name - 2) if name > 2 else None
    first_key = None
    if document.at < len(document.data):
        first_key = check_value(form, document, index, 1, True)
    require(document.at == len(document.data), "a value ends with its document")
    # A writer that does not know a script's class uses the first key.
    require(name == 1 if type_name is None and first_key is not None else name != 1, "type name")
    require(type_name is None or type_name != first_key, "a first key is not written twice")


def check_value(form, values, index, depth, is_last):
    """Checks a value; returns the first key of a mapping."""
    require(depth <= 256, "values nest at most 256 deep")
    form.values += 1
    tag = values.read(1)[0]
    kind, variety = tag & 15, tag >> 4
    require(variety <= {4: 2, 5: 1, 6: 1, 7: 2}.get(kind, 0), "a form of the kind")
    if kind == 1:
        values.varint()
    elif kind in (2, 3):
        number = struct.unpack("<f" if kind == 2 else "<d", values.read(4 if kind == 2 else 8))[0]
        require(math.isfinite(number), "a number is finite")
    elif kind == 4:
        values.read(values.varint())
    elif kind == 7:
        check_reference(form, values, index, variety)
    elif kind in (8, 9):
        values.read(16)
    elif kind != 0:
        require(kind in (5, 6), "a kind from 0 to 9")
        return check_children(form, values, index, depth, is_last)
    return None


def check_children(form, values, index, depth, is_last):
    start = values.at - 1
    is_mapping, is_sized = values.data[start] & 15 == 5, values.data[start] >> 4 == 1
    child_count = values.varint()
    stated_bytes = values.varint() if is_sized else None
    first_key, start = None, values.at
    for i in range(child_count):
        if is_mapping:
            key = values.varint()
            require(key & 3 <= 2, "style of a key")
            text = values.read(key >> 2)
            first_key = text if i == 0 else first_key
        check_value(form, values, index, depth + 1, i == child_count - 1)
    content_bytes = values.at - start
    require(is_sized == (content_bytes >= 256 and not is_last), "long content follows its size")
    require(not is_sized or stated_bytes == content_bytes, "content size")
    return first_key


def check_reference(form, values, index, variety):
    if variety == 2:
        values.read(16)
    number = values.signed_varint()
    if variety == 0:
        require(number == 0 or number not in form.file_ids, "a local reference has its own form")
    elif variety == 1:
        target = index + number
        require(0 <= target < form.documents, "a document of the file")
        file_id = form.file_ids[target]
        require(file_id != 0 and form.file_ids.index(file_id) == target, "the first of its file id")
    else:
        require(-(1 << 31) <= values.signed_varint() < 1 << 31, "a type of 32 bits")


# --- 4. prefab form


def check_prefab(data):
    magic, version, flags = fields(data, 0, "4sHH")
    (entities, components, types, descriptions, text_bytes, data_bytes, total,
     reserved) = fields(data, 8, "8I")
    require(magic == b"MPFB" and version == 2 and flags == 0, "magic, version, flags")
    require(reserved == 0, "reserved is 0")
    require(1 <= entities <= 1 << 20 and components <= 1 << 22, "counts")
    require(descriptions <= types <= 65536, "counts of types")
    at = 40

    def column(count, layout):
        nonlocal at
        values = fields(data, at, f"{count}{layout}")
        at += struct.calcsize(f"<{count}{layout}")
        return values

    column(entities, "q")
    at += descriptions * 16
    parents, component_ends = column(entities, "I"), column(entities, "I")
    text_ends = column(entities + types, "I")
    type_of, _ = column(components, "I"), column(components, "I")
    data_ends = column(components if descriptions else 0, "I")
    data_sizes, entity_flags = column(descriptions, "I"), column(entities, "B")
    text, at = data[at:at + text_bytes], at + text_bytes
    data_at = (at + 7) // 8 * 8
    require(total == len(data) == data_at + data_bytes, "total_bytes")
    require(not any(data[at:data_at]), "padding is zero")
    check_hierarchy(parents)
    require(max(entity_flags) <= 1, "flags of an entity")
    require(all(a <= b for a, b in zip((0,) + component_ends, component_ends)), "component ends")
    require(component_ends[-1] == components, "component_count")
    require(all(0 <= b - a <= 65535 for a, b in zip((0,) + text_ends, text_ends)), "lengths")
    require(text_ends[-1] == text_bytes, "texts fill their section")
    names = [text[a:b] for a, b in zip((0,) + text_ends, text_ends)][entities:]
    ascending(names[:descriptions], "described types")
    ascending(names[descriptions:], "other types")
    require(set(type_of) == set(range(types)), "every type is used")
    require(all(size <= 65536 for size in data_sizes), "size of a description")
    check_data(data[data_at:], type_of, data_ends, data_sizes)
    return f"{entities} entities, {components} components"


def check_hierarchy(parents):
    chain = []
    for i, offset in enumerate(parents):
        while chain and (offset == 0 or chain[-1] != i - offset):
            chain.pop()
        require(offset == 0 or chain, "entities are in depth-first order")
        chain.append(i)


def check_data(data, type_of, data_ends, data_sizes):
    end = 0
    for kind, stored in zip(type_of, data_ends):
        if kind < len(data_sizes):
            start = (end + 7) // 8 * 8
            require(not any(data[end:start]), "padding is zero")
            end = start + data_sizes[kind]
        require(stored == end, "data ranges are aligned, without other gaps")
    require(end == len(data), "data_bytes")
