"""Readers of decisions by SNAPSHOT_FORMAT.md: the range coder, mixing and plain bits."""

import functools
import math

from encoding import require

HALF = 1 << 32
MASK = (1 << 64) - 1


class RangeReader:
    """Reads decisions that are coded in an interval of 64-bit numbers."""

    is_plain = False

    def __init__(self, model, data):
        self.probabilities = model.probabilities
        self.data = data
        self.low, self.high = 0, MASK
        self.at = 0  # Number of bytes that have left the interval.
        self.code = int.from_bytes(self.byte(0, 8), "big")

    def byte(self, at, count):
        return (self.data[at:at + count] + bytes(count))[:count]

    def decide(self, probability):
        middle = self.low + ((self.high - self.low) * probability >> 16)
        bit = self.code <= middle
        if bit:
            self.high = middle
        else:
            self.low = middle + 1
        while self.low >> 32 == self.high >> 32:
            self.low = self.low << 32 & MASK
            self.high = self.high << 32 & MASK | HALF - 1
            self.at += 4
            require(self.at <= len(self.data) + 8, "at most eight zeros after the end are read")
            self.code = (self.code << 32 & MASK
                         | int.from_bytes(self.byte(self.at + 4, 4), "big"))
        return int(bit)

    def bit(self, slot):
        return self.decide(self.probabilities[slot])

    def bit_of(self, probability):
        """Returns a decision with a computed probability."""
        return self.decide(probability)

    def see_in(self, contexts):
        """Sets the contexts of the next decisions for `mix`; other coders do not call it."""

    def bit_in(self, slot, node):
        """Returns a decision about an entity or its lanes, which `mix` reads with contexts."""
        del node
        return self.bit(slot)

    def even_bit(self):
        return self.decide(1 << 15)

    def even(self, count):
        value = 0
        for _ in range(count):
            value = value * 2 + self.even_bit()
        return value

    def finish(self):
        """Requires that the bytes end with the shortest string in the interval."""
        for count in range(9):
            step = 1 << 64 - 8 * count
            point = -(-self.low // step) * step
            if point <= self.high:
                end = point.to_bytes(9, "big")[1:1 + count]
                require(self.data[self.at:] == end, "the end is the shortest one")
                return
        require(False, "some eight bytes are inside the interval")


ODDS_MAX = 768
MASK_32 = (1 << 32) - 1


def _probability_of(odds):
    """Returns the probability for odds in units of 1/64."""
    if odds < 0:
        return 65536 - _probability_of(-odds)
    return min(65535, int(65536 / (1 + math.exp(-odds / 64)) + 0.5))


def _odds_table():
    of_odds = [(odds, _probability_of(odds)) for odds in range(-ODDS_MAX, ODDS_MAX + 1)]
    table = []
    for first in range(0, 65536, 16):
        middle = first + 8
        table.append(min(of_odds, key=lambda one: (abs(one[1] - middle), -one[0]))[0])
    return table


ODDS = []
PROBABILITIES = []


class MixReader(RangeReader):
    """Returns a probability, corrected by twelve contexts if the model has corrections."""

    def __init__(self, model, data):
        super().__init__(model, data)
        self.corrections = model.corrections
        self.contexts = ()
        if not ODDS:
            ODDS.extend(_odds_table())
            PROBABILITIES.extend(_probability_of(odds)
                                 for odds in range(-ODDS_MAX, ODDS_MAX + 1))

    def see_in(self, contexts):
        self.contexts = contexts() if self.corrections else ()

    def bit_in(self, slot, node):
        odds = ODDS[self.probabilities[slot] >> 4]
        for table, context in zip(self.corrections or (), self.contexts):
            mixed = (context + node * 0x85EBCA6B) * 0xC2B2AE35 & MASK_32
            odds += table[mixed >> 16] * 4
        return self.decide(PROBABILITIES[max(0, min(odds + ODDS_MAX, 2 * ODDS_MAX))])


BUCKET_BITS = [0, 0, 1, 2, 3, 4, 6, 8, 10, 12, 15, 18, 21, 24, 27, 32]
BUCKET_FIRST = [0, 1, 2, 4, 8, 16, 32, 96, 352, 1376, 5472, 38240, 300384, 2397536, 19174752,
                153392480]
DEFAULT_LENGTHS = [2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 6, 6, 6]


@functools.lru_cache(maxsize=None)
def _codes(lengths):
    """Returns canonical codes, as a dict from (length, code) to the symbol."""
    codes = {}
    code = length_before = 0
    for length, symbol in sorted((length, symbol) for symbol, length in enumerate(lengths)):
        code = (code + 1 if codes else 0) << (length - length_before)
        codes[length, code] = symbol
        length_before = length
    return codes


class PlainReader:
    """Reads decisions of one bit each. The first decision is the lowest bit of the first byte."""

    is_plain = True

    def __init__(self, model, data, has_codes=False, predicts=False):
        self.lengths = model.codes
        self.data = data
        self.at = 0
        self.has_codes = has_codes
        self.predicts = predicts

    def even_bit(self):
        require(self.at < 8 * len(self.data), "a decision is inside the bytes")
        self.at += 1
        return self.data[self.at - 1 >> 3] >> (self.at - 1 & 7) & 1

    def bit(self, slot):
        del slot
        return self.even_bit()

    def bit_of(self, probability):
        del probability
        return self.even_bit()

    def see_in(self, contexts):
        pass

    def bit_in(self, slot, node):
        del slot, node
        return self.even_bit()

    def even(self, count):
        value = 0
        for _ in range(count):
            value = value * 2 + self.even_bit()
        return value

    def low_first(self, count):
        return sum(self.even_bit() << i for i in range(count))

    def code_of(self, context):
        lengths = self.lengths.get(context, self.lengths.get(None, DEFAULT_LENGTHS))
        return _codes(tuple(lengths))

    def symbol(self, context):
        codes = self.code_of(context)
        code = length = 0
        while (length, code) not in codes:
            require(length < 6, "a code has at most six bits")
            code = code * 2 + self.even_bit()
            length += 1
        return codes[length, code]

    def packed(self, context):
        bucket = self.symbol(context)
        return BUCKET_FIRST[bucket] + self.low_first(BUCKET_BITS[bucket])

    def finish(self):
        while self.at % 8 != 0:
            require(self.even_bit() == 0, "zero bits fill up the last byte")
        require(self.at == 8 * len(self.data), "no bytes follow the last decision")


def reader_of(coder, model, data):
    """Returns a reader for the coder of this number, as in the `begin` message."""
    if coder < 2:
        return (RangeReader, MixReader)[coder](model, data)
    return PlainReader(model, data, has_codes=coder != 3, predicts=coder == 4)


def read_number(reader, lengths, low, longest=33):
    """Reads a number of at least 1: its length in unary, then the bits after the leading one."""
    def bit(slot, node):
        return reader.bit(slot) if low is None else reader.bit_in(slot, node)
    length = 1
    while length < longest and bit(lengths + min(length, 18) - 1, 32 + length):
        length += 1
    value = 1
    for done in range(length - 1):
        if low is None or done >= 3:
            value = value * 2 + reader.even_bit()
        else:
            slot = low + (min(length, 18) - 1) * 7 + value - 1
            value = value * 2 + bit(slot, 72 + 8 * length + value - 1)
    return value
