// What dictionaries are trained on.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "bundler/cook/asset_cooker.h"
#include "bundler/dictionaries/dictionary_training.h"

namespace muster {

/// Which assets are looked at; others than these are for tests.
struct SamplingRules {
  /// Of fewer assets of a sort (text, and what has import settings) none are: in a small project
  /// too many changes would be ones of samples, for little gain.
  std::size_t assets_min = 512;
  /// So many and up to twice as many are expected to be samples, where there are enough.
  std::size_t samples_wanted = 64;
  /// At most one of `1 << share_min` is: a dictionary has to pay for the others.
  unsigned share_min = 3;
  TrainingRules training{};
};

/// The assets that are samples, found by their guids alone: an eighth of 512 or more, a sixteenth
/// of 1,024 or more, and so on, so that 64 to 127 are expected. An asset that is no sample comes,
/// goes and changes without changing them, unless the number of all passes a power of two.
struct DictionarySamples {
  std::vector<AssetNumber> text;      ///< What may have an object and a prefab; by guid's hash.
  std::vector<AssetNumber> settings;  ///< What has import settings; by guid's hash.
  unsigned text_share = 0;            ///< One of `1 << text_share` is a sample.
  unsigned settings_share = 0;
};
DictionarySamples choose_samples(const Project& project, const SamplingRules& rules);

/// Samples, cooked. Those that cannot be cooked have problems and are passed over: who packs them
/// tells.
struct CookedSamples {
  std::vector<CookedAsset> text;
  std::vector<CookedAsset> settings;
  unsigned text_share = 0;
  unsigned settings_share = 0;

  /// The entries of a kind, in the samples' order.
  std::vector<Bytes> of(EntryKind kind) const;
  /// How many entries of a kind the project has, as far as the samples tell.
  std::uint64_t estimated_entries(EntryKind kind) const;
};
CookedSamples cook_samples(const Project& project,
                           const std::vector<ComponentDescription>& components,
                           const DictionarySamples& samples, unsigned jobs,
                           const std::stop_token& stop);

/// The kinds of entries that may have a dictionary, sorted.
inline constexpr std::array<EntryKind, 3> kDictionaryKinds = {EntryKind::object, EntryKind::prefab,
                                                              EntryKind::import_settings};

}  // namespace muster
