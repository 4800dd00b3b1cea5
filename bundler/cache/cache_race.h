// A race between a cache that has to be asked and the workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "registry/base/clock.h"

namespace muster {

/// What one race shows the next.
struct RaceExperience {
  /// How long one look-up takes; more than can be known where none was answered. Nothing at first.
  std::optional<Duration> look_up;
  /// How many times as long as estimated the work takes.
  double pace = 1.0;
};

/// Pieces of work that a cache may spare. Many look-ups are under way at once, because a distant
/// server answers late rather than slowly; workers do the pieces that the cache lacks. While
/// looking up the rest takes longer than doing it, workers also do pieces that were not looked up
/// yet, and then those whose look-up is under way: the look-up is abandoned, and its result is
/// dropped. So a slow or silent cache costs next to nothing.
struct CacheRace {
  /// At least this many look-ups are under way at once.
  static constexpr unsigned kLookUpsMin = 32;
  /// Puts the result of a look-up in place.
  using Accept = std::function<void()>;

  /// What the workers together need for each piece. The piece that takes longest comes first: it is
  /// looked up first.
  std::vector<Duration> estimates;
  /// The first pieces are too large for one worker: what the cache lacks of them is left undone.
  std::size_t large_count = 0;
  unsigned workers = 1;
  /// Of an earlier race with the same server. Look-ups that cannot pay are not begun.
  RaceExperience experience;
  /// Asks the cache for a piece, and gives up when `abandoned` is requested. Empty when the cache
  /// lacks it, or does not answer. The result is called at most once, on the same thread.
  std::function<Accept(std::size_t piece, const std::stop_token& abandoned)> look_up;
  /// Does a piece. `is_missed` when the cache was asked and lacks it. For large pieces it is called
  /// only to report this.
  std::function<void(std::size_t piece, unsigned worker, bool is_missed)> work;
};

/// About how long packing one of several bundles takes: enough to see whether asking for them is
/// quicker.
Duration packing_time(std::uint64_t bytes, int level, unsigned jobs);

/// Returns when no piece is left but large ones that the cache lacks or that did not pay, or soon
/// after `stop` is requested.
RaceExperience run_race(const CacheRace& race, const Clock& clock, const std::stop_token& stop);

}  // namespace muster
