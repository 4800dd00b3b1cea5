#include "runtime/bundle/watch_address.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>

namespace muster {

Result<WatchAddress> watch_address(const std::string& build_folder) {
  struct stat info {};
  if (::stat(build_folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return fail(ErrorCode::not_found, "no such folder: '" + build_folder + "'");
  }
  const std::string name =
      "muster-watch-" + std::to_string(info.st_dev) + "-" + std::to_string(info.st_ino);
  WatchAddress address;
  address.name.sun_family = AF_UNIX;
  std::ranges::copy(
      name,
      &address.name.sun_path[1]);  // The zero byte at the start means the abstract name space.
  address.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

}  // namespace muster
