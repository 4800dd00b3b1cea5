// The caches in a build's arguments.
#pragma once

#include <memory>
#include <optional>

#include "bundler/cache/build_cache.h"
#include "bundler/cache/curl_transport.h"
#include "bundler/cache/disk_blobs.h"
#include "bundler/cli/build_arguments.h"
#include "bundler/cli/session.h"

namespace muster::cli {

/// Whether a `--cache` is a server; otherwise it is a folder.
bool is_address(const std::string& place);

/// A folder, a server, or both. The folder is queried first, in any order of arguments.
class BuildCaches {
 public:
  /// Fails with `invalid_argument` if the arguments are inconsistent. A folder that cannot be
  /// opened is reported, and not used.
  static Result<std::unique_ptr<BuildCaches>> open(const BuildArguments& arguments,
                                                   Session& session);

  BuildCaches(const BuildCaches&) = delete;
  BuildCaches& operator=(const BuildCaches&) = delete;

  /// Null if no cache is used.
  BuildCache* cache() { return cache_ ? &*cache_ : nullptr; }
  /// Gives up uploads that would make a build of this duration much longer, trims the folder to its
  /// size, and reports what did not work.
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
