"""Schemas and recordings by REPLICATION_FORMAT.md."""

from encoding import fields, require
from snapshot_model import Lane, Type

KINDS = {0: "number", 1: "angle", 2: "symbol", 3: "tick", 5: "rotation", 6: "opaque"}


class Bytes:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def read(self, layout):
        values = fields(self.data, self.at, layout)
        self.at += sum({"B": 1, "H": 2, "I": 4, "q": 8, "Q": 8, "d": 8}[c] for c in layout)
        return values

    def bytes(self, count):
        require(self.at + count <= len(self.data), "bytes lie inside")
        self.at += count
        return self.data[self.at - count:self.at]

    def name(self):
        (count,) = self.read("B")
        require(count >= 1, "a name is not empty")
        return self.bytes(count)

    def at_end(self):
        return self.at == len(self.data)


class ValueField:
    """A field of a component, and the lanes of each of its values."""

    def __init__(self, data):
        self.name = data.name()
        (self.count, self.low, self.high, self.receivers, kind, self.period, _, _,
         _) = data.read("HqqBBQBdd")
        require(kind in KINDS and self.receivers <= 2, "a field has a kind and receivers")
        require(self.low <= self.high, "a range is not empty")
        self.kind = KINDS[kind]

    def lanes(self):
        maximum = self.high - self.low
        for i in range(self.count):
            if self.kind == "rotation" and i % 4 == 0:
                yield [Lane("dropped", 3)]
            elif maximum >= 1 << 32:
                yield [Lane("symbol", maximum >> 32), Lane("opaque", 0xFFFFFFFF)]
            else:
                yield [Lane(self.kind, maximum, self.period, self.count > 1)]


class Schema:
    """The types of a schema in which every field is for everyone."""

    def __init__(self, content):
        data = Bytes(content)
        require(data.read("I") == (0x3153524D,), "a schema begins with MRS1")
        components = []
        for _ in range(data.read("H")[0]):
            data.name()
            components.append([ValueField(data) for _ in range(data.read("H")[0])])
        self.types = []
        self.lows = []  # For each type and value: minimum and number of lanes.
        for _ in range(data.read("H")[0]):
            _, count = data.read("IH")
            lanes, lows, fields_of_values = [], [], []
            for component in data.read("H" * count):
                require(component < len(components), "a type names components")
                for field in components[component]:
                    require(field.receivers == 0, "every field is for everyone")
                    for parts in field.lanes():
                        lanes += parts
                        lows.append((field.low, len(parts)))
                        fields_of_values.append((field, parts))
            initial = data.read("q" * data.read("H")[0])
            require(len(initial) in (0, len(lows)), "a type has all initial values or none")
            for value, (field, parts) in zip(initial, fields_of_values):
                require(field.low <= value <= field.high, "an initial value is inside its range")
                parts[-1].initial_value = value - field.low & 0xFFFFFFFF
                if len(parts) == 2:
                    parts[0].initial_value = value - field.low >> 32
            self.types.append(Type(lanes))
            self.lows.append(lows)
        require(data.at_end(), "nothing follows a schema")

    def values(self, number, lanes):
        """Returns the values of an entity of the type with this number."""
        values, at = [], 0
        for low, count in self.lows[number]:
            value = lanes[at] if count == 1 else lanes[at] << 32 | lanes[at + 1]
            values.append(low + value)
            at += count
        return values


class Recording:
    """A recording: `records` are (kind, tick, bytes)."""

    def __init__(self, content):
        data = Bytes(content)
        require(data.read("I") == (0x3452524D,), "a recording begins with MRR4")
        self.ticks_per_second, self.coder, schema_size, model_size = data.read("HBII")
        require(self.coder <= 4, "a recording names a coder")
        self.schema = Schema(data.bytes(schema_size))
        self.model = data.bytes(model_size)
        self.records = []
        keyframes, index = [], None
        while index is None:
            offset = data.at
            kind, tick, count = data.read("BII")
            require(1 <= kind <= 5, "a record has a kind")
            record = data.bytes(count)
            if kind == 1:
                keyframes.append((tick, offset))
            if kind == 5:
                index = Bytes(record)
                require(data.read("QI") == (offset, 0x4552524D), "a recording ends with MRRE")
            else:
                self.records.append((kind, tick, record))
        require(data.at_end(), "nothing follows the end of a recording")
        for keyframe in keyframes:
            require(index.read("IQ") == keyframe, "the index names the keyframes")
        require(index.at_end(), "the index names nothing else")
