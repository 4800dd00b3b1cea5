// Finds an entity by its signature.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/world/signature.h"

namespace muster {

/// Signature to slot: open addressing in one plain array, so that copying the array copies the
/// table. Allocates nothing in steady state. Owned by a `World`.
class SignatureTable {
 public:
  static constexpr std::uint32_t kAbsent = 0xFFFFFFFF;

  std::uint32_t find(Signature signature) const;
  /// Requires: a signature that is not zero and not in the table.
  void insert(Signature signature, std::uint32_t slot);
  /// Requires: it is in the table.
  void erase(Signature signature);
  /// Reserves memory for this many.
  void reserve(std::uint32_t count);

 private:
  struct Entry {
    std::uint64_t signature = 0;  ///< Zero means free.
    std::uint32_t slot = kAbsent;
    std::uint32_t padding = 0;
  };
  std::size_t home(std::uint64_t signature) const { return signature & (entries_.size() - 1); }
  void grow(std::size_t size);

  std::vector<Entry> entries_;  ///< A power of two, at most half full.
  std::size_t count_ = 0;
};

}  // namespace muster
