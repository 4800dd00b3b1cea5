// A client of the arena: follows a server's world, loads what it needs without waiting, and shows
// what happens.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "content/arena/game/followed_match.h"
#include "net/endpoint/client.h"
#include "net/replication/replication_client.h"
#include "registry/base/result.h"

namespace arena {

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
  /// Begins to connect; the server is not asked for its world before the level stands here. Socket,
  /// entropy and who is told of all packets must outlive the client; nobody has to be told.
  void connect(const Place& place, muster::DatagramSocket& socket, muster::Entropy& entropy,
               muster::PacketRecorder* recorder = nullptr);

  void frame();
  void leave();

  /// The connection has ended, for whatever reason.
  bool is_over() const { return net_->state() == muster::ClientState::closed; }
  /// Why it is over, for a person, when that is no good end: the server was lost, refused, or
  /// cannot be followed.
  std::optional<std::string> complaint() const;

  /// What a person would like to read since the last call: who came, who went.
  std::vector<std::string> take_lines() { return match_->take_lines(); }
  /// The same of what went wrong, but went on.
  std::vector<std::string> take_problems() { return match_->take_problems(); }

  std::optional<std::uint16_t> player() const { return player_; }
  /// The world as it is here. Nothing before the server's schema is known.
  std::optional<WorldValues> world() const;
  const FollowedMatch& match() const { return *match_; }
  const MatchSummary& summary() const { return match_->summary(); }
  const Durations& frames() const { return frames_; }
  const muster::ReplicationClientCounters& replicated() const { return replication_.counters(); }
  const muster::EffectCounters& effects() const { return match_->effects(); }
  /// Presentations that were shown so far.
  std::uint64_t shown_count() const { return match_->shown_count(); }
  /// Nothing before it is connected.
  std::optional<muster::ConnectionCounters> connection() const;
  double round_trip_ms() const;

 private:
  ArenaClient(muster::BundleStore& store, const muster::Clock& clock,
              std::unique_ptr<FollowedMatch> match, muster::ByteVector snapshot_model);
  void follow(muster::Connection& connection, muster::Time now);
  void leave_if_failed(muster::Time now);
  void take_welcome(muster::Connection& connection);

  muster::BundleStore& store_;
  const muster::Clock& clock_;
  muster::ByteVector snapshot_model_;
  std::unique_ptr<FollowedMatch> match_;
  muster::ReplicationClient replication_;
  std::unique_ptr<muster::Client> net_;
  std::optional<std::uint16_t> player_;
  bool has_agreed_ = false;  ///< What both sides have placed was compared.
  std::string failure_;      ///< Why the server cannot be followed; empty when it can.
  Durations frames_;
};

}  // namespace arena
