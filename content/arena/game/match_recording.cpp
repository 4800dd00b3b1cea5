#include "content/arena/game/match_recording.h"

#include <utility>

#include "content/arena/game/session.h"

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

void begin_match(RecordingWriter& recording, const ArenaServer& server) {
  recording.begin_map(server.info());
}

Result<std::unique_ptr<MatchRecording>> MatchRecording::create(const std::string& path,
                                                               ArenaServer& server) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return fail(file.error());
  return std::unique_ptr<MatchRecording>(new MatchRecording(std::move(file).value(), server));
}

MatchRecording::MatchRecording(OutputFile file, ArenaServer& server)
    : file_(std::move(file)),
      server_(server),
      writer_({.ticks_per_second = kTicksPerSecond}, server.replicated().schema()) {
  begin_match(writer_, server_);
  server_.record(&writer_);
}

MatchRecording::~MatchRecording() { server_.record(nullptr); }

Result<void> MatchRecording::write() {
  if (writer_.pending().empty()) return {};
  Result<void> written = file_.append(writer_.pending());
  writer_.clear_pending();
  return written ? file_.flush() : written;
}

Result<void> MatchRecording::finish() {
  writer_.finish();
  Result<void> written = write();
  return written ? file_.finish() : written;
}

}  // namespace arena
