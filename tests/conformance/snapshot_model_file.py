"""The model file of SNAPSHOT_FORMAT.md."""

from encoding import require
from snapshot_coders import RangeReader
from snapshot_model import Lane, Model, Type, probability_of_step

KINDS = ("number", "angle", "symbol", "tick", "dropped", "rotation", "opaque")
PARTNERS = ("difference", "turn", "heading")
BLOCKS = (("entity", 56), ("kTick", 454), ("kSymbol", 562), ("kNumber", 1322))
CORRECTIONS = 1 << 16


class Subject:
    """The probabilities of the numbers about one subject."""

    def __init__(self):
        self.zero = [1 << 15]
        self.negative = [1 << 15]
        self.lengths = [1 << 15] * 33
        self.low = [[1 << 15] * 8 for _ in range(33)]


class File(RangeReader):
    """Reads numbers with probabilities that adapt to the previous numbers."""

    class NoModel:
        probabilities = ()

    def __init__(self, data):
        require(data[:4] == b"MSM2", "a model file begins with its magic")
        super().__init__(self.NoModel, data[4:])
        self.subjects = {}

    def adaptive(self, probabilities, index):
        p = probabilities[index]
        bit = self.decide(p)
        p = p + (65535 - p >> 5) if bit else p - (p >> 5)
        probabilities[index] = max(64, min(65472, p))
        return bit

    def number(self, subject, minimum, maximum):
        state = self.subjects.get(subject)
        if state is None:
            state = self.subjects[subject] = Subject()
        value = 0
        if not self.adaptive(state.zero, 0):
            negative = self.adaptive(state.negative, 0)
            length = 1
            while length < 33 and self.adaptive(state.lengths, length - 1):
                length += 1
            value = 1
            for done in range(length - 1):
                value = value * 2 + (self.adaptive(state.low[length - 1], value & 7) if done < 3
                                     else self.even_bit())
            value = -value if negative else value
        require(minimum <= value <= maximum, f"a number about {subject} is within its limits")
        return value

    def count(self, maximum):
        return self.number("count", 0, maximum)

    def name(self):
        return bytes(self.number("letter", 0, 255) for _ in range(self.count(256)))

    def lane(self):
        self.name()
        kind = KINDS[self.number("lane", 0, 6)]
        maximum = self.number("range", 0, (1 << 32) - 1)
        period = self.number("range", 0, (1 << 32) - 1)
        of_vector = self.number("lane", 0, 1)
        self.number("lane", 0, 2)
        return Lane(kind, maximum, period, bool(of_vector))

    def type(self):
        self.name()
        kind = Type([self.lane() for _ in range(self.count(1024))])
        last = len(kind.lanes)
        before = -1
        kind.order = []
        for _ in kind.lanes:
            before += self.number("order", -last, last)
            kind.order.append(before)
        require(sorted(kind.order) == list(range(last)), "an order has every lane once")
        for lane in kind.lanes:
            self.trained(lane, last - 1)
        return kind

    def trained(self, lane, last):
        lane.initial_value = self.number("initial_value", 0, lane.maximum)
        lane.change_partners = [self.number("partner", 0, last) for _ in range(self.count(3))]
        if not lane.is_predicted():
            return
        for _ in range(self.count(4)):
            kind = PARTNERS[self.number("partner", 0, 2)]
            lane.partners.append((kind, self.number("partner", 0, last),
                                  self.number("partner", 0, last)))
        inputs = 8 + 4 * len(lane.partners)
        lane.weights = [[self.number(("weight", i), -(1 << 22), 1 << 22) for i in range(inputs)]
                        for _ in range(6)]
        lane.size_weights = [self.number(("size", i), -(1 << 15) + 1, (1 << 15) - 1)
                             for i in range(19)]


def read_model(data):
    file = File(data)
    types = [file.type() for _ in range(file.count(4096))]
    tables = {name: [128] * count for name, count in BLOCKS}
    model = Model(types, {**tables, "kEntity": tables["entity"], "kSizes": [0] * 19})
    for name, count in BLOCKS:
        firsts = []
        for kind in types:
            if name == "entity":
                firsts.append(kind.first_slot)
            firsts += [lane.first_slot for lane in kind.lanes if lane.table() == name]
        for slot in range(count if firsts else 0):
            commonest = 128 + file.number("pool", -128, 127)
            for first in firsts:
                step = commonest + file.number("slot", -commonest, 255 - commonest)
                model.probabilities[first + slot] = probability_of_step(step)
    model.codes = huffman_codes(bytes(file.number("huffman", 0, 255)
                                      for _ in range(file.count(1 << 21))))
    if file.count(1):
        model.corrections = [[file.number(("correction", i), -127, 127)
                              for _ in range(CORRECTIONS)] for i in range(12)]
    file.finish()
    return model


def huffman_codes(data):
    """Returns the lengths of each context. The context None is the default."""
    require(data[:1] == b"\x10", "a code has sixteen symbols")
    codes = {None: list(data[1:17])}
    count = int.from_bytes(data[17:19], "little")
    require(len(data) == 19 + 19 * count, "a table has the stated number of contexts")
    for first in range(19, len(data), 19):
        context = int.from_bytes(data[first:first + 2], "little")
        require(data[first + 2] == 16, "a code has sixteen symbols")
        codes[context] = list(data[first + 3:first + 19])
    return codes
