// The client is a reader whose acknowledgements arrive one round trip after the snapshot was sent.
// A lost acknowledgement is repeated a tick later, with the next acknowledgement. A snapshot with a
// lost datagram is not compared. The next complete snapshot must be correct again.
#include "tests/bench/snapshot_stream.h"

#include <algorithm>
#include <ctime>
#include <deque>

#include <fmt/format.h>

#include "net/snapshot/snapshot_reader.h"
#include "net/snapshot/snapshot_writer.h"
#include "tests/support/allocation_counter.h"

namespace muster {
namespace {

/// The size of a datagram for an entity that does not fit into a usual datagram. 1,024 random
/// fields need 6,000 bytes.
constexpr std::size_t kStreamBytesMax = 65'536;
/// The number of datagrams per round trip, as on a server (`SnapshotPace`). When a datagram is
/// acknowledged, it must still be in the codec's window, together with some earlier datagrams for
/// prediction.
constexpr double kDatagramsInFlight = 40;
/// The maximum number of datagrams in one tick, if earlier ticks have sent fewer than allowed.
constexpr double kDatagramsAtOnceMax = 12;
static_assert(kDatagramsInFlight + kDatagramsAtOnceMax + 8 < kSnapshotWindow);

/// The processor time of this program. Other work of the machine hardly changes it. The resolution
/// of a microsecond is sufficient for a whole stream.
double processor_ns() { return static_cast<double>(std::clock()) * (1e9 / CLOCKS_PER_SEC); }

class Stream {
 public:
  Stream(const Trace& trace, const SnapshotModel& model, const StreamSettings& settings)
      : trace_(trace),
        model_(model),
        settings_(settings),
        writer_(model, settings.options),
        reader_(model, {.entity_max = kMaxTraceEntities}, settings.options),
        random_(settings.seed),
        buffer_(settings.datagram_bytes) {}

  StreamResult run() {
    const std::uint32_t step = tick_step(trace_, settings_);
    const std::uint32_t delay = ack_ticks(trace_, settings_);
    for (std::uint32_t now = 0; now < trace_.ticks.size(); now += step) {
      while (!acks_.empty() && acks_.front().arrives <= now) {
        writer_.acknowledge(acks_.front().number);
        acks_.pop_front();
      }
      if (counts(now)) result_.ticks += step;
      allowed_ = std::min(allowed_ + kDatagramsInFlight * step / delay,
                          std::max(wanted_, static_cast<double>(settings_.datagrams_per_snapshot)));
      if (allowed_ < wanted_) {
        ++result_.left_out;
      } else if (!send(now, delay)) {
        return std::move(result_);
      }
    }
    result_.is_verified = compared_ > 0;
    if (compared_ == 0) result_.fault = "no snapshot arrived completely";
    result_.memory_bytes = writer_.memory_bytes();
    result_.reader_memory_bytes = reader_.memory_bytes();
    return std::move(result_);
  }

 private:
  struct Ack {
    std::uint32_t arrives = 0;
    SnapshotNumber number = 0;
  };

  bool counts(std::uint32_t now) const {
    return now >= std::uint64_t{settings_.from_seconds} * trace_.tick_rate;
  }

  bool is_lost() {
    random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(random_ >> 11) * 0x1p-53 < settings_.loss;
  }

