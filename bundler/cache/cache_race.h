// A race between querying a cache and doing the work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "registry/base/clock.h"

namespace muster {

/// Measurements of one race that the next race uses.
struct RaceExperience {
  /// The duration of one query. If no query was answered, this is an upper estimate. No value
  /// before the first race.
  std::optional<Duration> look_up;
  /// The ratio of actual to estimated work time.
  double pace = 1.0;
};

/// A list of pieces of work whose results a cache may have. Many queries run at the same time,
/// because a distant server needs a long time for each answer, but can send many answers per
/// second. Workers do the pieces that the cache does not have. If querying the remaining pieces
/// would take longer than doing them, workers also do pieces that were not queried yet, and then
/// pieces whose query is still running. The query of a piece that a worker does is abandoned, and
/// its result is dropped. So a cache that is slow or does not answer costs almost no time.
struct CacheRace {
  /// The minimum number of queries that run at the same time, unless `kBytesMax` is reached.
  static constexpr unsigned kLookUpsMin = 32;
  /// The maximum total size in bytes of the pieces that are being queried, because each result is
  /// in memory as a whole. A single piece may be larger.
  static constexpr std::uint64_t kBytesMax = std::uint64_t{256} << 20U;
  /// Stores the result of a query.
  using Accept = std::function<void()>;

  /// The time that all workers together need for each piece. The longest piece is first and is
  /// queried first.
  std::vector<Duration> estimates;
  /// The approximate size in bytes of the result of each piece; empty if all results are small.
  std::vector<std::uint64_t> result_bytes{};
  /// The number of pieces at the start of the list that are too large for one worker. If the cache
  /// does not have such a piece, `run_race` does not do it.
  std::size_t large_count = 0;
  unsigned workers = 1;
  /// The measurements of an earlier race with the same server. Queries that would take longer than
  /// the work are not started.
  RaceExperience experience;
  /// Queries the cache for a piece, and stops when `abandoned` is requested. Returns a function
  /// that stores the result of the query. The returned function is empty if the cache does not have
  /// the piece or does not answer. It is called at most once, on the same thread.
  std::function<Accept(std::size_t piece, const std::stop_token& abandoned)> look_up;
  /// Does a piece. `is_missed` is true if the cache was queried and does not have the piece. For a
  /// large piece, the function is called only to report that the cache does not have the piece.
  std::function<void(std::size_t piece, unsigned worker, bool is_missed)> work;
};

/// The approximate time to pack one of several bundles. The estimate is accurate enough to decide
/// whether a query would be faster.
Duration packing_time(std::uint64_t bytes, int level, unsigned jobs);

/// Runs the race, and returns when every piece is done. Large pieces may remain: their results are
/// not in the cache, or their queries take too long. Returns soon after `stop` is requested.
RaceExperience run_race(const CacheRace& race, const Clock& clock, const std::stop_token& stop);

}  // namespace muster
