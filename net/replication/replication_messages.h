// The messages between a replication server and its clients, except snapshots. The messages use a
// reliable channel. See REPLICATION_FORMAT.md, "Messages".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "net/replication/divergence_log.h"
#include "net/replication/replication_schema.h"
#include "net/replication/type_views.h"
#include "net/snapshot/codec_type.h"
#include "net/snapshot/model_file.h"
#include "net/snapshot/slice_id.h"
#include "net/snapshot/snapshot_options.h"
#include "registry/base/network_id.h"
#include "registry/base/tick.h"
#include "registry/base/type_id.h"

namespace muster {

/// Limits that a client requests; the server may ignore them.
struct ReplicationWish {
  /// The minimum number of ticks between two snapshots; 0 if the server chooses.
  std::uint16_t snapshot_ticks = 0;
  /// The limit for snapshots; 0 for the rate that the path carries.
  std::uint32_t bytes_per_second = 0;
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
/// The versions of REPLICATION_FORMAT.md and SNAPSHOT_FORMAT.md that this end uses.
struct ReplicationVersions {
  std::uint16_t replication = 5;
  std::uint16_t snapshots = kSnapshotFormatVersion;
  friend bool operator==(const ReplicationVersions&, const ReplicationVersions&) = default;
};
/// The server's answer to `JoinMessage`. In the encoded message, the server's `ReplicationVersions`
/// come first.
struct BeginMessage {
  SchemaHash schema{};
  ModelHash model{};  ///< All zero for the built-in priors.
  std::uint16_t ticks_per_second = 60;
  std::uint16_t snapshot_ticks = 3;
  SnapshotCoder coder = SnapshotCoder::range;
};
/// The parts of `begin` that the client lacks.
struct WantMessage {
  bool schema = false;
  bool model = false;
};
/// Reports a snapshot that arrived so late that the client has forgotten its references.
struct UnreadableMessage {
  std::uint16_t number = 0;
};
inline constexpr SchemaComponent kNoComponent{0xFFFF};
/// The codec type of an entity that was in no snapshot.
inline constexpr CodecType kNoCodecType{0xFFFF};
/// An entity whose values do not match the server's checksum.
struct DivergedMessage {
  SliceId id{};
  Tick tick{};
  CodecType codec_type{};
  std::vector<LaneValue> lanes;  ///< The client's first lanes, as many as fit.
};
/// Reports an entity whose checksum the client received. The entity does not exist at the client,
/// or the client's entity lacks a component.
struct MissingMessage {
  SliceId id{};
  Tick tick{};
  CodecType codec_type = kNoCodecType;
  SchemaComponent component = kNoComponent;  ///< `kNoComponent` if the whole entity is missing.
};
/// The server's answer to `DivergedMessage`.
struct TruthMessage {
  SliceId id{};
  Tick tick{};
  CodecType codec_type{};
  std::uint16_t lane = 0;  ///< The first lane that differs; `kNoLane` if none was found.
  LaneValue ours = 0;      ///< The server's value.
  LaneValue theirs = 0;    ///< The client's value.
};
/// Reports that the setup will not arrive, because a connection refused its block.
struct SetupRefusedMessage {
  std::uint32_t setup_bytes = 0;
};
inline constexpr std::uint16_t kNoLane = 0xFFFF;
/// The maximum number of lanes in a `DivergedMessage`, so that the report fits into a message.
inline constexpr std::size_t kDivergedLanesMax = 240;

std::vector<std::byte> encode(const JoinMessage& message);
std::vector<std::byte> encode(const BeginMessage& message);
std::vector<std::byte> encode(const WantMessage& message);
std::vector<std::byte> encode(const UnreadableMessage& message);
std::vector<std::byte> encode(const DivergedMessage& message);
std::vector<std::byte> encode(const MissingMessage& message);
std::vector<std::byte> encode(const TruthMessage& message);
std::vector<std::byte> encode(const SetupRefusedMessage& message);
/// Encodes `ready` or `resync`, which have no content.
std::vector<std::byte> encode(ReplicationMessage kind);

/// Returns the kind of a message, or nothing if the kind is unknown.
std::optional<ReplicationMessage> kind_of(std::span<const std::byte> message);
/// Each `decode` reads an encoded message from untrusted bytes. `decode` returns false if the bytes
/// are not such a message.
bool decode(std::span<const std::byte> bytes, JoinMessage& message);
bool decode(std::span<const std::byte> bytes, BeginMessage& message);
/// Returns the versions in a `begin` of any version. Returns nothing if the message is truncated,
/// or if it is of version 1, which had no version numbers.
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
/// The client has all entities that were of interest when it began.
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
/// True for a setup block of replication. A game may also send its own blocks.
bool is_setup(std::span<const std::byte> block);

/// Converts a client's report to a `Divergence`.
Divergence divergence_of(const MissingMessage& missing, const ReplicationSchema& schema,
                         const TypeViews& views);
/// Returns a checksum of lanes. Equal lanes give equal checksums on every machine.
std::uint32_t checksum(std::span<const LaneValue> lanes);

}  // namespace muster
