// The writer works like a server whose only client acknowledges each snapshot at once. A keyframe
// has no references, so that it can be read without earlier records.
#include "net/replication/recording.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "net/snapshot/model_file.h"
#include "registry/base/bytes.h"

namespace muster {
namespace {

constexpr std::uint32_t kRecordingMagic = 0x3452524D;  // "MRR4"
constexpr std::uint32_t kEndMagic = 0x4552524D;        // "MRRE"
constexpr std::size_t kRecordingHeadBytes = 1 + 4 + 4;
constexpr std::size_t kFootBytes = 8 + 4;
/// The maximum size of a snapshot. A larger world needs several snapshots.
constexpr std::size_t kSnapshotBytesMax = 256 * 1024;

// Kinds of records.
constexpr std::uint8_t kKeyframe = 1;
constexpr std::uint8_t kSnapshot = 2;
constexpr std::uint8_t kEvent = 3;
constexpr std::uint8_t kMap = 4;
constexpr std::uint8_t kIndex = 5;

ReplicationSchema for_everyone(ReplicationSchema schema) {
  for (ComponentSchema& component : schema.components) {
    for (FieldSchema& field : component.fields) field.receivers = Receivers::everyone;
  }
  return schema;
}

void append(std::vector<std::byte>& to, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) to.push_back(static_cast<std::byte>(value >> (8 * i)));
}

void append(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

RecordingWriter::RecordingWriter(const RecordingOptions& options, const ReplicationSchema& schema)
    : options_(options),
      schema_(for_everyone(schema)),
      views_(schema_, kNoSlices),
      model_(views_.model_of_file(options.model_file)),
      world_(std::make_unique<ReplicatedWorld>(schema_, views_)),
      writer_(std::in_place, model_, SnapshotOptions{.coder = options_.coder}),
      memory_(kSnapshotBytesMax) {
  const std::vector<std::byte> encoded = encode_schema(schema_);
  append(pending_, kRecordingMagic, 4);
  append(pending_, options_.ticks_per_second, 2);
  append(pending_, static_cast<std::uint64_t>(options_.coder), 1);
  append(pending_, encoded.size(), 4);
  append(pending_, options_.model_file.size(), 4);
  append(pending_, encoded);
  append(pending_, options_.model_file);
}

void RecordingWriter::clear_pending() {
  cleared_ += pending_.size();
  pending_.clear();
}

void RecordingWriter::add_record(std::uint8_t kind, Tick tick, std::span<const std::byte> bytes) {
  append(pending_, kind, 1);
  append(pending_, tick.value(), 4);
  append(pending_, bytes.size(), 4);
  append(pending_, bytes);
}

void RecordingWriter::begin_map(std::span<const std::byte> map_info) {
  add_record(kMap, last_tick_, map_info);
  world_ = std::make_unique<ReplicatedWorld>(schema_, views_);
  generations_.clear();
  writer_.emplace(model_, SnapshotOptions{.coder = options_.coder});
  next_keyframe_ = {};
}

void RecordingWriter::add(const ReplicatedWorld& world) {
  follow(world);
  states_.clear();
  for (const ReplicatedEntity& entity : world_->entities()) {
    states_.push_back({.id = views_.slice_id(entity.id, kFirstSlice),
                       .kind = {.type = views_.codec_type(entity.options.type, SeenBy::others),
                                .generation = entity.generation},
                       .values = entity.row(SeenBy::others)});
  }
  last_tick_ = world.tick();
  bool is_keyframe = last_tick_ >= next_keyframe_;
  if (is_keyframe) {
    keyframes_.push_back({.tick = last_tick_, .offset = byte_count()});
    next_keyframe_ = last_tick_ + options_.keyframe_ticks;
    writer_->forget_acknowledged();
  }
  writer_->begin(last_tick_, states_);
  while (!writer_->is_done()) {
    const std::span<const std::byte> bytes = writer_->write(memory_);
    assert(!bytes.empty());
    add_record(is_keyframe ? kKeyframe : kSnapshot, last_tick_, bytes);
    writer_->acknowledge(writer_->last_number());
    is_keyframe = false;
  }
}

/// Updates the recorded world to `world`; both are sorted by id.
void RecordingWriter::follow(const ReplicatedWorld& world) {
  const Tick before = world_->tick();
  world_->begin(world.tick());
  const auto is_other = [](const ReplicatedEntity& a, const ReplicatedEntity& b) {
    return a.options.type != b.options.type;
  };
  const auto values_of = [&](const ReplicatedEntity& entity) {
    values_.assign(world.schema().value_count(entity.options.type), 0);
    for (const SeenBy seen_by : {SeenBy::others, SeenBy::owner}) {
      world.views().from_row(world.views().codec_type(entity.options.type, seen_by),
                             entity.row(seen_by), values_);
    }
    return std::span<const std::int64_t>(values_);
  };
  // Finds the entities that were removed or replaced under the same id.
  gone_.clear();
  for (const ReplicatedEntity& entity : world_->entities()) {
    const ReplicatedEntity* now = world.find(entity.id);
    if (now == nullptr || is_other(*now, entity) || now->generation != generations_[entity.id]) {
      gone_.push_back(entity.id);
    }
  }
  for (const NetworkId id : gone_) {
    world_->despawn(id);
    generations_.erase(id);
  }
  for (const ReplicatedEntity& entity : world.entities()) {
    if (world_->find(entity.id) == nullptr) {
      world_->spawn(entity.id, {.type = entity.options.type}, values_of(entity));
      generations_[entity.id] = entity.generation;
    } else if (entity.changed_at > before) {
      world_->set(entity.id, values_of(entity));
    }
  }
}

void RecordingWriter::add_event(Tick tick, std::span<const std::byte> event) {
  add_record(kEvent, tick, event);
}

void RecordingWriter::finish() {
  const std::uint64_t offset = byte_count();
  std::vector<std::byte> index;
  for (const Keyframe& keyframe : keyframes_) {
    append(index, keyframe.tick.value(), 4);
    append(index, keyframe.offset, 8);
  }
  add_record(kIndex, last_tick_, index);
  append(pending_, offset, 8);
  append(pending_, kEndMagic, 4);
}

std::unique_ptr<RecordingReader> RecordingReader::open(std::span<const std::byte> file,
                                                       std::string& error) {
  std::unique_ptr<RecordingReader> reader(new RecordingReader);
  reader->file_ = file;
  if (!reader->read_head(error)) return nullptr;
  if (!reader->read_index()) reader->find_keyframes();
  reader->reset();
  return reader;
}

bool RecordingReader::read_head(std::string& error) {
  ByteReader head(file_);
  if (head.u32() != kRecordingMagic) {
    error = "this is not a recording of a world";
    return false;
  }
  ticks_per_second_ = head.u16();
  coder_ = static_cast<SnapshotCoder>(head.u8());
  const std::uint32_t schema_bytes = head.u32();
  const std::uint32_t model_bytes = head.u32();
  std::optional<ReplicationSchema> schema = decode_schema(head.bytes(schema_bytes));
  const std::span<const std::byte> model = head.bytes(model_bytes);
  if (head.failed() || !schema || ticks_per_second_ == 0 || coder_ > SnapshotCoder::reference) {
    error = "the recording's header is damaged";
    return false;
  }
  SnapshotModel trained;
  if (!model.empty() && !decode_model(model, trained, error)) return false;
  schema_ = std::move(*schema);
  views_ = std::make_unique<TypeViews>(schema_, kNoSlices);
  model_ = std::make_unique<SnapshotModel>(views_->model(trained));
  first_record_ = head.position();
  return true;
}

RecordingStatus RecordingReader::read_record(std::size_t offset, Record& record) const {
  if (offset == file_.size()) return RecordingStatus::end;
  ByteReader reader(file_.subspan(offset));
  record.kind = reader.u8();
  record.tick = Tick(reader.u32());
  record.bytes = reader.bytes(reader.u32());
  if (reader.failed()) return RecordingStatus::cut;
  if (record.kind == kIndex) return RecordingStatus::end;
  if (record.kind < kKeyframe || record.kind > kIndex) return RecordingStatus::damaged;
  record.end = offset + kRecordingHeadBytes + record.bytes.size();
  return RecordingStatus::tick;
}

/// Returns false if there is no valid index, for example because the writer was stopped.
bool RecordingReader::read_index() {
  if (file_.size() < first_record_ + kFootBytes) return false;
  ByteReader foot(file_.last(kFootBytes));
  const std::uint64_t offset = foot.u64();
  if (foot.u32() != kEndMagic || offset < first_record_ || offset > file_.size()) return false;
  ByteReader index(file_.subspan(static_cast<std::size_t>(offset)));
  if (index.u8() != kIndex) return false;
  static_cast<void>(index.u32());
  const std::uint32_t bytes = index.u32();
  if (index.remaining() != bytes + kFootBytes || bytes % 12 != 0) return false;
  std::vector<Keyframe> keyframes;
  for (std::uint32_t i = 0; i < bytes / 12; ++i) {
    const Tick tick{index.u32()};
    const std::uint64_t at = index.u64();
    const bool is_later =
        keyframes.empty() || (tick > keyframes.back().tick && at > keyframes.back().offset);
    Record record;
    if (!is_later || at < first_record_ || at >= offset ||
        read_record(static_cast<std::size_t>(at), record) != RecordingStatus::tick ||
        record.kind != kKeyframe || record.tick != tick) {
      return false;
    }
    keyframes.push_back({.tick = tick, .offset = static_cast<std::size_t>(at)});
  }
  keyframes_ = std::move(keyframes);
  return true;
}

void RecordingReader::find_keyframes() {
  Record record;
  for (std::size_t at = first_record_; read_record(at, record) == RecordingStatus::tick;
       at = record.end) {
    if (record.kind != kKeyframe) continue;
    if (!keyframes_.empty() && record.tick <= keyframes_.back().tick) continue;
    keyframes_.push_back({.tick = record.tick, .offset = at});
  }
}

void RecordingReader::reset() {
  if (mirror_) mirror_->list_end(changes_);
  begin_mirror();
  position_ = first_record_;
  tick_.reset();
}

void RecordingReader::begin_mirror() {
  const SnapshotOptions options{.coder = coder_, .meter = meter_ ? &*meter_ : nullptr};
  mirror_ = std::make_unique<WorldMirror>(schema_, *views_, *model_, kRecordedLimits, options);
}

void RecordingReader::begin_meter() {
  meter_.emplace(model_->probabilities.size());
  reset();
}

void RecordingReader::clear() {
  changes_.clear();
  events_.clear();
}

RecordingStatus RecordingReader::play(const Record& record) {
  switch (record.kind) {
    case kMap:
      map_info_ = record.bytes;
      mirror_->list_end(changes_);
      begin_mirror();
      return RecordingStatus::tick;
    case kEvent:
      events_.push_back({.tick = record.tick, .number = event_count_++, .bytes = record.bytes});
      return RecordingStatus::tick;
    default:
      break;
  }
  const bool is_read = mirror_->read(record.bytes) == SnapshotVerdict::applied;
  if (!is_read || mirror_->reader().tick() != record.tick) return RecordingStatus::damaged;
  tick_ = record.tick;
  return RecordingStatus::tick;
}

RecordingStatus RecordingReader::step() {
  const RecordingStatus status = play_tick();
  // If the tick is damaged, the changes of its readable part are also listed.
  mirror_->list_changes(changes_);
  return status;
}

RecordingStatus RecordingReader::play_tick() {
  Record record;
  RecordingStatus status = read_record(position_, record);
  // Reads the records before the tick's first snapshot, and then all snapshots of the tick.
  bool has_tick = false;
  while (status == RecordingStatus::tick) {
    const bool is_snapshot = record.kind == kKeyframe || record.kind == kSnapshot;
    if (has_tick && (!is_snapshot || record.tick != tick_)) break;
    has_tick = has_tick || is_snapshot;
    const RecordingStatus played = play(record);
    if (played != RecordingStatus::tick) {
      position_ = file_.size();
      return played;
    }
    position_ = record.end;
    status = read_record(position_, record);
  }
  return has_tick ? RecordingStatus::tick : status;
}

/// Returns the tick of the next snapshot, or nothing at the end.
std::optional<Tick> RecordingReader::next_tick() const {
  Record record;
  for (std::size_t at = position_; read_record(at, record) == RecordingStatus::tick;
       at = record.end) {
    if (record.kind == kKeyframe || record.kind == kSnapshot) return record.tick;
  }
  return std::nullopt;
}

/// Finds the map at an offset: the last map that began before it.
void RecordingReader::find_map(std::size_t offset) {
  map_info_ = {};
  Record record;
  for (std::size_t at = first_record_;
       at < offset && read_record(at, record) == RecordingStatus::tick; at = record.end) {
    if (record.kind == kMap) map_info_ = record.bytes;
  }
}

RecordingStatus RecordingReader::seek(Tick tick) {
  const auto later = std::ranges::upper_bound(keyframes_, tick, {}, &Keyframe::tick);
  if (later == keyframes_.begin()) return RecordingStatus::end;
  reset();
  position_ = std::prev(later)->offset;
  find_map(position_);
  events_.clear();
  for (auto next = next_tick(); next && *next <= tick; next = next_tick()) {
    const RecordingStatus status = play_tick();
    events_.clear();  // Drops the events of skipped ticks.
    if (status == RecordingStatus::tick) continue;
    mirror_->list_changes(changes_);
    return status;
  }
  mirror_->list_changes(changes_);
  return RecordingStatus::tick;
}

}  // namespace muster
