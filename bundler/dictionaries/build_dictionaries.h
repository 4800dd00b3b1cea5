// The dictionaries of a build.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bundler/cache/build_cache.h"
#include "bundler/cook/cook_questions.h"
#include "bundler/dictionaries/dictionary_samples.h"
#include "bundler/incremental/earlier_build.h"
#include "bundler/pack/compressor.h"
#include "registry/base/clock.h"
#include "runtime/bundle/bundle_layout.h"

namespace muster {

/// A dictionary, and the numbers that justify it.
struct BuildDictionary {
  EntryKind kind = EntryKind::object;
  ByteVector bytes;
  std::uint64_t sample_bytes = 0;
  std::uint64_t saved_bytes = 0;  ///< As in `TrainedDictionary`.
  ContentHash hash() const { return hash_bytes(bytes); }
};

/// The dictionaries in the folder that `compression.dictionaries` in muster.yaml names.
using CommittedDictionaries = std::vector<BuildDictionary>;

/// The dictionaries, with the data that a later build needs.
struct BuildDictionaries {
  std::vector<BuildDictionary> all;  ///< At most one of a kind, sorted by kind.
  ContentHash key{};                 ///< The hash of samples and rules.
  std::vector<Guid> samples;         ///< Sorted.
  std::vector<CookFact> facts;       ///< The dependencies of the samples; sorted.
  bool is_kept = false;              ///< Kept from an earlier build.
  bool is_committed = false;         ///< The project's own; nothing was trained.
  std::vector<BuildReason> reasons;  ///< Why they were not kept; sorted.

  std::vector<StateDictionary> all_of_state() const;
};

/// The sources of dictionaries.
struct DictionaryWork {
  const Project& project;
  const std::vector<ComponentDescription>& components;
  std::vector<EntryKind> kinds{};  ///< Those that may have one, sorted.
  SamplingRules rules{};
  std::string tool{};
  unsigned jobs = 1;
  std::stop_token stop{};
  const EarlierBuild* earlier = nullptr;  ///< Null for none.
  const CookAnswers* answers = nullptr;   ///< Null if dependencies are not recorded.
  BuildCache* cache = nullptr;            ///< Only with `answers`.
  bool only_stores = false;               ///< Stores into the cache without reading it.
  const Clock* clock = nullptr;           ///< Null: waits for a server without a limit.
  /// The project's dictionaries; null if builds train them.
  const CommittedDictionaries* committed = nullptr;
};

/// Returns the project's committed dictionaries, if there are any. Otherwise returns the
/// dictionaries that an earlier build trained on the same samples, or those of a cache. If neither
/// exists, cooks the samples and trains. The result is the same in each of these three cases if the
/// same release of zstd trained. Samples that cannot be cooked are skipped; packing reports them.
BuildDictionaries make_dictionaries(const DictionaryWork& work);

ByteVector encode(const std::vector<BuildDictionary>& dictionaries);
/// Parses untrusted bytes; nothing if they are no dictionaries.
std::optional<std::vector<BuildDictionary>> parse_dictionaries(Bytes bytes);

}  // namespace muster
