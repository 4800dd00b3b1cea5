// The caches that a build was told of.
#pragma once

#include <memory>
#include <optional>

#include "bundler/cache/build_cache.h"
#include "bundler/cache/curl_transport.h"
#include "bundler/cache/disk_blobs.h"
#include "bundler/cli/build_arguments.h"
#include "bundler/cli/session.h"

namespace muster::cli {

/// Whether a `--cache` is a server; else it is a folder.
bool is_address(const std::string& place);

/// A folder, a server, or both: the folder is asked first, wherever it stands among the arguments.
class BuildCaches {
 public:
  /// Fails with `invalid_argument` when the arguments cannot mean anything. A folder that cannot be
  /// opened is told, and done without.
  static Result<std::unique_ptr<BuildCaches>> open(const BuildArguments& arguments,
                                                   Session& session);

  BuildCaches(const BuildCaches&) = delete;
  BuildCaches& operator=(const BuildCaches&) = delete;

  /// Null when there is none.
  BuildCache* cache() { return cache_ ? &*cache_ : nullptr; }
  /// Keeps the folder within its size, and tells a person what did not work.
  void finish(Session& session);

 private:
  BuildCaches() = default;

  std::unique_ptr<DiskBlobs> folder_;
  std::uint64_t folder_bytes_max_ = 0;
  std::unique_ptr<CurlTransport> transport_;
  std::unique_ptr<HttpBlobs> server_;
  std::optional<BuildCache> cache_;
};

}  // namespace muster::cli
