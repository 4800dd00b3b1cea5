// Records connections in the format of net/capture/CAPTURE_FORMAT.md, within fixed limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "net/endpoint/packet_recorder.h"
#include "net/wire/section_writer.h"

namespace muster {

/// The start of a capture, and its limits.
struct CaptureOptions {
  Time start{};  ///< The start of the capture. No recorded time is earlier.
  /// The date at `start`, in nanoseconds since 1970; 0 if unknown.
  std::uint64_t unix_nanoseconds = 0;
  /// The maximum bytes that wait in memory. The default is enough for several ticks of a full
  /// server.
  std::size_t buffer_bytes = std::size_t{1} << 20U;
  /// The maximum bytes of the whole capture, so that a capture cannot fill a disk.
  std::uint64_t capture_bytes_max = std::uint64_t{1} << 30U;
};

/// Stores records in memory until the caller writes them to a file. The writer never blocks:
/// records that do not fit are dropped and counted, also in the capture. Allocates on construction
/// only. Only the thread of the recorded endpoint may use this object.
///
///     CaptureWriter capture({.start = now});
///     Server server({.recorder = &capture, ...});
///     ...                                               // after every tick or every few
///     if (file.append(capture.pending())) capture.clear_pending();
class CaptureWriter final : public PacketRecorder {
 public:
  /// Requires: both limits are at least 64 KiB.
  explicit CaptureWriter(const CaptureOptions& options);

  void begin(const RecordedConnection& connection) override;
  void packet(const RecordedPacket& packet) override;
  void handshake(const RecordedHandshake& handshake) override;

  /// Returns the next bytes of the file, which begins with the capture's header. Valid until the
  /// next record or `clear_pending`.
  std::span<const std::byte> pending();
  /// Removes the pending bytes. Call this function after the bytes were written, or to discard the
  /// bytes.
  void clear_pending();

  /// The number of dropped records.
  std::uint64_t dropped() const { return dropped_; }

 private:
  struct RecordHead;

  bool begin_record(const RecordHead& head);
  bool fits(std::size_t bytes) const;
  void report_dropped();
  void write_address(const Address& address);

  CaptureOptions options_;
  std::vector<std::byte> memory_;
  SectionWriter writer_;
  std::uint64_t written_before_ = 0;  ///< The bytes of the capture that were cleared from memory.
  std::uint64_t last_time_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t unreported_ = 0;  ///< The dropped records that the capture does not report yet.
};

}  // namespace muster
