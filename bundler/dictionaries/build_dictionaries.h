// The dictionaries that a build packs with.
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

/// A dictionary, and why there is one.
struct BuildDictionary {
  EntryKind kind = EntryKind::object;
  ByteVector bytes;
  std::uint64_t sample_bytes = 0;
  std::uint64_t saved_bytes = 0;  ///< As `TrainedDictionary` has it.
  ContentHash hash() const { return hash_bytes(bytes); }
};

/// What a project has in the folder that `compression.dictionaries` of its muster.yaml names.
using CommittedDictionaries = std::vector<BuildDictionary>;

/// All that a later build asks about them.
struct BuildDictionaries {
  std::vector<BuildDictionary> all;  ///< At most one of a kind, sorted by kind.
  ContentHash key{};                 ///< Of samples and rules.
  std::vector<Guid> samples;         ///< Sorted.
  std::vector<CookFact> facts;       ///< What the samples depend on; sorted.
  bool is_kept = false;              ///< An earlier build's.
  bool is_committed = false;         ///< The project's own: nothing was trained.
  std::vector<BuildReason> reasons;  ///< Why they are not; sorted.

  std::vector<StateDictionary> all_of_state() const;
};

/// Where dictionaries come from.
struct DictionaryWork {
  const Project& project;
  const std::vector<ComponentDescription>& components;
  std::vector<EntryKind> kinds{};  ///< Those that may have one, sorted.
  SamplingRules rules{};
  std::string tool{};
  unsigned jobs = 1;
  std::stop_token stop{};
  const EarlierBuild* earlier = nullptr;  ///< Null for none.
  const CookAnswers* answers = nullptr;   ///< Null when nobody wants to know.
  BuildCache* cache = nullptr;            ///< Only with `answers`.
  bool only_stores = false;               ///< Into the cache.
  const Clock* clock = nullptr;           ///< Null: a server is waited for, however long it takes.
  /// What the project has; null where it leaves it to builds.
  const CommittedDictionaries* committed = nullptr;
};

/// Takes what the project has committed. Otherwise takes over what an earlier build trained on the
/// same samples, or a cache has, or else cooks the samples and trains. The outcome is the same each
/// way, but for the release of zstd that trained. Samples that cannot be cooked are passed over:
/// who packs them tells.
BuildDictionaries make_dictionaries(const DictionaryWork& work);

ByteVector encode(const std::vector<BuildDictionary>& dictionaries);
/// Reads what an enemy may have made: nothing when these are no dictionaries.
std::optional<std::vector<BuildDictionary>> parse_dictionaries(Bytes bytes);

}  // namespace muster
