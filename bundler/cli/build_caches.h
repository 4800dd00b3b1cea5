// Opens the caches that the arguments of a build name.
#pragma once

#include <memory>
#include <optional>

#include "bundler/cache/build_cache.h"
#include "bundler/cache/curl_transport.h"
#include "bundler/cache/disk_blobs.h"
#include "bundler/cli/build_arguments.h"
#include "bundler/cli/session.h"

namespace muster::cli {

/// Whether an argument of `--cache` is the address of a server, and not a folder.
bool is_address(const std::string& cache);

/// The caches of a build: a folder, a server, or both. The folder is always queried first.
class BuildCaches {
 public:
  /// Fails with `invalid_argument` if the arguments contradict each other. If a folder cannot be
  /// opened, it is reported and not used.
  static Result<std::unique_ptr<BuildCaches>> open(const BuildArguments& arguments,
                                                   Session& session);

  BuildCaches(const BuildCaches&) = delete;
  BuildCaches& operator=(const BuildCaches&) = delete;

  /// Returns null if no cache is used.
  BuildCache* cache() { return cache_ ? &*cache_ : nullptr; }
  /// Drops uploads that would make a build of this duration much longer. Then trims the folder to
  /// its maximum size, and reports the problems of the caches.
  void finish(Session& session, Duration elapsed);

 private:
  BuildCaches() = default;

  std::unique_ptr<DiskBlobs> folder_;
  std::uint64_t folder_bytes_max_ = 0;
  std::unique_ptr<CurlTransport> transport_;
  std::unique_ptr<HttpBlobs> server_;
  std::optional<BuildCache> cache_;
};

}  // namespace muster::cli
