// A snapshot is decoded completely before it is applied: changes are collected first, so that
// damaged bytes leave the world unchanged.
#include "net/snapshot/snapshot_reader.h"

#include <algorithm>
#include <utility>

#include "net/snapshot/snapshot_coder.h"

namespace muster {
namespace {

constexpr int kWindow = kSnapshotWindow;

std::size_t lanes_max(const SnapshotModel& model) {
  std::size_t maximum = 0;
  for (const TypeModel& type : model.types) maximum = std::max(maximum, type.lanes.size());
  return maximum;
}

}  // namespace

SnapshotReader::SnapshotReader(const SnapshotModel& model, const ReaderLimits& limits,
                               const SnapshotOptions& options)
    : model_(model), options_(options), limits_(limits), rows_(lanes_max(model)), links_(model) {}

SnapshotVerdict SnapshotReader::read(std::span<const std::byte> bytes) {
  const bool has_meter = options_.meter != nullptr;
  if (has_meter) options_.meter->add_snapshot(bytes.size());
  switch (options_.coder) {
    case SnapshotCoder::range:
      return has_meter ? read_with<MeteredRangeReader>(bytes) : read_with<RangeReader>(bytes);
    case SnapshotCoder::mix:
      return has_meter ? read_with<MeteredMixReader>(bytes) : read_with<MixReader>(bytes);
    case SnapshotCoder::huffman:
    case SnapshotCoder::raw:
    case SnapshotCoder::reference:
      return has_meter ? read_with<MeteredPlainReader>(bytes) : read_with<PlainReader>(bytes);
  }
  return SnapshotVerdict::malformed;
}

template <typename Decoder>
SnapshotVerdict SnapshotReader::read_with(std::span<const std::byte> bytes) {
  Decoder decoder(model_, options_, bytes);
  SnapshotHead head;
  if (!read_head(decoder, head)) return SnapshotVerdict::malformed;
  const int ahead =
      has_any_ ? static_cast<std::int16_t>(head.number - static_cast<SnapshotNumber>(newest_)) : 1;
  const bool is_here =
      received_[window_index(head.number)].is_used && ahead > -kWindow && ahead <= 0;
  if (is_here || ahead <= -kWindow) return SnapshotVerdict::late;
  serial_ = kFirstSerial + head.number;
  if (has_any_) serial_ = newest_ + static_cast<SnapshotSerial>(std::int64_t{ahead});
  if (!has_references(head)) {
    unknown_ = head.number;
    return SnapshotVerdict::unknown;
  }
  code_tick(
      decoder, head.tick,
      expected_tick(head.number, head.references, ticks_[window_index(head.references.numbers[0])],
                    ticks_[window_index(head.references.numbers[1])]));
  code_range(decoder, head);
  if (PlainCoder<Decoder>) head.is_cut = decoder.even_bit(false);
  const auto later = static_cast<std::int32_t>(head.tick - tick_);
  if (has_any_ && (ahead > 0 ? later < 0 : later > 0)) return SnapshotVerdict::malformed;
  references_ = reference_states(head.references, serial_, ticks_, head.tick);
  changes_.clear();
  new_.clear();
  values_.clear();
  newcomers_ = 0;
  claimed_bytes_ = 0;
  is_too_large_ = false;
  if (!read_body(decoder, head)) {
    return is_too_large_ ? SnapshotVerdict::too_large : SnapshotVerdict::malformed;
  }
  if (!decoder.is_finished()) return SnapshotVerdict::malformed;
  is_overtaken_ = ahead <= 0;
  read_tick_ = head.tick;
  if (!is_overtaken_) {
    // A snapshot that never arrived has no records.
    for (SnapshotSerial serial = std::max(newest_ + 1, serial_ - kSnapshotWindow + 1);
         serial <= serial_; ++serial) {
      received_[window_index(serial)].is_used = false;
    }
    newest_ = serial_;
    tick_ = head.tick;
    has_any_ = true;
  }
  apply(head);
  return SnapshotVerdict::applied;
}

template <typename Decoder>
bool SnapshotReader::read_head(Decoder& decoder, SnapshotHead& head) const {
  const std::uint32_t low = code_even(decoder, 0, kNumberBits);
  // Chooses the number that ends in these bits and is nearest to the newest number.
  const auto newest = has_any_ ? static_cast<SnapshotNumber>(newest_) : SnapshotNumber{0};
  const auto ahead = static_cast<std::uint8_t>(low - newest);
  head.number = static_cast<SnapshotNumber>(
      newest + (has_any_ ? static_cast<std::int8_t>(ahead) : static_cast<int>(low)));
  code_references(decoder, head.number, head.references);
  // A snapshot cannot refer to the snapshot whose slot in the window it reuses.
  const SnapshotReferences& references = head.references;
  const auto oldest = static_cast<SnapshotNumber>(head.number - kSnapshotWindow);
  if (references.count > 0 && references.numbers[0] == oldest) return false;
  if (head.references.count == 0) code_whole_number(decoder, head.number);
  return !decoder.failed();
}

bool SnapshotReader::has_references(const SnapshotHead& head) const {
  return std::all_of(
      head.references.numbers.begin(),
      head.references.numbers.begin() + static_cast<std::ptrdiff_t>(head.references.count),
      [&](SnapshotNumber number) {
        const Received& received = received_[window_index(number)];
        return received.is_used && static_cast<SnapshotNumber>(received.serial) == number;
      });
}

template <typename Decoder>
bool SnapshotReader::read_body(Decoder& decoder, const SnapshotHead& head) {
  list_known(head);
  deferred_ = DeferredCode(head.deferred_share);
  follows_changed_ = false;
  new_generation_ = 0;
  end_id_ = kEveryId;
  const std::size_t count = listed_.size();
  SliceId id_min = head.first_id;
  bool has_new = false;
  for (std::size_t i = 0;; ++i) {
    if (i % kGroupSize == 0 || i == count) {
      if (begins_block(i)) {
        has_new = !is_block(count - i) || decoder.bit(slots::kAnyNew, false);
      }
      if (i > 0) id_min = std::max(id_min, id_after(id_of(i - 1)));
      const SliceId last_id =
          i == count ? SliceId{codec_id(kEveryId) - 1} : id_of(std::min(i + kGroupSize, count) - 1);
      if (has_new && !read_new(decoder, head, id_min, last_id)) return false;
      if (end_id_ != kEveryId && i < count) end_id_ = std::min(end_id_, id_of(i));
    }
    if (end_id_ == kEveryId && i < count && !read_listed(decoder, head, i)) return false;
    if (end_id_ != kEveryId || i == count) return !decoder.failed();
  }
}

KnownEntity SnapshotReader::known_of(const EntityTrack& track) const {
  if (is_unchanged(track, references_)) return unchanged_entity(track, references_);
  KnownEntity known = known_entity(
      track, records_[track.records_index], references_,
      [&](EntityKind kind) { return model_.types[codec_index(kind.type)].lanes.size(); });
  known.is_sparse = is_sparse(known.states);
  if (known.is_sparse) links_.extend(track.links, known.kind, known.states);
  return known;
}

/// Lists the known entities in the snapshot's range.
void SnapshotReader::list_known(const SnapshotHead& head) {
  listed_.clear();
  known_.clear();
  std::size_t constant_count = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const EntityTrack& track = slots_[i].track;
    if (i + kExpectRecords < slots_.size()) {
      expect_records(slots_[i + kExpectRecords].track, records_, references_);
      expect_rows(slots_[i + kExpectRows].track, records_, references_);
    }
    if (track.id < head.first_id) continue;
    Listed listed{.slot = static_cast<std::uint32_t>(i),
                  .known = kUnchanged,
                  .is_constant = references_.known_count > 1};
    if (!is_unchanged(track, references_)) {
      const KnownEntity& known = known_.emplace_back(known_of(track));
      listed.known = static_cast<std::uint32_t>(known_.size() - 1);
      listed.is_constant = is_constant(known.states);
      if (known.states.count == 0) {
        known_.pop_back();
        continue;
      }
    }
    if (listed.is_constant) ++constant_count;
    listed_.push_back(listed);
  }
  constant_walk_ = ConstantWalk(constant_count);
}

