// The head of a snapshot. Reader and writer share this code. See SNAPSHOT_FORMAT.md, "Head".
#pragma once

#include <cstdint>

#include "net/snapshot/deferred_code.h"
#include "net/snapshot/entity_code.h"
#include "net/snapshot/entity_track.h"
#include "net/snapshot/slice_id.h"
#include "net/snapshot/slots.h"
#include "registry/base/tick.h"

namespace muster {

/// The fields before the entities.
struct SnapshotHead {
  SnapshotNumber number = 0;
  Tick tick{};
  SnapshotReferences references;
  bool defers = false;               ///< True if the snapshot may omit changed entities.
  std::uint32_t deferred_share = 0;  ///< The coded share of deferred entities (`deferred_share`).
  /// True if the receiver keeps the entities that the snapshot does not list, because they may
  /// still exist.
  bool keeps_unknown = false;
  /// True if the snapshot begins at `first_id` and not at the first entity of the world.
  bool is_part = false;
  SliceId first_id{};
  /// True if the snapshot may end before the last entity of the world. Only plain coders write this
  /// flag.
  bool is_cut = true;
};

/// The number of low bits of a snapshot's number that are always sent. With references, the
/// receiver can compute the other bits.
inline constexpr unsigned kNumberBits = 8;
inline constexpr unsigned kAgeBits = 6;
static_assert(kSnapshotWindow == 1U << kAgeBits);

/// Codes an unsigned number of `bits` bits, highest bit first, as decisions with equally likely
/// outcomes.
template <DecisionCoder Coder>
std::uint32_t code_even(Coder& coder, std::uint32_t value, unsigned bits) {
  std::uint32_t result = 0;
  for (unsigned i = bits; i-- > 0;) {
    result = result * 2 + (coder.even_bit(((value >> i) & 1) != 0) ? 1 : 0);
  }
  return result;
}

/// Codes the high bits of the number of a snapshot without references. With references, the
/// receiver can compute these bits, because it knows a recent snapshot. Without references, the
/// receiver may have missed any number of snapshots.
template <DecisionCoder Coder>
void code_whole_number(Coder& coder, SnapshotNumber& number) {
  constexpr unsigned kHighBits = 16 - kNumberBits;
  const std::uint32_t high = code_even(coder, number >> kNumberBits, kHighBits);
  number = static_cast<SnapshotNumber>(high << kNumberBits | (number & ((1U << kNumberBits) - 1)));
}

/// The first age that is too old for a reference if the newest reference has the age `newest`.
inline std::uint32_t references_end(std::uint32_t newest) {
  return static_cast<std::uint32_t>(std::min(newest + kReferenceSpan, kSnapshotWindow));
}

/// Codes the references: first the age of the newest reference, then one decision for each older
/// snapshot. Ends after `kMaxReferences` references, or at the age `references_end`.
template <DecisionCoder Coder>
void code_references(Coder& coder, SnapshotNumber number, SnapshotReferences& references) {
  const SnapshotReferences given = references;
  references = {};
  if (!coder.bit(slots::kHasReference, given.count > 0)) return;
  std::size_t next = 0;
  const auto age_of = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<SnapshotNumber>(number - given.numbers[i]));
  };
  const std::uint32_t newest =
      code_even(coder, given.count > 0 ? age_of(next++) - 1 : 0, kAgeBits) + 1;
  references.numbers[references.count++] = static_cast<SnapshotNumber>(number - newest);
  const std::uint32_t end = references_end(newest);
  std::uint32_t gap = 0;
  for (std::uint32_t age = newest + 1; age < end && references.count < kMaxReferences; ++age) {
    const bool is_given = next < given.count && age_of(next) == age;
    // A single lost snapshot between references is likely. After several lost snapshots there is
    // probably no older reference.
    const std::uint32_t slot =
        gap == 0 ? slots::kOlderReference : slots::kReferenceAfterGap + std::min(gap, 2U) - 1;
    ++gap;
    if (!coder.bit(slot, is_given)) continue;
    gap = 0;
    references.numbers[references.count++] = static_cast<SnapshotNumber>(number - age);
    ++next;
  }
}

