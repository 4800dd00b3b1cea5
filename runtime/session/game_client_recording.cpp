// A client that plays a recording.
#include <chrono>

#include "runtime/session/game_client_impl.h"
#include "runtime/session/session_recorder.h"

namespace muster {

Result<void> GameClient::Impl::open_recording(const std::string& path) {
  Result<ByteVector> file = edges.files().read(path);
  if (!file) return fail(file.error());
  recorded = std::move(file.value());
  std::string problem;
  recording = RecordingReader::open(recorded, problem);
  if (recording == nullptr) {
    return fail(ErrorCode::malformed, "'" + path + "' is not a recording: " + problem);
  }
  // A step also plays the messages of the first tick, which a seek would drop.
  const RecordingStatus status = recording->step();
  if (status != RecordingStatus::tick) {
    return fail(ErrorCode::malformed, "'" + path + "' contains no tick");
  }
  const std::optional<SessionInfo> info = decode_session_info(recording->map_info());
  const Agreement here = content->agreement();
  if (!info || info->application != here.application) {
    return fail(ErrorCode::malformed, "'" + path + "' is not a recording of this game");
  }
  if (info->content != here.content) {
    return fail(ErrorCode::hash_mismatch, "'" + path +
                                              "' is a recording of another build: play it "
                                              "with the build that its server had");
  }
  Result<StructDecoder> structs = StructDecoder::make(encoder.types(), info->structs);
  if (!structs) return fail(structs.error());
  decoder = std::move(structs.value());
  Welcome made{.ticks_per_second = recording->ticks_per_second(),
               .snapshot_ticks = 1,
               .level = info->level,
               .placed = info->placed};
  welcome = made;
  const Guid requested = Guid::from_bytes(info->level);
  is_level_requested = requested != Guid();
  is_level_there = !is_level_requested;
  if (is_level_requested) level.load(requested);
  clock.emplace(made.ticks_per_second);
  return {};
}

void GameClient::Impl::play() {
  const auto apply_tick = [this] {
    const RecordedSource source(*recording);
    apply(source, recording->events());
    recording->clear();
    deferred.update();
    receiver.complete(source);
  };
  std::uint32_t due = clock->due(now);
  if (sought) {
    go_to(*sought);
    sought.reset();
    return;
  }
  if (played_ticks == 0) {
    ++played_ticks;
    apply_tick();  // Applies the tick that `open_recording` has read.
  }
  for (; due > 0; --due) {
    switch (recording->step()) {
      case RecordingStatus::tick:
        ++played_ticks;
        apply_tick();
        continue;
      case RecordingStatus::end:
        end =
            ClientEnd{.is_good = true, .code = ErrorCode::cancelled, .text = "the recording ends"};
        return;
      case RecordingStatus::cut:
        return fail_with(ErrorCode::truncated,
                         "the recording is truncated: its server was stopped");
      case RecordingStatus::damaged:
        return fail_with(ErrorCode::malformed, "the rest of the recording is damaged");
    }
  }
}

Result<void> GameClient::Impl::seek(Tick to) {
  if (recording == nullptr) {
    return fail(ErrorCode::unsupported, "only a client that plays a recording can seek");
  }
  if (to < recording->first_tick()) {
    return fail(ErrorCode::not_found, "the recording begins with tick " +
                                          std::to_string(recording->first_tick().value()));
  }
  sought = to;
  end.reset();
  return {};
}

void GameClient::Impl::go_to(Tick to) {
  if (recording->seek(to) == RecordingStatus::damaged) {
    return fail_with(ErrorCode::malformed,
                     "the recording is damaged before tick " + std::to_string(to.value()));
  }
  // If the tick was not recorded, goes to the last recorded tick before it.
  if (recording->tick() < to && recording->step() == RecordingStatus::end) {
    return fail_with(ErrorCode::not_found,
                     "the recording ends before tick " + std::to_string(to.value()));
  }
  ++played_ticks;
  view_clock.reset();
  // The waiting cues belong to the position before the seek.
  for (QueuedCue& one : cues) one.is_done = true;
  const RecordedSource source(*recording);
  apply(source, {});
  recording->clear();
  deferred.update();
  receiver.complete(source);
}

}  // namespace muster
