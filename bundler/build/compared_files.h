// File systems for verifying a build. A build that writes to `ComparedFiles` is compared with
// another build and is not stored. `ShuffledFiles` lists the files of a project in a random order.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "registry/base/file_system.h"

namespace muster {

/// The result of a comparison.
struct OutputDifferences {
  /// Paths in the output, sorted, for example `client/catalog.mcat`.
  std::vector<std::string> other{};    ///< Files that both builds have, with different bytes.
  std::vector<std::string> missing{};  ///< Files that only the new build has.
  std::vector<std::string> extra{};    ///< Files that only the reference has.
  /// The number of bundles with equal entries whose blocks were compressed differently.
  std::size_t repacked = 0;

  bool empty() const { return other.empty() && missing.empty() && extra.empty(); }
};

/// A folder in memory for a build that is compared with another output. Each file is compared when
/// it is written, and equal files are not kept. The folder can stage a build, but not publish it.
/// One thread may use this object at a time. `reference` must outlive this object.
class ComparedFiles final : public FileSystem {
 public:
  explicit ComparedFiles(const FileReader& reference) : reference_(reference) {}

  /// Compares the staged files of these targets with the reference. With `allows_repacked`, bundles
  /// with the same entries count as equal. In this case, the differences in catalogs and reports
  /// that such bundles cause are ignored.
  Result<OutputDifferences> differences(const std::vector<std::string>& targets,
                                        bool allows_repacked) const;

  Result<FileInfo> stat(const AssetPath& path) const override;
  Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const override;
  Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                     ByteVector& buffer) const override;
  Result<void> write(const AssetPath& path, Bytes bytes) override;
  Result<void> commit(std::span<const Move> moves) override;
  Result<void> remove(const AssetPath& path) override;

  /// The staged files under their paths in the output, for a comparison with another build.
  class View;

 private:
  friend class View;
  Result<void> collect(const AssetPath& folder, std::set<std::string>& paths) const;
  void drop_repacked(OutputDifferences& found) const;
  Result<Bytes> read_staged(const std::string& path, std::uint64_t offset, std::uint64_t max_bytes,
                            ByteVector& buffer) const;

  const FileReader& reference_;
  std::set<std::string> equal_;                // The paths of the equal files in the output.
  std::map<std::string, ByteVector> unequal_;  // The contents of all other files.
};

/// Reads the files of a `ComparedFiles` under their paths in the output.
class ComparedFiles::View final : public FileReader {
 public:
  explicit View(const ComparedFiles& files) : files_(files) {}
  Result<FileInfo> stat(const AssetPath& path) const override;
  Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const override;
  Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                     ByteVector& buffer) const override;

 private:
  const ComparedFiles& files_;
};

/// Lists the names in each folder of a project in a random order, because a disk can list names in
/// any order. Equal seeds give equal orders.
class ShuffledFiles final : public FileReader {
 public:
  ShuffledFiles(const FileReader& inner, std::uint64_t seed) : inner_(inner), seed_(seed) {}
  Result<FileInfo> stat(const AssetPath& path) const override { return inner_.stat(path); }
  Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const override;
  Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                     ByteVector& buffer) const override {
    return inner_.read(path, offset, max_bytes, buffer);
  }

 private:
  const FileReader& inner_;
  std::uint64_t seed_;
};

}  // namespace muster
