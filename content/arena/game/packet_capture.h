// What one end of the network sends and receives, in a file that `muster-net` reads.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "content/arena/game/output_file.h"
#include "net/capture/capture_writer.h"
#include "registry/base/clock.h"
#include "registry/base/result.h"

namespace arena {

/// A file of packets, written while the game goes on. One thread at a time.
class PacketCapture {
 public:
  /// Creates the file, or empties it; makes nothing without a path. Fails with `io`. `now`: before
  /// all that is recorded; `date`: the same by the calendar.
  static muster::Result<std::unique_ptr<PacketCapture>> create(
      const std::string& path, muster::Time now, std::chrono::system_clock::time_point date);

  /// For the end that is recorded; the capture must outlive it.
  muster::PacketRecorder& recorder() { return writer_; }

  /// Writes out what has come since. Fails with `io`, from the first time on always.
  muster::Result<void> write();
  /// Ends the file. Fails with `io` when it is not all there, also when packets were left out for
  /// want of room (`CaptureWriter`).
  muster::Result<void> finish();

 private:
  PacketCapture(OutputFile file, const muster::CaptureOptions& options);

  OutputFile file_;
  muster::CaptureWriter writer_;
};

/// Null for no capture.
inline muster::PacketRecorder* recorder_of(PacketCapture* capture) {
  return capture != nullptr ? &capture->recorder() : nullptr;
}

}  // namespace arena
