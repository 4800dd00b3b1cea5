// Where the files of a build come from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "registry/vocabulary/asset_path.h"
#include "registry/vocabulary/bytes.h"
#include "registry/vocabulary/file_system.h"
#include "registry/vocabulary/result.h"

namespace muster {

/// The bytes of one file, held in memory or mapped for as long as this lives.
class HeldFile {
 public:
  virtual ~HeldFile() = default;
  virtual Bytes bytes() const = 0;
};

/// One target's folder of a build (`OUT/client`), read-only. Implementations: `FileSystemSource`,
/// `MappedSource`. Opening from several threads at once is safe.
class BundleSource {
 public:
  virtual ~BundleSource() = default;

  /// Opens a file by its path below the folder (`bundles/<guid>.mbundle`). Fails with `not_found`,
  /// with `limit_exceeded` when it has more than `max_bytes`, with `invalid_argument` for a path
  /// that leads out of the folder, or as the disk does.
  virtual Result<std::unique_ptr<HeldFile>> open(std::string_view path,
                                                 std::uint64_t max_bytes) const = 0;

  /// What people call this place, for messages.
  virtual std::string name() const = 0;
};

/// Reads whole files from a FileSystem, which must outlive it.
class FileSystemSource final : public BundleSource {
 public:
  explicit FileSystemSource(const FileSystem& files, AssetPath folder = {})
      : files_(files), folder_(std::move(folder)) {}

  Result<std::unique_ptr<HeldFile>> open(std::string_view path,
                                         std::uint64_t max_bytes) const override;
  std::string name() const override;

 private:
  const FileSystem& files_;
  AssetPath folder_;
};

/// Maps files of the disk: nothing is read before it is used, and processes share the pages. The
/// files must be replaced by rename, as a build does; see `MappedFile`.
class MappedSource final : public BundleSource {
 public:
  explicit MappedSource(std::string folder) : folder_(std::move(folder)) {}

  Result<std::unique_ptr<HeldFile>> open(std::string_view path,
                                         std::uint64_t max_bytes) const override;
  std::string name() const override { return folder_; }

 private:
  std::string folder_;
};

}  // namespace muster
