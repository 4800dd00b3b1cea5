#include "runtime/assets/disk_source.h"

#include <sys/stat.h>

#include <array>
#include <utility>

#include "registry/base/mapped_file.h"
#include "registry/base/mapping_guard.h"
#include "runtime/assets/uring_source.h"

namespace muster {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"automatic", "mapped", "pread", "uring"};

// If another program truncates a mapped file within a page, the lost bytes become zeros without a
// signal. So `is_damaged` also checks the size of the file. A file that was removed or replaced
// keeps its bytes while it is mapped.
class MappedBundleFile final : public BundleFile {
 public:
  MappedBundleFile(MappedFile file, const DiskFile& from)
      : file_(std::move(file)),
        path_(from.full_path()),
        is_known_(find(from.descriptor(), known_)) {}
  Bytes bytes() const override { return file_.bytes(); }
  bool is_shared() const override { return true; }
  bool is_damaged() const override { return file_.is_damaged() || is_cut_short(); }

 private:
  static bool find(int descriptor, struct stat& info) { return ::fstat(descriptor, &info) == 0; }

  bool is_cut_short() const {
    struct stat now {};
    if (!is_known_ || ::stat(path_.c_str(), &now) != 0) return false;
    return now.st_dev == known_.st_dev && now.st_ino == known_.st_ino &&
           static_cast<std::uint64_t>(now.st_size) < file_.bytes().size();
  }

  MappedFile file_;
  std::string path_;
  struct stat known_ {};
  bool is_known_;
};

Result<std::unique_ptr<BundleFile>> read_whole_file(const DiskFile& file,
                                                    const std::shared_ptr<MemoryPool>& memory) {
  Result<std::unique_ptr<PooledFile>> pooled =
      PooledFile::make(memory, file.size_bytes(), file.full_path());
  if (!pooled) return pooled;
  if (Result<void> read = file.read(pooled.value()->target()); !read) return fail(read.error());
  return pooled;
}

Result<DiskFile> open_checked(const std::string& folder, const AssetPath& path,
                              std::uint64_t max_bytes) {
  Result<DiskFile> file = DiskFile::open(folder, path);
  if (!file) return fail(file.error());
  if (file.value().size_bytes() > max_bytes) {
    return fail_too_large(file.value().full_path(), max_bytes);
  }
  return file;
}

// Returns null if the file does not have exactly `expected_bytes`. `read_for_source` then reads the
// file in another way.
Result<std::unique_ptr<BundleFile>> read_expected(const std::string& folder, const AssetPath& path,
                                                  std::size_t expected_bytes,
                                                  const std::shared_ptr<MemoryPool>& memory) {
  // Requests one more byte than expected, to detect a larger file.
  Result<std::unique_ptr<PooledFile>> pooled =
      PooledFile::make(memory, expected_bytes + 1, path.text());
  if (!pooled) return pooled;
  const Result<std::size_t> got = DiskFile::read_at_once(folder, path, pooled.value()->target());
  if (!got) return fail(got.error());
  if (got.value() != expected_bytes) return nullptr;
  pooled.value()->cut_to(expected_bytes);
  return pooled;
}

}  // namespace

std::string_view to_string(SourceKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::optional<SourceKind> parse_source_kind(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<SourceKind>(i);
  }
  return std::nullopt;
}

Result<DiskSource> open_disk_source(const std::string& folder, SourceKind kind,
                                    std::shared_ptr<MemoryPool> memory) {
  if (kind == SourceKind::uring) {
    Result<std::unique_ptr<UringSource>> ring = UringSource::open(folder, std::move(memory));
    if (!ring) return fail(ring.error());
    return DiskSource{.source = std::move(ring.value()), .kind = SourceKind::uring};
  }
  if (kind == SourceKind::mapped) {
    return DiskSource{.source = std::make_unique<MappedSource>(folder, std::move(memory)),
                      .kind = kind};
  }
  return DiskSource{.source = std::make_unique<PreadSource>(folder, std::move(memory)),
                    .kind = SourceKind::pread};
}

Result<std::unique_ptr<BundleFile>> MappedSource::open(std::string_view path,
                                                       std::uint64_t max_bytes) const {
  Result<DiskFile> file = open_for_source(folder_, path, max_bytes);
  if (!file) return fail(file.error());
  // Without a guard, the truncation of a mapped file would end the program.
  if (!MappingGuard::is_there()) return read_whole_file(file.value(), memory_);
  Result<MappedFile> mapped = MappedFile::map(file.value());
  if (!mapped) return read_whole_file(file.value(), memory_);
  return std::make_unique<MappedBundleFile>(std::move(mapped.value()), file.value());
}

Result<std::unique_ptr<BundleFile>> PreadSource::open(std::string_view path,
                                                      std::uint64_t max_bytes) const {
  return read_for_source(folder_, path, max_bytes, memory_);
}

// The catalog contains the size of each bundle, so small files are read without asking the kernel
// for their size. A large size is not trusted, because a forged catalog could request terabytes.
Result<std::unique_ptr<BundleFile>> read_for_source(const std::string& folder,
                                                    std::string_view path, std::uint64_t max_bytes,
                                                    const std::shared_ptr<MemoryPool>& memory) {
  constexpr std::uint64_t kMaxExpectedBytes = std::uint64_t{64} << 10U;
  Result<AssetPath> below = AssetPath::parse(path);
  if (!below) return fail(below.error());
  if (max_bytes < kMaxExpectedBytes) {
    Result<std::unique_ptr<BundleFile>> pooled =
        read_expected(folder, below.value(), static_cast<std::size_t>(max_bytes), memory);
    const bool is_missing = !pooled && pooled.error().code == ErrorCode::not_found;
    if (is_missing || (pooled && pooled.value() != nullptr)) return pooled;
  }
  Result<DiskFile> file = open_checked(folder, below.value(), max_bytes);
  if (!file) return fail(file.error());
  return read_whole_file(file.value(), memory);
}

std::optional<std::uint64_t> size_for_source(const std::string& folder, std::string_view path) {
  const Result<AssetPath> below = AssetPath::parse(path);
  if (!below) return std::nullopt;
  const Result<DiskFile> file = DiskFile::open(folder, below.value());
  if (!file) return std::nullopt;
  return file.value().size_bytes();
}

Result<DiskFile> open_for_source(const std::string& folder, std::string_view path,
                                 std::uint64_t max_bytes) {
  Result<AssetPath> below = AssetPath::parse(path);
  if (!below) return fail(below.error());
  return open_checked(folder, below.value(), max_bytes);
}

}  // namespace muster
