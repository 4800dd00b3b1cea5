// Notifies games of the builds of `muster watch`.
#pragma once

#include <string>
#include <vector>

#include "registry/base/disk_file.h"
#include "registry/base/result.h"

namespace muster::cli {

/// A socket for games that load the build from an output. README.md, section "The watch's socket",
/// describes the socket.
class WatchSocket {
 public:
  /// `out` is the folder of the output. Fails with `busy` if another watch builds into this folder,
  /// with `not_found` if the folder does not exist, or with `io`.
  static Result<WatchSocket> open(const std::string& out);

  /// Notifies every connected client. Disconnects clients that do not read.
  void notify_built();

 private:
  explicit WatchSocket(Descriptor listening) : listening_(std::move(listening)) {}

  Descriptor listening_;
  std::vector<Descriptor> listeners_;
};

}  // namespace muster::cli
