// The dictionaries of both builds of a patch.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "bundler/pack/compressor.h"
#include "bundler/patch/build_side.h"

namespace muster {

/// What entries of either build are decompressed with, and those of the new one compressed. One
/// thread at a time.
class PatchDictionaries {
 public:
  /// Copies what it needs.
  PatchDictionaries(const BuildSide& before, const BuildSide& after);

  const std::shared_ptr<const DictionarySet>& decompressing() const { return decompressing_; }
  /// A dictionary of the new build at a level; null for id 0, for one that it has not, and for one
  /// that nothing can be compressed with. Valid until the next call.
  const CompressionDictionary* compressing(std::uint32_t id, int level);

  /// What a patch calls one: 0 for none, else 1 + its place among the new build's, which are sorted
  /// by id. Requires: 0, or an id that it has.
  std::uint64_t number_of(std::uint32_t id) const;
  bool has(std::uint32_t id) const { return id == 0 || number_of(id) > 0; }
  /// The id of a number. Requires: `number <= count()`.
  std::uint32_t id_of(std::uint64_t number) const;
  std::uint64_t count() const { return ids_.size(); }

 private:
  std::shared_ptr<const DictionarySet> decompressing_;
  std::vector<std::uint32_t> ids_;               ///< Of the new build, sorted.
  std::map<std::uint32_t, ByteVector> content_;  ///< Of the new build, by id.
  std::map<std::pair<std::uint32_t, int>, CompressionDictionary> digested_;
};

}  // namespace muster