struct SnapshotReader::ConstantView {
  std::span<const Listed> listed;

  static bool changes(std::size_t /*count*/) { return false; }
  std::size_t others(std::size_t count) const { return others_among(listed, count); }
};

template <typename Decoder>
bool SnapshotReader::read_listed(Decoder& decoder, const SnapshotHead& head, std::size_t at) {
  const Listed& listed = listed_[at];
  if (listed.is_constant) {
    const ConstantView view{.listed = std::span(listed_).subspan(at)};
    const bool is_unchanged = constant_walk_.unchanged(decoder, view) > 0;
    constant_walk_.pass(1);
    if (is_unchanged) {
      follows_changed_ = false;
      changes_.push_back({.what = Change::Kind::unchanged, .slot = listed.slot, .kind = {}});
      return true;
    }
  }
  if (code_end(decoder, head, false)) {
    end_id_ = slots_[listed.slot].track.id;
    return !decoder.failed();
  }
  return read_entity(decoder, head, listed);
}

template <typename Decoder>
bool SnapshotReader::read_entity(Decoder& decoder, const SnapshotHead& head, const Listed& listed) {
  const EntityTrack& track = slots_[listed.slot].track;
  KnownEntity unchanged;
  if (listed.known == kUnchanged) unchanged = unchanged_entity(track, references_);
  const KnownEntity& known = listed.known == kUnchanged ? unchanged : known_[listed.known];
  const KnownStates& states = known.states;
  Change change{.what = Change::Kind::unchanged,
                .slot = listed.slot,
                .kind = known.kind,
                .first_value = values_.size()};
  const TypeModel& type = model_.types[codec_index(change.kind.type)];
  if (head.defers && deferred_.code(decoder, listed.is_constant, states, false)) {
    change.what = Change::Kind::deferred;
    change.known = listed.known;
    changes_.push_back(change);
    return !decoder.failed();
  }
  follows_changed_ = code_changed(decoder, type, states, follows_changed_, false);
  if (!follows_changed_) {
    // Unchanged.
  } else if (decoder.bit(slots::kGone, false)) {
    change.what = Change::Kind::gone;
  } else {
    change.what = Change::Kind::update;
    if (known.is_sparse) {
      change.baseline = states.values[0];
      change.baseline_tick = states.ticks[0];
      claimed_bytes_ += BaselineLinks::byte_count(type.lanes.size());
      is_too_large_ = slot_bytes() + claimed_bytes_ > limits_.memory_bytes_max;
      if (is_too_large_) return false;
    }
    values_.insert(values_.end(), states.values[0], states.values[0] + type.lanes.size());
    const auto values = std::span(values_).subspan(change.first_value);
    if (!code_entity_update(decoder, type, scratch_, states, values)) return false;
  }
  changes_.push_back(change);
  return !decoder.failed();
}

