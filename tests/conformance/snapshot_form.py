"""A snapshot by SNAPSHOT_FORMAT.md: its head, its body, and the states after it."""

import snapshot_model as slots
from encoding import require
from snapshot_coders import reader_of, read_number
from snapshot_contexts import changes
from snapshot_deferred import DeferredDecisions
from snapshot_lanes import EntityReader
from snapshot_plain import read_entity

NONE = 0xFFFFFFFF
WINDOW = 63
GROUP = 16
BLOCK = 64 * GROUP


class There:
    """The state of an entity at a tick."""

    def __init__(self, tick, kind, values, baseline=None):
        self.tick = tick
        self.kind = kind  # Type and generation.
        self.values = values
        self.baseline = baseline  # The state that it was coded against, if few states were known.


class Snapshot:
    """One snapshot: its content, and the state of every entity after it."""

    def __init__(self, number, tick, references):
        self.number = number
        self.tick = tick
        self.references = references
        self.defers = False
        self.share = 0
        self.keeps_unknown = False
        self.first_id = 0
        self.end_id = NONE  # The snapshot covers ids from the first to before this one.
        self.known = set()  # Entities in the references.
        self.entities = {}  # Entities in the snapshot; None for removed ones.
        self.base = {}  # States of the entities that the snapshot does not contain.
        self.deferred = set()

    def left_behind(self, entity):
        """Returns a tick and a state (None if it was removed); None for an unknown entity."""
        if entity in self.entities:
            return self.tick, self.entities[entity]
        return self.base.get(entity)


def known_states(references, tick, entity):
    """Returns the known states of an entity, newest first; empty for a new entity."""
    by_tick = {}
    for reference in references:
        left = reference.left_behind(entity)
        if left is None or left[0] >= tick:
            continue
        if len(by_tick) < 8:
            by_tick.setdefault(*left)
    states = [by_tick[known] for known in sorted(by_tick, reverse=True)]
    for i, state in enumerate(states):
        if state is None or state.kind != states[0].kind:
            return states[:i]
    return states


def is_sparse(states):
    return 0 < len(states) < 3 and not is_constant(states)


def with_baselines(states):
    """Returns the known states. If there are fewer than three, adds linked baselines."""
    states = list(states)
    while len(states) < 3 and states[-1].baseline and states[-1].baseline.kind == states[0].kind:
        states.append(states[-1].baseline)
    return states


