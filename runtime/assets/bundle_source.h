// Where the files of a build come from.
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

/// The bytes of one file, held in memory or mapped for as long as this lives.
class HeldFile {
 public:
  virtual ~HeldFile() = default;
  virtual Bytes bytes() const = 0;

  /// Whether somebody else can change or take away the bytes meanwhile, as those of a mapped file.
  /// Such bytes are checked in a copy, or looked at again after they were used; others are checked
  /// once, when they are opened, and never again.
  virtual bool is_shared() const { return false; }
  /// Whether bytes of a shared file were lost and read as zeros now. What was read before this
  /// returned false was the file's.
  virtual bool is_damaged() const { return false; }
};

/// A file that is wanted: its path below the folder, which lives as long as the call, and the most
/// that it may have.
struct OpenRequest {
  std::string_view path;
  std::uint64_t max_bytes = 0;
};

/// One target's folder of a build (`OUT/client`), read-only. Implementations: `FileSystemSource`,
/// `MemorySource`, `StackedSource`, and those of `disk_source.h`. Opening from several threads at
/// once is safe.
class BundleSource {
 public:
  virtual ~BundleSource() = default;

  /// Opens a file by its path below the folder (`bundles/<guid>.mbundle`). Fails with `not_found`,
  /// with `limit_exceeded` when it has more than `max_bytes`, with `invalid_argument` for a path
  /// that leads out of the folder, or as the disk does.
  virtual Result<std::unique_ptr<HeldFile>> open(std::string_view path,
                                                 std::uint64_t max_bytes) const = 0;

  /// Opens many files, all of them in flight together where the source can do that; one after the
  /// other where it has nothing to gain. Returns as many results as requests, in their order; each
  /// fails by itself, as `open` does.
  virtual std::vector<Result<std::unique_ptr<HeldFile>>> open_all(
      std::span<const OpenRequest> requests) const;

  /// How many files `open_all` is best asked for; 1 where the files need not wait for
  /// each other's reading (small ones may be asked for together all the same).
  virtual std::uint32_t files_at_once() const { return 1; }

  /// The size of a file, without reading it; nothing when no file has this path or the source does
  /// not know the size.
  virtual std::optional<std::uint64_t> file_bytes(std::string_view /*path*/) const {
    return std::nullopt;
  }

  /// What people call this place, for messages.
  virtual std::string name() const = 0;

  /// What people call a file of it, for messages: which of several layers has it.
  virtual std::string place_of(std::string_view path) const;
};

/// The error of a file of more than `max_bytes`.
tl::unexpected<Error> fail_too_large(const std::string& place, std::uint64_t max_bytes);
/// The error of a file or bundle for which there is no memory. Needs none itself.
tl::unexpected<Error> fail_without_memory() noexcept;

/// Explains why a file of a build was not opened: the code to report, and a reason that follows the
/// file's name. A larger file than the catalog names is `hash_mismatch`, a folder or a device is
/// `malformed`; other codes stay. `file_bytes` is the size by the catalog, or nothing when the
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
