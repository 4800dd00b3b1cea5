#include "net/transport/simulated_network.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace muster {

namespace {

/// The bytes of the IPv4 and UDP headers, which also use a link's capacity.
constexpr std::size_t kAroundDatagram = 28;
/// The maximum number of unread datagrams of a socket.
constexpr std::size_t kInboxMax = 65536;

}  // namespace

struct SimulatedNetwork::Link {
  LinkOptions options;
  LinkCounters counters;
  Time free_at{};  ///< The time at which all queued datagrams have left.
  /// The time at which the last datagram leaves; for links without overtaking.
  Time last_leaves{};
  bool is_bad = false;
  std::size_t trace_position = 0;
};

/// A datagram in flight, and its path of links.
struct SimulatedNetwork::Flight {
  Address from;
  Address to;
  std::vector<std::byte> bytes;
  std::vector<LinkId> path;
  std::size_t passed = 0;
  Time at{};
  std::uint64_t number = 0;
};

struct SimulatedNetwork::FlightOrder {
  bool operator()(const std::unique_ptr<Flight>& a, const std::unique_ptr<Flight>& b) const {
    return a->at != b->at ? a->at > b->at : a->number > b->number;
  }
};

class SimulatedNetwork::Socket final : public DatagramSocket {
 public:
  Socket(SimulatedNetwork& network, const Address& address, std::vector<LinkId> up,
         std::vector<LinkId> down)
      : network_(network), address_(address), up_(std::move(up)), down_(std::move(down)) {}
  ~Socket() override { std::erase(network_.sockets_, this); }

  SendOutcome send(std::span<const OutgoingDatagram> datagrams) override {
    return network_.send(*this, datagrams);
  }

  std::size_t receive(std::span<IncomingDatagram> datagrams) override {
    std::size_t count = 0;
    for (; count < datagrams.size() && !inbox_.empty(); ++count) {
      Flight& flight = *inbox_.front();
      IncomingDatagram& into = datagrams[count];
      into.from = flight.from;
      into.waited = network_.now_ - flight.at;
      into.byte_count = std::min(flight.bytes.size(), into.memory.size());
      std::copy_n(flight.bytes.begin(), into.byte_count, into.memory.begin());
      network_.spare_.push_back(std::move(inbox_.front()));
      inbox_.pop_front();
    }
    return count;
  }

  /// Does nothing, because only `SimulatedNetwork::advance` moves time.
  void wait(Duration) override {}
  Address local_address() const override { return address_; }

  SimulatedNetwork& network_;
  Address address_;
  std::vector<LinkId> up_;
  std::vector<LinkId> down_;
  std::deque<std::unique_ptr<Flight>> inbox_;
};

