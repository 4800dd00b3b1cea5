// Reads the files of a folder on disk, in one of several ways.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "registry/base/disk_file.h"
#include "runtime/assets/bundle_source.h"
#include "runtime/assets/pooled_file.h"

namespace muster {

/// How the files of a folder are read. The README.md of this folder explains the choice of
/// `automatic`.
enum class SourceKind : std::uint8_t {
  automatic,
  mapped,  ///< `MappedSource`, for programs that have a `MappingGuard`
  pread,   ///< `PreadSource`
  uring,   ///< `UringSource`
};

/// `automatic`, `mapped`, `pread`, `uring`.
std::string_view to_string(SourceKind kind);
/// Parses a name of `to_string`, for options and settings. Returns no value for any other text.
std::optional<SourceKind> parse_source_kind(std::string_view text);

/// A source, and the way in which it reads files. `kind` is never `automatic`. A `mapped` source
/// may read some files into memory instead of mapping them.
struct DiskSource {
  std::unique_ptr<BundleSource> source;
  SourceKind kind = SourceKind::pread;
};

/// Opens a folder on disk. `automatic` never fails: it chooses the fastest way that works. `uring`
/// fails if io_uring cannot be used, with the code of `UringSource::open`. If the folder is
/// missing, opening one of its files fails. `memory` is a pool for the buffers of the files, or
/// null. Pass the pool of the store that uses this source, so that one budget covers both. Without
/// a pool, it takes several times as long to close and reopen large files, because new memory
/// causes page faults.
///
///     const auto memory = std::make_shared<MemoryPool>();
///     Result<DiskSource> disk = open_disk_source(folder, SourceKind::automatic, memory);
///     Result<BundleStore> store =
///         BundleStore::open(*disk.value().source, BundleStore::Catalogs::built, memory);
///     ThreadedLoads executor(*disk.value().source, store.value().catalog(), 2, memory,
///                            store.value().dictionaries());
///     BundleLoader loader(store.value(), executor, {});
Result<DiskSource> open_disk_source(const std::string& folder, SourceKind kind,
                                    std::shared_ptr<MemoryPool> memory = nullptr);

/// The size in bytes of a file in a source's folder. See `BundleSource::file_bytes`.
std::optional<std::uint64_t> size_for_source(const std::string& folder, std::string_view path);

/// Maps files. No byte is read before its first use, and several processes share the pages. A
/// mapped file that another program truncates must not end this program. So files are read into
/// memory instead if the program has no `MappingGuard`, or if they cannot be mapped.
class MappedSource final : public BundleSource {
 public:
  explicit MappedSource(std::string folder, std::shared_ptr<MemoryPool> memory = nullptr)
      : folder_(std::move(folder)), memory_(std::move(memory)) {}

  Result<std::unique_ptr<BundleFile>> open(std::string_view path,
                                           std::uint64_t max_bytes) const override;
  std::optional<std::uint64_t> file_bytes(std::string_view path) const override {
    return size_for_source(folder_, path);
  }
  std::string name() const override { return folder_; }

 private:
  std::string folder_;
  std::shared_ptr<MemoryPool> memory_;
};

/// Reads whole files into its own memory. Later changes of a file have no effect.
class PreadSource final : public BundleSource {
 public:
  explicit PreadSource(std::string folder, std::shared_ptr<MemoryPool> memory = nullptr)
      : folder_(std::move(folder)), memory_(std::move(memory)) {}

  Result<std::unique_ptr<BundleFile>> open(std::string_view path,
                                           std::uint64_t max_bytes) const override;
  std::optional<std::uint64_t> file_bytes(std::string_view path) const override {
    return size_for_source(folder_, path);
  }
  std::string name() const override { return folder_; }

 private:
  std::string folder_;
  std::shared_ptr<MemoryPool> memory_;
};

/// Opens a file of a source's folder without reading the file. Fails with the codes of
/// `BundleSource::open`.
Result<DiskFile> open_for_source(const std::string& folder, std::string_view path,
                                 std::uint64_t max_bytes);
/// Opens and reads a file of a source's folder. Fails with the codes of `open_for_source`, and with
/// `limit_exceeded` if there is not enough memory.
Result<std::unique_ptr<BundleFile>> read_for_source(const std::string& folder,
                                                    std::string_view path, std::uint64_t max_bytes,
                                                    const std::shared_ptr<MemoryPool>& memory);

}  // namespace muster
