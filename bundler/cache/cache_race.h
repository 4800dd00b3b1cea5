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
  /// The duration of one query. If no query was answered, an estimate that is rather too long.
  /// Nothing before the first race.
  std::optional<Duration> look_up;
  /// The ratio of actual to estimated work time.
  double pace = 1.0;
};

/// Pieces of work that a cache may save. Many queries run at once, because a distant server has a
/// long latency rather than a low rate; workers do the pieces that the cache does not have. While
/// querying the rest takes longer than doing it, workers also do pieces that were not queried yet,
/// and then those whose query is running: the query is abandoned, and its result is dropped. So a
/// slow or silent cache costs almost nothing.
struct CacheRace {
  /// At least this many queries run at once, unless `kBytesMax` is reached.
  static constexpr unsigned kLookUpsMin = 32;
  /// The pieces that are being queried have at most this many bytes, or are one piece: each result
  /// is in memory as a whole.
  static constexpr std::uint64_t kBytesMax = std::uint64_t{256} << 20U;
  /// Stores the result of a query.
  using Accept = std::function<void()>;

  /// The time that all workers together need for each piece. The longest piece comes first: it is
  /// queried first.
  std::vector<Duration> estimates;
  /// The approximate size of each piece's result; empty if all are small.
  std::vector<std::uint64_t> result_bytes{};
  /// The number of pieces, from the first one, that are too large for one worker. `run_race` does
  /// not do these pieces if the cache does not have them.
  std::size_t large_count = 0;
  unsigned workers = 1;
  /// From an earlier race with the same server. Queries that cannot pay are not started.
  RaceExperience experience;
  /// Queries the cache for a piece; stops when `abandoned` is requested. Empty if the cache does
  /// not have it, or does not answer. The result is called at most once, on the same thread.
  std::function<Accept(std::size_t piece, const std::stop_token& abandoned)> look_up;
  /// Does a piece. `is_missed` if the cache was queried and does not have it. For large pieces it
  /// is called only to report this.
  std::function<void(std::size_t piece, unsigned worker, bool is_missed)> work;
};

/// The approximate time of packing one of several bundles; accurate enough to decide whether a
/// query is faster.
Duration packing_time(std::uint64_t bytes, int level, unsigned jobs);

/// Returns when every piece is done, except large pieces that the cache does not have or whose
/// query takes too long. Returns soon after `stop` is requested.
RaceExperience run_race(const CacheRace& race, const Clock& clock, const std::stop_token& stop);

}  // namespace muster
