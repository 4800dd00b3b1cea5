// The address of the socket through which a `muster watch` notifies games.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <string>

#include "registry/base/result.h"

namespace muster {

/// The address of a Unix socket, for `bind` or `connect`.
struct WatchAddress {
  sockaddr_un name{};
  socklen_t bytes = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

/// The address of the `muster watch` that builds to this folder (bundler/cli/README.md, "The
/// watch's socket"). The address is in the abstract name space, so a killed watch leaves no file.
/// All paths to the same folder give the same address. Fails with `not_found` if the folder does
/// not exist.
Result<WatchAddress> watch_address(const std::string& build_folder);

}  // namespace muster
