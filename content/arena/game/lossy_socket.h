// A socket whose datagrams get lost and come late, to see how a game does.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "net/transport/datagram_socket.h"
#include "registry/base/clock.h"
#include "registry/base/seed.h"

namespace arena {

/// What becomes of datagrams on their way here. Those that leave are left alone: the other end has
/// a socket like this, too.
struct LossOptions {
  double loss = 0;            ///< The share that never arrives.
  muster::Duration delay{};   ///< Of each ...
  muster::Duration jitter{};  ///< ... and up to so much more; their order stays.
  std::uint64_t seed = 1;
};

/// Both others must outlive it. The same datagrams at the same times fare the same.
class LossySocket final : public muster::DatagramSocket {
 public:
  LossySocket(muster::DatagramSocket& inner, const muster::Clock& clock, const LossOptions& options)
      : inner_(inner), clock_(clock), options_(options), random_(options.seed) {}

  muster::SendOutcome send(std::span<const muster::OutgoingDatagram> datagrams) override {
    return inner_.send(datagrams);
  }
  std::size_t receive(std::span<muster::IncomingDatagram> datagrams) override;
  void wait(muster::Duration at_most) override;
  muster::Address local_address() const override { return inner_.local_address(); }
  muster::SocketBacklog backlog() const override { return inner_.backlog(); }

  std::uint64_t dropped() const { return dropped_; }

 private:
  struct Late {
    muster::Time due;
    muster::Address from;
    muster::Address to;
    std::vector<std::byte> bytes;
  };
  void take_arrived();

  muster::DatagramSocket& inner_;
  const muster::Clock& clock_;
  LossOptions options_;
  muster::Random random_;
  muster::Time due_{};     ///< Of the last one that arrived: none overtakes another.
  std::deque<Late> late_;  ///< In the order in which they come.
  std::array<std::byte, muster::kDatagramBytesMax + 1> memory_{};
  std::uint64_t dropped_ = 0;
};

}  // namespace arena
