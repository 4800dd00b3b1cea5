"""The lanes of an entity by SNAPSHOT_FORMAT.md, "Entities", for the coders `range` and `mix`."""

import math

import snapshot_contexts as contexts
import snapshot_model as slots
from encoding import require
from snapshot_coders import read_number
from snapshot_contexts import bounded, log_fine

FEATURE_MAX = 1 << 33
ONE = 1 << 22  # For a sum of weights (1/2^14) times inputs (1/256).


def quotient(a, b):
    """Division that rounds towards zero."""
    return a // b if (a < 0) == (b < 0) else -(-a // b)


def log_whole(value):
    return log_fine(value << 8)


def cyclic_difference(start, end, period):
    """The distance from start to end. With a period, the shorter way around the circle."""
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
    """The distances in time between the known states."""

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
    """The previous motion of a lane."""

    def __init__(self, past, spacing, period):
        self.steps = [0] * 7
        self.backtest = 0
        self.is_constant = all(value == past[0] for value in past)
        count = len(spacing.between)
        if self.is_constant:
            self.steadiness = 5 if len(past) < 3 else 4
            return
        even = []
        for newer, older, part, whole in spacing.between:
            back = cyclic_difference(past[newer], past[older], period)
            even.append(past[newer] * 256 + quotient(back * 256 * part, whole))
        offsets = [0]
        for k in range(count - 1):
            step = cyclic_difference(even[k + 1], even[k], period * 256)
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


def sine(part):
    """The sine, in 1/32768, of a part of a turn in 1024."""
    quarter, within = divmod(part % 1024, 256)
    if quarter % 2:
        within = 256 - within
    value = int(math.sin(math.pi / 2 * within / 256) * 32768 + 0.5)
    return -value if quarter >= 2 else value


