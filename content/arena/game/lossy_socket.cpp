#include "content/arena/game/lossy_socket.h"

#include <algorithm>

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

namespace {

/// What one call takes out of the real socket, and what may be late: a flood must not stop the
/// game, nor fill its memory. The rest stays in the socket.
constexpr int kTakenMax = 1024;
constexpr std::size_t kLateMax = 65'536;

}  // namespace

void LossySocket::take_arrived() {
  IncomingDatagram arrived{.from = {}, .memory = memory_};
  for (int i = 0; i < kTakenMax && late_.size() < kLateMax; ++i) {
    if (inner_.receive(std::span(&arrived, 1)) == 0) return;
    constexpr std::uint64_t kWhole = 1'000'000;
    if (static_cast<double>(random_.below(kWhole)) < options_.loss * kWhole) {
      ++dropped_;
      continue;
    }
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
  take_arrived();
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

void LossySocket::wait(Duration at_most) {
  if (!late_.empty()) {
    at_most = std::clamp<Duration>(late_.front().due - clock_.now(), {}, at_most);
  }
  inner_.wait(at_most);
}

}  // namespace arena
