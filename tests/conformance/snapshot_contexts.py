"""The contexts of the coder `mix` by SNAPSHOT_FORMAT.md, "Mixing"."""

from snapshot_coders import MASK_32
from snapshot_model import TREE_MAX


def bounded(value, minimum, maximum):
    return max(minimum, min(maximum, value))


def log_fine(value):
    n = 256 + abs(value)
    m = n.bit_length() - 1
    return 16 * (m - 8) + (n >> m - 4 & 15)


def stir(context, number):
    return ((context ^ number) * 0x9E3779B1 + (context >> 15)) & MASK_32


def stirred(beginning, numbers):
    context = beginning
    for i in range(3):
        context = stir(context, numbers[i] if i < len(numbers) else 0)
    return context


def beginning(subject, number):
    return (subject * 0x2545F491 + number) & MASK_32


def slog(fine, per_octave):
    size = log_fine(fine) * per_octave // 16
    return 4096 - size if fine < 0 else 4096 + size


def slog_whole(whole, per_octave):
    return slog(whole * 256, per_octave)


def is_small(lane):
    return lane.maximum < TREE_MAX


class Entity:
    """The part of an entity that is decoded so far."""

    def __init__(self, states):
        self.changed = 0
        self.last = 0
        self.missed = [0, 0]
        self.symbols = 0
        self.event = 255
        self.activity = sum(a != b for a, b in zip(*states[:2])) if len(states) > 1 else 0

    def note(self, changed):
        self.changed += changed
        self.last = self.last << 1 | changed


def numbers(entity, lane, motion, seen):
    """Contexts of a number; `seen` has the prediction and its surroundings."""
    s0, s1 = motion.steps[:2]
    constant = int(motion.is_constant)
    part = seen.remainder + (1 << 21) >> 17
    total = seen.total // (1 << 14) if seen.total >= 0 else -(-seen.total // (1 << 14))
    quarter = seen.size // 4 if seen.size >= 0 else -(-seen.size // 4)
    size = bounded(quarter + 8, 0, 127)
    p1, p2 = seen.partners_missed
    m1, m2 = entity.missed
    horizon = min(seen.horizon, 40)
    own = beginning(lane.first_slot, 1)
    kinds = ("number", "angle", "symbol", "tick", "dropped", "rotation", "opaque")
    shared = beginning(kinds.index(lane.kind) * 64 + lane.maximum.bit_length(), 2)
    first = [(part, size // 4, constant),
             (slog(s0, 3), slog(s1, 1), motion.steadiness),
             (slog_whole(p1, 4), slog_whole(p2, 2), size // 16),
             (seen.set, min(entity.changed, 7), constant * 8 + motion.steadiness),
             (slog_whole(seen.newest, 2), bounded(lane.maximum - seen.newest, 0, 3),
              slog(total, 1)),
             (entity.symbols, size // 8, constant),
             (min(entity.activity, 15), min(entity.event, 63) // 2, size // 8)]
    last = [(slog(total - s0, 3), size // 8, part // 8),
            (slog(s0 - s1, 3), slog(motion.backtest, 2)),
            (slog_whole(m1, 3), slog_whole(m2, 1), size // 8),
            (size, horizon, constant),
            (slog(total, 4), entity.last & 15, part // 4)]
    return [stirred(own, n) for n in first] + [stirred(shared, n) for n in last]


def symbols(entity, lane, past, partners, partner, horizon, since):
    """Contexts of a lane without an order, or of a tick; `since` is its age in the newest state."""
    is_tick = lane.kind == "tick"
    age = next((k for k in range(1, len(past)) if past[k] != past[0]), 0)
    v = 0 if is_tick else past[0]
    before = past[0] if is_tick else past[age]
    horizon = min(horizon, 40)
    own = beginning(lane.first_slot, 1)
    return [stirred(own, n) for n in (
        (v, age), (v, before, partners), (partners, min(entity.changed, 7), age),
        (entity.symbols, v), (slog_whole(entity.missed[0], 2), v), (partner, v, partners & 1),
        (horizon, age, v), (min(entity.activity, 31), min(entity.changed, 7)),
        (entity.last & 255, v), (min(since, 255), v), (min(entity.event, 127), v),
        (entity.symbols, partners, entity.last & 7))]


def changes(kind, states, horizon, follows):
    """Contexts of the decision whether an entity changed."""
    newest = states[0]
    differing = sum(1 << k for k, state in enumerate(states) if state != newest)
    activity = which = moved = 0
    if differing & 2:
        for i, (a, b) in enumerate(zip(newest, states[1])):
            activity += a != b
            which = stir(which, i) if a != b else which
            moved += min(abs(a - b), 1 << 20)
    small = 0
    for lane, value in zip(kind.lanes, newest):
        if lane.kind == "symbol" and is_small(lane):
            small = stir(small, value)
    speed = slog_whole(moved, 2)
    horizon = min(horizon, 40)
    own = beginning(kind.first_slot, 1)
    return [stirred(own, n) for n in (
        (differing, follows), (activity, speed), (differing & 15, speed, follows),
        (which, differing & 15), (horizon, differing), (small, differing & 7), (small, speed),
        (which, small), (len(states), differing), (speed, horizon),
        (activity, differing, follows), (follows,))]
