#include "content/arena/game/packet_capture.h"

#include <string>
#include <utility>

#include "content/arena/game/session.h"

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

Result<std::unique_ptr<PacketCapture>> PacketCapture::create(
    const std::string& path, Time now, std::chrono::system_clock::time_point date) {
  if (path.empty()) return nullptr;
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return fail(file.error());
  const std::chrono::nanoseconds since_1970 = date.time_since_epoch();
  const CaptureOptions options{.start = net_time(now),
                               .unix_nanoseconds = static_cast<std::uint64_t>(since_1970.count())};
  return std::unique_ptr<PacketCapture>(new PacketCapture(std::move(file).value(), options));
}

PacketCapture::PacketCapture(OutputFile file, const CaptureOptions& options)
    : file_(std::move(file)), writer_(options) {}

Result<void> PacketCapture::write() {
  Result<void> written = file_.append(writer_.pending());
  writer_.clear_pending();
  return written;
}

Result<void> PacketCapture::finish() {
  if (Result<void> written = write(); !written) return written;
  if (Result<void> finished = file_.finish(); !finished || writer_.dropped() == 0) return finished;
  return fail(ErrorCode::io,
              "the capture is full: it lacks " + std::to_string(writer_.dropped()) + " packets");
}

}  // namespace arena
