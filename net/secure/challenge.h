// The stateless cookie: a client shows that it receives at its address before we remember anything.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "net/secure/entropy.h"
#include "net/transport/address.h"
#include "registry/base/clock.h"

namespace muster {

/// How old a challenge may be that is answered.
inline constexpr Duration kChallengeAge = std::chrono::seconds(5);

/// What a server sends, and believes when it comes back.
struct Challenge {
  std::uint64_t time_ms = 0;  ///< The server's clock.
  std::array<std::byte, 16> mac{};
};

/// What a client said of itself, which the cookie binds: bytes 2 to 47 of its request.
using ClientClaim = std::span<const std::byte>;

/// Makes and checks challenges. Keeps only its secret, which is wiped at the end.
class Challenger {
 public:
  explicit Challenger(Entropy& entropy);
  ~Challenger();
  Challenger(const Challenger&) = default;
  Challenger& operator=(const Challenger&) = default;

  Challenge make(Time now, const Address& client, ClientClaim claim) const;
  /// True when we made it, for this client and claim, at most `kChallengeAge` ago.
  bool is_ours(const Challenge& challenge, Time now, const Address& client,
               ClientClaim claim) const;

 private:
  std::array<std::byte, 16> mac(std::uint64_t time_ms, const Address& client,
                                ClientClaim claim) const;

  std::array<std::byte, 16> secret_{};
};

}  // namespace muster
