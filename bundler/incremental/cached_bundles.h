// Packed bundles in a cache, for other checkouts and other machines.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "bundler/cache/build_cache.h"
#include "bundler/cook/cook_questions.h"
#include "bundler/incremental/earlier_build.h"
#include "bundler/plan/bundle_plan.h"
#include "runtime/bundle/bundle_reader.h"
#include "runtime/bundle/dictionary.h"

namespace muster {

/// A bundle's file, and what a build wants to know of it. The format in the cache is
/// bundler/cache/README.md, "Bundles".
struct CachedBundle {
  std::uint64_t plain_bytes = 0;
  std::uint64_t source_bytes = 0;
  std::vector<std::uint64_t> asset_bytes;  ///< Plain bytes of each asset, in the plan's order.
  ByteVector file;
};

ByteVector encode(const CachedBundle& bundle);
/// Reads what an enemy may have made. Nothing when it is no such thing, or its file no bundle.
std::optional<CachedBundle> parse_cached_bundle(Bytes bytes);

/// Whether a bundle has entries of nothing but the planned assets, and of known dictionaries: a
/// cache may be wrong about what it holds.
bool holds_only(const Project& project, const PlannedBundle& planned, const BundleReader& reader,
                const DictionarySet& dictionaries);

ByteVector encode_questions(const std::vector<CookFact>& facts);
std::optional<std::vector<CookQuestion>> parse_questions(Bytes bytes);

struct ReadableBundle;

/// Finds a bundle in two steps, because what it depends on is known only to who has cooked it:
/// under the contents of its assets stand the questions that cooking asked then, and under these
/// with their answers of today the bundle. Safe to use from several threads.
class CachedBundles {
 public:
  /// All of them outlive this. One that only stores finds nothing.
  CachedBundles(BuildCache& cache, const Project& project, const CookAnswers& answers,
                const PackingTerms& terms, bool only_stores = false);

  struct Found {
    CachedBundle bundle;
    std::vector<CookFact> facts;  ///< What it depends on; sorted.
  };
  /// Gives up soon after `abandoned` is requested.
  std::optional<Found> find(const PlannedBundle& planned, Target target, CacheReach reach,
                            const std::stop_token& abandoned = {}) const;
  /// The same, with a reader of its file. Nothing when the file is not of the planned bundle, as
  /// `holds_only` says.
  std::optional<ReadableBundle> find_readable(const PlannedBundle& planned, Target target,
                                              const DictionarySet& dictionaries, CacheReach reach,
                                              const std::stop_token& abandoned) const;
  void store(const PlannedBundle& planned, const CachedBundle& bundle,
             const std::vector<CookFact>& facts, CacheReach reach) const;
  bool has_far_level() const { return cache_.has_far_level(); }

 private:
  ContentHash key_of_questions(const PlannedBundle& planned) const;

  BuildCache& cache_;
  const Project& project_;
  const CookAnswers& answers_;
  std::string terms_;
  bool only_stores_;
};

/// A bundle from a cache. The reader views the file, which stays where it is in memory when
/// this is moved.
struct ReadableBundle {
  CachedBundles::Found found;
  BundleReader reader;
};

}  // namespace muster
