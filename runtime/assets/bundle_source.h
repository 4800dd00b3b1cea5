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
class HeldFile {
 public:
  virtual ~HeldFile() = default;
  virtual Bytes bytes() const = 0;

  /// True if other programs can change the bytes, as with a mapped file. Such bytes are copied
  /// before they are checked, or checked again after use. Other bytes are checked once, on opening.
  virtual bool is_shared() const { return false; }
  /// True if bytes of a shared file were lost, and now read as zeros. If it returns false, all
  /// bytes that were read before the call were correct.
  virtual bool is_damaged() const { return false; }
};

/// A requested file: its path below the folder, valid during the call, and its maximum size.
struct OpenRequest {
  std::string_view path;
  std::uint64_t max_bytes = 0;
};

/// One target's folder of a build (`OUT/client`), read-only. Implementations: `FileSystemSource`,
/// `MemorySource`, `StackedSource`, and those of `disk_source.h`. Several threads may open files at
/// once.
class BundleSource {
 public:
  virtual ~BundleSource() = default;

  /// Opens a file by its path below the folder (`bundles/<guid>.mbundle`). Fails with `not_found`,
  /// with `limit_exceeded` if it has more than `max_bytes`, with `invalid_argument` for a path that
  /// leads out of the folder, or with the disk's error.
  virtual Result<std::unique_ptr<HeldFile>> open(std::string_view path,
                                                 std::uint64_t max_bytes) const = 0;

  /// Opens many files, all in flight together if the source supports that; otherwise one after
  /// another. Returns one result per request, in order; each fails separately, like `open`.
  virtual std::vector<Result<std::unique_ptr<HeldFile>>> open_all(
      std::span<const OpenRequest> requests) const;

  /// The best number of files for `open_all`; 1 if reading several files together has no advantage
  /// (small ones may still be requested together).
  virtual std::uint32_t files_at_once() const { return 1; }

  /// The size of a file, without reading it; nothing if the file does not exist or the source does
  /// not know the size.
  virtual std::optional<std::uint64_t> file_bytes(std::string_view /*path*/) const {
    return std::nullopt;
  }

  /// The name of this source in messages.
  virtual std::string name() const = 0;

  /// The name of one of its files in messages, including the layer that has it.
  virtual std::string full_path(std::string_view path) const;
};

/// The error of a file of more than `max_bytes`.
tl::unexpected<Error> fail_too_large(const std::string& path, std::uint64_t max_bytes);
/// The error of a file or bundle for which there is no memory. Allocates nothing.
tl::unexpected<Error> fail_without_memory() noexcept;

/// Explains why a file of a build was not opened: the code to report, and a reason to append to the
/// file's name. A file larger than in the catalog is `hash_mismatch`, a folder or a device is
/// `malformed`; other codes are kept. `file_bytes` is the size in the catalog, or nothing if the
/// catalog does not know it.
Error why_not_opened(const BundleSource& source, std::string_view path,
                     std::optional<std::uint64_t> file_bytes, const Error& error);

/// Reads whole files from a FileSystem, which must outlive it. For the disk, `open_disk_source` is
/// faster.
class FileSystemSource final : public BundleSource {
 public:
  explicit FileSystemSource(const FileReader& files, AssetPath folder = {})
      : files_(files), folder_(std::move(folder)) {}

  Result<std::unique_ptr<HeldFile>> open(std::string_view path,
                                         std::uint64_t max_bytes) const override;
  std::optional<std::uint64_t> file_bytes(std::string_view path) const override;
  std::string name() const override;

 private:
  Result<AssetPath> path_of(std::string_view path) const;

  const FileReader& files_;
  AssetPath folder_;
};

}  // namespace muster
