// Look-ups go through the pieces from the front, workers from the back, so that no piece is done
// twice; what was missed comes back to the workers.
#include "bundler/pack/cache_race.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include "registry/vocabulary/parallel.h"

namespace muster {
namespace {

class Race {
 public:
  Race(const CacheRace& race, const Clock& clock, const std::stop_token& stop)
      : race_(race), clock_(clock), stop_(stop), back_(race.count), started_(clock.now()) {}

  void look_up_all(unsigned look_ups) {
    while (true) {
      std::size_t piece = 0;
      {
        const std::lock_guard lock(mutex_);
        look_ups_ = look_ups;
        // The first answers show what the others cost: each is work for this machine too.
        is_given_up_ = is_given_up_ || (answers_ >= look_ups && !pays());
        if (is_given_up_ || stop_.stop_requested() || front_ == back_) break;
        piece = front_++;
        ++under_way_;
      }
      const Time start = clock_.now();
      const bool is_done = race_.look_up(piece);
      {
        const std::lock_guard lock(mutex_);
        --under_way_;
        ++answers_;
        waited_ += clock_.now() - start;
        if (!is_done) missed_.push_back(piece);
      }
      changed_.notify_all();
    }
    changed_.notify_all();
  }

  void work_all(unsigned worker) {
    while (const std::optional<Piece> piece = next()) {
      race_.work(piece->index, worker, piece->is_missed);
    }
  }

 private:
  struct Piece {
    std::size_t index = 0;
    bool is_missed = false;
  };

  // A worker's next piece; nothing when all are done or taken.
  std::optional<Piece> next() {
    // Often enough to see in time that a server does not answer at all.
    constexpr auto kStep = std::chrono::milliseconds(5);
    std::unique_lock lock(mutex_);
    while (!stop_.stop_requested()) {
      if (!missed_.empty()) {
        const Piece piece{missed_.front(), true};
        missed_.pop_front();
        return piece;
      }
      if (front_ < back_ && !pays()) return Piece{--back_, false};
      if (front_ == back_ && under_way_ == 0) break;
      changed_.wait_for(lock, kStep);
    }
    return std::nullopt;
  }

  // Whether looking up the rest is quicker than doing it.
  bool pays() const {
    if (is_given_up_) return false;
    const auto rest = static_cast<double>(back_ - front_);
    const Duration work = std::chrono::duration_cast<Duration>(
        race_.estimated * (rest / static_cast<double>(race_.count)));
    if (answers_ == 0) return clock_.now() - started_ < work;
    const auto look_ups = std::chrono::duration_cast<Duration>(
        waited_ / static_cast<double>(answers_) * (rest / look_ups_));
    return look_ups < work;
  }

  const CacheRace& race_;
  const Clock& clock_;
  const std::stop_token& stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t front_ = 0;  ///< The next piece to look up.
  std::size_t back_;       ///< Behind the last piece that is not begun.
  std::size_t under_way_ = 0;
  std::size_t answers_ = 0;
  unsigned look_ups_ = 1;
  Duration waited_{};
  bool is_given_up_ = false;
  Time started_;
  std::deque<std::size_t> missed_;
};

}  // namespace

Duration packing_time(std::size_t bundles, std::uint64_t bytes, int level, unsigned jobs) {
  constexpr double kSecondsPerBundle = 0.0004;
  const double bytes_per_second = level <= 3 ? 80e6 : level <= 9 ? 25e6 : level <= 15 ? 6e6 : 2e6;
  const double seconds = static_cast<double>(bundles) * kSecondsPerBundle +
                         static_cast<double>(bytes) / bytes_per_second;
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(seconds / std::max(jobs, 1U)));
}

void run_race(const CacheRace& race, const Clock& clock, const std::stop_token& stop) {
  const unsigned workers = std::max(race.workers, 1U);
  const auto look_ups = static_cast<unsigned>(
      std::min<std::size_t>(std::max(workers, CacheRace::kLookUpsMin), race.count));
  if (race.count == 0) return;
  Race run(race, clock, stop);
  // A thread each. Where there is no room for that many, some are look-ups first and workers then.
  parallel_for(look_ups + workers, look_ups + workers, {}, [&](std::size_t role, unsigned) {
    if (role < look_ups) {
      run.look_up_all(look_ups);
    } else {
      run.work_all(static_cast<unsigned>(role - look_ups));
    }
  });
}

}  // namespace muster
