// Chooses and cooks the samples on which dictionaries are trained.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "bundler/cook/asset_cooker.h"
#include "bundler/dictionaries/dictionary_training.h"

namespace muster {

/// The rules for choosing samples. Tests use other values.
struct SamplingRules {
  /// The minimum number of assets of a sort (text assets, or assets with import settings). With
  /// fewer assets there are no samples, because in a small project many changes would affect the
  /// samples, and dictionaries would save little.
  std::size_t assets_min = 512;
  /// If there are enough assets, the expected number of samples is between this number and twice
  /// this number.
  std::size_t samples_wanted = 64;
  /// At most about one of `1 << share_min` assets is a sample. If more assets were samples, the
  /// other assets could not save more bytes than the dictionary has.
  unsigned share_min = 3;
  TrainingRules training{};
};

/// The assets that are samples, chosen by their guids: one eighth of 512 or more assets, one
/// sixteenth of 1,024 or more assets, and so on, so that 64 to 127 samples are expected. If another
/// asset is added, removed or changed, the samples stay the same, unless the number of assets
/// passes a power of two.
struct DictionarySamples {
  std::vector<AssetNumber> text;  ///< The samples of text assets, sorted by the hash of their guid.
  /// The samples of assets with import settings, sorted by the hash of their guid.
  std::vector<AssetNumber> settings;
  unsigned text_share = 0;  ///< One of `1 << text_share` text assets is a sample.
  unsigned settings_share = 0;
};
DictionarySamples choose_samples(const Project& project, const SamplingRules& rules);

/// The cooked samples. Samples that cannot be cooked have problems and are skipped; packing reports
/// them.
struct CookedSamples {
  std::vector<CookedAsset> text;
  std::vector<CookedAsset> settings;
  unsigned text_share = 0;
  unsigned settings_share = 0;

  /// The entries of a kind, in the order of the samples.
  std::vector<Bytes> of(EntryKind kind) const;
  /// The estimated number of entries of a kind in the project. The estimate comes from the samples.
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
