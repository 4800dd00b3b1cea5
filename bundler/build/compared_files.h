// A build that is compared with another one and not published, and a view of a project's files that
// lists them in another order.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "registry/base/file_system.h"

namespace muster {

/// The result of a comparison.
struct OutputDifferences {
  /// Paths in the output, sorted: `client/catalog.mcat`.
  std::vector<std::string> other{};    ///< In both, with different bytes.
  std::vector<std::string> missing{};  ///< Only in the new build.
  std::vector<std::string> extra{};    ///< Only in the reference.
  /// Bundles with equal entries, in blocks that were compressed differently.
  std::size_t repacked = 0;

  bool empty() const { return other.empty() && missing.empty() && extra.empty(); }
};

/// A folder for a build that is compared with another output, file by file, while it is written;
/// equal files are not kept. For staging, not for publishing. Not thread-safe, like all writing.
/// `reference` must outlive this object.
class ComparedFiles final : public FileSystem {
 public:
  explicit ComparedFiles(const FileReader& reference) : reference_(reference) {}

  /// Compares the staged files of these targets. With `allows_repacked`, bundles with the same
  /// entries count as equal, and so do the catalogs and reports that name them.
  Result<OutputDifferences> differences(const std::vector<std::string>& targets,
                                        bool allows_repacked) const;

  Result<FileInfo> stat(const AssetPath& path) const override;
  Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const override;
  Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                     ByteVector& buffer) const override;
  Result<void> write(const AssetPath& path, Bytes bytes) override;
  Result<void> commit(std::span<const Move> moves) override;
  Result<void> remove(const AssetPath& path) override;

  /// The staged files as an output, for comparison with a further build.
  class View;

 private:
  friend class View;
  Result<void> collect(const AssetPath& folder, std::set<std::string>& paths) const;
  void drop_repacked(OutputDifferences& found) const;
  Result<Bytes> read_staged(const std::string& path, std::uint64_t offset, std::uint64_t max_bytes,
                            ByteVector& buffer) const;

  const FileReader& reference_;
  std::set<std::string> equal_;                // paths in the output
  std::map<std::string, ByteVector> unequal_;  // contents of the others
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

/// A project's files with the names of each folder in another order, as another disk may list them.
/// Equal seeds give equal orders.
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