template <typename Decoder>
bool SnapshotReader::read_new(Decoder& decoder, const SnapshotHead& head, SliceId& id_min,
                              SliceId last_id) {
  while (decoder.bit(slots::kAnotherNew, false)) {
    if (decoder.failed()) return false;
    const std::uint64_t id_read = std::uint64_t{codec_id(id_min)} + code_gap(decoder, 1) - 1;
    if (id_read > codec_id(last_id)) return false;
    const auto id = static_cast<SliceId>(id_read);
    if (code_end(decoder, head, false)) {
      end_id_ = id;
      return !decoder.failed();
    }
    id_min = id_after(id);
    NewEntity entity{.id = id, .kind = {}, .first_value = values_.size()};
    if (!code_kind(decoder, entity.kind, model_.types.size(), new_generation_)) return false;
    new_generation_ = entity.kind.generation;
    const TypeModel& type = model_.types[codec_index(entity.kind.type)];
    is_too_large_ = !claim(entity.id, type.lanes.size());
    if (is_too_large_) return false;
    values_.resize(values_.size() + type.lanes.size());
    const auto values = std::span(values_).subspan(entity.first_value);
    if (!code_new_entity(decoder, type, scratch_, values)) return false;
    new_.push_back(entity);
  }
  return !decoder.failed();
}

}  // namespace muster
