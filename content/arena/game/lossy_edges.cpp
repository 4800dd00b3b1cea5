#include "content/arena/game/lossy_edges.h"

#include <muster/address.h>
#include <muster/seed.h>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>
#include <vector>

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game uses most of muster

namespace {

/// The maximum number of datagrams that one call reads from the real socket, and the maximum number
/// of delayed datagrams. The two limits bound time and memory in a flood. Further datagrams stay in
/// the socket.
constexpr int kReadMax = 1024;
constexpr std::size_t kLateMax = 65'536;

class LossySocket final : public DatagramSocket {
 public:
  LossySocket(std::unique_ptr<DatagramSocket> inner, Edges& clock, const LossOptions& options)
      : inner_(std::move(inner)), clock_(clock), options_(options), random_(options.seed) {}

  SendOutcome send(std::span<const OutgoingDatagram> datagrams) override {
    return inner_->send(datagrams);
  }
  std::size_t receive(std::span<IncomingDatagram> datagrams) override;
  void wait(Duration timeout) override;
  Address local_address() const override { return inner_->local_address(); }
  SocketBacklog backlog() const override { return inner_->backlog(); }

 private:
  struct Late {
    Time due;
    Address from;
    Address to;
    std::vector<std::byte> bytes;
  };
  void read_arrived();

  std::unique_ptr<DatagramSocket> inner_;
  Edges& clock_;
  LossOptions options_;
  Random random_;
  Time due_{};  ///< When the newest datagram is due. Datagrams do not overtake each other.
  std::deque<Late> late_;  ///< The delayed datagrams, in the order of their arrival.
  std::array<std::byte, kDatagramBytesMax + 1> memory_{};
};

void LossySocket::read_arrived() {
  IncomingDatagram arrived{.from = {}, .memory = memory_};
  for (int i = 0; i < kReadMax && late_.size() < kLateMax; ++i) {
    if (inner_->receive(std::span(&arrived, 1)) == 0) return;
    constexpr std::uint64_t kWhole = 1'000'000;
    if (static_cast<double>(random_.below(kWhole)) < options_.loss * kWhole) continue;
    const auto jitter = static_cast<std::uint64_t>(options_.jitter.count());
    const Duration more(jitter == 0 ? 0 : static_cast<std::int64_t>(random_.below(jitter)));
    const auto bytes = std::span(memory_).first(arrived.byte_count);
    due_ = std::max(due_, clock_.now() - arrived.waited + options_.delay + more);
    late_.push_back({.due = due_,
                     .from = arrived.from,
                     .to = arrived.to,
                     .bytes = {bytes.begin(), bytes.end()}});
  }
}

std::size_t LossySocket::receive(std::span<IncomingDatagram> datagrams) {
  read_arrived();
  const Time now = clock_.now();
  std::size_t count = 0;
  while (count < datagrams.size() && !late_.empty() && late_.front().due <= now) {
    const Late& first = late_.front();
    IncomingDatagram& datagram = datagrams[count++];
    datagram.from = first.from;
    datagram.to = first.to;
    datagram.byte_count = std::min(first.bytes.size(), datagram.memory.size());
    std::ranges::copy(std::span(first.bytes).first(datagram.byte_count), datagram.memory.begin());
    datagram.waited = now - first.due;
    late_.pop_front();
  }
  return count;
}

void LossySocket::wait(Duration timeout) {
  if (!late_.empty()) {
    timeout = std::clamp<Duration>(late_.front().due - clock_.now(), {}, timeout);
  }
  inner_->wait(timeout);
}

}  // namespace

std::unique_ptr<DatagramSocket> make_lossy(std::unique_ptr<DatagramSocket> socket, Edges& clock,
                                           const LossOptions& options) {
  return std::make_unique<LossySocket>(std::move(socket), clock, options);
}

Result<std::unique_ptr<DatagramSocket>> LossyEdges::open(std::string_view address) {
  Result<std::unique_ptr<DatagramSocket>> opened = edges_.network().open(address);
  if (!opened || (options_.loss <= 0 && options_.delay <= Duration())) return opened;
  return make_lossy(std::move(opened.value()), edges_, options_);
}

}  // namespace arena