class SnapshotReader:
    """Reads the snapshots of one stream, in any order."""

    def __init__(self, model, coder):
        self.model = model
        self.coder = coder
        self.read_before = {}
        self.newest = None
        self.newest_tick = 0
        self.shown = {}
        self.shown_tick = -1
        self.seen = set()

    def forget(self):
        self.read_before = {}

    def read(self, data):
        """Reads one snapshot and applies it to the shown world."""
        reader = reader_of(self.coder, self.model, data)
        snapshot = self.read_head(reader)
        require(snapshot.number not in self.read_before, "a snapshot arrives once")
        require(self.newest is None or (snapshot.tick - self.newest_tick) * (
            snapshot.number - self.newest) >= 0, "numbers and ticks increase together")
        Body(self, reader, snapshot).read()
        reader.finish()
        self.read_before[snapshot.number] = snapshot
        if self.newest is None or snapshot.number > self.newest:
            self.newest, self.newest_tick = snapshot.number, snapshot.tick
        self.show(snapshot)
        return snapshot

    def note(self, what):
        self.seen.add(what)

    def read_head(self, reader):
        low = reader.even(8)
        ages = []
        if reader.bit(slots.HAS_REFERENCE):
            number = self.nearest(low, 256)
            ages.append(reader.even(6) + 1)
            require(ages[0] <= WINDOW, "a reference is in the window")
            for age in range(ages[0] + 1, min(ages[0] + 31, WINDOW) + 1):
                gap = age - ages[-1] - 1
                slot = slots.REFERENCE_AFTER_GAP + min(gap, 2) - 1 if gap else slots.OLDER_REFERENCE
                if len(ages) < 24 and reader.bit(slot):
                    ages.append(age)
        else:
            number = self.nearest(reader.even(8) << 8 | low, 1 << 16)
        references = []
        for age in ages:
            require(number - age in self.read_before, "a reference was received")
            references.append(self.read_before[number - age])
        tick = self.expected_tick(number, references)
        if reader.bit(slots.ODD_TICK):
            tick = reader.even(32)
            self.note("odd tick")
        snapshot = Snapshot(number, tick, references)
        snapshot.defers = bool(reader.bit(slots.DEFERS))
        if snapshot.defers:
            snapshot.share = reader.even(6)
            snapshot.keeps_unknown = bool(reader.even_bit())
        if reader.bit(slots.IS_PART):
            snapshot.first_id = reader.even(32)
            self.note("part")
        snapshot.may_end = not reader.is_plain or bool(reader.even_bit())
        self.note(f"{min(len(ages), 3)} references")
        if snapshot.defers:
            self.note("defers")
        return snapshot

    def nearest(self, low, modulus):
        if self.newest is None:
            return low
        off = (low - self.newest) % modulus
        return self.newest + (off - modulus if off >= modulus // 2 else off)

    @staticmethod
    def expected_tick(number, references):
        if not references:
            return 0
        newest = references[0]
        ahead = number - newest.number
        if len(references) == 1:
            return (newest.tick + ahead) % (1 << 32)
        second = references[1]
        ticks_apart = (newest.tick - second.tick) % (1 << 32)
        return (newest.tick + ticks_apart // (newest.number - second.number) * ahead) % (1 << 32)

    def show(self, snapshot):
        """Applies a snapshot of the newest tick to the shown world."""
        if snapshot.tick < self.shown_tick:
            self.note("late")
            return
        is_part = snapshot.tick == self.shown_tick
        self.shown_tick = snapshot.tick
        for entity, shown in list(self.shown.items()):
            if entity in snapshot.entities or not snapshot.first_id <= entity < snapshot.end_id:
                continue
            is_kept = snapshot.keeps_unknown and entity not in snapshot.known
            is_of_part = is_part and shown.tick == snapshot.tick
            if is_kept or is_of_part or entity in snapshot.deferred:
                continue
            del self.shown[entity]
        for entity, there in snapshot.entities.items():
            if there is not None:
                self.shown[entity] = there
            elif entity in self.shown and self.shown[entity].tick != snapshot.tick:
                del self.shown[entity]


def is_constant(states):
    return len(states) > 1 and all(state.values == states[0].values for state in states)


class ConstantWalk:
    """Decides which unchanged entities have a decision of their own."""

    def __init__(self, flow, reader, known):
        self.flow = flow
        self.reader = reader
        # Indices of the unchanged entities among the known entities.
        self.indices = [i for i, (_, states) in enumerate(known) if is_constant(states)]
        self.next = 0
        self.block_ends = self.group_ends = 0
        self.block_before = self.group_before = 0
        self.is_unchanged = False

    def passes(self):
        """Returns whether the next entity of `indices` is unchanged in this snapshot."""
        if self.next == self.group_ends:
            self.decide(len(self.indices) - self.next)
        self.next += 1
        return self.is_unchanged

    def decide(self, left):
        if self.next == self.block_ends and left > 8 * GROUP:
            size = min(left, BLOCK)
            changes = self.reader.bit(slots.BLOCK_CHANGES + self.block_before)
            self.block_before = 2 if changes else 1
            self.block_ends = self.next + size
            if not changes:
                self.group_ends = self.block_ends
                self.is_unchanged = True
                self.flow.note("constant block")
                return
            self.flow.note("block")
        if self.next == self.block_ends:
            self.block_ends += min(left, GROUP)
        size = min(left, GROUP)
        others = self.indices[self.next + size - 1] - self.indices[self.next] + 1 - size
        among = 0 if others == 0 else 1 if others <= GROUP else 2
        self.group_before = self.reader.bit(slots.GROUP_CHANGES + 2 * among + self.group_before)
        self.group_ends = self.next + size
        self.is_unchanged = not self.group_before
        self.flow.note(f"constant group {among}" if self.is_unchanged else f"group {among}")


class Body:
    """The entities of a snapshot."""

    def __init__(self, flow, reader, snapshot):
        self.flow = flow
        self.model = flow.model
        self.reader = reader
        self.snapshot = snapshot
        self.follows = 0
        self.id_min = snapshot.first_id
        self.deferred = DeferredDecisions(reader, snapshot.share)
        self.sparse = set()  # Known entities with few states in the snapshots.
        self.new_generation = 0  # The generation of the new entity read last.

    def read(self):
        known = self.known_entities()
        walk = ConstantWalk(self.flow, self.reader, known)
        # Only the group after the last known entity may be empty.
        groups = [known[first:first + GROUP] for first in range(0, len(known), GROUP)] + [[]]
        has_new = True
        for i, group in enumerate(groups):
            if i * GROUP % BLOCK == 0:
                left = len(known) - min(i * GROUP, len(known))
                has_new = left <= 8 * GROUP or bool(self.reader.bit(slots.ANY_NEW))
                self.flow.note("any new" if has_new else "none new")
            first, last = (group[0][0], group[-1][0]) if group else (NONE, NONE - 1)
            if has_new and not self.read_new(first, last):
                return
            if not all(self.read_one(walk, entity, states) for entity, states in group):
                return
            self.id_min = last + 1

    def read_one(self, walk, entity, states):
        """Reads a known entity; False if the snapshot ends before it."""
        if is_constant(states) and walk.passes():
            self.snapshot.entities[entity] = There(self.snapshot.tick, states[0].kind,
                                               states[0].values)
            self.follows = 0
            return True
        if self.ends_before(entity):
            return False
        self.read_known(entity, states)
        return True

    def known_entities(self):
        """Yields ids and known states of the entities in the references, from the first id on."""
        ids = set()
        for reference in self.snapshot.references:
            ids.update(reference.entities, reference.base)
        known = []
        for entity in sorted(ids):
            states = known_states(self.snapshot.references, self.snapshot.tick, entity)
            is_sparse_now = is_sparse(states)
            if is_sparse_now:
                states = with_baselines(states)
            if states:
                self.snapshot.known.add(entity)
                self.snapshot.base[entity] = states[0].tick, states[0]
            if states and entity >= self.snapshot.first_id:
                known.append((entity, states))
                if is_sparse_now:
                    self.sparse.add(entity)
                    self.flow.note("sparse" if len(states) < 2 else "linked")
        return known

    def ends_before(self, entity):
        if self.snapshot.may_end and self.reader.bit(slots.ENDS):
            self.snapshot.end_id = entity
            self.flow.note("ends")
            return True
        return False

    def read_generation(self):
        """Reads the generation of a new entity, which may be that of the previous new entity."""
        if not self.reader.bit(slots.NEW_GENERATION):
            return self.new_generation
        size = self.reader.even(2) + 1
        generation = self.reader.even(8 * size)
        require(generation != self.new_generation, "a generation that is sent is a different one")
        require(size == 1 or generation >> 8 * (size - 1), "a generation has the fewest bytes")
        self.new_generation = generation
        return generation

    def read_new(self, first_id, last_id):
        """Reads new entities before and in a group of these ids; False if the snapshot ends."""
        reader = self.reader
        while reader.bit(slots.ANOTHER_NEW):
            gap = read_number(reader, slots.ID_GAP, None, 32) - 1
            entity = self.id_min + gap
            require(entity <= last_id, "a new entity is before the next group")
            if self.ends_before(min(entity, first_id)):
                return False
            number = reader.even((len(self.model.types) - 1).bit_length())
            require(number < len(self.model.types), "a type is one of the model's")
            generation = self.read_generation()
            kind = self.model.types[number]
            if reader.is_plain:
                values = read_entity(reader, kind)
            else:
                values = EntityReader(reader, kind).new()
            self.snapshot.entities[entity] = There(self.snapshot.tick, (number, generation), values)
            self.id_min = entity + 1
            self.flow.note("new")
            if generation != 0:
                self.flow.note("generation")
        return True

    def read_known(self, entity, states):
        snapshot, reader = self.snapshot, self.reader
        kind = self.model.types[states[0].kind[0]]
        horizon = snapshot.tick - states[0].tick
        if snapshot.defers and self.deferred.read(is_constant(states), snapshot.tick, states):
            snapshot.deferred.add(entity)
            self.flow.note("deferred")
            return
        reader.see_in(lambda: changes(kind, [state.values for state in states], horizon,
                                      self.follows))
        changed = reader.bit_in(kind.first_slot + self.changed_slot(states), 0)
        self.follows = changed
        values = states[0].values
        baseline = None
        if not changed:
            pass
        elif reader.bit(slots.GONE):
            # A new entity of the same snapshot may have this id.
            snapshot.entities.setdefault(entity, None)
            self.flow.note("gone")
            return
        else:
            ticks = [state.tick for state in states]
            past = [state.values for state in states]
            if reader.is_plain:
                values = read_entity(reader, kind, snapshot.tick, ticks, past)
            else:
                lanes = EntityReader(reader, kind)
                values = lanes.update(snapshot.tick, ticks, past)
                self.flow.seen |= lanes.met
            self.flow.note("changed")
            baseline = states[0] if entity in self.sparse else None
        snapshot.entities[entity] = There(snapshot.tick, states[0].kind, values, baseline)

    def changed_slot(self, states):
        newest = states[0].values
        differs = [state.values != newest for state in states] + [False] * 8
        activity = 0
        if len(states) > 1:
            activity = min(5, sum(a != b for a, b in zip(newest, states[1].values)))
        older, oldest = any(differs[2:4]), any(differs[4:8])
        return ((activity * 2 + older) * 2 + oldest) * 2 + self.follows
