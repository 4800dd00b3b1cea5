#include "registry/base/mapped_file.h"

#include <sys/mman.h>

#include <cerrno>
#include <utility>

namespace muster {

Result<MappedFile> MappedFile::open(const std::string& path) {
  Result<DiskFile> file = DiskFile::open(path);
  if (!file) return fail(file.error());
  return map(file.value());
}

Result<MappedFile> MappedFile::map(const DiskFile& file) {
  MappedFile mapped;
  const auto size = static_cast<std::size_t>(file.size_bytes());
  if (size == 0) return mapped;
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (address == MAP_FAILED) return fail_errno(errno, "cannot map '" + file.full_path() + "'");
  mapped.bytes_ = Bytes(static_cast<const std::byte*>(address), size);
  mapped.range_ = GuardedRange::watch(mapped.bytes_);
  if (!mapped.range_.is_watched()) {
    return fail(ErrorCode::limit_exceeded, "cannot map '" + file.full_path() +
                                               "': " + std::to_string(MappingGuard::kMaxMappings) +
                                               " files are mapped already");
  }
  return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), range_(std::move(other.range_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(range_, other.range_);
  return *this;
}

MappedFile::~MappedFile() {
  // Unregisters the range first, because another thread may map the same addresses after unmapping.
  range_ = GuardedRange();
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace muster
