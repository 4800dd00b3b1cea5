#include "content/arena/game/match_recording.h"

#include <optional>
#include <utility>

#include "content/arena/game/session.h"

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

void begin_match(RecordingWriter& recording, const ArenaServer& server) {
  recording.begin_map(server.info());
}

Result<std::unique_ptr<MatchRecording>> MatchRecording::create(const std::string& path,
                                                               ArenaServer& server) {
  std::string problem;
  std::optional<AppendedFile> file = AppendedFile::create(path, problem);
  if (!file) return fail(ErrorCode::io, "cannot write '" + path + "': " + problem);
  return std::unique_ptr<MatchRecording>(new MatchRecording(path, std::move(*file), server));
}

MatchRecording::MatchRecording(std::string path, AppendedFile file, ArenaServer& server)
    : path_(std::move(path)),
      file_(std::move(file)),
      server_(server),
      writer_({.ticks_per_second = kTicksPerSecond}, server.replicated().schema()) {
  begin_match(writer_, server_);
  server_.record(&writer_);
}

MatchRecording::~MatchRecording() { server_.record(nullptr); }

Result<void> MatchRecording::write() {
  const bool is_written = file_.append(writer_.pending());
  writer_.clear_pending();
  if (!is_written) return fail(ErrorCode::io, "cannot write '" + path_ + "': is the disk full?");
  return {};
}

Result<void> MatchRecording::finish() {
  writer_.finish();
  Result<void> written = write();
  if (written && !file_.finish()) {
    return fail(ErrorCode::io, "cannot write '" + path_ + "': is the disk full?");
  }
  return written;
}

}  // namespace arena
