"""The lanes of an entity by SNAPSHOT_FORMAT.md, "Entities", for the coders `range` and `mix`."""

import math

import snapshot_model as slots
from encoding import require
from snapshot_coders import read_number

FEATURE_MAX = 1 << 33
ONE = 1 << 22  # Of a sum of weights (1/2^14) times inputs (1/256).


def quotient(a, b):
    """Division that rounds towards zero."""
    return a // b if (a < 0) == (b < 0) else -(-a // b)


def bounded(value, least, most):
    return max(least, min(most, value))


def log_fine(value):
    n = 256 + abs(value)
    m = n.bit_length() - 1
    return 16 * (m - 8) + (n >> m - 4 & 15)


def log_whole(value):
    return log_fine(value << 8)


def way(start, end, period):
    """From start to end, the short way round when there is a period."""
    there = end - start
    if period == 0:
        return there
    if abs(there) >= period:
        there = int(math.copysign(1, there)) * (abs(there) % period)
    if 2 * there > period:
        there -= period
    if 2 * there < -period:
        there += period
    return there


class Spacing:
    """Where the known states lie in time."""

    def __init__(self, now, ticks):
        ages = [ticks[0] - tick for tick in ticks]
        self.horizon = min(now - ticks[0], 255)
        step = min((b - a for a, b in zip(ages, ages[1:])), default=self.horizon)
        self.scale = ((self.horizon << 14) + step // 2) // step
        self.ahead = bounded((self.horizon + step // 2) // step, 1, 6)
        self.between = []  # For each even step: newer state, older state, part, whole.
        for k in range(len(ages)):
            wanted = k * step
            older = next((i for i, age in enumerate(ages) if age >= wanted), None)
            if older is None:
                break
            if ages[older] == wanted:
                self.between.append((older, older, 0, 1))
                continue
            whole = ages[older] - ages[older - 1]
            coarse = max(whole.bit_length() - 20, 0)
            self.between.append((older - 1, older, wanted - ages[older - 1] >> coarse,
                                 whole >> coarse))


class Motion:
    """How a lane has moved."""

    def __init__(self, past, spacing, period):
        self.steps = [0] * 7
        self.backtest = 0
        self.rests = all(value == past[0] for value in past)
        count = len(spacing.between)
        if self.rests:
            self.steadiness = 5 if len(past) < 3 else 4
            return
        even = []
        for newer, older, part, whole in spacing.between:
            back = way(past[newer], past[older], period)
            even.append(past[newer] * 256 + quotient(back * 256 * part, whole))
        offsets = [0]
        for k in range(count - 1):
            step = way(even[k + 1], even[k], period * 256)
            offsets.append(offsets[k] - step)
            self.steps[k] = bounded(quotient(step * spacing.scale, 1 << 14), -FEATURE_MAX,
                                    FEATURE_MAX)
        ahead = spacing.ahead
        if count >= ahead + 2:
            self.backtest = quotient(sum(self.steps[:ahead]), ahead) - self.steps[ahead]
        self.steadiness = self.find_steadiness(offsets)

    @staticmethod
    def find_steadiness(offsets):
        if len(offsets) < 3:
            return 5
        if not any(offsets[:4]):
            return 4
        for steadiness, count in enumerate((8, 6, 4)):
            last = count - 1
            if len(offsets) >= count and all(
                    abs(offsets[k] * last - offsets[last] * k) <= last * 256
                    for k in range(1, last)):
                return steadiness
        return 3


def rotation_past(states, dropped, now, greatest):
    """The three other components in the frame of the component that is missing now."""
    past = [[], [], []]
    for values in states:
        was = values[dropped]
        parts = values[dropped + 1:dropped + 4]
        if was != now and greatest < 1 << 20:
            whole = [2 * part - greatest for part in parts]
            left = 2 * greatest * greatest - sum(part * part for part in whole)
            whole.insert(was, math.isqrt(max(left, 0)))
            sign = -1 if whole[now] < 0 else 1
            del whole[now]
            parts = [(sign * part + greatest + 1) // 2 for part in whole]
        for i in range(3):
            past[i].append(parts[i])
    return past


class EntityReader:
    """Reads the lanes of one entity."""

    def __init__(self, reader, model, kind):
        self.reader = reader
        self.size_weights = model.size_weights
        self.kind = kind

    def number(self, lengths, low):
        return read_number(self.reader, lengths, low, self.reader.bit_in)

    def whole(self, lane, first):
        """A value of which nothing is known but what is usual."""
        if not self.reader.bit_in(first):
            return lane.usual
        if lane.kind == "opaque":
            value = self.reader.even(lane.greatest.bit_length())
        else:
            sign = -1 if self.reader.bit_in(first + 1) else 1
            value = lane.usual + sign * self.number(first + 2, first + 2 + slots.LENGTHS)
        require(0 <= value <= lane.greatest, "a lane's value lies in its range")
        return value

    def new(self):
        values = [0] * len(self.kind.lanes)
        for i in self.kind.order:
            lane = self.kind.lanes[i]
            first = {"kSymbol": slots.SYMBOL_NEW, "kTick": slots.TICK_NEW,
                     "kNumber": slots.NUMBER_NEW}[lane.table()]
            values[i] = self.whole(lane, lane.first_slot + first)
        return values

    def update(self, now, ticks, states):
        """The lanes at tick `now` from what is known, the newest first."""
        self.now, self.ticks, self.states = now, ticks, states
        self.spacing = Spacing(now, ticks)
        self.values = [0] * len(self.kind.lanes)
        self.changed_count = 0
        self.missed = [0, 0]  # Logarithms of the residuals of the last two numbers.
        self.since_event = 255
        frame = None
        for i in self.kind.order:
            lane = self.kind.lanes[i]
            past = [state[i] for state in states]
            if lane.kind == "tick":
                self.values[i] = self.tick(lane, past)
            elif lane.kind in slots.UNORDERED:
                self.values[i] = self.symbol(lane, past)
                if lane.kind == "dropped":
                    frame = i, rotation_past(states, i, self.values[i],
                                             self.kind.lanes[i + 1].greatest)
            else:
                if lane.kind == "rotation":
                    past = frame[1][i - frame[0] - 1]
                self.values[i] = self.predicted(lane, past)
        return self.values

    def changed(self, lane, past):
        """Whether a lane without an order changed, and its age."""
        age = next((k - 1 for k in range(1, len(past)) if past[k] != past[0]), None)
        age = 4 if age is None else min(age, 3)
        changed = self.reader.bit_in(lane.first_slot + age * 32 + min(self.changed_count, 3))
        self.changed_count += changed
        return changed, age

    def symbol(self, lane, past):
        if not self.changed(lane, past)[0]:
            return past[0]
        if lane.greatest >= slots.TREE_MAX:
            return self.whole(lane, lane.first_slot + slots.SYMBOL_NEW)
        tree = lane.first_slot + slots.SYMBOL_TREE + past[0] * slots.TREE_MAX
        node = 1
        for _ in range(lane.greatest.bit_length()):
            node = node * 2 + self.reader.bit_in(tree + node)
        value = node - (1 << lane.greatest.bit_length())
        require(value <= lane.greatest, "a symbol lies in its range")
        return value

    def tick(self, lane, past):
        count = lane.greatest + 1
        changed, age = self.changed(lane, past)
        since_before = (self.ticks[0] - past[0]) % count
        if not changed:
            since = (self.now - past[0]) % count
        elif self.reader.bit_in(lane.first_slot + slots.TICK_SAME_AGE + min(age, 3)):
            since = since_before
        else:
            first = lane.first_slot + slots.TICK_AGE
            since = self.number(first, first + slots.LENGTHS) - 1
            require(since < count, "the time since a tick lies in its range")
        self.since_event = min(self.since_event, since)
        return (self.now - since) % count if changed else past[0]

    def predicted(self, lane, past):
        motion = Motion(past, self.spacing, lane.period)
        # Of the built-in model: on in a straight line, half as far where there is none.
        weight = 1 << 14 if motion.steadiness < 3 else 0 if motion.steadiness == 4 else 1 << 13
        total = weight * motion.steps[0]
        steps = total + ONE // 2 >> 22
        rest = total - (steps << 22)
        target = bounded(past[0] + steps, -lane.period, lane.greatest + lane.period)
        if target != past[0] + steps:
            steps, rest = target - past[0], 0
        residual = self.residual(lane, motion, steps, rest)
        value = self.spelt(lane, target + residual)
        moved = way(past[0], value, lane.period)
        self.changed_count += moved != 0
        self.missed = [log_whole(residual), self.missed[0]]
        return value

    def spelt(self, lane, value):
        if lane.period != 0:
            value %= lane.period
            if value + lane.period <= lane.greatest:
                value += lane.period * self.reader.bit_in(lane.first_slot + slots.OTHER_SPELLING)
        require(0 <= value <= lane.greatest, "a number lies in its range")
        return value

    def residual(self, lane, motion, steps, rest):
        total = (steps << 22) + rest
        hardly_moves = abs(total) < ONE // 50
        is_certain = motion.rests and hardly_moves
        fraction = 8 if hardly_moves else (rest + ONE // 2) * 8 >> 22
        level = 0
        if is_certain:
            wrong = 24 * 9 * 2 + (self.missed[0] != 0) * 2 + (self.changed_count != 0)
        else:
            level = self.level(motion, total)
            wrong = (motion.rests * 24 + level) * 9 + fraction
        if not self.reader.bit_in(lane.first_slot + wrong):
            return 0
        circumstance = 0 if is_certain else 1 if motion.rests else 2
        direction = (motion.steps[0] > 0) - (motion.steps[0] < 0) + 1
        negative = self.reader.bit_in(
            lane.first_slot + slots.SIDE + (circumstance * 9 + fraction) * 3 + direction)
        lengths = lane.first_slot + slots.LENGTH + (24 if is_certain else level) * slots.LENGTHS
        size = self.number(lengths, lane.first_slot + slots.LOW_BITS)
        return -size if negative else size

    def level(self, motion, total):
        """The level of the expected size, from nineteen inputs."""
        s = motion.steps
        inputs = [0] * 19
        inputs[0] = 16
        if not motion.rests:
            fine = {1: s[0], 2: s[0] - s[1],
                    3: quotient(s[0] + s[1] - s[2] - s[3], 2),
                    4: quotient(s[0] + s[1] + s[2] - s[3] - s[4] - s[5], 4),
                    5: quotient(sum(s), 4), 12: s[1] - s[2], 13: s[0] - 2 * s[1] + s[2],
                    18: motion.backtest}
            for place, value in fine.items():
                inputs[place] = log_fine(value)
        inputs[6] = log_fine(quotient(total, 1 << 14))
        inputs[7], inputs[8] = self.missed
        inputs[11] = min(self.changed_count, 3) * 16
        inputs[14] = log_whole(self.since_event)
        inputs[15] = log_whole(self.spacing.horizon)
        size = (sum(a * b for a, b in zip(inputs, self.size_weights)) >> 10) + 32
        return 0 if size < 0 else min(size * 5 // 32, 23)
