// Who is first: a cache that has to be asked, or the workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>

#include "registry/vocabulary/clock.h"

namespace muster {

/// Pieces of work that a cache may spare. Many look-ups are under way at once, because a server far
/// away answers late and not slowly; what the cache lacks, workers do. While the look-ups would
/// take longer than the work itself (`estimated`), workers also do pieces that were not asked for
/// yet, and once that is certain no more look-ups begin: so a slow cache costs next to nothing.
struct CacheRace {
  /// At least as many look-ups are under way at once.
  static constexpr unsigned kLookUpsMin = 32;

  std::size_t count = 0;  ///< Pieces, the one that takes longest first: it is looked up first.
  unsigned workers = 1;
  Duration estimated{};  ///< What the workers need for all pieces.
  /// True when the cache had the piece, which is done then.
  std::function<bool(std::size_t piece)> look_up;
  /// `is_missed` where the cache was asked and lacks the piece.
  std::function<void(std::size_t piece, unsigned worker, bool is_missed)> work;
};

/// About how long packing bundles takes: enough to see whether asking for them is quicker.
Duration packing_time(std::size_t bundles, std::uint64_t bytes, int level, unsigned jobs);

/// Returns when every piece is done, or soon after `stop` is requested.
void run_race(const CacheRace& race, const Clock& clock, const std::stop_token& stop);

}  // namespace muster
