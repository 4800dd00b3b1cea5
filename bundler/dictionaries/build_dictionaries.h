// Makes the dictionaries of a build.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bundler/cache/build_cache.h"
#include "bundler/cook/cook_answers.h"
#include "bundler/cook/cook_questions.h"
#include "bundler/dictionaries/dictionary_samples.h"
#include "bundler/incremental/earlier_build.h"
#include "bundler/pack/compressor.h"
#include "registry/base/clock.h"
#include "runtime/bundle/bundle_layout.h"

namespace muster {

/// A dictionary, and the two sizes that show that it is useful.
struct BuildDictionary {
  EntryKind kind = EntryKind::object;
  ByteVector bytes;
  std::uint64_t sample_bytes = 0;
  std::uint64_t saved_bytes = 0;  ///< The value of `TrainedDictionary::saved_bytes`.
  ContentHash hash() const { return hash_bytes(bytes); }
};

/// The dictionaries in the folder that `compression.dictionaries` in muster.yaml names.
using CommittedDictionaries = std::vector<BuildDictionary>;

/// The dictionaries of a build, and the data that a later build needs.
struct BuildDictionaries {
  std::vector<BuildDictionary> all;  ///< The dictionaries, at most one per kind, sorted by kind.
  ContentHash key{};                 ///< The hash of the samples and the rules.
  std::vector<Guid> samples;         ///< The guids of the samples, sorted.
  std::vector<CookFact> facts;       ///< The dependencies of the samples, sorted.
  bool is_kept = false;              ///< True if the dictionaries were kept from an earlier build.
  bool is_committed = false;  ///< True if the dictionaries are committed in the project, so that
                              ///< nothing was trained.
  /// The reasons why dictionaries of an earlier build were not kept, sorted.
  std::vector<BuildReason> reasons;

  std::vector<StateDictionary> all_of_state() const;
};

/// The arguments of `make_dictionaries`.
struct DictionaryWork {
  const Project& project;
  const std::vector<ComponentDescription>& components;
  std::vector<EntryKind> kinds{};  ///< The kinds of entries that may have a dictionary, sorted.
  SamplingRules rules{};
  std::string tool{};
  unsigned jobs = 1;
  std::stop_token stop{};
  const EarlierBuild* earlier = nullptr;  ///< The earlier build; null if there is no earlier build.
  /// Answers the questions of cooking; null if dependencies are not recorded.
  const CookAnswers* answers = nullptr;
  BuildCache* cache = nullptr;  ///< A cache, or null; used only with `answers`.
  /// If true, dictionaries are stored in the cache, but not read from it.
  bool only_stores = false;
  /// Used to limit the time of waiting for a cache server; null for no limit.
  const Clock* clock = nullptr;
  /// The committed dictionaries of the project; null if builds train dictionaries.
  const CommittedDictionaries* committed = nullptr;
};

/// Returns the committed dictionaries of the project, if there are any. Otherwise returns the
/// dictionaries that an earlier build has trained on the same samples, or the dictionaries in a
/// cache. If neither exists, cooks the samples and trains dictionaries. An earlier build, a cache
/// and training give equal dictionaries if they use the same release of zstd. Samples that cannot
/// be cooked are skipped; packing reports them.
BuildDictionaries make_dictionaries(const DictionaryWork& work);

ByteVector encode(const std::vector<BuildDictionary>& dictionaries);
/// Parses untrusted bytes. Returns no value if the bytes are not encoded dictionaries.
std::optional<std::vector<BuildDictionary>> parse_dictionaries(Bytes bytes);

}  // namespace muster
