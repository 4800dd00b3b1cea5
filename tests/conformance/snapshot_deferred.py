"""The entities that a snapshot defers, by SNAPSHOT_FORMAT.md, "Deferred entities"."""

from snapshot_model import probability_of_step

AGES = 64


def age_class(age):
    if age < 4:
        return age
    width = age.bit_length()
    return min(4 * (width - 2) + (age >> width - 3 & 3), AGES - 1)


class DeferredDecisions:
    """The decisions of one snapshot. Their probabilities adapt during reading."""

    def __init__(self, reader, share):
        self.reader = reader
        self.first = probability_of_step(4 * share + 2)
        self.contexts = {}

    def read(self, is_constant, tick, states):
        age = tick - states[0].tick
        context = (is_constant, age_class(age))
        if len(states) > 1 and not is_constant:
            context = ("interval", min(16 * age // (states[0].tick - states[1].tick), AGES - 1))
        probability, count = self.contexts.get(context, (self.first, 0))
        bit = self.reader.bit_of(probability)
        target = 65535 if bit else 0
        change = abs(target - probability) // (count + 2)
        probability += change if bit else -change
        probability = max(64, min(probability, 65535 - 64))
        self.contexts[context] = probability, min(count + 1, 30)
        return bit
