// The messages between server and client of replication besides snapshots, on a reliable channel.
// REPLICATION_FORMAT.md, "Messages".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/replication/replication_schema.h"
#include "net/replication/type_views.h"
#include "net/snapshot/codec_type.h"
#include "net/snapshot/model_file.h"
#include "net/snapshot/snapshot_options.h"
#include "registry/base/network_id.h"
#include "registry/base/tick.h"
#include "registry/base/type_id.h"

namespace muster {

/// Limits that a client requests; the server may ignore them.
struct ReplicationWish {
  std::uint16_t snapshot_ticks = 0;    ///< Minimum ticks between two snapshots; 0: the server
                                       ///< chooses.
  std::uint32_t bytes_per_second = 0;  ///< Limit for snapshots; 0: what the path carries.
  friend bool operator==(const ReplicationWish&, const ReplicationWish&) = default;
};

enum class ReplicationMessage : std::uint8_t {
  // From the client.
  join = 1,
  want = 2,
  ready = 3,
  resync = 4,
  diverged = 5,
  unreadable = 6,
  missing = 7,
  // From the server.
  begin = 16,
  truth = 17,
  setup_refused = 18,
};

/// The first message of a client, for each map.
struct JoinMessage {
  ReplicationWish wish;
};
/// The format versions of this end: REPLICATION_FORMAT.md, and its snapshots.
struct ReplicationVersions {
  std::uint16_t replication = 5;
  std::uint16_t snapshots = kSnapshotFormatVersion;
  friend bool operator==(const ReplicationVersions&, const ReplicationVersions&) = default;
};
/// The server's answer; the versions of its end come first.
struct BeginMessage {
  SchemaHash schema{};
  ModelHash model{};  ///< All zero: the built-in priors.
  std::uint16_t ticks_per_second = 60;
  std::uint16_t snapshot_ticks = 3;
  SnapshotCoder coder = SnapshotCoder::range;
};
/// The parts of `begin` that the client lacks.
struct WantMessage {
  bool schema = false;
  bool model = false;
};
/// A snapshot that came so late that its references are forgotten.
struct UnreadableMessage {
  std::uint16_t number = 0;
};
inline constexpr std::uint16_t kNoComponent = 0xFFFF;
/// For an entity that was in no snapshot.
inline constexpr CodecType kNoCodecType{0xFFFF};
/// An entity whose values do not match the server's checksum.
struct DivergedMessage {
  SliceId id{};
  Tick tick{};
  CodecType codec_type{};
  std::vector<LaneValue> lanes;  ///< The first lanes, as many as fit.
};
/// Reports an entity for which a checksum was received, but which does not exist at the client or
/// lacks a component.
struct MissingMessage {
  SliceId id{};
  Tick tick{};
  CodecType codec_type = kNoCodecType;
  std::uint16_t component = kNoComponent;  ///< Index into the schema; `kNoComponent`: the whole
                                           ///< entity.
};
/// The server's answer to `DivergedMessage`.
struct TruthMessage {
  SliceId id{};
  Tick tick{};
  CodecType codec_type{};
  std::uint16_t lane = 0;  ///< The first that differs; `kNoLane` if none was found.
  LaneValue ours = 0;      ///< The server's value.
  LaneValue theirs = 0;    ///< The client's value.
};
/// The setup will not arrive: a connection refused its block.
struct SetupRefusedMessage {
  std::uint32_t setup_bytes = 0;
};
inline constexpr std::uint16_t kNoLane = 0xFFFF;
/// The maximum number of lanes in a `DivergedMessage`, so that it fits into a message.
inline constexpr std::size_t kDivergedLanesMax = 240;

std::vector<std::byte> encode(const JoinMessage& message);
std::vector<std::byte> encode(const BeginMessage& message);
std::vector<std::byte> encode(const WantMessage& message);
std::vector<std::byte> encode(const UnreadableMessage& message);
std::vector<std::byte> encode(const DivergedMessage& message);
std::vector<std::byte> encode(const MissingMessage& message);
std::vector<std::byte> encode(const TruthMessage& message);
std::vector<std::byte> encode(const SetupRefusedMessage& message);
/// For `ready` and `resync`, which have no content.
std::vector<std::byte> encode(ReplicationMessage kind);

/// The kind of a message; nothing if it is unknown.
std::optional<ReplicationMessage> kind_of(std::span<const std::byte> message);
/// Each function reads what `encode` wrote, from untrusted bytes.
bool decode(std::span<const std::byte> bytes, JoinMessage& message);
bool decode(std::span<const std::byte> bytes, BeginMessage& message);
/// Returns the versions in a `begin` of any version; nothing if it is truncated, or of version 1,
/// which had none.
std::optional<ReplicationVersions> versions_of(std::span<const std::byte> begin);
bool decode(std::span<const std::byte> bytes, WantMessage& message);
bool decode(std::span<const std::byte> bytes, UnreadableMessage& message);
bool decode(std::span<const std::byte> bytes, DivergedMessage& message);
bool decode(std::span<const std::byte> bytes, MissingMessage& message);
bool decode(std::span<const std::byte> bytes, TruthMessage& message);
bool decode(std::span<const std::byte> bytes, SetupRefusedMessage& message);

/// The flags of a payload.
inline constexpr std::uint8_t kPayloadHasEvents = 1;
inline constexpr std::uint8_t kPayloadHasChecksum = 2;
/// The client has everything that was of interest when it began.
inline constexpr std::uint8_t kPayloadIsComplete = 4;

/// The data that a client lacks, as one block.
struct SetupBlock {
  std::span<const std::byte> schema;    ///< Empty if the client has it.
  std::span<const std::byte> model;     ///< Empty if the client has it.
  std::span<const std::byte> map_info;  ///< The game's data of the map.
};
std::vector<std::byte> encode_setup(const SetupBlock& setup);
/// The result has views into `block`. Returns nothing if the block is not a setup, or is damaged.
std::optional<SetupBlock> decode_setup(std::span<const std::byte> block);
/// True for a block of replication; a game may send its own blocks.
bool is_setup(std::span<const std::byte> block);

/// An entity that differed between the two ends.
struct Divergence {
  enum class Kind : std::uint8_t {
    values = 0,
    missing = 1,            ///< The client does not have the entity.
    missing_component = 2,  ///< The client's entity lacks the component named in `field`.
  };
  Kind kind = Kind::values;
  NetworkId id{};
  Tick tick{};
  TypeId type{};  ///< The game's type id; 0 if no snapshot contained the entity.
  /// `Component.field`, with `[i]` if a field has several values. `after Component.field` if it
  /// comes after the lanes that the client sent. Empty if the server no longer stores the entity's
  /// past, or found no difference.
  std::string field;
  LaneValue server_value = 0;
  LaneValue client_value = 0;
};

/// Names the entity that a client reports as missing.
Divergence divergence_of(const MissingMessage& missing, const ReplicationSchema& schema,
                         const TypeViews& views);
/// A readable line: which entity differs, and in which field.
std::string to_line(const Divergence& divergence);

/// An entity with a slice whose state does not fit into a datagram. It is not sent to a client
/// until it changes; later slices are sent.
struct UnfitEntity {
  NetworkId id{};
  TypeId type{};                  ///< The game's type id.
  std::size_t payload_bytes = 0;  ///< The room in a datagram.
};

/// The first value outside its range that the game wrote into a field of a type. Clients receive
/// the nearest value of the range, or the angle turned by whole turns. Later ones are only counted
/// (`ReplicatedWorld::clamped`).
struct ClampedValue {
  NetworkId id{};
  TypeId type{};           ///< The game's type id.
  std::string_view field;  ///< `Component.field`. Valid during the call.
  std::int64_t value = 0;
  std::int64_t low = 0;  ///< The field's range.
  std::int64_t high = 0;
};

/// Receives errors of replication, on the thread that calls `update` or `end_tick`.
class DivergenceLog {
 public:
  virtual ~DivergenceLog() = default;
  virtual void diverged(const Divergence& divergence) = 0;
  virtual void left_out(const UnfitEntity& /*entity*/) {}
  virtual void clamped(const ClampedValue& /*value*/) {}
};

/// A checksum of lanes, equal on every machine.
std::uint32_t checksum(std::span<const LaneValue> lanes);

}  // namespace muster