SimulatedNetwork::SimulatedNetwork(std::uint64_t seed) : random_state_(seed) {}
SimulatedNetwork::~SimulatedNetwork() { assert(sockets_.empty()); }

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), which gives equal numbers with every compiler.
std::uint64_t SimulatedNetwork::random() {
  std::uint64_t z = (random_state_ += 0x9E3779B97F4A7C15U);
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

double SimulatedNetwork::chance() { return static_cast<double>(random() >> 11U) * 0x1p-53; }

LinkId SimulatedNetwork::add_link(const LinkOptions& options) {
  links_.push_back(std::make_unique<Link>());
  links_.back()->options = options;
  return links_.size() - 1;
}

LinkOptions& SimulatedNetwork::link(LinkId link) { return links_[link]->options; }
const LinkCounters& SimulatedNetwork::counters(LinkId link) const { return links_[link]->counters; }

std::unique_ptr<DatagramSocket> SimulatedNetwork::open(const Address& address,
                                                       std::vector<LinkId> up,
                                                       std::vector<LinkId> down) {
  auto socket = std::make_unique<Socket>(*this, address, std::move(up), std::move(down));
  sockets_.push_back(socket.get());
  return socket;
}

void SimulatedNetwork::rebind(const Address& from, const Address& to) {
  for (Socket* socket : sockets_) {
    if (socket->address_ == from) socket->address_ = to;
  }
}

std::unique_ptr<SimulatedNetwork::Flight> SimulatedNetwork::new_flight() {
  if (spare_.empty()) return std::make_unique<Flight>();
  auto flight = std::move(spare_.back());
  spare_.pop_back();
  return flight;
}

SendOutcome SimulatedNetwork::send(Socket& from, std::span<const OutgoingDatagram> datagrams) {
  for (const OutgoingDatagram& datagram : datagrams) {
    auto flight = new_flight();
    flight->from = from.address_;
    flight->to = datagram.to;
    flight->bytes.assign(datagram.bytes.begin(), datagram.bytes.end());
    flight->path = from.up_;
    flight->passed = 0;
    for (const Socket* socket : sockets_) {
      if (socket->address_ != datagram.to) continue;
      flight->path.insert(flight->path.end(), socket->down_.begin(), socket->down_.end());
    }
    enter(std::move(flight), now_);
  }
  return {.sent = datagrams.size()};
}

/// Lets a datagram enter its next link, or reach its receiver after the last link.
void SimulatedNetwork::enter(std::unique_ptr<Flight> flight, Time at) {
  flight->number = flight_count_++;
  flight->at = at;
  if (flight->passed < flight->path.size()) {
    Link& link = *links_[flight->path[flight->passed]];
    ++link.counters.datagrams;
    Time leaves{};
    if (!pass(link, *flight, at, leaves)) {
      spare_.push_back(std::move(flight));
      return;
    }
    ++flight->passed;
    if (chance() < link.options.duplicate) {
      ++link.counters.duplicated;
      ++link.counters.delivered;
      auto twin = new_flight();
      *twin = *flight;
      twin->number = flight_count_++;
      twin->at = leaves + delay_of(link) / 2;
      if (!link.options.may_overtake) link.last_leaves = twin->at;
      flights_.push_back(std::move(twin));
      std::ranges::push_heap(flights_, FlightOrder{});
    }
    flight->at = leaves;
  }
  flights_.push_back(std::move(flight));
  std::ranges::push_heap(flights_, FlightOrder{});
}

void SimulatedNetwork::follow_course(Link& link, Time at) {
  const std::vector<LinkMoment>& course = link.options.course;
  if (course.empty()) return;
  const Duration into = at.time_since_epoch() % course.back().at;
  const auto after = std::ranges::upper_bound(course, into, {}, &LinkMoment::at);
  const LinkMoment& moment = *std::prev(after);
  link.options.latency = moment.latency;
  link.options.loss = moment.loss;
  link.options.bytes_per_second = moment.bytes_per_second;
  link.options.is_down = moment.bytes_per_second == 0;
}

/// Applies a link's effects to one datagram. Returns false when the datagram is lost.
bool SimulatedNetwork::pass(Link& link, Flight& flight, Time at, Time& leaves) {
  follow_course(link, at);
  const LinkOptions& options = link.options;
  LinkCounters& counters = link.counters;
  if (flight.bytes.size() > options.mtu) {
    ++counters.too_large;
    return false;
  }
  link.is_bad = link.is_bad ? chance() >= options.burst_end : chance() < options.burst_begin;
  bool is_lost = options.is_down || chance() < (link.is_bad ? options.burst_loss : options.loss);
  Duration delay = delay_of(link);
  if (!options.trace.empty()) {
    const LinkSample& sample = options.trace[link.trace_position++ % options.trace.size()];
    is_lost = options.is_down || sample.is_lost;
    delay = sample.delay;
  }
  if (is_lost) {
    ++counters.lost;
    return false;
  }
  Time sent = at;
  if (options.bytes_per_second > 0) {
    const Duration waits = std::max<Duration>(link.free_at - at, Duration::zero());
    const double waiting_bytes =
        std::chrono::duration<double>(waits).count() * options.bytes_per_second;
    if (waiting_bytes > static_cast<double>(options.queue_bytes)) {
      ++counters.dropped;
      return false;
    }
    counters.queue_delay = waits;
    counters.queue_delay_max = std::max(counters.queue_delay_max, waits);
    const double bytes = static_cast<double>(flight.bytes.size() + kAroundDatagram);
    link.free_at = std::max(link.free_at, at) + duration_of(bytes / options.bytes_per_second);
    sent = link.free_at;
  }
  leaves = sent + delay;
  if (!options.may_overtake) leaves = std::max(leaves, link.last_leaves);
  link.last_leaves = leaves;
  if (!flight.bytes.empty() && chance() < options.corrupt) {
    ++counters.corrupted;
    const std::size_t flips = 1 + random() % 4;
    for (std::size_t i = 0; i < flips; ++i) {
      const std::uint64_t bit = random() % (flight.bytes.size() * 8);
      flight.bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    }
  }
  ++counters.delivered;
  return true;
}

Duration SimulatedNetwork::delay_of(Link& link) {
  const LinkOptions& options = link.options;
  if (options.jitter <= Duration::zero()) return options.latency;
  const double jitter = std::chrono::duration<double>(options.jitter).count();
  const double random_part = options.jitter_kind == Jitter::uniform
                                 ? chance() * jitter
                                 : std::min(-std::log(1 - chance()) * jitter, 10 * jitter);
  return options.latency + duration_of(random_part);
}

void SimulatedNetwork::arrive(std::unique_ptr<Flight> flight) {
  for (Socket* socket : sockets_) {
    if (socket->address_ != flight->to || socket->inbox_.size() >= kInboxMax) continue;
    socket->inbox_.push_back(std::move(flight));
    return;
  }
  spare_.push_back(std::move(flight));
}

void SimulatedNetwork::advance(Time now) {
  assert(now >= now_);
  while (!flights_.empty() && flights_.front()->at <= now) {
    std::ranges::pop_heap(flights_, FlightOrder{});
    auto flight = std::move(flights_.back());
    flights_.pop_back();
    now_ = flight->at;
    if (flight->passed < flight->path.size()) {
      enter(std::move(flight), now_);
    } else {
      arrive(std::move(flight));
    }
  }
  now_ = now;
}

Time SimulatedNetwork::next_event() const {
  return flights_.empty() ? Time::max() : flights_.front()->at;
}

}  // namespace muster
