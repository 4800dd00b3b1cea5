// Effects and messages of systems. A predicted cue of this client's commands plays in the frame in
// which it is predicted. Any other cue waits until the view shows its tick. Therefore a player sees
// and hears a shot at the same time.
#include <algorithm>
#include <string>

#include "registry/base/bytes.h"
#include "runtime/session/cue_codec.h"
#include "runtime/session/game_client_impl.h"

namespace muster {

void GameClient::Impl::deliver_event(const TimedEvent& event) {
  ByteReader reader(event.bytes);
  if (reader.u16() == kCueIndex) {
    receive_cue(event);
  } else {
    deliver(event.bytes);
  }
}

GameClient::Impl::QueuedCue& GameClient::Impl::queue_cue() {
  const auto free = std::ranges::find(cues, true, &QueuedCue::is_done);
  if (free == cues.end()) return cues.emplace_back();
  // Cues play in the order of the list, so the reused entry moves to the end of the list.
  std::rotate(free, free + 1, cues.end());
  std::vector<std::byte> memory = std::move(cues.back().bytes);
  memory.clear();
  cues.back() = {};
  cues.back().bytes = std::move(memory);
  return cues.back();
}

void GameClient::Impl::receive_cue(const TimedEvent& event) {
  const std::optional<SentCue> cue = decode_cue(event.bytes);
  if (!cue) {
    problems.add(
        {.kind = ProblemKind::refused, .tick = tick(), .text = "a malformed effect was dropped"});
    return;
  }
  const bool is_own = !cue->key.is_none() && prediction != nullptr;
  if (is_own && !prediction->cues().confirm(cue->key)) return;  // The cue has already played.
  QueuedCue& queued = queue_cue();
  // Too many waiting events can make an event arrive before its tick. Such an event plays with the
  // newest state.
  queued.tick = is_own ? 0 : static_cast<double>(std::min(event.tick, tick()).value());
  queued.is_late = is_own;
  queued.bytes.assign(event.bytes.begin(), event.bytes.end());
}

void GameClient::Impl::predict_cue(const Cue& cue, bool is_late) {
  QueuedCue& queued = queue_cue();
  queued.is_predicted = true;
  queued.is_late = is_late;
  queued.cause = cue.options.cause;
  if (cue.effect) {
    const SentCue sent{
        .key = {}, .cause = {}, .effect = cue.effect, .options = cue.options, .message = {}};
    queued.is_done = !encode_cue(sent, queued.bytes);
  } else {
    queued.message = cue.message.name;
    queued.bytes.assign(cue.message.bytes.begin(), cue.message.bytes.end());
  }
}

void GameClient::Impl::play_cues() {
  // A handler cannot add cues. Only ticks and packets add cues.
  for (std::size_t i = 0; i < cues.size(); ++i) {
    if (cues[i].is_done || cues[i].tick > shown_tick) continue;
    cues[i].is_done = true;
    play_cue(i);
  }
}

void GameClient::Impl::play_cue(std::size_t index) {
  const QueuedCue& queued = cues[index];
  if (!queued.message.empty()) {
    const auto handler = handlers.find(queued.message);
    if (handler == handlers.end()) return;
    const std::shared_ptr<const MessageHandler> pinned = handler->second;
    decoded.assign(queued.bytes.begin(), queued.bytes.end());
    return (*pinned)(decoded);
  }
  const std::optional<SentCue> cue = decode_cue(queued.bytes);
  if (!cue) return;  // A predicted cue can have a position that is not finite.
  if (!cue->effect) return deliver(cue->message);
  const PlayedEffect played{
      .effect = *cue->effect,
      .position = cue->options.position,
      .rotation = cue->options.rotation,
      .line_end = cue->options.line_end,
      .cause = queued.is_predicted ? queued.cause : collection.find(cue->cause),
      .is_predicted = queued.is_predicted,
      .is_late = queued.is_late};
  const bool is_known = view->play(played, now);
  const auto callback = on_effect;  // A copy, because the callback can replace itself.
  if (callback) return callback(played);
  if (is_known) return;
  const std::string name = played.effect.id()
                               ? "of the id " + std::to_string(played.effect.id()->value())
                               : "'" + std::string(played.effect.name()) + "'";
  problems.add({.kind = ProblemKind::unknown_type,
                .tick = tick(),
                .text = content->text() + " has no effect " + name +
                        ": add it to a registry of effects, or play it in `on_effect`"});
}

}  // namespace muster
