// How a server is opened, and what it reports of itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "registry/base/clock.h"
#include "registry/base/tick.h"
#include "runtime/session/game.h"
#include "runtime/world/entity_id.h"

namespace muster {

/// How a server listens, and for whom.
struct GameServerOptions {
  std::string listen = "[::]:7000";
  /// Created when missing; keep it secret. Empty: another key each time.
  std::string key_file = "server.key";
  std::optional<LevelKey> level{};  ///< Loaded before the first tick.
  std::uint16_t players_max = 64;
  std::uint16_t players_per_address = 8;
  std::uint64_t seed = 1;            ///< For `SystemContext::random`.
  bool admit_other_content = false;  ///< Clients of another build: fields are matched by name.
  std::uint32_t messages_per_second_max = 100;  ///< Per player and message type; more are dropped.
  std::uint16_t workers = 1;   ///< Threads that encode snapshots; the bytes are the same for any.
  std::string capture_file{};  ///< For the packets of all connections (`muster-net`); empty: none.
  bool may_reload = false;     ///< For `GameServer::reload`; takes memory for each entity.
};

/// A connected player.
struct PlayerInfo {
  PlayerId player = PlayerId::none;
  std::string address{};  ///< When the player joined.
  Duration round_trip{};
  EntityId view{};              ///< The entity that the player's view follows.
  bool is_interrupted = false;  ///< No packet has arrived for some seconds.
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t packets_out = 0;
  double loss = 0;  ///< Share of the packets sent, 0 to 1.
  std::uint64_t snapshots = 0;
  std::uint64_t snapshot_bytes = 0;
  std::uint64_t changes_deferred = 0;   ///< For lack of room.
  std::uint64_t snapshots_skipped = 0;  ///< There was too little room for them.
  std::uint64_t resyncs = 0;            ///< The client requested the whole world again.
  std::uint64_t divergences = 0;        ///< The client had other values than the server.
};

/// Measurements and counts of a server since it was made.
struct GameServerMetrics {
  Tick tick{};
  std::uint32_t players = 0;
  std::uint32_t entities = 0;
  std::uint64_t spawned = 0;  ///< Replicated entities.
  std::uint64_t despawned = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t skipped_ticks = 0;
  std::uint64_t problems = 0;
};

}  // namespace muster
