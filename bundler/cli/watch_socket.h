// Notifies games of a watch's builds.
#pragma once

#include <string>
#include <vector>

#include "registry/base/disk_file.h"
#include "registry/base/result.h"

namespace muster::cli {

/// A socket to which the games that load an output connect; README.md, "The watch's socket".
class WatchSocket {
 public:
  /// `out` is the output's folder. Fails with `busy` if another watch builds into it, with
  /// `not_found` if it does not exist, or with `io`.
  static Result<WatchSocket> open(const std::string& out);

  /// Notifies every connected client. Disconnects clients that do not read.
  void tell_built();

 private:
  explicit WatchSocket(Descriptor listening) : listening_(std::move(listening)) {}

  Descriptor listening_;
  std::vector<Descriptor> listeners_;
};

}  // namespace muster::cli
