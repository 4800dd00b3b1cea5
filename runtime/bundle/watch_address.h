// The address on which a `muster watch` and its games communicate.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <string>

#include "registry/base/result.h"

namespace muster {

/// The address of a Unix socket, ready for bind or connect.
struct WatchAddress {
  sockaddr_un name{};
  socklen_t bytes = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

/// The socket of the watch that builds to this folder; bundler/cli/README.md, "The watch's socket".
/// It is in the abstract name space, so that a killed watch leaves no file. The folder itself
/// determines its name, whatever path leads to it. Fails with `not_found` if the folder does not
/// exist.
Result<WatchAddress> watch_address(const std::string& build_folder);

}  // namespace muster
