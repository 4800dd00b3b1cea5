// Records the server's last ticks, for a comparison with clients.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/session/session_access.h"
#include "tests/bench/sync_play.h"

namespace muster {

/// The shown position of a client's own character at the time of a tick.
struct ShownOwn {
  double tick = 0;
  std::int32_t id = 0;
  Vec3 position{};
};

/// The tick of the client's state of each entity.
using SeenTicks = std::map<NetworkId, std::uint32_t>;

/// The sent states of the last 2,048 ticks, and the positions of characters.
class SyncRecord {
 public:
  /// Call after each tick.
  void note(ServerMembers& server, Tick tick);
  /// Compares a client's confirmed state of a tick with the server's state: each value that the
  /// client may receive. A deferred entity must equal one of its states since the client's previous
  /// state. The client's own entity must equal the state of the tick of its command number.
  void compare(ClientMembers& client, Tick tick, SeenTicks& seen, SyncResult& result) const;
  /// Returns the position of an entity at a time between two ticks, or nothing if it is unknown.
  std::optional<Vec3> position(std::int32_t id, double tick) const;

  /// The number of commands that were missing in the last tick.
  std::uint64_t starved() const { return starved_; }
  /// The number of players whose commands have begun.
  std::uint64_t playing() const { return playing_; }
  /// The number of commands that arrived.
  std::uint64_t commands() const { return commands_; }

 private:
  static constexpr std::uint32_t kTicks = 2048;
  struct Entity {
    NetworkId id{};
    SchemaType type{};
    PlayerId owner = PlayerId::none;
    std::vector<std::int64_t> values;
    std::optional<Vec3> position;
  };
  struct State {
    Tick tick;
    std::vector<Entity> entities;  ///< By id.
  };
  struct Player {
    std::uint64_t missing = 0;
    std::uint64_t arrived = 0;
  };
  const Entity* find(NetworkId id, std::uint32_t tick) const;
  std::string first_difference(const Entity& there, SeenBy seen_by,
                               std::span<const std::int64_t> here) const;
  void count_commands(const ServerMembers& server);

  const ReplicationSchema* schema_ = nullptr;
  std::vector<State> states_ = std::vector<State>(kTicks);
  std::map<PlayerId, Player> players_;
  std::uint64_t starved_ = 0;
  std::uint64_t playing_ = 0;
  std::uint64_t commands_ = 0;
};

}  // namespace muster
