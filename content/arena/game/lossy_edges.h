// The machine's edges with a bad link, to see how a game does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "net/transport/address.h"
#include "net/transport/datagram_socket.h"
#include "registry/base/clock.h"
#include "runtime/session/edges.h"

namespace arena {

/// What becomes of datagrams on their way here. Those that leave are left alone: the other end has
/// a socket like this, too.
struct LossOptions {
  double loss = 0;            ///< The share that never arrives.
  muster::Duration delay{};   ///< Each datagram is late by this ...
  muster::Duration jitter{};  ///< ... and up to this much more; their order stays.
  std::uint64_t seed = 1;
};

/// A socket that loses and delays what arrives at another one. The same datagrams at the same times
/// fare the same. The clock must outlive it.
std::unique_ptr<muster::DatagramSocket> make_lossy(std::unique_ptr<muster::DatagramSocket> socket,
                                                   muster::Edges& clock,
                                                   const LossOptions& options);

/// Other edges, whose sockets are lossy. They must outlive it.
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
