// The files of a build.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/asset_path.h"
#include "registry/base/bytes.h"
#include "registry/base/file_system.h"
#include "registry/base/result.h"

namespace muster {

/// The bytes of one file, in memory or mapped for as long as this object lives.
class BundleFile {
 public:
  virtual ~BundleFile() = default;
  virtual Bytes bytes() const = 0;

  /// True if other programs can change the bytes, for example in a mapped file. Bytes that can
  /// change are copied before they are checked, or are checked again after use. Bytes that cannot
  /// change are checked once, when the file is opened.
  virtual bool is_shared() const { return false; }
  /// True if bytes of a shared file were lost. Lost bytes read as zeros. If the result is false,
  /// all bytes that were read before the call were correct.
  virtual bool is_damaged() const { return false; }
};

/// A requested file: its path below the folder, valid during the call, and its maximum size.
struct OpenRequest {
  std::string_view path;
  std::uint64_t max_bytes = 0;
};

/// One target's folder of a build (`OUT/client`), read-only. Implementations: `FileSystemSource`,
/// `MemorySource`, `StackedSource`, and the classes of `disk_source.h`. Several threads may open
/// files at the same time.
class BundleSource {
 public:
  virtual ~BundleSource() = default;

  /// Opens a file by its path below the folder (`bundles/<guid>.mbundle`). Fails with `not_found`
  /// if the file does not exist. Fails with `limit_exceeded` if the file has more than `max_bytes`.
  /// Fails with `invalid_argument` if the path leads out of the folder. If the file cannot be read,
  /// fails with the code of the disk's error.
  virtual Result<std::unique_ptr<BundleFile>> open(std::string_view path,
                                                   std::uint64_t max_bytes) const = 0;

  /// Opens many files: all together if the source supports that, otherwise one after another.
  /// Returns one result per request, in the order of the requests. If a request fails, the other
  /// requests are not affected. A request fails with the codes of `open`.
  virtual std::vector<Result<std::unique_ptr<BundleFile>>> open_all(
      std::span<const OpenRequest> requests) const;

  /// The best number of files for `open_all`. The result is 1 if the source does not read several
  /// files faster together. Even then, one call of `open_all` may request several small files.
  virtual std::uint32_t files_at_once() const { return 1; }

  /// The size of a file in bytes, without reading the file. Returns no value if the file does not
  /// exist or the source does not know the size.
  virtual std::optional<std::uint64_t> file_bytes(std::string_view /*path*/) const {
    return std::nullopt;
  }

  /// The name that messages use for this source.
  virtual std::string name() const = 0;

  /// The name that messages use for a file of this source. The name includes the layer that
  /// contains the file.
  virtual std::string full_path(std::string_view path) const;
};

/// The error for a file with more than `max_bytes`.
tl::unexpected<Error> fail_too_large(const std::string& path, std::uint64_t max_bytes);
/// The error for a file or bundle that does not fit into memory. Allocates nothing.
tl::unexpected<Error> fail_without_memory() noexcept;

/// Explains why a file of a build was not opened. The result has the code to report, and a message
/// to append to the file's name. The code is `hash_mismatch` for a file larger than in the catalog,
/// and `malformed` for a folder or a device. Otherwise the code is the code of `error`.
/// `file_bytes` is the size in the catalog, or no value if the catalog has no size.
Error why_not_opened(const BundleSource& source, std::string_view path,
                     std::optional<std::uint64_t> file_bytes, const Error& error);

/// Reads whole files from a `FileReader`, which must outlive the source. For files on disk,
/// `open_disk_source` is faster.
class FileSystemSource final : public BundleSource {
 public:
  explicit FileSystemSource(const FileReader& files, AssetPath folder = {})
      : files_(files), folder_(std::move(folder)) {}

  Result<std::unique_ptr<BundleFile>> open(std::string_view path,
                                           std::uint64_t max_bytes) const override;
  std::optional<std::uint64_t> file_bytes(std::string_view path) const override;
  std::string name() const override;

 private:
  Result<AssetPath> path_of(std::string_view path) const;

  const FileReader& files_;
  AssetPath folder_;
};

}  // namespace muster
