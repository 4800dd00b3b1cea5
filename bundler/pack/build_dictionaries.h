// The dictionaries that a build packs with.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bundler/cache/build_cache.h"
#include "bundler/cook/cook_questions.h"
#include "bundler/pack/compressor.h"
#include "bundler/pack/dictionary_training.h"
#include "bundler/pack/earlier_build.h"
#include "runtime/bundle/bundle_layout.h"

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

/// A dictionary, and why there is one.
struct BuildDictionary {
  EntryKind kind = EntryKind::object;
  ByteVector bytes;
  std::uint64_t sample_bytes = 0;
  std::uint64_t saved_bytes = 0;  ///< As `TrainedDictionary` has it.
  ContentHash hash() const { return hash_bytes(bytes); }
};

/// All that a later build asks about them.
struct BuildDictionaries {
  std::vector<BuildDictionary> all;  ///< At most one of a kind, sorted by kind.
  ContentHash key{};                 ///< Of samples and rules.
  std::vector<Guid> samples;         ///< Sorted.
  std::vector<CookFact> facts;       ///< What the samples depend on; sorted.
  bool is_kept = false;              ///< An earlier build's.
  std::vector<BuildReason> reasons;  ///< Why they are not; sorted.

  std::vector<StateDictionary> all_of_state() const;
};

/// Where dictionaries come from.
struct DictionaryWork {
  const Project& project;
  const std::vector<ComponentDescription>& components;
  SamplingRules rules{};
  std::string tool{};
  unsigned jobs = 1;
  std::stop_token stop{};
  const EarlierBuild* earlier = nullptr;  ///< Null for none.
  const CookAnswers* answers = nullptr;   ///< Null when nobody wants to know.
  BuildCache* cache = nullptr;            ///< Only with `answers`.
  bool only_stores = false;               ///< Into the cache.
};

/// Takes over what an earlier build trained on the same samples, or a cache has, or else cooks the
/// samples and trains. The outcome is the same each way, but for the release of zstd that trained.
/// Samples that cannot be cooked are passed over: who packs them tells.
BuildDictionaries make_dictionaries(const DictionaryWork& work);

ByteVector encode(const std::vector<BuildDictionary>& dictionaries);
/// Reads what an enemy may have made: nothing when these are no dictionaries.
std::optional<std::vector<BuildDictionary>> parse_dictionaries(Bytes bytes);

}  // namespace muster
