// Connect tokens: a backend that knows the players issues tokens, which admit clients to a server.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "net/secure/account_id.h"
#include "net/secure/keys.h"
#include "net/transport/address.h"

namespace muster {

/// Seconds since 1970 (UTC). A `Time` cannot be used, because it has a different start on each
/// machine.
using UnixSeconds = std::uint64_t;

inline constexpr UnixSeconds kTokenLifetimeMax = UnixSeconds{7} * 24 * 3600;
inline constexpr std::size_t kTokenAddressesMax = 16;
inline constexpr std::size_t kUserDataBytesMax = 256;
/// The maximum size of a token's part in a response.
inline constexpr std::size_t kTokenBytesMax = 56 + 8 + 16 + 32 + 1 + 18 * 16 + 2 + 256 + 16;

using TokenId = std::array<std::byte, 16>;

/// The contents of a token, as a backend chooses them.
struct TokenClaims {
  std::uint64_t application = 0;
  UnixSeconds issued = 0;
  UnixSeconds expires = 0;
  PublicKey server_key{};
  AccountId account{};
  std::vector<Address> servers{};  ///< From 1 to `kTokenAddressesMax` addresses, IPv4 or IPv6.
  /// Data for the game's server, which the client cannot read.
  std::vector<std::byte> user_data{};
};

/// Makes a token for one connection. Send it to the client over an encrypted channel (HTTPS).
/// Returns nothing in these cases: the number of servers or the size of the user data is outside
/// its limits; the lifetime is not positive; the lifetime is longer than `kTokenLifetimeMax`.
std::optional<std::vector<std::byte>> issue_token(const TokenClaims& claims,
                                                  const SecretKey& backend_key, Entropy& entropy);

/// The part of a token that its client can read.
struct ClientToken {
  std::uint64_t application = 0;
  UnixSeconds issued = 0;
  UnixSeconds expires = 0;
  PublicKey server_key{};
  SecretKey secret{};
  std::vector<Address> servers{};
  std::vector<std::byte> presented{};  ///< The bytes that a response contains.
};
/// Returns nothing if the bytes are not a token of this version.
std::optional<ClientToken> read_client_token(std::span<const std::byte> bytes);

/// The contents of a token that a server opened.
struct OpenedToken {
  UnixSeconds issued = 0;
  UnixSeconds expires = 0;
  TokenId id{};
  AccountId account{};
  SecretKey secret{};
  std::vector<Address> servers{};
  std::vector<std::byte> user_data{};
};
/// Opens a token from a response. Returns nothing if the token was made with another key or for
/// another application, or if it is not valid at `now`. The caller must check that the token names
/// this server, and that it was not used before.
std::optional<OpenedToken> open_token(std::span<const std::byte> presented,
                                      std::uint64_t application, UnixSeconds now,
                                      const SecretKey& backend_key);

}  // namespace muster
