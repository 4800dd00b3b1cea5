// A client of the arena: follows a server's world, loads what it needs without waiting, and shows
// what happens.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "content/arena/game/effect_cues.h"
#include "content/arena/game/looks.h"
#include "content/arena/game/session.h"
#include "content/arena/game/world_values.h"
#include "net/endpoint/client.h"
#include "net/replication/replication_client.h"
#include "registry/vocabulary/result.h"
#include "runtime/assets/bundle_loader.h"
#include "runtime/replication/world_receiver.h"

namespace arena {

/// How long things took here, from when they were wanted.
struct Durations {
  std::uint32_t count = 0;
  muster::Duration sum{};
  muster::Duration longest{};
  void add(muster::Duration one);
};

/// What a client has seen so far.
struct ArenaClientSummary {
  std::uint64_t spawned = 0;
  std::uint64_t despawned = 0;
  std::uint64_t failed_loads = 0;  ///< Assets that could not be had.
  Durations completion;            ///< Of entities: from their spawn to all of their prefab.
  Durations frames;
  bool is_still = false;  ///< The server said that nothing moves any more.
};

/// Runs with injected time, over any socket. One thread at a time.
class ArenaClient {
 public:
  /// Fills the pools of effects. Fails as `EffectPlayer::create` does. All must outlive the client.
  static muster::Result<std::unique_ptr<ArenaClient>> open(muster::BundleStore& store,
                                                           muster::BundleLoader& loader,
                                                           const muster::Clock& clock);

  struct Place {
    muster::Address server;
    muster::PublicKey key{};
  };
  /// Begins to connect. Socket and entropy must outlive the client.
  void connect(const Place& place, muster::DatagramSocket& socket, muster::Entropy& entropy);

  void frame();
  void leave();

  /// The connection has ended, for whatever reason.
  bool is_over() const { return net_->state() == muster::ClientState::closed; }
  /// Why it is over, for a person, when that is no good end: the server was lost, refused, or
  /// cannot be followed.
  std::optional<std::string> complaint() const;

  /// What a person would like to read since the last call: who came, who went.
  std::vector<std::string> take_lines();
  /// The same of what went wrong, but went on.
  std::vector<std::string> take_problems();

  std::optional<std::uint16_t> player() const { return player_; }
  /// The world as it is here. Nothing before the server's schema is known.
  std::optional<WorldValues> world() const;
  const ArenaClientSummary& summary() const { return summary_; }
  const muster::ReplicationClientCounters& replicated() const { return replication_.counters(); }
  const muster::EffectCounters& effects() const { return effects_->counters(); }
  /// Presentations that were shown so far.
  std::uint64_t shown_count() const { return looks_.complete_count(); }
  /// Nothing before it is connected.
  std::optional<muster::ConnectionCounters> connection() const;
  double round_trip_ms() const;

 private:
  struct Loading {
    std::uint32_t id = 0;
    muster::Time since;
  };

  ArenaClient(muster::BundleStore& store, muster::BundleLoader& loader, const muster::Clock& clock,
              std::uint32_t registry, muster::ByteVector snapshot_model);
  void leave_if_failed(muster::Time now);
  void take_welcome(muster::Connection& connection);
  void note_changes(muster::Time now);
  void note_events();
  void note_completed(muster::Time now);
  void note_problems();
  std::string name_of(std::uint16_t type) const;

  muster::BundleStore& store_;
  muster::BundleLoader& loader_;
  const muster::Clock& clock_;
  std::uint32_t registry_;
  muster::ByteVector snapshot_model_;
  muster::World world_;
  muster::World view_;  ///< What is only shown: presentations and effects.
  muster::Spawner spawner_;
  muster::Spawner views_;
  muster::DeferredSpawner deferred_;
  muster::ReplicatedCollection collection_;
  Looks looks_;
  muster::WorldReceiver receiver_;
  muster::ReplicationClient replication_;
  std::optional<muster::EffectPlayer> effects_;
  std::optional<EffectCues> cues_;
  std::unique_ptr<muster::Client> net_;
  std::optional<std::uint16_t> player_;
  std::string failure_;  ///< Why the server cannot be followed; empty when it can.
  std::vector<Loading> loading_;
  ArenaClientSummary summary_;
  std::vector<std::string> lines_;
  std::vector<std::string> problems_;
};

}  // namespace arena
