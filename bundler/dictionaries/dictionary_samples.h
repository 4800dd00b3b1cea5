// The samples on which dictionaries are trained.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "bundler/cook/asset_cooker.h"
#include "bundler/dictionaries/dictionary_training.h"

namespace muster {

/// The rules for selecting assets; tests use other values.
struct SamplingRules {
  /// With fewer assets of a sort (text, or with import settings) there are no samples: in a small
  /// project too many changes would affect samples, for little gain.
  std::size_t assets_min = 512;
  /// The expected number of samples is between this and twice this, if there are enough assets.
  std::size_t samples_wanted = 64;
  /// About one of `1 << share_min` assets is a sample, or fewer, because the gain on the other
  /// assets must pay for the dictionary.
  unsigned share_min = 3;
  TrainingRules training{};
};

/// The assets that are samples, selected by their guids: an eighth of 512 or more, a sixteenth of
/// 1,024 or more, and so on, so that 64 to 127 are expected. Adding, removing or changing another
/// asset does not affect them, unless the number of assets passes a power of two.
struct DictionarySamples {
  std::vector<AssetNumber> text;  ///< Assets that may have an object and a prefab; by guid's hash.
  std::vector<AssetNumber> settings;  ///< Assets with import settings; by guid's hash.
  unsigned text_share = 0;            ///< One of `1 << text_share` is a sample.
  unsigned settings_share = 0;
};
DictionarySamples choose_samples(const Project& project, const SamplingRules& rules);

/// Cooked samples. Those that cannot be cooked have problems and are skipped; packing reports them.
struct CookedSamples {
  std::vector<CookedAsset> text;
  std::vector<CookedAsset> settings;
  unsigned text_share = 0;
  unsigned settings_share = 0;

  /// The entries of a kind, in the samples' order.
  std::vector<Bytes> of(EntryKind kind) const;
  /// The estimated number of entries of a kind in the project, from the samples.
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
