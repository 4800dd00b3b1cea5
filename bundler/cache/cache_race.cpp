// Queries process the pieces from the front of the list, and workers from the back. A worker claims
// a piece when it starts the work, and a query claims its piece when the result has arrived. Pieces
// are claimed under the lock.
#include "bundler/cache/cache_race.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <numeric>
#include <optional>

#include "registry/base/parallel.h"

namespace muster {
namespace {

/// Workers wait for the first answers, because a server in the local network may have all results.
/// The workers wait for the estimated duration of the whole work divided by this number, but at
/// least for `kPatienceMin`.
constexpr int kPatienceDivisor = 32;
constexpr Duration kPatienceMin = std::chrono::milliseconds(4);
/// Each connection costs about as much as packing a small bundle. So if there is less work than
/// this, only `kProbes` connections are used until the speed of the server is known.
constexpr Duration kSmallWork = std::chrono::milliseconds(500);
constexpr unsigned kProbes = 4;
/// A query counts as stalled if its duration is more than the duration of an average query
/// multiplied by this number.
constexpr int kStalledFactor = 3;
/// If no query was answered in time, the next race assumes that one answer takes as long as this
/// number of races.
constexpr int kUnansweredFactor = 4;

class Race {
 public:
  Race(const CacheRace& race, const Clock& clock, const std::stop_token& stop, unsigned look_ups)
      : race_(race),
        clock_(clock),
        stop_(stop),
        look_ups_(look_ups),
        pieces_(race.estimates.size()),
        back_(pieces_.size()),
        started_(clock.now()),
        remaining_work_(std::accumulate(race.estimates.begin(), race.estimates.end(), Duration{})),
        all_work_(remaining_work_) {}

  bool can_pay() const { return !race_.experience.look_up || pays(); }

  void look_up_all(unsigned role) {
    const EndOnFailure end(*this);
    while (const std::optional<std::size_t> piece = next_to_look_up(role)) {
      Answer answer(*this, *piece);
      answer.finish(race_.look_up(*piece, abandoned_.get_token()));
    }
    changed_.notify_all();
  }

  void work_all(unsigned worker) {
    const EndOnFailure end(*this);
    while (const std::optional<Piece> piece = next()) {
      const Time start = clock_.now();
      race_.work(piece->index, worker, piece->is_missed);
      // A piece that the cache does not have is also uploaded, so its time is not measured.
      const bool is_plain = piece->index >= race_.large_count && !piece->is_missed;
      if (is_plain) note_work(piece->index, clock_.now() - start);
    }
    // All work is done, so no answer is needed any more.
    abandon();
  }

  RaceExperience experience() const {
    RaceExperience known = race_.experience;
    known.pace = pace();
    if (answers_ > 0) {
      known.look_up = waited_ / static_cast<Duration::rep>(answers_);
    } else if (has_queried_) {
      known.look_up = std::max((clock_.now() - started_) * kUnansweredFactor,
                               known.look_up.value_or(Duration{}));
    }
    return known;
  }

 private:
  enum class State : std::uint8_t { open, querying, claimed };
  struct PieceState {
    State state = State::open;
    Time queried_at{};
  };
  struct Piece {
    std::size_t index = 0;
    bool is_missed = false;
  };

  // Ends the race if a query or a worker throws, because some pieces might then never be done.
  class EndOnFailure {
   public:
    explicit EndOnFailure(Race& race) : race_(race), exceptions_(std::uncaught_exceptions()) {}
    EndOnFailure(const EndOnFailure&) = delete;
    EndOnFailure& operator=(const EndOnFailure&) = delete;
    ~EndOnFailure() {
      if (std::uncaught_exceptions() > exceptions_) race_.abandon();
    }

   private:
    Race& race_;
    int exceptions_;
  };

  void abandon() {
    {
      const std::lock_guard lock(mutex_);
      abandoned_.request_stop();
    }
    changed_.notify_all();
  }

  // One running query. The destructor ends the query, also after an exception.
  class Answer {
   public:
    Answer(Race& race, std::size_t piece) : race_(race), piece_(piece) {}
    Answer(const Answer&) = delete;
    Answer& operator=(const Answer&) = delete;
    ~Answer() {
      if (!is_finished_) (void)race_.end_look_up(piece_, false);
      race_.free_result(piece_);
    }
    void finish(const CacheRace::Accept& accept) {
      is_finished_ = true;
      if (race_.end_look_up(piece_, accept != nullptr)) accept();
    }

