// A folder of the disk, read in one of several ways.
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

/// How the files of a folder are read. The figures that `automatic` follows are in this folder's
/// README.md.
enum class SourceKind : std::uint8_t {
  automatic,
  mapped,  ///< `MappedSource`, for programs that have a `MappingGuard`
  pread,   ///< `PreadSource`
  uring,   ///< `UringSource`
};

/// `automatic`, `mapped`, `pread`, `uring`.
std::string_view to_string(SourceKind kind);
/// The reverse, for options and settings.
std::optional<SourceKind> parse_source_kind(std::string_view text);

/// A source, and how it really reads: never `automatic`. `mapped` is also one that has to read
/// files now and then.
struct DiskSource {
  std::unique_ptr<BundleSource> source;
  SourceKind kind = SourceKind::pread;
};

/// Opens a folder of the disk. `automatic` never fails: it takes what is fastest and works here.
/// `uring` fails as `UringSource::open` does. Whether the folder exists shows when a file of it is
/// opened. What is read lies in buffers of `memory`, if it is given: the pool of the store that
/// reads from here, so that one budget covers both. Without it, large files that are closed and
/// opened again cost several times as much, in page faults.
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

/// The size of a file of a source's folder, as `BundleSource::file_bytes`.
std::optional<std::uint64_t> size_for_source(const std::string& folder, std::string_view path);

/// Maps files: nothing is read before it is used, and processes share the pages. A file that is cut
/// short meanwhile must not end the program: those opened while no `MappingGuard` lives are read
/// instead, as is a file for which there is no room to map it.
class MappedSource final : public BundleSource {
 public:
  explicit MappedSource(std::string folder, std::shared_ptr<MemoryPool> memory = nullptr)
      : folder_(std::move(folder)), memory_(std::move(memory)) {}

  Result<std::unique_ptr<HeldFile>> open(std::string_view path,
                                         std::uint64_t max_bytes) const override;
  std::optional<std::uint64_t> file_bytes(std::string_view path) const override {
    return size_for_source(folder_, path);
  }
  std::string name() const override { return folder_; }

 private:
  std::string folder_;
  std::shared_ptr<MemoryPool> memory_;
};

/// Reads whole files into memory of its own. A file that is changed afterwards changes nothing.
class PreadSource final : public BundleSource {
 public:
  explicit PreadSource(std::string folder, std::shared_ptr<MemoryPool> memory = nullptr)
      : folder_(std::move(folder)), memory_(std::move(memory)) {}

  Result<std::unique_ptr<HeldFile>> open(std::string_view path,
                                         std::uint64_t max_bytes) const override;
  std::optional<std::uint64_t> file_bytes(std::string_view path) const override {
    return size_for_source(folder_, path);
  }
  std::string name() const override { return folder_; }

 private:
  std::string folder_;
  std::shared_ptr<MemoryPool> memory_;
};

/// Opens a file of a source's folder, reading nothing. Fails as `BundleSource::open` does.
Result<DiskFile> open_for_source(const std::string& folder, std::string_view path,
                                 std::uint64_t max_bytes);
/// The same, and reads it. Fails with `limit_exceeded`, too, when there is no memory for it.
Result<std::unique_ptr<HeldFile>> read_for_source(const std::string& folder, std::string_view path,
                                                  std::uint64_t max_bytes,
                                                  const std::shared_ptr<MemoryPool>& memory);

}  // namespace muster
