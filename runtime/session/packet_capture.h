// Writes the packets of a server or client to a file that `muster-net` reads. The file's format is
// described in net/capture/CAPTURE_FORMAT.md.
#pragma once

#include <memory>
#include <string>

#include "net/capture/capture_writer.h"
#include "registry/base/clock.h"
#include "registry/base/result.h"
#include "runtime/session/edges.h"

namespace muster {

/// Writes packets to a file while a session runs. Only one thread at a time may use this object.
class PacketCapture {
 public:
  /// Creates the file, or empties an existing file. `now` must not be later than the first recorded
  /// packet. Fails if the file cannot be created, with the code of the disk's error.
  static Result<std::unique_ptr<PacketCapture>> create(Edges& edges, const std::string& path,
                                                       Time now);

  /// The recorder to pass to the endpoint. The capture must outlive the endpoint.
  PacketRecorder& recorder() { return writer_; }

  /// Writes the packets that were recorded after the last call. Fails if the file cannot be
  /// written, with the code of the disk's error. Fails with `limit_exceeded` if packets did not fit
  /// into the buffer. A failure is returned once; later calls write nothing.
  Result<void> write();

 private:
  PacketCapture(std::unique_ptr<OutputFile> file, const CaptureOptions& options)
      : file_(std::move(file)), writer_(options) {}

  std::unique_ptr<OutputFile> file_;  ///< Null after a failure.
  CaptureWriter writer_;
};

}  // namespace muster
