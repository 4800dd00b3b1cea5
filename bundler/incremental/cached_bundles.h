// Stores packed bundles in a cache and finds them there, for other checkouts and other machines.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "bundler/cache/build_cache.h"
#include "bundler/cook/cook_answers.h"
#include "bundler/cook/cook_questions.h"
#include "bundler/incremental/earlier_build.h"
#include "bundler/plan/bundle_plan.h"
#include "runtime/bundle/bundle_reader.h"
#include "runtime/bundle/dictionary.h"

namespace muster {

/// The file of a bundle, and the data about the bundle that a build needs. The format in the cache
/// is bundler/cache/README.md, "Bundles".
struct CachedBundle {
  std::uint64_t plain_bytes = 0;
  std::uint64_t source_bytes = 0;
  /// The plain size of each asset, in the order of the plan.
  std::vector<std::uint64_t> asset_bytes;
  ByteVector file;
};

ByteVector encode(const CachedBundle& bundle);
/// Parses untrusted bytes. Returns no value if the bytes have another format, or if the file in the
/// bytes is not a bundle.
std::optional<CachedBundle> parse_cached_bundle(Bytes bytes);

/// Whether all entries of a bundle belong to the planned assets and use known dictionaries. The
/// check is needed because a cache can return wrong content.
bool holds_only(const Project& project, const PlannedBundle& planned, const BundleReader& reader,
                const DictionarySet& dictionaries);

ByteVector encode_questions(const std::vector<CookFact>& facts);
std::optional<std::vector<CookQuestion>> parse_questions(Bytes bytes);

struct ReadableBundle;

/// Finds a bundle in two steps, because the dependencies of a bundle are known only after cooking.
/// The first key is made from the contents of the bundle's assets, and finds the questions that
/// cooking asked. The second key is made from these questions with their current answers, and finds
/// the bundle. Several threads may use this object.
class CachedBundles {
 public:
  /// All arguments must outlive this object. If `only_stores` is true, `find` returns nothing.
  CachedBundles(BuildCache& cache, const Project& project, const CookAnswers& answers,
                const PackingTerms& terms, bool only_stores = false);

  struct Found {
    CachedBundle bundle;
    std::vector<CookFact> facts;  ///< The dependencies of the bundle, sorted.
  };
  /// Finds a bundle and opens a reader of its file. Stops soon after `abandoned` is requested.
  /// Returns no value if the cache does not have the bundle, or if the cached file has other
  /// entries than the planned bundle.
  std::optional<ReadableBundle> find(const PlannedBundle& planned, Target target,
                                     const DictionarySet& dictionaries, CacheReach reach,
                                     const std::stop_token& abandoned) const;
  void store(const PlannedBundle& planned, const CachedBundle& bundle,
             const std::vector<CookFact>& facts, CacheReach reach) const;
  bool has_far_level() const { return cache_.has_far_level(); }

 private:
  ContentHash key_of_questions(const PlannedBundle& planned) const;
  std::optional<ReadableBundle> parse(Bytes value, const PlannedBundle& planned,
                                      const DictionarySet& dictionaries) const;

  BuildCache& cache_;
  const Project& project_;
  const CookAnswers& answers_;
  std::string terms_;
  bool only_stores_;
};

/// A bundle from a cache. The reader views the bytes of the file, whose address does not change
/// when this object is moved.
struct ReadableBundle {
  CachedBundles::Found found;
  BundleReader reader;
};

}  // namespace muster
