// Sends effects and messages of systems to all near players. The player whose command caused a cue
// also gets the cue's predicted id. The player's client has usually played the cue already.
#include "net/replication/timed_events.h"
#include "runtime/session/cue_codec.h"
#include "runtime/session/game_server_impl.h"

namespace muster {

bool GameServer::Impl::is_near(const Player& player, const EffectOptions& effect) const {
  const std::optional<Vec3> from = view_position(player);
  if (effect.metres <= 0 || !from) return true;
  const float x = from->x - effect.position.x;
  const float y = from->y - effect.position.y;
  const float z = from->z - effect.position.z;
  return x * x + y * y + z * z <= effect.metres * effect.metres;
}

void GameServer::Impl::send_cue(const Cue& cue) {
  const auto report = [&](ProblemKind kind, PlayerId player, std::string_view text) {
    problems.add({.kind = kind,
                  .tick = simulation.tick(),
                  .player = player,
                  .component = std::string(cue.message.name),
                  .text = std::string(text)});
  };
  cue_message.clear();
  if (!cue.effect) {
    const auto type = message_type(cue.message.name, cue.message.bytes.size());
    if (!type) return;
    const auto clamped = encoder.encode_message(*type, cue.message.bytes, cue_message);
    if (clamped) report_clamped(*clamped);
  }
  SentCue sent{.key = cue.key,
               .cause = simulation.reference(cue.options.cause),
               .effect = cue.effect,
               .options = cue.options,
               .message = cue_message};
  const auto encode = [&](const PredictedKey& key) {
    sent.key = key;
    cue_bytes.clear();
    return encode_cue(sent, cue_bytes) && cue_bytes.size() <= kTimedEventBytesMax;
  };
  if (!encode(cue.key)) {
    return report(ProblemKind::too_large, PlayerId::none,
                  "an effect or message was not sent: its name or its bytes are too long");
  }
  for (const auto& player : players) {
    const bool is_own = player->id == cue.player;
    if (!is_own && !is_near(*player, cue.options)) continue;
    static_cast<void>(encode(is_own ? cue.key : PredictedKey()));
    const EventLoss loss = cue.effect ? EventLoss::ignored : EventLoss::counted;
    if (!replication->send_event(client_of(player->id), message_tick(), cue_bytes, loss)) {
      report(ProblemKind::dropped, player->id,
             "an effect or message was not sent: too many of them wait for this player");
    }
  }
  if (recorder == nullptr || !encode({})) return;
  recorder->add_event(message_tick(), cue_bytes);
}

}  // namespace muster
