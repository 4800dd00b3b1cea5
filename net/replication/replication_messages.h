// What server and client of replication tell each other besides snapshots, on a reliable channel.
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
#include "net/snapshot/model_file.h"
#include "net/snapshot/snapshot_options.h"

namespace muster {

/// What a client wishes for; the server does not have to follow.
struct ReplicationWish {
  std::uint16_t snapshot_ticks = 0;    ///< At least so many ticks between two; 0: as you like.
  std::uint32_t bytes_per_second = 0;  ///< Of snapshots; 0: as the path carries.
  friend bool operator==(const ReplicationWish&, const ReplicationWish&) = default;
};

enum class ReplicationMessage : std::uint8_t {
  // From the client:
  join = 1,
  want = 2,
  ready = 3,
  resync = 4,
  diverged = 5,
  unreadable = 6,
  missing = 7,
  // From the server:
  begin = 16,
  truth = 17,
  setup_refused = 18,
};

/// The first word of a client, at each map.
struct JoinMessage {
  ReplicationWish wish;
};
/// Of what this end speaks: REPLICATION_FORMAT.md, and what its snapshots are.
struct ReplicationVersions {
  std::uint16_t replication = 5;
  std::uint16_t snapshots = kSnapshotFormatVersion;
  friend bool operator==(const ReplicationVersions&, const ReplicationVersions&) = default;
};
/// The server's answer; the versions of its end stand before all else.
struct BeginMessage {
  SchemaHash schema{};
  ModelHash model{};  ///< All zero: the built-in priors.
  std::uint16_t ticks_per_second = 60;
  std::uint16_t snapshot_ticks = 3;
  SnapshotCoder coder = SnapshotCoder::range;
};
/// What the client does not have of what `begin` names.
struct WantMessage {
  bool schema = false;
  bool model = false;
};
/// A snapshot that came after so many later ones that what it is coded against is forgotten.
struct UnreadableMessage {
  std::uint16_t number = 0;
};
inline constexpr std::uint16_t kNoComponent = 0xFFFF;
/// Of an entity of which not even a snapshot has told.
inline constexpr std::uint16_t kNoCodecType = 0xFFFF;
/// An entity whose values are not what the server's checksum says.
struct DivergedMessage {
  std::uint32_t id = 0;
  std::uint32_t tick = 0;
  std::uint16_t codec_type = 0;
  std::vector<LaneValue> lanes;  ///< The first of them, as far as they fit.
};
/// An entity that the server's checksum is of, and that is not there, or lacks a component.
struct MissingMessage {
  std::uint32_t id = 0;
  std::uint32_t tick = 0;
  std::uint16_t codec_type = kNoCodecType;
  std::uint16_t component = kNoComponent;  ///< Index into the schema; `kNoComponent`: all of it.
};
/// The server's answer to `DivergedMessage`.
struct TruthMessage {
  std::uint32_t id = 0;
  std::uint32_t tick = 0;
  std::uint16_t codec_type = 0;
  std::uint16_t lane = 0;  ///< The first that differs; `kNoLane` when none was found.
  LaneValue ours = 0;      ///< The server's value of it ...
  LaneValue theirs = 0;    ///< ... and the client's.
};
/// The setup will not come: an end's connection does not take its block.
struct SetupRefusedMessage {
  std::uint32_t setup_bytes = 0;
};
inline constexpr std::uint16_t kNoLane = 0xFFFF;
/// Lanes of a `DivergedMessage`, so that it fits in a message.
inline constexpr std::size_t kDivergedLanesMax = 240;

std::vector<std::byte> encode(const JoinMessage& message);
std::vector<std::byte> encode(const BeginMessage& message);
std::vector<std::byte> encode(const WantMessage& message);
std::vector<std::byte> encode(const UnreadableMessage& message);
std::vector<std::byte> encode(const DivergedMessage& message);
std::vector<std::byte> encode(const MissingMessage& message);
std::vector<std::byte> encode(const TruthMessage& message);
std::vector<std::byte> encode(const SetupRefusedMessage& message);
/// For `ready` and `resync`, which say nothing more.
std::vector<std::byte> encode(ReplicationMessage kind);

/// The kind of a message; nothing when it is none of ours.
std::optional<ReplicationMessage> kind_of(std::span<const std::byte> message);
/// Each reads what `encode` wrote, from bytes that an enemy may have made.
bool decode(std::span<const std::byte> bytes, JoinMessage& message);
bool decode(std::span<const std::byte> bytes, BeginMessage& message);
/// The versions that a `begin` of any version says; nothing when it is cut off, or of the first
/// version, which said none.
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
/// The client is known to have all that was of interest to it when it began.
inline constexpr std::uint8_t kPayloadIsComplete = 4;

/// What a client lacks, as one block.
struct SetupBlock {
  std::span<const std::byte> schema;    ///< Empty when the client has it.
  std::span<const std::byte> model;     ///< Empty when the client has it.
  std::span<const std::byte> map_info;  ///< The game's.
};
std::vector<std::byte> encode_setup(const SetupBlock& setup);
/// Views into `block`. Nothing when the block is none of ours, or damaged.
std::optional<SetupBlock> decode_setup(std::span<const std::byte> block);
/// Whether a block is for replication at all: a game may send blocks of its own.
bool is_setup(std::span<const std::byte> block);

/// An entity that was not the same on both sides.
struct Divergence {
  enum class Kind : std::uint8_t {
    values = 0,
    missing = 1,            ///< The client does not have the entity.
    missing_component = 2,  ///< `field` is the name of one that the client's entity lacks.
  };
  Kind kind = Kind::values;
  std::uint32_t id = 0;
  std::uint32_t tick = 0;
  std::uint32_t type = 0;  ///< As the game calls it; 0 when no snapshot has told of the entity.
  /// `Component.field`, with `[i]` where a field has several values; `behind Component.field` when
  /// it lies behind those that the client told; empty when the server does not know its past any
  /// more, or found no difference.
  std::string field;
  LaneValue server_value = 0;
  LaneValue client_value = 0;
};

/// What a client says is missing, by its names.
Divergence divergence_of(const MissingMessage& missing, const ReplicationSchema& schema,
                         const TypeViews& views);
/// A line for a person: which entity differs, and in what.
std::string to_line(const Divergence& divergence);

/// An entity of which a slice's state has no room in a datagram: a client is not told of it, until
/// it is another one. Those behind it are told.
struct UnfitEntity {
  std::uint32_t id = 0;
  std::uint32_t type = 0;         ///< As the game calls it.
  std::size_t payload_bytes = 0;  ///< What a datagram has room for.
};

/// The first value outside its range that the game wrote into a field of a type: clients get the
/// nearest value of the range, or the angle by whole turns. Later ones are counted
/// (`ReplicatedWorld::clamped`).
struct ClampedValue {
  std::uint32_t id = 0;
  std::uint32_t type = 0;  ///< As the game calls it.
  std::string_view field;  ///< `Component.field`. Valid during the call.
  std::int64_t value = 0;
  std::int64_t low = 0;  ///< The field's range.
  std::int64_t high = 0;
};

/// Receives what went wrong, in the thread that calls `update` or `end_tick`.
class DivergenceLog {
 public:
  virtual ~DivergenceLog() = default;
  virtual void diverged(const Divergence& divergence) = 0;
  virtual void left_out(const UnfitEntity& /*entity*/) {}
  virtual void clamped(const ClampedValue& /*value*/) {}
};

/// A checksum of lanes, the same on every machine.
std::uint32_t checksum(std::span<const LaneValue> lanes);

}  // namespace muster
