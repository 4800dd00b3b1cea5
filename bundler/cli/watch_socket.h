// Where a watch tells games of its builds.
#pragma once

#include <string>
#include <vector>

#include "registry/base/disk_file.h"
#include "registry/base/result.h"

namespace muster::cli {

/// A socket to which the games that play an output connect; README.md, "The watch's socket".
class WatchSocket {
 public:
  /// `out` is the output's folder. Fails with `busy` when another watch builds to it, with
  /// `not_found` when there is none, or with `io`.
  static Result<WatchSocket> open(const std::string& out);

  /// Tells everybody who is connected. Who does not listen is let go.
  void tell_built();

 private:
  explicit WatchSocket(Descriptor listening) : listening_(std::move(listening)) {}

  Descriptor listening_;
  std::vector<Descriptor> listeners_;
};

}  // namespace muster::cli
