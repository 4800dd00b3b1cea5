// A client whose connection was lost makes another connection, and continues as the same player.
// The server identifies the player by the ticket in the player's welcome message. The client shows
// the last view until the server's world arrives. Commands keep their numbers, so a press that may
// have arrived already runs only once.
#include <utility>
#include <vector>

#include "runtime/session/game_client_impl.h"

namespace muster {
namespace {

/// A source without entities, which makes the receiver despawn all received entities.
class EndedSource final : public WorldSource {
 public:
  explicit EndedSource(std::vector<ReplicatedChange> changes) : changes_(std::move(changes)) {}
  const ReplicationSchema* schema() const override { return nullptr; }
  std::uint32_t map() const override { return 0; }
  std::span<const ReplicatedChange> changes() const override { return changes_; }
  bool values(NetworkId, std::span<std::int64_t>) const override { return false; }
  std::uint64_t divergences() const override { return 0; }
  bool is_complete() const override { return false; }
  bool holds(NetworkId) const override { return false; }

 private:
  std::vector<ReplicatedChange> changes_;
};

}  // namespace

bool GameClient::Impl::may_resume() const {
  if (!welcome || options.resume_timeout <= Duration()) return false;
  return !lost_at || now - *lost_at < options.resume_timeout;
}

void GameClient::Impl::resume() {
  if (!lost_at) lost_at = now;
  must_begin = true;
  net.reset();
  socket.reset();
  opened_at = now;
}

void GameClient::Impl::begin_connection() {
  must_begin = false;
  must_end_world = true;
  ++counted.resumes;
  // Until `resumed` arrives, messages are still counted in the earlier map.
  if (!pipe.is_resuming()) resumed_map = welcome->map;
  pipe.resume();
  pipe_map = 0;
  pipe.send_first(SessionMessage::resumed,
                  encode(Resumed{.map = resumed_map, .count = pipe.received_count()}));
  pipe.send_first(SessionMessage::structs, encoder.schema());
  has_sent_structs = true;
  decoder.reset();
  next_levels.clear();
  maps_announced = 0;
  ReplicationClientOptions follow{.channel = kReplicationChannel};
  if (!model.empty()) follow.models = {model};
  replication = std::make_unique<ReplicationClient>(follow, this);
  noted_snapshots = 0;
  received_ticks.clear();
  drawn_newest = Tick();
  if (servo != nullptr) counted.clock_jumps += servo->reseats();
  if (view_clock != nullptr) counted.clock_jumps += view_clock->reseats();
  servo.reset();
  view_clock.reset();
  claims = ClaimSender();
}

void GameClient::Impl::end_world() {
  std::vector<ReplicatedChange> changes;
  receiver.each([&](EntityReference id, SchemaType type, SeenBy seen_by) {
    changes.push_back({.kind = ReplicatedChange::Kind::despawned,
                       .id = id.id(),
                       .type = type,
                       .seen_by = seen_by});
  });
  apply(EndedSource(std::move(changes)), {});
  for (QueuedCue& one : cues) one.is_done = true;
}

void GameClient::Impl::become(PlayerId other) {
  if (prediction != nullptr) {
    for (PredictedSpawns::Entry& entry : prediction->spawns().entries()) {
      if (entry.state == PredictedSpawns::State::predicted) {
        prediction->spawns().end(entry, SpawnEnd::undone);
      }
    }
    end_predicted_spawns();
  }
  receiver.set_adoption(nullptr);
  prediction.reset();
  player = other;
  receiver.set_player(other);
  sender = CommandSender(encoder.command_lanes());
  forces = CommandForces(content->game().commands.types);
}

}  // namespace muster
