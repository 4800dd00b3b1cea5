#include "content/arena/game/packet_capture.h"

#include <chrono>
#include <utility>

#include "content/arena/game/session.h"

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

namespace {

std::uint64_t unix_nanoseconds() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(since_1970).count());
}

}  // namespace

Result<std::unique_ptr<PacketCapture>> PacketCapture::create(const std::string& path, Time now) {
  if (path.empty()) return nullptr;
  Result<OutputFile> file = OutputFile::create(path);
  if (!file) return fail(file.error());
  return std::unique_ptr<PacketCapture>(new PacketCapture(std::move(file).value(), now));
}

PacketCapture::PacketCapture(OutputFile file, Time now)
    : file_(std::move(file)),
      writer_({.start = net_time(now), .unix_nanoseconds = unix_nanoseconds()}) {}

Result<void> PacketCapture::write() {
  Result<void> written = file_.append(writer_.pending());
  writer_.clear_pending();
  return written;
}

Result<void> PacketCapture::finish() {
  Result<void> written = write();
  return written ? file_.finish() : written;
}

}  // namespace arena