   private:
    Race& race_;
    std::size_t piece_;
    bool is_finished_ = false;
  };

  std::optional<std::size_t> next_to_look_up(unsigned role) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      return role < kProbes || corrected(all_work_) >= kSmallWork || answers_ > 0 ||
             front_ == back_ || abandoned_.stop_requested();
    });
    changed_.wait(lock, [&] {
      return front_ == back_ || abandoned_.stop_requested() || results_ == 0 ||
             result_bytes_ + bytes_of(front_) <= CacheRace::kBytesMax;
    });
    // After the first answers, stops querying if further queries would take longer than the work.
    is_given_up_ = is_given_up_ || (answers_ >= look_ups_ && !pays());
    if (is_given_up_ || stop_.stop_requested() || abandoned_.stop_requested() || front_ == back_) {
      return std::nullopt;
    }
    const std::size_t piece = front_++;
    pieces_[piece] = {State::querying, clock_.now()};
    remaining_work_ -= race_.estimates[piece];
    querying_work_ += race_.estimates[piece];
    result_bytes_ += bytes_of(piece);
    ++results_;
    ++running_;
    has_queried_ = true;
    return piece;
  }

  std::uint64_t bytes_of(std::size_t piece) const {
    return race_.result_bytes.empty() ? 0 : race_.result_bytes[piece];
  }

  // Called when the result of a query has been used or dropped.
  void free_result(std::size_t piece) {
    {
      const std::lock_guard lock(mutex_);
      result_bytes_ -= bytes_of(piece);
      --results_;
    }
    if (!race_.result_bytes.empty()) changed_.notify_all();
  }

  // Ends a query. Returns true if the result of the query is needed.
  bool end_look_up(std::size_t piece, bool is_found) {
    bool is_needed = false;
    {
      const std::lock_guard lock(mutex_);
      PieceState& state = pieces_[piece];
      if (!abandoned_.stop_requested()) {
        ++answers_;
        waited_ += clock_.now() - state.queried_at;
      }
      if (state.state == State::querying) {
        --running_;
        querying_work_ -= race_.estimates[piece];
        is_needed = is_found;
        if (!is_found) missed_.push_back(piece);
      }
      state.state = State::claimed;
    }
    changed_.notify_all();
    return is_needed;
  }

  // The next piece of a worker; no value if all pieces are done or claimed.
  std::optional<Piece> next() {
    // Waits in short steps, so that a server that does not answer is detected soon.
    constexpr auto kStep = std::chrono::milliseconds(1);
    std::unique_lock lock(mutex_);
    while (!stop_.stop_requested() && !abandoned_.stop_requested()) {
      if (!missed_.empty()) {
        const Piece piece{missed_.front(), true};
        missed_.pop_front();
        return piece;
      }
      if (front_ < back_ && !pays()) {
        remaining_work_ -= race_.estimates[--back_];
        pieces_[back_].state = State::claimed;
        return Piece{back_, false};
      }
      if (front_ == back_) {
        if (running_ == 0) break;
        const auto claimed = claim_queried();
        if (claimed) return Piece{*claimed, false};
        if (is_abandoning_) break;
      }
      changed_.wait_for(lock, kStep);
    }
    return std::nullopt;
  }

  // Claims a piece whose query would take longer than its work: the piece that was queried last,
  // because it is the smallest.
  std::optional<std::size_t> claim_queried() {
    bool is_left = false;
    for (std::size_t i = front_; i-- > 0;) {
      if (pieces_[i].state != State::querying) continue;
      if (!is_worth_waiting(i)) {
        if (i < race_.large_count) continue;
        pieces_[i].state = State::claimed;
        --running_;
        querying_work_ -= race_.estimates[i];
        return i;
      }
      is_left = true;
    }
    is_abandoning_ = !is_left;
    return std::nullopt;
  }

  void note_work(std::size_t piece, Duration elapsed) {
    const std::lock_guard lock(mutex_);
    worked_ += elapsed;
    expected_ += race_.estimates[piece] * static_cast<Duration::rep>(std::max(race_.workers, 1U));
  }

  // The ratio of actual to estimated work time. The estimates come from another machine and other
  // content.
  double pace() const {
    if (expected_ <= Duration{} || worked_ <= Duration{}) return race_.experience.pace;
    return static_cast<double>(worked_.count()) / static_cast<double>(expected_.count());
  }
  Duration corrected(Duration work) const {
    return Duration(static_cast<Duration::rep>(static_cast<double>(work.count()) * pace()));
  }

  Duration patience() const {
    return std::max(corrected(all_work_) / kPatienceDivisor, kPatienceMin);
  }

  // The duration of one query; no value if it is unknown.
  std::optional<Duration> look_up_time() const {
    if (answers_ > 0) return waited_ / static_cast<Duration::rep>(answers_);
    if (!race_.experience.look_up) return std::nullopt;
    return std::max(*race_.experience.look_up, clock_.now() - started_);
  }

  // Whether querying the remaining pieces is faster than doing them.
  bool pays() const {
    if (is_given_up_) return false;
    const auto each = look_up_time();
    if (!each) return clock_.now() - started_ < patience();
    const std::size_t rounds = (back_ - front_ + look_ups_ - 1) / look_ups_;
    return *each * static_cast<Duration::rep>(rounds) < corrected(remaining_work_);
  }

  // Whether a pending answer will probably arrive before the workers have done the queried pieces.
  bool is_worth_waiting(std::size_t piece) const {
    const Duration age = clock_.now() - pieces_[piece].queried_at;
    if (answers_ == 0) {
      const Duration known = race_.experience.look_up.value_or(Duration{});
      return clock_.now() - started_ < std::max(patience(), known) &&
             known - age < corrected(querying_work_);
    }
    const Duration each = waited_ / static_cast<Duration::rep>(answers_);
    if (age > each * kStalledFactor + race_.estimates[piece] / kPatienceDivisor) return false;
    return each - age < corrected(querying_work_);
  }

  const CacheRace& race_;
  const Clock& clock_;
  const std::stop_token& stop_;
  const unsigned look_ups_;
  std::stop_source abandoned_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<PieceState> pieces_;
  std::size_t front_ = 0;    ///< The next piece to query.
  std::size_t back_;         ///< The index after the last piece that is not begun.
  std::size_t running_ = 0;  ///< The number of running queries whose pieces are not claimed.
  /// The number of running queries, plus the number of results that are being used.
  std::size_t results_ = 0;
  std::uint64_t result_bytes_ = 0;
  std::size_t answers_ = 0;
  Duration waited_{};
  bool has_queried_ = false;
  bool is_given_up_ = false;
  /// True if running queries take too long and no worker can do their pieces.
  bool is_abandoning_ = false;
  Time started_;
  Duration remaining_work_;   ///< The work of the pieces that are not begun.
  Duration querying_work_{};  ///< The work of the pieces being queried.
  const Duration all_work_;
  Duration worked_{};    ///< The total time that all workers have spent on finished pieces.
  Duration expected_{};  ///< The estimate of that time.
  std::deque<std::size_t> missed_;
};

}  // namespace