  bool send(std::uint32_t now, std::uint32_t delay) {
    world_.clear();
    for (const TraceEntity& entity : trace_.ticks[now]) {
      world_.push_back({.id = entity.id,
                        .kind = {.type = entity.type},
                        .is_deferred = false,
                        .values = entity.values});
    }
    const bool is_counted = counts(now);
    bool is_whole = true;
    std::size_t bytes = 0;
    const bool is_settled = now >= trace_.ticks.size() / 2;
    const std::uint64_t allocations = allocation_count();
    const double start = processor_ns();
    writer_.begin(Tick(now), world_);
    double encode_ns = processor_ns() - start;
    if (is_settled) result_.allocations += allocation_count() - allocations;
    double parts = 0;
    for (; allowed_ >= 1 && !writer_.is_done(); --allowed_, ++parts) {
      const std::uint64_t before = allocation_count();
      const double written = processor_ns();
      const std::span<const std::byte> datagram = write_datagram();
      encode_ns += processor_ns() - written;
      if (is_settled) result_.allocations += allocation_count() - before;
      // The first part visits all entities. A later part visits only the entities after the
      // previous part.
      if (parts == 0 && is_counted) result_.changed_entities += writer_.changed_count();
      if (datagram.empty()) {
        result_.fault = fmt::format("tick {}: an entity does not fit into a datagram", now);
        return false;
      }
      bytes += datagram.size();
      if (is_counted) ++result_.datagrams;
      result_.largest_datagram_bytes = std::max(result_.largest_datagram_bytes, datagram.size());
      if (is_lost()) {
        is_whole = false;
        continue;
      }
      if (!receive(datagram, now, delay)) return false;
    }
    wanted_ = std::min(writer_.is_done() ? parts : parts + 1, kDatagramsAtOnceMax);
    if (is_counted) {
      result_.encode_ns += encode_ns;
      result_.bytes.push_back(bytes);
      result_.entities += world_.size();
    }
    return !is_whole || !writer_.is_done() || compare(now);
  }

  /// Writes a datagram of the maximum size, or larger for an entity that needs more.
  std::span<const std::byte> write_datagram() {
    std::span<std::byte> room = std::span(buffer_).first(settings_.datagram_bytes);
    while (true) {
      const std::span<const std::byte> datagram = writer_.write(room);
      if (!datagram.empty() || room.size() == kStreamBytesMax) return datagram;
      const std::size_t more = std::min(room.size() * 2, kStreamBytesMax);
      buffer_.resize(std::max(buffer_.size(), more));
      room = std::span(buffer_).first(more);
    }
  }

  bool receive(std::span<const std::byte> datagram, std::uint32_t now, std::uint32_t delay) {
    const std::uint64_t allocations = allocation_count();
    const double start = processor_ns();
    const SnapshotVerdict verdict = reader_.read(datagram);
    if (counts(now)) result_.decode_ns += processor_ns() - start;
    if (now >= trace_.ticks.size() / 2) result_.allocations += allocation_count() - allocations;
    if (verdict != SnapshotVerdict::applied) {
      result_.fault = fmt::format("tick {}: verdict {}", now, static_cast<int>(verdict));
      return false;
    }
    std::uint32_t arrives = now + delay;
    while (is_lost() && arrives < now + 2 * trace_.tick_rate) ++arrives;
    acks_.push_back({.arrives = arrives, .number = writer_.last_number()});
    return true;
  }

  bool compare(std::uint32_t now) {
    const std::span<const SeenEntity> seen = reader_.entities();
    if (seen.size() != world_.size()) {
      result_.fault =
          fmt::format("tick {}: {} entities became {}", now, world_.size(), seen.size());
      return false;
    }
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const std::size_t lanes = model_.types[codec_index(world_[i].kind.type)].lanes.size();
      if (seen[i].id != world_[i].id || seen[i].kind != world_[i].kind ||
          !std::equal(seen[i].values, seen[i].values + lanes, world_[i].values)) {
        result_.fault = fmt::format("tick {}: entity {} differs", now, codec_id(world_[i].id));
        return false;
      }
    }
    ++compared_;
    return true;
  }

  const Trace& trace_;
  const SnapshotModel& model_;
  const StreamSettings& settings_;
  SnapshotWriter writer_;
  SnapshotReader reader_;
  std::uint64_t random_;
  double allowed_ = 0;  ///< The number of datagrams that may be sent now.
  /// The number of datagrams that a tick needs. If fewer are allowed, the tick waits.
  double wanted_ = 1;
  std::vector<std::byte> buffer_;
  std::vector<EntityState> world_;
  std::deque<Ack> acks_;
  std::size_t compared_ = 0;
  StreamResult result_;
};

}  // namespace

std::uint32_t tick_step(const Trace& trace, const StreamSettings& settings) {
  return std::max(1U, trace.tick_rate / std::max(1U, settings.rate));
}

std::uint32_t ack_ticks(const Trace& trace, const StreamSettings& settings) {
  return std::max(1U, (settings.rtt_ms * trace.tick_rate + 999) / 1000);
}

StreamResult stream_trace(const Trace& trace, const SnapshotModel& model,
                          const StreamSettings& settings) {
  return Stream(trace, model, settings).run();
}

}  // namespace muster
