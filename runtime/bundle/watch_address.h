// Where a `muster watch` and the games beside it find each other.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <string>

#include "registry/base/result.h"

namespace muster {

/// The address of a Unix socket, ready to be bound or connected to.
struct WatchAddress {
  sockaddr_un name{};
  socklen_t bytes = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

/// The socket of the watch that builds to this folder; bundler/cli/README.md, "The watch's socket".
/// It is in the abstract name space, so that a watch that is killed leaves nothing behind, and is
/// named by the folder itself, whatever paths lead to it. Fails with `not_found` when there is no
/// folder.
Result<WatchAddress> watch_address(const std::string& build_folder);

}  // namespace muster
