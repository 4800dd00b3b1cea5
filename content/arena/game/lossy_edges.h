// Edges whose sockets simulate loss and delay, to try a game over a bad link.
#pragma once

#include <muster/address.h>
#include <muster/clock.h>
#include <muster/datagram_socket.h>
#include <muster/edges.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace arena {

/// The loss and delay of received datagrams. Sent datagrams are not affected, because the peer also
/// uses such a socket.
struct LossOptions {
  double loss = 0;           ///< The share of datagrams that are lost, from 0 to 1.
  muster::Duration delay{};  ///< The minimum delay of each datagram.
  /// The maximum additional delay. The order of datagrams does not change.
  muster::Duration jitter{};
  std::uint64_t seed = 1;
};

/// Returns a socket that drops and delays the datagrams that arrive at `socket`. Equal datagrams at
/// equal times are dropped and delayed equally. The clock must outlive the result.
std::unique_ptr<muster::DatagramSocket> make_lossy(std::unique_ptr<muster::DatagramSocket> socket,
                                                   muster::Edges& clock,
                                                   const LossOptions& options);

/// Wraps other edges so that their sockets lose and delay datagrams. The wrapped edges must outlive
/// this object.
class LossyEdges final : public muster::Edges, private muster::Network {
 public:
  LossyEdges(muster::Edges& edges, const LossOptions& options) : edges_(edges), options_(options) {}

  muster::Time now() override { return edges_.now(); }
  std::uint64_t unix_seconds() override { return edges_.unix_seconds(); }
  muster::Network& network() override { return *this; }
  muster::Entropy& entropy() override { return edges_.entropy(); }
  muster::Files& files() override { return edges_.files(); }
  void log(muster::LogLevel level, std::string_view line) override { edges_.log(level, line); }

 private:
  muster::Result<std::unique_ptr<muster::DatagramSocket>> open(std::string_view address) override;
  std::optional<muster::Result<muster::Address>> resolve(std::string_view name) override {
    return edges_.network().resolve(name);
  }

  muster::Edges& edges_;
  LossOptions options_;
};

}  // namespace arena
