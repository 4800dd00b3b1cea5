// The stateless cookie. A client returns it to prove that it receives datagrams at its address,
// before the server stores anything.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "net/secure/entropy.h"
#include "net/transport/address.h"
#include "registry/base/clock.h"

namespace muster {

/// The maximum age of a challenge, when its response arrives.
inline constexpr Duration kChallengeAge = std::chrono::seconds(5);

/// The cookie that a server sends and the client returns.
struct Challenge {
  std::uint64_t time_ms = 0;  ///< The time on the server's clock, in milliseconds.
  std::array<std::byte, 16> mac{};
};

/// The part of a request that the MAC covers: bytes 2 to 47.
using ClientClaim = std::span<const std::byte>;

/// Makes and checks challenges. Stores only a secret, which is wiped on destruction.
class Challenger {
 public:
  explicit Challenger(Entropy& entropy);
  ~Challenger();
  Challenger(const Challenger&) = default;
  Challenger& operator=(const Challenger&) = default;

  Challenge make(Time now, const Address& client, ClientClaim claim) const;
  /// True when this server made the challenge for this client and claim, at most `kChallengeAge`
  /// ago.
  bool is_ours(const Challenge& challenge, Time now, const Address& client,
               ClientClaim claim) const;

 private:
  std::array<std::byte, 16> mac(std::uint64_t time_ms, const Address& client,
                                ClientClaim claim) const;

  std::array<std::byte, 16> secret_{};
};

}  // namespace muster
