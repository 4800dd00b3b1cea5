// The arena's server: a world, what goes on in it, and those who watch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "content/arena/game/session.h"
#include "content/arena/game/world_values.h"
#include "net/endpoint/server.h"
#include "net/replication/recording.h"
#include "net/replication/replication_server.h"
#include "registry/base/result.h"
#include "registry/base/tick.h"
#include "runtime/assets/bundle_loader.h"
#include "runtime/assets/bundle_store.h"
#include "runtime/replication/world_sender.h"
#include "runtime/spawn/level.h"
#include "runtime/spawn/spawner.h"

namespace arena {

struct ArenaServerOptions {
  std::uint64_t seed = 1;
  /// Everything stands still from this tick on; 0 for never.
  std::uint32_t still_from_tick = 0;
  /// Lets in clients with another build; what replication can convert, it does.
  bool admits_other_content = false;
  /// Threads that encode for clients, the caller's among them. What is sent is the same for any.
  std::uint32_t worker_count = 1;
  /// Who is let in from one address.
  std::size_t clients_per_address = muster::ServerOptions().clients_per_address;
};

/// A client as the server sees it.
struct ArenaClientReport {
  std::uint16_t player = 0;
  std::uint32_t entities = 0;
  muster::ContentHash world;  ///< Of what this player should see.
  muster::ConnectionCounters connection;
  muster::ClientViewCounters view;
  double round_trip_ms = 0;
};

/// Runs with injected time, over any socket. One thread at a time; its workers are its own.
class ArenaServer final : private muster::Admission, private muster::DivergenceLog {
 public:
  /// Loads every replicated prefab of a server's build, and its level: what stands in it has the
  /// first ids. Fails as `replicated_types` and `Level` do, and when the system has no more
  /// threads. The store must outlive the server. Requires: at least one worker.
  static muster::Result<std::unique_ptr<ArenaServer>> open(muster::BundleStore& store,
                                                           const ArenaServerOptions& options);
  ~ArenaServer() override;

  /// Listens. All must outlive the server, also who is told of all packets, if anybody is.
  void start(muster::DatagramSocket& socket, muster::Entropy& entropy, muster::Time now,
             muster::PacketRecorder* recorder = nullptr);
  const muster::PublicKey& public_key() const { return net_->public_key(); }

  /// Takes what came, runs the ticks that are due, and sends.
  void frame(muster::Time now);
  /// Says good-bye to all clients; `frame` sends it.
  void close(muster::Time now);

  muster::Tick tick() const;
  /// Of those who are connected, by player.
  std::vector<ArenaClientReport> clients();
  /// The world as a player should see it, entity by entity.
  WorldValues world_of(std::uint16_t player) const;
  /// What a person should hear of since the last call.
  std::vector<std::string> take_lines();
  const muster::WorldSenderCounters& sent() const;
  /// The world as it is replicated.
  const muster::ReplicatedWorld& replicated() const;
  /// What its clients must have, too.
  muster::Agreement agreement() const { return agreement_of(store_.catalog()); }
  /// What its clients are told of the match before all else.
  std::array<std::byte, 32> info() const { return map_info(agreement(), level_.placed_hash()); }
  /// What stands in the level.
  const muster::Level& level() const { return level_; }
  /// Adds every tick from now on, and what is announced; null ends that. Must outlive the server,
  /// or be taken away.
  void record(muster::RecordingWriter* recording) { recording_ = recording; }

 private:
  struct Player {
    muster::ClientHandle client;
    std::uint16_t number = 0;
    bool is_welcomed = false;
  };
  /// A player who is to be told something now.
  struct Served {
    muster::ReplicationClientId id = 0;
    muster::Connection* connection = nullptr;
  };

  struct Match;
  ArenaServer(muster::BundleStore& store, const ArenaServerOptions& options);

  std::optional<std::string> refusal(const muster::Applicant&) override { return std::nullopt; }
  bool admits_content(std::uint64_t) override { return options_.admits_other_content; }
  void diverged(const muster::Divergence& divergence) override;
  void left_out(const muster::UnfitEntity& entity) override;
  void clamped(const muster::ClampedValue& value) override;

  muster::Result<void> load_level();
  void come_and_go();
  void welcome(Player& player, muster::Connection& connection);
  void replicate(muster::Time now);
  void note_of_client(std::string line);
  void stand_still();
  static muster::ReplicationClientId id_of(const Player& player) { return player.number; }

  muster::BundleStore& store_;
  ArenaServerOptions options_;
  muster::World world_;
  muster::Spawner spawner_{store_, world_};
  muster::ReplicatedCollection collection_{world_};
  muster::SteppedLoads loads_{store_.source(), store_.catalog(), false, store_.memory(),
                              store_.dictionaries()};
  muster::BundleLoader loader_{store_, loads_, {}};
  muster::Level level_{spawner_, loader_};
  std::unique_ptr<Match> match_;
  std::unique_ptr<muster::Server> net_;
  std::vector<Player> players_;
  std::uint16_t next_player_ = 0;
  muster::Tick sent_tick_;
  bool stands_still_ = false;
  muster::RecordingWriter* recording_ = nullptr;
  std::vector<std::string> lines_;
  std::vector<Served> served_;  ///< Kept for its memory.
  std::mutex of_clients_mutex_;
  std::vector<std::string> of_clients_;  ///< Lines that workers add to, in any order.
};

}  // namespace arena