/// Returns the expected tick of a snapshot. The function assumes that the number of ticks per
/// snapshot is the same as between the two newest references.
inline Tick expected_tick(SnapshotNumber number, const SnapshotReferences& references,
                          Tick newest_tick, Tick tick_before) {
  if (references.count == 0) return {};
  const auto ahead = static_cast<SnapshotNumber>(number - references.numbers[0]);
  if (references.count == 1) return newest_tick + ahead;
  const auto apart = static_cast<SnapshotNumber>(references.numbers[0] - references.numbers[1]);
  return newest_tick + (newest_tick - tick_before) / apart * ahead;
}

template <DecisionCoder Coder>
void code_tick(Coder& coder, Tick& tick, Tick expected) {
  if (coder.bit(slots::kOddTick, tick != expected)) {
    tick = Tick(code_even(coder, tick.value(), 32));
  } else {
    tick = expected;
  }
}

template <DecisionCoder Coder>
void code_range(Coder& coder, SnapshotHead& head) {
  head.defers = coder.bit(slots::kDefers, head.defers);
  if (head.defers) {
    head.deferred_share = code_even(coder, head.deferred_share, kDeferredShareBits);
    head.keeps_unknown = coder.even_bit(head.keeps_unknown);
  }
  head.is_part = coder.bit(slots::kIsPart, head.is_part);
  head.first_id = SliceId{head.is_part ? code_even(coder, codec_id(head.first_id), 32) : 0};
}

/// Codes whether the snapshot ends here.
template <DecisionCoder Coder>
bool code_end(Coder& coder, const SnapshotHead& head, bool ends) {
  return head.is_cut && coder.bit(slots::kEnds, ends);
}

/// Codes an id's distance from the minimum possible id, plus one.
template <DecisionCoder Coder>
std::uint32_t code_gap(Coder& coder, std::uint32_t gap) {
  unsigned length = 1;
  const auto whole = static_cast<unsigned>(std::bit_width(gap));
  while (length < 32 &&
         coder.bit(slots::kIdGap + std::min(length, slots::kLengths) - 1, whole > length)) {
    ++length;
  }
  std::uint32_t result = 1;
  for (unsigned i = length - 1; i-- > 0;) {
    result = result * 2 + (coder.even_bit(((gap >> i) & 1) != 0) ? 1 : 0);
  }
  return result;
}

/// The minimum number of bytes for a generation.
inline unsigned generation_bytes(std::uint32_t generation) {
  return generation == 0 ? 1 : (static_cast<unsigned>(std::bit_width(generation)) + 7) / 8;
}

/// Codes type and generation of a new entity. `before` is the generation of the previous new entity
/// in the snapshot, or 0 for the first new entity. Returns false if the encoding is one that no
/// writer uses.
template <DecisionCoder Coder>
bool code_kind(Coder& coder, EntityKind& kind, std::size_t type_count, std::uint32_t before) {
  const auto bits = static_cast<unsigned>(std::bit_width(type_count - 1));
  kind.type = static_cast<CodecType>(code_even(coder, static_cast<std::uint32_t>(kind.type), bits));
  if (!coder.bit(slots::kNewGeneration, kind.generation != before)) {
    kind.generation = before;
    return codec_index(kind.type) < type_count;
  }
  const unsigned bytes = code_even(coder, generation_bytes(kind.generation) - 1, 2) + 1;
  kind.generation = code_even(coder, kind.generation, 8 * bytes);
  return codec_index(kind.type) < type_count && kind.generation != before &&
         generation_bytes(kind.generation) == bytes;
}

/// The limit of ids: every id is below it. A snapshot that ends at this limit covers all ids from
/// its first id on.
inline constexpr SliceId kEveryId{0xFFFF'FFFF};

}  // namespace muster
