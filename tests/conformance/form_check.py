"""Checks the object form and the prefab form: BUNDLE_FORMAT.md, sections 3 and 4."""

import math
import struct

from encoding import NONE, Varints, ascending, fields, require


# --- 3. object form


class ObjectForm:
    def __init__(self, data):
        self.data = data
        counts = fields(data, 8, "7I")
        (self.documents, self.strings, self.text_bytes, self.guids, self.references,
         self.value_bytes, total) = counts
        self.strings_at = 48 + self.documents * 32
        self.text_at = self.strings_at + self.strings * 4
        self.guids_at = self.text_at + self.text_bytes
        self.references_at = self.guids_at + self.guids * 16
        self.values_at = self.references_at + self.references * 24
        require(total == len(data) == self.values_at + self.value_bytes, "total_bytes")
        self.used = {"strings": set(), "guids": set(), "references": set()}

    def use(self, table, index):
        require(index < getattr(self, table), f"an index into {table}")
        self.used[table].add(index)


def check_object(data):
    magic, version, flags = fields(data, 0, "4sHH")
    require(magic == b"MOBJ" and version == 1 and flags == 0, "magic, version, flags")
    require(len(data) >= 48 and not any(data[36:48]), "reserved is 0")
    form = ObjectForm(data)
    ends = [0] + [fields(data, form.strings_at + i * 4, "I")[0] for i in range(form.strings)]
    require(all(a <= b for a, b in zip(ends, ends[1:])), "string ends do not fall")
    require(ends[-1] == form.text_bytes, "strings fill the text")
    ascending([data[form.text_at + a:form.text_at + b] for a, b in zip(ends, ends[1:])], "strings")
    guid_rows = [fields(data, form.guids_at + i * 16, "16s") for i in range(form.guids)]
    ascending(guid_rows, "guids")
    documents = [fields(data, 48 + i * 32, "qqIIII") for i in range(form.documents)]
    check_references(form, [row[1] for row in documents])

    values = Varints(data, form.values_at)
    for _, _, value_offset, type_name, flags, reserved in documents:
        require(flags in (0, 1) and reserved == 0, "document flags")
        if type_name != NONE:
            form.use("strings", type_name)
        if value_offset != NONE:
            require(value_offset == values.at - form.values_at, "values lie without gaps")
            check_value(form, values, 1)
    require(values.at == len(data), "values fill the rest")
    for table, used in form.used.items():
        require(len(used) == getattr(form, table), f"every record of {table} is used")
    return f"{form.documents} documents, {form.strings} strings, {form.references} references"


def check_references(form, file_ids):
    keys = []
    for i in range(form.references):
        row = fields(form.data, form.references_at + i * 24, "IiqII")
        guid, kind, file_id, document, reserved = row
        keys.append((guid, file_id, kind))
        require(reserved == 0, "reserved is 0")
        if guid == NONE:
            resolved = file_ids.index(file_id) if file_id != 0 and file_id in file_ids else NONE
            require(kind == 0 and document == resolved, "a local reference is resolved")
        else:
            form.use("guids", guid)
            require(document == NONE, "an external reference has no document")
    ascending(keys, "references")


def check_value(form, values, depth):
    require(depth <= 256, "values nest at most 256 deep")
    tag = values.take(1)[0]
    kind, style = tag & 15, tag >> 4
    require(style <= 2 and (style == 0 or kind == 4), "style")
    if kind == 0:
        return
    if kind == 1:
        values.varint()
    elif kind in (2, 3):
        number = struct.unpack("<f" if kind == 2 else "<d", values.take(4 if kind == 2 else 8))[0]
        require(math.isfinite(number), "a number is finite")
    elif kind in (4, 7, 8, 9):
        table = {4: "strings", 7: "references", 8: "guids", 9: "guids"}[kind]
        form.use(table, values.varint())
    else:
        require(kind in (5, 6), "a kind from 0 to 9")
        child_count, content_bytes = values.varint(), values.varint()
        end = values.at + content_bytes
        for _ in range(child_count):
            if kind == 5:
                key = values.varint()
                require(key & 3 <= 2, "style of a key")
                form.use("strings", key >> 2)
            check_value(form, values, depth + 1)
        require(values.at == end, "content size")


# --- 4. prefab form


def check_prefab(data):
    magic, version, flags = fields(data, 0, "4sHH")
    entities, components, descriptions, text_bytes, data_bytes, total = fields(data, 8, "6I")
    require(magic == b"MPFB" and version == 1 and flags == 0, "magic, version, flags")
    require(not any(data[32:48]), "reserved is 0")
    require(1 <= entities <= 1 << 20 and components <= 1 << 22 and descriptions <= 65536, "counts")
    component_at = 48 + entities * 32
    description_at = component_at + components * 32
    text_at = description_at + descriptions * 32
    data_at = (text_at + text_bytes + 7) // 8 * 8
    require(total == len(data) == data_at + data_bytes, "total_bytes")
    require(not any(data[text_at + text_bytes:data_at]), "padding is zero")
    text_end = 0

    def text(start, length):
        nonlocal text_end
        require(start == text_end and length <= 65535, "texts lie in order, without gaps")
        text_end += length
        require(text_end <= text_bytes, "a text lies inside")
        return data[text_at + start:text_at + start + length]

    chain, component_end = [], 0
    for i in range(entities):
        _, parent, first, count, name_at, name_size, flags = fields(data, 48 + i * 32, "qIIIIII")
        while chain and chain[-1] != parent:
            chain.pop()
        require(parent == NONE or chain, "entities are in depth-first order")
        chain.append(i)
        require(first == component_end and flags in (0, 1), "components of an entity; flags")
        component_end += count
        text(name_at, name_size)
    require(component_end == components, "component_count")

    sizes = [fields(data, description_at + i * 32 + 24, "I")[0] for i in range(descriptions)]
    used, data_end = set(), 0
    for i in range(components):
        row = fields(data, component_at + i * 32, "qIIIIII")
        _, description, _, offset, size, type_at, type_size = row
        text(type_at, type_size)
        if description == NONE:
            require(offset == size == 0, "no data without a description")
            continue
        require(description < descriptions and type_size == 0, "description and type")
        used.add(description)
        require(offset == (data_end + 7) // 8 * 8, "data ranges are aligned, without other gaps")
        require(not any(data[data_at + data_end:data_at + offset]), "padding is zero")
        require(size == sizes[description] <= 65536, "data has the description's size")
        data_end = offset + size
    require(data_end == data_bytes, "data_bytes")
    require(len(used) == descriptions, "every description is used")
    names = []
    for i in range(descriptions):
        _, name_at, name_size, _, reserved = fields(data, description_at + i * 32, "16sIIII")
        require(reserved == 0, "reserved is 0")
        names.append(text(name_at, name_size))
    ascending(names, "descriptions")
    require(text_end == text_bytes, "texts fill their section")
    return f"{entities} entities, {components} components"
