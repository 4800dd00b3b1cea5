#include "net/replication/replication_client.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "net/wire/byte_io.h"

namespace muster {
namespace {

constexpr std::uint8_t kHasEvents = 1;
constexpr std::uint8_t kHasChecksum = 2;

/// After a wish for everything again, so many snapshots pass before the next one: the first may not
/// have been heard yet.
constexpr std::uint32_t kResyncPause = 32;

/// Checksums that wait for the game; more are passed over.
constexpr std::size_t kChecksMax = 64;

}  // namespace

ReplicationClient::ReplicationClient(const ReplicationClientOptions& options, DivergenceLog* log)
    : options_(options), log_(log) {}

void ReplicationClient::update(Connection& connection) {
  if (!has_joined_ || connection.map() != map_) begin_map(connection.map());
  for (auto message = connection.message(options_.channel); !message.empty();
       message = connection.message(options_.channel)) {
    take_message(message);
    connection.pop_message(options_.channel);
  }
  while (is_setup(connection.block())) {
    take_setup(connection.block());
    connection.pop_block();
  }
  for (auto payload = connection.payload(); !payload.bytes.empty();
       payload = connection.payload()) {
    take_payload(payload.bytes);
    connection.pop_payload();
  }
  list_changes();
  if (reader_) events_.reach(reader_->tick());
  send_answers(connection);
}

void ReplicationClient::begin_map(std::uint16_t map) {
  map_ = map;
  has_joined_ = true;
  phase_ = ReplicationPhase::joining;
  for (const Shown& shown : shown_) {
    const TypeView& view = views_->view(shown.kind.type);
    changes_.push_back({.kind = ReplicatedChange::Kind::despawned,
                        .id = shown.id,
                        .type = view.type,
                        .seen_by = view.seen_by,
                        .tick = shown.tick});
  }
  shown_.clear();
  reader_.reset();
  events_.reset();
  checks_.clear();
  unsent_.clear();
  unsent_.push_back(encode(JoinMessage{.wish = options_.wish}));
}

void ReplicationClient::take_message(std::span<const std::byte> message) {
  BeginMessage begin;
  TruthMessage truth;
  const auto kind = kind_of(message);
  if (kind == ReplicationMessage::begin && decode(message, begin)) {
    take_begin(begin);
  } else if (kind == ReplicationMessage::truth && decode(message, truth)) {
    take_truth(truth);
  } else {
    ++counters_.malformed;
  }
}

/// Answers with what is missing; the server then sends it, and the map's data.
void ReplicationClient::take_begin(const BeginMessage& begin) {
  if (phase_ != ReplicationPhase::joining) {
    ++counters_.malformed;
    return;
  }
  begin_ = begin;
  WantMessage want{.schema = true, .model = begin.model != ModelHash{}};
  for (const std::span<const std::byte> known :
       {options_.known_schema, std::span<const std::byte>(schema_bytes_)}) {
    if (want.schema && !known.empty() && hash_schema(known) == begin.schema) {
      want.schema = !use_schema(known);
    }
  }
  for (const std::span<const std::byte> file : options_.models) {
    if (want.model && hash_model(file) == begin.model) {
      model_bytes_.assign(file.begin(), file.end());
      want.model = false;
    }
  }
  if (want.model && !model_bytes_.empty() && hash_model(model_bytes_) == begin.model) {
    want.model = false;
  }
  phase_ = ReplicationPhase::receiving;
  wanted_ = want;
  unsent_.push_back(encode(want));
}

bool ReplicationClient::use_schema(std::span<const std::byte> encoded) {
  std::optional<ReplicationSchema> schema = decode_schema(encoded);
  if (!schema) return false;
  std::vector<std::byte> bytes(encoded.begin(), encoded.end());
  schema_bytes_ = std::move(bytes);
  schema_ = std::move(schema);
  views_.emplace(*schema_);
  return true;
}

void ReplicationClient::take_setup(std::span<const std::byte> block) {
  const std::optional<SetupBlock> setup = decode_setup(block);
  if (!setup || phase_ != ReplicationPhase::receiving || !begin_ ||
      setup->schema.empty() == wanted_.schema || setup->model.empty() == wanted_.model ||
      (wanted_.schema && hash_schema(setup->schema) != begin_->schema) ||
      (wanted_.model && hash_model(setup->model) != begin_->model) ||
      (wanted_.schema && !use_schema(setup->schema))) {
    ++counters_.malformed;
    return;
  }
  if (wanted_.model) model_bytes_.assign(setup->model.begin(), setup->model.end());
  map_info_.assign(setup->map_info.begin(), setup->map_info.end());
  SnapshotModel trained;
  std::string error;
  if (begin_->model != ModelHash{} && !decode_model(model_bytes_, trained, error)) {
    ++counters_.malformed;
    return;
  }
  model_ = std::make_unique<SnapshotModel>(views_->model(trained));
  reader_.emplace(*model_, options_.entity_max);
  phase_ = ReplicationPhase::playing;
  unsent_.push_back(encode(ReplicationMessage::ready));
}

void ReplicationClient::take_payload(std::span<const std::byte> payload) {
  if (phase_ != ReplicationPhase::playing) return;  // Of before we were asked to begin anew.
  SectionReader reader(payload);
  const std::uint8_t flags = reader.read_u8();
  if (flags > (kHasEvents | kHasChecksum)) {
    ++counters_.malformed;
    return;
  }
  if ((flags & kHasEvents) != 0 && !events_.read(reader)) {
    ++counters_.malformed;
    return;
  }
  Check check{.is_pending = (flags & kHasChecksum) != 0};
  if (check.is_pending) {
    check.id = reader.read_u32();
    check.expected = reader.read_u32();
  }
  if (reader.failed()) {
    ++counters_.malformed;
    return;
  }
  ++counters_.snapshots;
  counters_.snapshot_bytes += payload.size();
  switch (reader_->read(payload.subspan(reader.position()))) {
    case SnapshotVerdict::applied:
      // An overtaken one shows nothing: there is nothing to compare.
      check.tick = reader_->tick();
      check.is_pending = check.is_pending && check.id != kEveryId && reader_->last_is_newest();
      if (check.is_pending && checks_.size() < kChecksMax) checks_.push_back(check);
      return;
    case SnapshotVerdict::late:
      ++counters_.late;
      return;
    case SnapshotVerdict::unknown:
      ++counters_.unknown;
      return want_everything();
    case SnapshotVerdict::malformed:
      ++counters_.malformed;
      return want_everything();
  }
}

/// The transport has told the server that a snapshot arrived; but it is of no use here.
void ReplicationClient::want_everything() {
  if (counters_.snapshots < next_resync_) return;
  next_resync_ = counters_.snapshots + kResyncPause;
  ++counters_.resyncs;
  unsent_.push_back(encode(ReplicationMessage::resync));
}

const SeenEntity* ReplicationClient::find(std::uint32_t id) const {
  if (!reader_) return nullptr;
  const std::span<const SeenEntity> entities = reader_->entities();
  const auto found = std::ranges::lower_bound(entities, id, {}, &SeenEntity::id);
  return found != entities.end() && found->id == id ? &*found : nullptr;
}

bool ReplicationClient::values(std::uint32_t id, std::span<std::int64_t> values) const {
  const SeenEntity* entity = find(id);
  if (entity == nullptr) return false;
  const TypeView& view = views_->view(entity->kind.type);
  assert(values.size() == schema_->value_count(view.type));
  view.from_lanes(std::span(entity->values, view.parts.size()), values);
  return true;
}

/// What the reader shows now against what it showed last time; both are sorted by id.
void ReplicationClient::list_changes() {
  if (!reader_) return;
  next_shown_.clear();
  spawned_.clear();
  updated_.clear();
  const auto change = [&](ReplicatedChange::Kind kind, const Shown& shown) {
    const TypeView& view = views_->view(shown.kind.type);
    return ReplicatedChange{.kind = kind,
                            .id = shown.id,
                            .type = view.type,
                            .seen_by = view.seen_by,
                            .tick = shown.tick};
  };
  const auto is_same_entity = [&](const Shown& a, const SeenEntity& b) {
    // Another view of the same type is another look at the same entity.
    return a.kind.generation == b.kind.generation &&
           views_->view(a.kind.type).type == views_->view(b.kind.type).type;
  };
  std::size_t before = 0;
  using enum ReplicatedChange::Kind;
  for (const SeenEntity& seen : reader_->entities()) {
    for (; before < shown_.size() && shown_[before].id < seen.id; ++before) {
      changes_.push_back(change(despawned, shown_[before]));
    }
    const Shown now{.id = seen.id, .kind = seen.kind, .tick = seen.tick};
    next_shown_.push_back(now);
    const bool had = before < shown_.size() && shown_[before].id == seen.id;
    if (had && is_same_entity(shown_[before], seen)) {
      if (shown_[before].tick != seen.tick) updated_.push_back(change(updated, now));
    } else {
      if (had) changes_.push_back(change(despawned, shown_[before]));
      spawned_.push_back(change(spawned, now));
    }
    if (had) ++before;
  }
  for (; before < shown_.size(); ++before) {
    changes_.push_back(change(despawned, shown_[before]));
  }
  changes_.insert(changes_.end(), spawned_.begin(), spawned_.end());
  changes_.insert(changes_.end(), updated_.begin(), updated_.end());
  shown_.swap(next_shown_);
}

void ReplicationClient::verify(const EntityValues* game) {
  for (const Check& check : checks_) {
    const SeenEntity* entity = find(check.id);
    if (entity == nullptr || entity->tick != check.tick) continue;
    ++counters_.checksums;
    const TypeView& view = views_->view(entity->kind.type);
    lanes_.assign(entity->values, entity->values + view.parts.size());
    if (game != nullptr) {
      values_.assign(schema_->value_count(view.type), 0);
      view.from_lanes(lanes_, values_);
      if (!game->values(check.id, values_)) continue;
      view.to_lanes(values_, lanes_);
    }
    if (checksum(lanes_) == check.expected) continue;
    ++counters_.divergences;
    const std::size_t count = std::min(lanes_.size(), kDivergedLanesMax);
    unsent_.push_back(encode(DivergedMessage{
        .id = check.id,
        .tick = check.tick,
        .codec_type = entity->kind.type,
        .lanes = {lanes_.begin(), lanes_.begin() + static_cast<std::ptrdiff_t>(count)}}));
    want_everything();
  }
  checks_.clear();
}

void ReplicationClient::take_truth(const TruthMessage& truth) {
  if (!views_ || truth.codec_type >= views_->count()) {
    ++counters_.malformed;
    return;
  }
  if (log_ == nullptr) return;
  log_->diverged({.id = truth.id,
                  .tick = truth.tick,
                  .type = schema_->types[views_->view(truth.codec_type).type].id,
                  .field = views_->lane_name(truth.codec_type, truth.lane),
                  .server_value = truth.ours,
                  .client_value = truth.theirs});
}

void ReplicationClient::send_answers(Connection& connection) {
  const auto is_sent = [&](const std::vector<std::byte>& message) {
    return connection.send_message(options_.channel, message) == SendStatus::queued;
  };
  const auto left = std::ranges::find_if_not(unsent_, is_sent);
  unsent_.erase(unsent_.begin(), left);
}

void ReplicationClient::clear() {
  if (!checks_.empty()) verify(nullptr);
  changes_.clear();
  events_.clear_due();
}

}  // namespace muster
