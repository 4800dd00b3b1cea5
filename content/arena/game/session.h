// What a server and its clients of the arena have in common before the first datagram.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/secure/handshake.h"
#include "net/transport/connection.h"
#include "registry/base/clock.h"
#include "registry/base/content_hash.h"
#include "registry/components/component.h"
#include "runtime/bundle/catalog_reader.h"

namespace arena {

inline constexpr std::uint16_t kTicksPerSecond = 60;
/// Twenty snapshots a second.
inline constexpr std::uint16_t kSnapshotTicks = 3;

// The channels of every connection.
inline constexpr std::size_t kReplicationChannel = 0;
/// The server's first word to a client, its player's number in two bytes, the low one first.
inline constexpr std::size_t kGameChannel = 1;

inline constexpr std::string_view kReplicatedRegistry = "ReplicatedEntityRegistry";
inline constexpr std::string_view kLevelRegistry = "LevelRegistry";

/// The arena's components, and the one that deferred spawning wants.
std::vector<muster::ComponentDescription> session_components();

/// Both ends of a connection: three seconds of silence and it is interrupted, six and it is over.
muster::ConnectionOptions connection_options();

/// Two builds play together when type ids and components are the same.
muster::Agreement agreement_of(const muster::CatalogReader& catalog);

/// The first part of what a server, or a recording, says of its match besides the world: the game
/// and its content.
std::array<std::byte, 16> match_info(const muster::Agreement& agreement);
/// All of it: what is placed in its level follows, as `Level::placed_hash`.
std::array<std::byte, 32> map_info(const muster::Agreement& agreement,
                                   const muster::ContentHash& placed);
/// That last part; empty when it is not there.
std::span<const std::byte> placed_in(std::span<const std::byte> map_info);

/// The level in which a match is played: the first one of its registry. None in a build without.
std::optional<muster::Guid> find_level(const muster::CatalogReader& catalog);

/// The index of a registry by its class.
std::optional<std::uint32_t> find_registry(const muster::CatalogReader& catalog,
                                           std::string_view class_name);

inline muster::Time net_time(muster::Time now) {
  // The net wants a start that lies before every call.
  return muster::Time(now.time_since_epoch() + std::chrono::hours(1));
}

/// 64 lower-case hex digits, as a server prints its key and a client is given it.
std::string key_text(const muster::PublicKey& key);
std::optional<muster::PublicKey> parse_key(std::string_view text);

}  // namespace arena
