"""The built-in model of SNAPSHOT_FORMAT.md: slots, their probabilities, weights of sizes."""

import math
import re

# Slots of the snapshot itself, and their probabilities in 1/65536.
HAS_REFERENCE, OLDER_REFERENCE, ODD_TICK, DEFERS, _, IS_PART, ENDS = range(7)
GONE, ANOTHER_NEW, NEW_GENERATION, ANY_NEW, BLOCK_CHANGES = range(7, 12)
GROUP_CHANGES = 14
ID_GAP = 20
REFERENCE_AFTER_GAP = 38
PER_SNAPSHOT = [64880, 62259, 1310, 6553, 45875, 1310, 16, 196, 6553, 6553, 3276,
                32768, 1310, 39321, 2621, 10485, 19660, 29491, 45875, 52428,
                *[32768] * 18, 52428, 6553]
PER_ENTITY = 56

LENGTHS = 18
LOW_NODES = 7
LOW = LENGTHS * LOW_NODES
PER_NEW = 2 + LENGTHS + LOW

# Slots of numbers, of symbols, of ticks.
SIDE = 24 * 9 * 2 + 32
LENGTH = SIDE + 3 * 9 * 3
LOW_BITS = LENGTH + (24 + 4) * LENGTHS
OTHER_SPELLING = LOW_BITS + LOW
NUMBER_NEW = OTHER_SPELLING + 1
SYMBOL_TREE = 5 * 8 * 4
TREE_MAX = 16
SYMBOL_NEW = SYMBOL_TREE + TREE_MAX * TREE_MAX
TICK_SAME_AGE = 5 * 8 * 4
TICK_AGE = TICK_SAME_AGE + 4
TICK_NEW = TICK_AGE + LENGTHS + LOW

ONE = 1 << 14  # One, as a weight.
UNORDERED = ("symbol", "opaque", "dropped")


class Lane:
    """One lane of a type: its schema, and the first of its slots."""

    def __init__(self, kind, maximum, period=0, of_vector=False):
        self.kind = kind
        self.maximum = maximum
        self.period = period
        self.of_vector = of_vector
        self.first_slot = 0
        self.initial_value = 0
        self.change_partners = []
        self.partners = []  # For each: its kind, its lane, its angle's lane.
        # These weights continue a straight line, or half of the distance if no line is known.
        self.weights = [[weight] + [0] * 7 for weight in (ONE, ONE, ONE, ONE // 2, 0, ONE // 2)]
        self.size_weights = []

    def is_predicted(self):
        return self.table() == "kNumber"

    def table(self):
        if self.kind in UNORDERED:
            return "kSymbol"
        return "kTick" if self.kind == "tick" else "kNumber"

    def rank(self):
        if self.kind in ("symbol", "tick", "opaque"):
            return 0
        if self.kind == "angle":
            return 1
        if self.kind == "number":
            return 3 if self.of_vector else 2
        return 4


class Type:
    def __init__(self, lanes):
        self.lanes = lanes
        self.order = sorted(range(len(lanes)), key=lambda lane: lanes[lane].rank())
        self.first_slot = 0
        self.first_context = 0


def read_tables(text):
    """Returns the tables of built_in_tables.h by name."""
    tables = {}
    for name, body in re.findall(r"(k\w+) = \{+([^}]*)\}", text):
        tables[name] = [int(number) for number in body.replace("\n", " ").split(",")
                        if number.strip()]
    return tables


def probability_of_step(step):
    odds = math.exp((step - 128) / 12)
    return int(65536 * odds / (1 + odds) + 0.5)


class Model:
    """Types with their slots. All other data is that of the built-in model."""

    def __init__(self, types, tables):
        self.types = types
        self.probabilities = list(PER_SNAPSHOT)
        self.codes = {}  # Lengths of Huffman codes by context; None is the default.
        self.corrections = None
        context = 0
        for kind in types:
            kind.first_context = context
            context += (len(kind.lanes) + 3) // 4 + len(kind.lanes)
            kind.first_slot = self.add(tables["kEntity"])
            for lane in kind.lanes:
                lane.first_slot = self.add(tables[lane.table()])
                if not lane.size_weights:
                    lane.size_weights = tables["kSizes"]

    def add(self, steps):
        first = len(self.probabilities)
        self.probabilities += [probability_of_step(step) for step in steps]
        return first
