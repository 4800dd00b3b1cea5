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
/// The reverse, for options and settings.
std::optional<SourceKind> parse_source_kind(std::string_view text);

/// A source, and its real way of reading: never `automatic`. A `mapped` source may still read some
/// files.
struct DiskSource {
  std::unique_ptr<BundleSource> source;
  SourceKind kind = SourceKind::pread;
};

/// Opens a folder of the disk. `automatic` never fails: it chooses the fastest way that works.
/// `uring` fails like `UringSource::open`. A missing folder is reported when one of its files is
/// opened. If `memory` is given, the bytes are in its buffers: pass the pool of the store that uses
/// this source, so that one budget covers both. Without it, closing and opening large files again
/// costs several times as much, in page faults.
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

/// The size of a file in a source's folder, like `BundleSource::file_bytes`.
std::optional<std::uint64_t> size_for_source(const std::string& folder, std::string_view path);

/// Maps files: nothing is read before use, and processes share the pages. A file that is truncated
/// meanwhile must not end the program, so files opened without a `MappingGuard` are read instead,
/// and so are files that cannot be mapped.
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

/// Reads whole files into its own memory. Later changes of a file have no effect.
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

/// Opens a file of a source's folder without reading it. Fails like `BundleSource::open`.
Result<DiskFile> open_for_source(const std::string& folder, std::string_view path,
                                 std::uint64_t max_bytes);
/// The same, and reads it. Also fails with `limit_exceeded` if there is no memory for it.
Result<std::unique_ptr<HeldFile>> read_for_source(const std::string& folder, std::string_view path,
                                                  std::uint64_t max_bytes,
                                                  const std::shared_ptr<MemoryPool>& memory);

}  // namespace muster
