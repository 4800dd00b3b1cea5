// Keeps a program running when a mapped file loses pages.
#pragma once

#include <cstddef>
#include <utility>

#include "registry/base/bytes.h"

namespace muster {

/// Handles SIGBUS while it lives. A program's `main` constructs it before files are mapped. After a
/// fault inside a mapped file, the pages from there to the file's end read as zeros, and the file
/// is marked as damaged (`MappedFile::is_damaged`); its reader continues and turns the damage into
/// an error. Every other SIGBUS goes to the previous handler, or ends the program as usual.
///
///     int main() {
///       const muster::MappingGuard guard;
///
/// Requires: at most one at a time, in the whole process.
class MappingGuard {
 public:
  /// The maximum number of mapped files. The kernel's limit is 65,530 ranges, some of which the
  /// allocator and the libraries need.
  static constexpr std::size_t kMaxMappings = 16'384;

  MappingGuard();
  ~MappingGuard();
  /// Whether this process has a guard.
  static bool is_there();

  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;
};

/// A range of mapped memory that is registered with the guard while this object lives. Used by
/// `MappedFile`.
class GuardedRange {
 public:
  GuardedRange() = default;
  /// Not registered if `MappingGuard::kMaxMappings` ranges are. Requires: `bytes` begins at a page,
  /// and is not empty.
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
