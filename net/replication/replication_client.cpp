#include "net/replication/replication_client.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "registry/base/bytes.h"

namespace muster {
namespace {

/// The minimum number of snapshots between two requests for the whole state. Within this pause, the
/// server receives the first request.
constexpr std::uint32_t kResyncPause = 32;

/// After this many snapshots, the server knows that an earlier snapshot was unreadable, because at
/// most a third of this number is in flight.
constexpr std::uint32_t kSettlingPause = 128;

/// The maximum number of checksums that wait for the game. Further checksums are ignored.
constexpr std::size_t kChecksMax = 64;

/// Describes why an invalid `begin` cannot be followed.
std::string fault_of_begin(std::span<const std::byte> begin) {
  const ReplicationVersions ours;
  const std::optional<ReplicationVersions> theirs = versions_of(begin);
  if (theirs == ours) return "the server's first message is damaged, or of another version";
  std::string fault =
      "the server's first message is damaged, or the server speaks version 1 of replication";
  if (theirs) {
    fault = "the server speaks version " + std::to_string(theirs->replication) +
            " of replication with snapshots of version " + std::to_string(theirs->snapshots);
  }
  return fault + "; this end version " + std::to_string(ours.replication) +
         " with snapshots of version " + std::to_string(ours.snapshots) +
         ": use the same build at both ends";
}

}  // namespace

ReplicationClient::ReplicationClient(const ReplicationClientOptions& options, DivergenceLog* log)
    : options_(options), log_(log) {}

void ReplicationClient::update(Connection& connection) {
  if (!has_joined_ || connection.map() != map_) {
    // Data that arrived with the new map is applied in the next call. So after this call, there is
    // no schema, and the caller can see that the map has changed.
    begin_map(connection.map());
    unsent_.send(connection, options_.channel);
    return;
  }
  for (auto message = connection.message(options_.channel); !message.empty();
       message = connection.message(options_.channel)) {
    apply_message(message);
    connection.pop_message(options_.channel);
  }
  while (is_setup(connection.block())) {
    apply_setup(connection.block());
    connection.pop_block();
  }
  for (auto payload = connection.payload(); !payload.bytes.empty();
       payload = connection.payload()) {
    apply_payload(payload.bytes);
    connection.pop_payload();
  }
  if (mirror_) {
    // For events, all entities of this list count as shown, even if the list is long.
    settle_events();
    mirror_->list_changes(changes_);
    settle_events();
    counters_.events += events_.reach(tick());
    counters_.events_lost = events_.lost();
    counters_.events_dropped = events_.dropped();
  }
  unsent_.send(connection, options_.channel);
}

void ReplicationClient::settle_events() {
  events_.settle(counters_.snapshots, [&](const EventSubject& entity, Tick tick) {
    return mirror_->state_of(entity, tick);
  });
}

void ReplicationClient::begin_map(std::uint16_t map) {
  map_ = map;
  has_joined_ = true;
  is_complete_ = false;
  phase_ = ReplicationPhase::joining;
  failure_.clear();
  if (mirror_) mirror_->list_end(changes_);
  mirror_.reset();
  events_.reset();
  checks_.clear();
  unsent_.clear();
  unsent_.push(encode(JoinMessage{.wish = options_.wish}));
}

void ReplicationClient::apply_message(std::span<const std::byte> message) {
  BeginMessage begin;
  TruthMessage truth;
  SetupRefusedMessage refused;
  const auto kind = kind_of(message);
  if (kind == ReplicationMessage::begin && phase_ == ReplicationPhase::joining) {
    if (!decode(message, begin)) return fail(fault_of_begin(message));
    apply_begin(begin);
  } else if (kind == ReplicationMessage::truth && decode(message, truth)) {
    apply_truth(truth);
  } else if (kind == ReplicationMessage::setup_refused && decode(message, refused) &&
             phase_ == ReplicationPhase::receiving) {
    fail("the map's setup has " + std::to_string(refused.setup_bytes) +
         " bytes, more than this end's connection takes in a block");
  } else {
    ++counters_.malformed;
  }
}

/// Requests the missing parts. The server sends them together with the map's data.
void ReplicationClient::apply_begin(const BeginMessage& begin) {
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
  requested_ = want;
  unsent_.push(encode(want));
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

/// Records the reason why this client cannot follow the server.
void ReplicationClient::fail(std::string why) {
  ++counters_.malformed;
  phase_ = ReplicationPhase::failed;
  failure_ = std::move(why);
}

void ReplicationClient::apply_setup(std::span<const std::byte> block) {
  if (phase_ != ReplicationPhase::receiving) {
    ++counters_.malformed;
    return;
  }
  std::string fault = use_setup(block);
  if (!fault.empty()) return fail(std::move(fault));
  phase_ = ReplicationPhase::playing;
  applied_at_ = counters_.snapshots;
  unsent_.push(encode(ReplicationMessage::ready));
}

/// Applies a setup. Returns a description of the setup's fault, or an empty string if the setup is
/// valid.
std::string ReplicationClient::use_setup(std::span<const std::byte> block) {
  const std::optional<SetupBlock> setup = decode_setup(block);
  if (!setup || setup->schema.empty() == requested_.schema ||
      setup->model.empty() == requested_.model) {
    return "the server's setup is damaged, or not the one that this end requested";
  }
  if (requested_.schema && hash_schema(setup->schema) != begin_->schema) {
    return "the server's schema is not the one that it named";
  }
  if (requested_.schema && !use_schema(setup->schema)) {
    return "the server's schema cannot be read here: it is damaged, or of another version";
  }
  if (requested_.model && hash_model(setup->model) != begin_->model) {
    return "the server's model is not the one that it named";
  }
  if (requested_.model) model_bytes_.assign(setup->model.begin(), setup->model.end());
  map_info_.assign(setup->map_info.begin(), setup->map_info.end());
  SnapshotModel trained;
  std::string error;
  if (begin_->model != ModelHash{} && !decode_model(model_bytes_, trained, error)) {
    return "the server's model cannot be used: " + error;
  }
  model_ = std::make_unique<SnapshotModel>(views_->model(trained));
  if (options_.has_meter) meter_.emplace(model_->probabilities.size());
  const SnapshotOptions snapshot{.coder = begin_->coder, .meter = meter_ ? &*meter_ : nullptr};
  mirror_.emplace(*schema_, *views_, *model_, options_.limits, snapshot);
  return {};
}

/// Returns false if the head is malformed.
bool ReplicationClient::read_payload_head(ByteReader& reader, Check& check, bool& is_complete) {
  const std::uint8_t flags = reader.u8();
  if (flags > (kPayloadHasEvents | kPayloadHasChecksum | kPayloadIsComplete)) return false;
  is_complete = (flags & kPayloadIsComplete) != 0;
  if ((flags & kPayloadHasEvents) != 0 && !events_.read(reader, counters_.snapshots)) {
    return false;
  }
  check.is_pending = (flags & kPayloadHasChecksum) != 0;
  if (check.is_pending) {
    check.id = SliceId{reader.u32()};
    check.expected = reader.u32();
  }
  return !reader.failed();
}

/// The transport confirmed this payload, so the server may refer to its snapshot. This client
/// cannot read it, so the server must send the whole state again.
void ReplicationClient::refuse_payload() {
  ++counters_.malformed;
  request_everything();
}

void ReplicationClient::apply_payload(std::span<const std::byte> payload) {
  if (phase_ != ReplicationPhase::playing)
    return;  // The payload is older than the request to start again.
  ++counters_.snapshots;
  counters_.snapshot_bytes += payload.size();
  ByteReader reader(payload);
  Check check;
  bool is_complete = false;
  if (!read_payload_head(reader, check, is_complete)) return refuse_payload();
  const SnapshotVerdict verdict = mirror_->read(payload.subspan(reader.position()));
  if (verdict == SnapshotVerdict::applied) applied_at_ = counters_.snapshots;
  // This client no longer has the references of the server's snapshots, and snapshot numbers may be
  // ambiguous.
  if (counters_.snapshots - applied_at_ >= kSnapshotWindow) request_everything();
  switch (verdict) {
    case SnapshotVerdict::applied:
      // The server may not know yet which snapshot was unreadable.
      is_complete_ = is_complete_ || (is_complete && counters_.snapshots >= settled_at_);
      // An overtaken snapshot is not shown, so its checksum cannot be compared.
      check.tick = tick();
      check.is_pending =
          check.is_pending && check.id != kEveryId && mirror_->reader().last_is_newest();
      check.is_missing = check.is_pending && mirror_->find_slice(check.id) == nullptr;
      if (check.is_pending && checks_.size() < kChecksMax) checks_.push_back(check);
      return;
    case SnapshotVerdict::late:
      ++counters_.late;
      return;
    case SnapshotVerdict::unknown:
      ++counters_.unknown;
      disown();
      return;
    case SnapshotVerdict::malformed:
      return refuse_payload();
    case SnapshotVerdict::too_large:
      return fail("the server's world is larger than this end allows: " +
                  std::to_string(options_.limits.entity_max) + " entities, " +
                  std::to_string(options_.limits.memory_bytes_max >> 20U) + " MiB");
  }
}

/// Reports a snapshot that the transport confirmed, but that cannot be read, because too many other
/// snapshots overtook it. The server then refers only to other snapshots.
void ReplicationClient::disown() {
  settled_at_ = counters_.snapshots + kSettlingPause;
  const UnreadableMessage message{.number = mirror_->reader().unknown_number()};
  // If there is no room, the next unreadable snapshot is reported instead. That snapshot lacks the
  // same references.
  if (unsent_.has_room()) unsent_.push(encode(message));
}

/// Requests the whole state, because this client cannot use a snapshot that the transport
/// confirmed.
void ReplicationClient::request_everything() {
  settled_at_ = counters_.snapshots + kSettlingPause;
  if (counters_.snapshots < next_resync_ || !unsent_.has_room()) return;
  next_resync_ = counters_.snapshots + kResyncPause;
  ++counters_.resyncs;
  unsent_.push(encode(ReplicationMessage::resync));
}

void ReplicationClient::verify(const EntityValues* game) {
  for (const Check& check : checks_) {
    if (check.is_missing) {
      ++counters_.checksums;
      report_missing({.id = check.id, .tick = check.tick});
      continue;
    }
    const SeenEntity* entity = mirror_ ? mirror_->find_slice(check.id) : nullptr;
    // If the entity was removed or changed since, a later checksum will compare it. An entity is
    // not shown while some of its slices are missing.
    if (entity == nullptr || entity->tick != check.tick || !mirror_->is_listed(*entity)) continue;
    if (game != nullptr && !mirror_->is_of_one_tick(*entity)) continue;
    if (compare(check, *entity, game)) continue;
    ++counters_.divergences;
    if (!unsent_.has_room()) continue;
    const std::size_t count = std::min(lanes_.size(), kDivergedLanesMax);
    unsent_.push(encode(DivergedMessage{
        .id = check.id,
        .tick = check.tick,
        .codec_type = entity->kind.type,
        .lanes = {lanes_.begin(), lanes_.begin() + static_cast<std::ptrdiff_t>(count)}}));
    request_everything();
  }
  checks_.clear();
}

/// Compares the checksum of this end's values, `lanes_`, with the server's checksum.
bool ReplicationClient::compare(const Check& check, const SeenEntity& entity,
                                const EntityValues* game) {
  const TypeView& view = views_->view(entity.kind.type);
  lanes_.assign(entity.values, entity.values + view.parts.size());
  auto found = EntityFound::here;
  SchemaComponent component = kNoComponent;
  if (game != nullptr) {
    values_.assign(schema_->value_count(view.type), 0);
    view.from_lanes(lanes_, values_);
    found = game->values(views_->entity_of(check.id), values_, component);
    if (found == EntityFound::here) view.to_lanes(values_, lanes_);
  }
  if (found == EntityFound::not_kept) return true;
  ++counters_.checksums;
  if (found == EntityFound::here) return checksum(lanes_) == check.expected;
  report_missing({.id = check.id,
                  .tick = check.tick,
                  .codec_type = entity.kind.type,
                  .component = found == EntityFound::missing ? kNoComponent : component});
  return true;
}

void ReplicationClient::report_missing(const MissingMessage& missing) {
  ++counters_.divergences;
  if (unsent_.has_room()) unsent_.push(encode(missing));
  request_everything();
  if (log_ != nullptr) log_->diverged(divergence_of(missing, *schema_, *views_));
}

void ReplicationClient::apply_truth(const TruthMessage& truth) {
  if (!views_ || codec_index(truth.codec_type) >= views_->count()) {
    ++counters_.malformed;
    return;
  }
  if (log_ == nullptr) return;
  log_->diverged({.id = views_->entity_of(truth.id),
                  .tick = truth.tick,
                  .type = schema_->type(views_->view(truth.codec_type).type).id,
                  .field = views_->lane_name(truth.codec_type, truth.lane),
                  .server_value = truth.ours,
                  .client_value = truth.theirs});
}

std::optional<Bandwidth> ReplicationClient::bandwidth() const {
  if (!meter_ || !mirror_) return std::nullopt;
  return bandwidth_of(*meter_, *model_, *views_);
}

void ReplicationClient::clear() {
  if (!checks_.empty()) verify(nullptr);
  changes_.clear();
  events_.clear_due();
}

}  // namespace muster