class Direction:
    """The direction of an angle."""

    def __init__(self, value, period):
        part = (value * 1024 + period // 2) // period
        self.sine, self.cosine = sine(part), sine(part + 256)


class News:
    """The results of a decoded lane that later lanes use."""

    def __init__(self, changed, moved=0, steps=(0, 0), missed=0):
        self.changed = changed
        self.moved = bounded(moved * 256, -FEATURE_MAX, FEATURE_MAX)
        self.steps = steps[:2]
        self.missed = missed


class Seen:
    """A prediction, and the values on which its contexts depend."""


def rotation_past(states, dropped, now, maximum):
    """The other three components, converted to the component that is missing now."""
    past = [[], [], []]
    for values in states:
        was = values[dropped]
        parts = values[dropped + 1:dropped + 4]
        if was != now and maximum < 1 << 20:
            whole = [2 * part - maximum for part in parts]
            left = 2 * maximum * maximum - sum(part * part for part in whole)
            whole.insert(was, math.isqrt(max(left, 0)))
            sign = -1 if whole[now] < 0 else 1
            del whole[now]
            parts = [(sign * part + maximum + 1) // 2 for part in whole]
        for i in range(3):
            past[i].append(parts[i])
    return past


class EntityReader:
    """Reads the lanes of one entity."""

    def __init__(self, reader, kind):
        self.reader = reader
        self.kind = kind
        self.met = set()

    def number(self, lengths, low):
        return read_number(self.reader, lengths, low)

    def whole(self, lane, first):
        """Reads a value of a new entity."""
        if not self.reader.bit_in(first, 3):
            return lane.initial_value
        if lane.kind == "opaque":
            value = self.reader.even(lane.maximum.bit_length())
        else:
            sign = -1 if self.reader.bit_in(first + 1, 4) else 1
            value = lane.initial_value + sign * self.number(first + 2, first + 2 + slots.LENGTHS)
        require(0 <= value <= lane.maximum, "a lane's value is in its range")
        return value

    def new(self):
        values = [0] * len(self.kind.lanes)
        self.reader.see_in(lambda: [0] * 12)
        for i in self.kind.order:
            lane = self.kind.lanes[i]
            first = {"kSymbol": slots.SYMBOL_NEW, "kTick": slots.TICK_NEW,
                     "kNumber": slots.NUMBER_NEW}[lane.table()]
            values[i] = self.whole(lane, lane.first_slot + first)
        return values

    def update(self, now, ticks, states):
        """Reads the lanes at tick `now`, given the known states, newest first."""
        self.now, self.ticks, self.states = now, ticks, states
        self.spacing = Spacing(now, ticks)
        self.values = [0] * len(self.kind.lanes)
        self.news = [None] * len(self.kind.lanes)
        self.entity = contexts.Entity(states)
        frame = None
        for i in self.kind.order:
            lane = self.kind.lanes[i]
            past = [state[i] for state in states]
            if lane.kind == "tick":
                self.values[i] = self.tick(i, lane, past)
            elif lane.kind in slots.UNORDERED:
                self.values[i] = self.symbol(i, lane, past)
                if lane.kind == "dropped":
                    frame = i, rotation_past(states, i, self.values[i],
                                             self.kind.lanes[i + 1].maximum)
            else:
                if lane.kind == "rotation":
                    past = frame[1][i - frame[0] - 1]
                self.values[i] = self.predicted(i, lane, past)
        return self.values

    def partners(self, lane):
        """Returns the set of change partners that changed."""
        return sum(self.news[other].changed << k for k, other in enumerate(lane.change_partners))

    def changed(self, i, lane, past, since=0):
        """Returns whether a lane without an order changed, and its age."""
        age = next((k - 1 for k in range(1, len(past)) if past[k] != past[0]), None)
        age = 4 if age is None else min(age, 3)
        partners = self.partners(lane)
        partner = self.values[lane.change_partners[0]] if lane.change_partners else 0
        self.reader.see_in(lambda: contexts.symbols(self.entity, lane, past, partners, partner,
                                                    self.spacing.horizon, since))
        slot = (age * 8 + partners) * 4 + min(self.entity.changed, 3)
        changed = self.reader.bit_in(lane.first_slot + slot, 0)
        self.news[i] = News(changed)
        self.entity.note(changed)
        return changed, age

    def symbol(self, i, lane, past):
        value = past[0]
        if self.changed(i, lane, past)[0]:
            if not contexts.is_small(lane):
                return self.whole(lane, lane.first_slot + slots.SYMBOL_NEW)
            tree = lane.first_slot + slots.SYMBOL_TREE + past[0] * slots.TREE_MAX
            node = 1
            for _ in range(lane.maximum.bit_length()):
                node = node * 2 + self.reader.bit_in(tree + node, 8 + node)
            value = node - (1 << lane.maximum.bit_length())
            require(value <= lane.maximum, "a symbol is in its range")
        if contexts.is_small(lane):
            self.entity.symbols = contexts.stir(self.entity.symbols, value)
        return value

    def tick(self, i, lane, past):
        count = lane.maximum + 1
        since_before = (self.ticks[0] - past[0]) % count
        changed, age = self.changed(i, lane, past, since_before)
        if not changed:
            since = (self.now - past[0]) % count
        elif self.reader.bit_in(lane.first_slot + slots.TICK_SAME_AGE + min(age, 3), 1):
            since = since_before
        else:
            first = lane.first_slot + slots.TICK_AGE
            since = self.number(first, first + slots.LENGTHS) - 1
            require(since < count, "the time since a tick is in its range")
        self.entity.event = min(self.entity.event, since)
        return (self.now - since) % count if changed else past[0]

    def predicted(self, i, lane, past):
        motion = Motion(past, self.spacing, lane.period)
        inputs = motion.steps + [256]
        for partner in lane.partners:
            inputs += self.partner_inputs(*partner)
            self.met.add(f"partner {partner[0]}")
        total = sum(a * b for a, b in zip(lane.weights[motion.steadiness], inputs))
        seen = Seen()
        seen.steps = total + ONE // 2 >> 22
        seen.remainder = total - (seen.steps << 22)
        target = bounded(past[0] + seen.steps, -lane.period, lane.maximum + lane.period)
        if target != past[0] + seen.steps:
            seen.steps, seen.remainder = target - past[0], 0
        seen.total = (seen.steps << 22) + seen.remainder
        seen.newest = past[0]
        residual = self.residual(lane, motion, seen)
        value = self.spelt(lane, target + residual)
        moved = cyclic_difference(past[0], value, lane.period)
        self.news[i] = News(int(moved != 0), moved, motion.steps, residual)
        self.entity.note(int(moved != 0))
        self.entity.missed = [residual, self.entity.missed[0]]
        return value

    def partner_inputs(self, kind, lane, angle):
        news = self.news[lane]
        if kind == "difference":
            return [news.moved, *news.steps, 0]
        period = self.kind.lanes[angle].period
        now = Direction(self.values[angle], period)
        before = Direction(self.states[0][angle], period)
        if kind == "turn":
            return [quotient(part * 100, 128)
                    for part in (now.sine, now.cosine, before.sine, before.cosine)]
        products = (news.moved * quotient(now.sine + before.sine, 2),
                    news.moved * quotient(now.cosine + before.cosine, 2),
                    news.steps[0] * before.sine, news.steps[0] * before.cosine)
        return [bounded(quotient(product, 4 * 32768), -FEATURE_MAX, FEATURE_MAX)
                for product in products]

    def spelt(self, lane, value):
        if lane.period != 0:
            value %= lane.period
            if value + lane.period <= lane.maximum:
                value += lane.period * self.reader.bit_in(
                    lane.first_slot + slots.OTHER_SPELLING, 2)
        require(0 <= value <= lane.maximum, "a number is in its range")
        return value

    def residual(self, lane, motion, seen):
        hardly_moves = abs(seen.total) < ONE // 50
        is_certain = motion.is_constant and hardly_moves
        fraction = 8 if hardly_moves else (seen.remainder + ONE // 2) * 8 >> 22
        seen.size, level = -64, 0
        seen.set = self.partners(lane)
        seen.horizon = self.spacing.horizon
        seen.partners_missed = [self.news[self.missed_lane(partner)].missed
                                for partner in lane.partners[:2]]
        seen.partners_missed += [0] * (2 - len(seen.partners_missed))
        if is_certain:
            missed = self.entity.missed[0] != 0
            wrong = 24 * 9 * 2 + (seen.set * 2 + missed) * 2 + (self.entity.changed != 0)
        else:
            seen.size = self.expected_size(lane, motion, seen.total)
            level = 0 if seen.size < 0 else min(seen.size * 5 // 32, 23)
            wrong = (motion.is_constant * 24 + level) * 9 + fraction
        self.reader.see_in(lambda: contexts.numbers(self.entity, lane, motion, seen))
        if not self.reader.bit_in(lane.first_slot + wrong, 0):
            return 0
        circumstance = 0 if is_certain else 1 if motion.is_constant else 2
        direction = (motion.steps[0] > 0) - (motion.steps[0] < 0) + 1
        negative = self.reader.bit_in(
            lane.first_slot + slots.SIDE + (circumstance * 9 + fraction) * 3 + direction, 1)
        circumstances = 24 + seen.set.bit_count() if is_certain else level
        lengths = lane.first_slot + slots.LENGTH + circumstances * slots.LENGTHS
        size = self.number(lengths, lane.first_slot + slots.LOW_BITS)
        return -size if negative else size

    @staticmethod
    def missed_lane(partner):
        kind, lane, angle = partner
        return angle if kind == "turn" else lane

    def expected_size(self, lane, motion, total):
        """Computes the expected size from nineteen inputs."""
        s = motion.steps
        inputs = [0] * 19
        inputs[0] = 16
        if not motion.is_constant:
            fine = {1: s[0], 2: s[0] - s[1],
                    3: quotient(s[0] + s[1] - s[2] - s[3], 2),
                    4: quotient(s[0] + s[1] + s[2] - s[3] - s[4] - s[5], 4),
                    5: quotient(sum(s), 4), 12: s[1] - s[2], 13: s[0] - 2 * s[1] + s[2],
                    18: motion.backtest}
            for index, value in fine.items():
                inputs[index] = log_fine(value)
        inputs[6] = log_fine(quotient(total, 1 << 14))
        inputs[7], inputs[8] = (log_whole(missed) for missed in self.entity.missed)
        for k, partner in enumerate(lane.partners):
            inputs[9 + (k > 0)] += log_whole(self.news[self.missed_lane(partner)].missed)
        inputs[11] = min(self.entity.changed, 3) * 16
        inputs[14] = log_whole(self.entity.event)
        inputs[15] = log_whole(self.spacing.horizon)
        for k, other in enumerate(lane.change_partners):
            inputs[16 + (k > 0)] += 16 * self.news[other].changed
        return (sum(a * b for a, b in zip(inputs, lane.size_weights)) >> 10) + 32
