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

/// The dictionaries for decompressing entries of both builds, and for compressing entries of the
/// new build. One thread may use this object at a time.
class PatchDictionaries {
 public:
  /// Copies the data of the dictionaries, so the arguments need not outlive this object.
  PatchDictionaries(const BuildSide& before, const BuildSide& after);

  const std::shared_ptr<const DictionarySet>& decompressing() const { return decompressing_; }
  /// A dictionary of the new build for compression at a level. The result is null for id 0, for an
  /// unknown id, and for a dictionary that cannot be used for compression. The result is valid
  /// until the next call.
  const CompressionDictionary* compressing(std::uint32_t id, int level);

  /// The number of a dictionary in a patch: 0 for id 0, otherwise 1 plus its index among the
  /// dictionaries of the new build, which are sorted by id. Requires: `has(id)`.
  std::uint64_t number_of(std::uint32_t id) const;
  bool has(std::uint32_t id) const { return id == 0 || number_of(id) > 0; }
  /// The id of the dictionary with a number. Requires: `number <= count()`.
  std::uint32_t id_of(std::uint64_t number) const;
  std::uint64_t count() const { return ids_.size(); }

 private:
  std::shared_ptr<const DictionarySet> decompressing_;
  std::vector<std::uint32_t> ids_;  ///< The ids of the dictionaries of the new build, sorted.
  std::map<std::uint32_t, ByteVector> content_;  ///< The dictionaries of the new build, by id.
  std::map<std::pair<std::uint32_t, int>, CompressionDictionary> digested_;
};

}  // namespace muster
