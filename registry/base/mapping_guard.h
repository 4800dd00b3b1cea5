// What keeps a program alive when a mapped file loses its pages.
#pragma once

#include <cstddef>
#include <utility>

#include "registry/base/bytes.h"

namespace muster {

/// An edge that a program's main constructs, before files are mapped: handles SIGBUS for as long as
/// it lives. A fault inside a mapped file is answered with pages of zeros from there to
/// the file's end, and the file is marked as damaged (`MappedFile::is_damaged`); its reader goes on
/// and turns that into an error. Every other SIGBUS goes to the handler that was there before, or
/// ends the program as it would have.
///
///     int main() {
///       const muster::MappingGuard guard;
///
/// Requires: at most one at a time, in the whole process.
class MappingGuard {
 public:
  /// How many files can be mapped at once. The kernel's own limit is 65,530 ranges, of which the
  /// allocator and the program's libraries need some.
  static constexpr std::size_t kMaxMappings = 16'384;

  MappingGuard();
  ~MappingGuard();
  /// Whether one lives, in this process.
  static bool is_there();

  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;
};

/// A range of mapped memory that the guard knows of, for as long as this lives. Belongs to
/// `MappedFile`.
class GuardedRange {
 public:
  GuardedRange() = default;
  /// Not watched when `MappingGuard::kMaxMappings` are. Requires: `bytes` begins at a page, and is
  /// not empty.
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
