"""The lanes of an entity by SNAPSHOT_FORMAT.md, "Plain entities": `huffman`, `raw`, `reference`."""

from encoding import require
from snapshot_contexts import bounded
from snapshot_lanes import quotient
from snapshot_model import UNORDERED


def expectation(lane, now, ticks, past):
    """Returns the value that `reference` expects, and whether it is expected to be missed."""
    if len(past) < 3:
        return past[0], False
    (t0, t1, t2), (b0, b1, b2) = ticks[:3], past[:3]
    if lane.kind not in UNORDERED:
        f0 = min(16 * (t0 - t2) // (t1 - t2), 1 << 28)
        f = min(16 * (now - t1) // (t0 - t1), 1 << 28)
        p = b2 + quotient((b1 - b2) * f0, 16)
        if abs(b0 - p) < abs(b0 - b1):
            return bounded(b1 + quotient((b0 - b1) * f, 16), 0, lane.maximum), p != b0
    return b0, b0 != b1 and b1 != b2


def read_lane(reader, lane, expected, context):
    if lane.maximum <= 1:
        return expected ^ 1
    if not reader.has_codes or lane.kind in UNORDERED:
        return reader.low_first(lane.maximum.bit_length())
    folded = reader.packed(context)
    return (expected - (folded >> 1 ^ -(folded & 1))) % (1 << 32)


def read_entity(reader, kind, now=0, ticks=(), states=()):
    """Reads all lanes of an entity, given its known states, or none for a new entity."""
    values = []
    for first in range(0, len(kind.lanes), 4):
        lanes = kind.lanes[first:first + 4]
        expected, likely_missed = [], 0
        for i, lane in enumerate(lanes, first):
            value, missed = lane.initial_value, False
            if states:
                past = [state[i] for state in states]
                value, missed = (expectation(lane, now, ticks, past) if reader.predicts
                                 else (past[0], False))
            expected.append(value)
            likely_missed |= missed << i - first
        context = kind.first_context + first // 4
        mask = reader.symbol(context) if reader.has_codes else reader.low_first(len(lanes))
        mask ^= likely_missed
        require(mask < 1 << len(lanes), "a mask has as many bits as lanes")
        for i, lane in enumerate(lanes):
            value = expected[i]
            if mask >> i & 1:
                context = kind.first_context + (len(kind.lanes) + 3) // 4 + first + i
                value = read_lane(reader, lane, value, context)
            require(0 <= value <= lane.maximum, "a lane's value is in its range")
            values.append(value)
    return values
