// Keeps a program running if a mapped file loses pages.
#pragma once

#include <cstddef>
#include <utility>

#include "registry/base/bytes.h"

namespace muster {

/// Handles the signal SIGBUS during its lifetime. A program constructs the guard in `main`, before
/// files are mapped. After a fault inside a mapped file, all pages from the fault to the file's end
/// are read as zeros, and `MappedFile::is_damaged` returns true. The reader continues, and then
/// reports the damage as an error. Any other SIGBUS is passed to the previous handler, or ends the
/// program.
///
///     int main() {
///       const muster::MappingGuard guard;
///
/// Requires: the process has at most one guard at a time.
class MappingGuard {
 public:
  /// The maximum number of mapped files. The kernel's limit is 65,530 ranges, some of which the
  /// allocator and the libraries need.
  static constexpr std::size_t kMaxMappings = 16'384;

  MappingGuard();
  ~MappingGuard();
  /// Whether the process has a guard.
  static bool is_there();

  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;
};

/// Registers a range of mapped memory with the guard for the lifetime of this object. For
/// `MappedFile`.
class GuardedRange {
 public:
  GuardedRange() = default;
  /// Registers `bytes`, unless `MappingGuard::kMaxMappings` ranges are registered. Requires:
  /// `bytes` begins at a page boundary and is not empty.
  static GuardedRange watch(Bytes bytes);

  GuardedRange(GuardedRange&& other) noexcept : slot_(std::exchange(other.slot_, kNone)) {}
  GuardedRange& operator=(GuardedRange&& other) noexcept {
    std::swap(slot_, other.slot_);
    return *this;
  }
  ~GuardedRange();

  bool is_watched() const { return slot_ != kNone; }
  bool is_damaged() const;

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t slot_ = kNone;
};

}  // namespace muster
