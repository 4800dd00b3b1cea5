// Records connections in the format of net/capture/CAPTURE_FORMAT.md, within bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "net/endpoint/packet_recorder.h"
#include "net/wire/byte_io.h"

namespace muster {

/// Where a capture begins, and its bounds.
struct CaptureOptions {
  Time start{};  ///< Before everything that is recorded.
  /// The date at `start`, in nanoseconds since 1970; 0 when it is not known.
  std::uint64_t unix_nanoseconds = 0;
  /// What may wait in memory to be written. Some ticks of a full server.
  std::size_t buffer_bytes = std::size_t{1} << 20U;
  /// What a capture may have in all, so that nobody's disk is filled.
  std::uint64_t capture_bytes_max = std::uint64_t{1} << 30U;
};

/// Keeps records in memory until somebody writes them to a file. Never blocks: what there is no
/// room for is dropped and counted, here and in the capture. Allocates on construction only.
/// Belongs to the thread of the endpoint that it records.
///
///     CaptureWriter capture({.start = now});
///     Server server({.recorder = &capture, ...});
///     ...                                               // after each tick, or some
///     if (file.append(capture.pending())) capture.clear_pending();
class CaptureWriter final : public PacketRecorder {
 public:
  /// Requires: bounds of at least 64 KiB.
  explicit CaptureWriter(const CaptureOptions& options);

  void begin(const RecordedConnection& connection) override;
  void packet(const RecordedPacket& packet) override;
  void handshake(const RecordedHandshake& handshake) override;

  /// What comes next in the file; the first time with the capture's header. Good until the next
  /// record or `clear_pending`.
  std::span<const std::byte> pending();
  /// It was written, or is not wanted.
  void clear_pending();

  /// Records that were thrown away.
  std::uint64_t dropped() const { return dropped_; }

 private:
  struct RecordHead;

  bool begin_record(const RecordHead& head);
  bool fits(std::size_t bytes) const;
  void tell_dropped();
  void write_address(const Address& address);

  CaptureOptions options_;
  std::vector<std::byte> memory_;
  SectionWriter writer_;
  std::uint64_t written_before_ = 0;  ///< Bytes of the capture that are cleared.
  std::uint64_t last_time_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t untold_ = 0;  ///< Of those, which the capture does not tell of yet.
};

}  // namespace muster