Duration packing_time(std::uint64_t bytes, int level, unsigned jobs) {
  constexpr double kSecondsPerBundle = 0.0004;
  const double bytes_per_second = level <= 3 ? 80e6 : level <= 9 ? 25e6 : level <= 15 ? 6e6 : 2e6;
  const double seconds = kSecondsPerBundle + static_cast<double>(bytes) / bytes_per_second;
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(seconds / std::max(jobs, 1U)));
}

RaceExperience run_race(const CacheRace& race, const Clock& clock, const std::stop_token& stop) {
  const std::size_t count = race.estimates.size();
  if (count == 0) return race.experience;
  const unsigned workers = std::max(race.workers, 1U);
  const auto look_ups = static_cast<unsigned>(
      std::min<std::size_t>(std::max(workers, CacheRace::kLookUpsMin), count));
  Race run(race, clock, stop, look_ups);
  // Without queries, the workers do all pieces except the large ones.
  const unsigned querying = run.can_pay() ? look_ups : 0;
  // Each worker and each query has its own thread. The threads of workers are started first, so if
  // the system allows fewer threads, there are fewer queries.
  parallel_for(querying + workers, querying + workers, {}, [&](std::size_t role, unsigned) {
    if (role < workers) {
      run.work_all(static_cast<unsigned>(role));
    } else {
      run.look_up_all(static_cast<unsigned>(role - workers));
    }
  });
  return run.experience();
}

}  // namespace muster
