// Results of earlier builds, by a key that names all that they depend on.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bundler/cache/action_result.h"
#include "bundler/cache/blob_store.h"
#include "registry/base/content_hash.h"

namespace muster {

/// A cache to be asked. `store` must outlive the `BuildCache`.
struct CacheLevel {
  BlobStore* store = nullptr;
  std::string name;         ///< For people: a folder, or an address without its password.
  bool is_writable = true;  ///< Otherwise nothing is put there.
  bool is_far = false;      ///< Each answer takes a round trip over a network.
};

/// The levels that a call concerns.
enum class CacheReach : std::uint8_t { near, far, all };

struct CacheCounters {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t damaged = 0;    ///< Was there, but not as its hash says.
  std::uint64_t failures = 0;   ///< Neither yes nor no.
  std::uint64_t abandoned = 0;  ///< Look-ups whose answers were not waited for.
  std::uint64_t stored = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

/// Asks its levels one after the other, the nearest first; what a later one has is put into those
/// before. A level that fails `kFailuresMax` times in a row, or lets somebody wait in vain once, is
/// asked no more; one that takes nothing is given nothing more. A build never fails for want of a
/// cache. Safe to use from several threads.
class BuildCache {
 public:
  static constexpr unsigned kFailuresMax = 3;
  static constexpr std::size_t kLevelsMax = 2;
  /// A larger result is not kept: it is read into memory at once.
  static constexpr std::uint64_t kResultBytesMax = std::uint64_t{2} << 30U;

  /// Requires: at most `kLevelsMax` levels.
  explicit BuildCache(std::vector<CacheLevel> levels);

  /// What was stored under the key, byte for byte. Gives up soon after `abandoned` is requested,
  /// which counts as neither an answer nor a failure.
  std::optional<ByteVector> find(const ContentHash& key, CacheReach reach = CacheReach::all,
                                 const std::stop_token& abandoned = {});
  void store(const ContentHash& key, Bytes result, CacheReach reach = CacheReach::all);
  bool has_far_level() const;
  /// Whether `store` would put anything anywhere.
  bool stores(CacheReach reach) const;

  std::size_t level_count() const { return levels_.size(); }
  const CacheLevel& level(std::size_t index) const { return levels_[index]; }
  CacheCounters counters(std::size_t level) const;
  /// What a person should know: which level was given up, and why.
  std::vector<std::string> notes() const;

 private:
  enum class Direction : std::uint8_t { in, out };
  struct State {
    CacheCounters counters;
    std::array<unsigned, 2> failures_in_row{};  ///< Per direction.
    std::string last_failure;
  };

  struct Found {
    ActionResult named;
    ByteVector bytes;
  };

  bool concerns(CacheReach reach, std::size_t level) const;
  bool is_on(std::size_t level, Direction direction) const;
  std::optional<Found> find_at(std::size_t level, const Sha256& action,
                               const std::stop_token& abandoned);
  void store_at(std::size_t level, const Sha256& action, const ActionResult& named, Bytes bytes);
  template <typename Change>
  void note(std::size_t level, Direction direction, const Change& change);
  void note_failure(std::size_t level, Direction direction, const Error& error);
  void drop_damaged(std::size_t level, const Sha256& action, const std::optional<Sha256>& content);

  std::vector<CacheLevel> levels_;
  mutable std::mutex mutex_;
  std::array<State, kLevelsMax> states_;
};

}  // namespace muster
