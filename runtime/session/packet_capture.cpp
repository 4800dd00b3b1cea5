#include "runtime/session/packet_capture.h"

#include <utility>

namespace muster {

Result<std::unique_ptr<PacketCapture>> PacketCapture::create(Edges& edges, const std::string& path,
                                                             Time now) {
  Result<std::unique_ptr<OutputFile>> file = edges.files().create(path);
  if (!file) return fail(file.error());
  constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
  const CaptureOptions options{.start = now,
                               .unix_nanoseconds = edges.unix_seconds() * kNanosecondsPerSecond};
  return std::unique_ptr<PacketCapture>(new PacketCapture(std::move(file.value()), options));
}

Result<void> PacketCapture::write() {
  const std::span<const std::byte> pending = writer_.pending();
  if (file_ == nullptr || pending.empty()) {
    writer_.clear_pending();
    return {};
  }
  Result<void> written = file_->append(pending);
  if (written) written = file_->flush();
  writer_.clear_pending();
  if (written && writer_.dropped() > 0) {
    written = fail(ErrorCode::limit_exceeded, "the capture is full, and does not contain " +
                                                  std::to_string(writer_.dropped()) + " packets");
  }
  if (!written) file_.reset();
  return written;
}

}  // namespace muster
