// Finds an entity by its signature.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/world/signature.h"

namespace muster {

/// Maps signatures to slots. The table uses open addressing in one plain array, so a copy of the
/// array is a copy of the table. Allocates nothing in steady state. A `World` owns the table.
class SignatureTable {
 public:
  static constexpr std::uint32_t kAbsent = 0xFFFFFFFF;

  std::uint32_t find(Signature signature) const;
  /// Requires: `signature` is not 0 and is not in the table.
  void insert(Signature signature, std::uint32_t slot);
  /// Requires: `signature` is in the table.
  void erase(Signature signature);
  /// Reserves memory for `count` signatures.
  void reserve(std::uint32_t count);

 private:
  struct Entry {
    std::uint64_t signature = 0;  ///< 0 for a free entry.
    std::uint32_t slot = kAbsent;
    std::uint32_t padding = 0;
  };
  std::size_t home(std::uint64_t signature) const { return signature & (entries_.size() - 1); }
  void grow(std::size_t size);

  /// The number of entries is a power of two, and at most half of them are used.
  std::vector<Entry> entries_;
  std::size_t count_ = 0;
};

}  // namespace muster
