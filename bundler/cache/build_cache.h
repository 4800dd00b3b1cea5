// A cache with the results of earlier builds. The key of a result covers all its dependencies.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bundler/cache/action_result.h"
#include "bundler/cache/blob_store.h"
#include "bundler/cache/cache_uploads.h"
#include "registry/base/content_hash.h"

namespace muster {

/// One cache to query. `store` must outlive the `BuildCache`.
struct CacheLevel {
  BlobStore* store = nullptr;
  std::string name;         ///< The name in messages: a folder, or an address without its password.
  bool is_writable = true;  ///< If false, nothing is stored in this cache.
  /// True if each answer needs a round trip over a network. If so, results are stored while the
  /// build continues, and storing ends in `BuildCache::finish`.
  bool is_far = false;
};

/// The levels that a call uses.
enum class CacheReach : std::uint8_t { near, far, all };

struct CacheCounters {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t damaged = 0;  ///< Results that were found but have a wrong hash or format.
  /// Queries that failed, so it is unknown whether the cache has the result.
  std::uint64_t failures = 0;
  std::uint64_t abandoned = 0;
  std::uint64_t stored = 0;
  std::uint64_t not_stored = 0;  ///< Results whose upload was dropped.
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

/// A result, and the key under which it is stored.
struct CacheEntry {
  ContentHash key;
  ByteVector result;
  /// The value of the key; `store` computes it if it is missing.
  std::optional<ActionResult> named{};
};

/// Queries its levels one after another, the nearest level first. A result of a later level is
/// stored in the earlier levels. If the queries of a level fail `kFailuresMax` times in a row, or
/// time out once, the level is not queried any more, even if a running request succeeds later. If
/// writes to a level fail in the same way, nothing more is stored in the level, but it is still
/// queried. A build never fails because of a cache. Several threads may use this object.
class BuildCache {
 public:
  static constexpr unsigned kFailuresMax = 3;
  static constexpr std::size_t kLevelsMax = 2;
  /// The maximum size of a stored result in bytes. A larger result is not stored, because results
  /// are read into memory as a whole.
  static constexpr std::uint64_t kResultBytesMax = std::uint64_t{2} << 30U;

  /// Requires: at most `kLevelsMax` levels.
  explicit BuildCache(std::vector<CacheLevel> levels);

  /// Parses a value. Returns false if the value cannot be used. The value then counts as damaged,
  /// and the next level is queried.
  using Parse = std::function<bool(Bytes value)>;
  /// The stored bytes of a key. Returns soon after `abandoned` is requested; such a call counts
  /// neither as an answer nor as a failure. If `known` has the value of the key, and the result is
  /// not inlined in this value, only the content is requested.
  std::optional<ByteVector> find(const ContentHash& key, CacheReach reach = CacheReach::all,
                                 const std::stop_token& abandoned = {},
                                 const std::optional<ActionResult>& known = {},
                                 const Parse& parse = {});
  void store(const ContentHash& key, ByteVector result, CacheReach reach = CacheReach::all);
  /// Stores several results in the given order. Use it for results that are useless without each
  /// other.
  void store(std::vector<CacheEntry> entries, CacheReach reach = CacheReach::all);
  /// Waits until all uploads have ended, but at most for `patience` and until `stop` is requested.
  /// Then abandons the remaining uploads.
  void finish(Duration patience, const std::stop_token& stop);
  bool has_far_level() const;
  /// Whether `store` would write to any level.
  bool stores(CacheReach reach) const;

  std::size_t level_count() const { return levels_.size(); }
  const CacheLevel& level(std::size_t index) const { return levels_[index]; }
  CacheCounters counters(std::size_t level) const;
  /// Notes for the user: one for each level that is not used any more, with the reason.
  std::vector<std::string> notes() const;

 private:
  enum class Direction : std::uint8_t { in, out };
  struct State {
    CacheCounters counters;
    /// The consecutive failures of queries, and of stores.
    std::array<unsigned, 2> failures_in_row{};
    std::string last_failure;
  };

  struct Found {
    ActionResult named;
    ByteVector bytes;
  };

  bool concerns(CacheReach reach, std::size_t level) const;
  bool is_on(std::size_t level, Direction direction) const;
  /// The arguments of `find`.
  struct Query {
    Sha256 action;
    const std::stop_token& abandoned;
    const Parse& parse;
  };
  std::optional<Found> find_at(std::size_t level, const Query& query);
  std::optional<Found> find_content(std::size_t level, const Query& query,
                                    const ActionResult& named);
  void store_at(std::size_t level, const Sha256& action, const ActionResult& named, Bytes bytes);
  void upload(std::size_t level, CacheUploads::Blobs blobs, std::uint64_t result_bytes);
  template <typename Change>
  void note(std::size_t level, Direction direction, const Change& change);
  void note_failure(std::size_t level, Direction direction, const Error& error);
  void drop_damaged(std::size_t level, const Sha256& action, const std::optional<Sha256>& content);

  std::vector<CacheLevel> levels_;
  mutable std::mutex mutex_;
  std::array<State, kLevelsMax> states_;
  /// The uploads of each far level. The uploads are destroyed first, because their results are
  /// recorded in `states_`.
  std::array<std::unique_ptr<CacheUploads>, kLevelsMax> uploads_;
};

}  // namespace muster
