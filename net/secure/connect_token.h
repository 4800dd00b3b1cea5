// Connect tokens: how a backend that knows the players tells a server whom to let in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "net/secure/keys.h"
#include "net/transport/address.h"

namespace muster {

/// Seconds since 1970 (UTC): backends and servers have different clocks, but know the date.
using UnixSeconds = std::uint64_t;

inline constexpr UnixSeconds kTokenLifetimeMax = UnixSeconds{7} * 24 * 3600;
inline constexpr std::size_t kTokenAddressesMax = 16;
inline constexpr std::size_t kUserDataBytesMax = 256;
/// What a response carries of a token, at most.
inline constexpr std::size_t kTokenBytesMax = 56 + 8 + 16 + 32 + 1 + 18 * 16 + 2 + 256 + 16;

using TokenId = std::array<std::byte, 16>;

/// What a backend says of a client.
struct TokenClaims {
  std::uint64_t application = 0;
  UnixSeconds issued = 0;
  UnixSeconds expires = 0;
  PublicKey server_key{};
  std::uint64_t client = 0;
  std::vector<Address> servers{};      ///< 1 to `kTokenAddressesMax`, IPv4 and IPv6 as it comes.
  std::vector<std::byte> user_data{};  ///< For the game's server; the client cannot read it.
};

/// Makes a token for one connection; the client gets it by a way that is encrypted (HTTPS). Nothing
/// when the claims break a limit: no or too many servers, too much user data, a time that is over
/// before it begins or longer than `kTokenLifetimeMax`.
std::optional<std::vector<std::byte>> issue_token(const TokenClaims& claims,
                                                  const SecretKey& backend_key, Entropy& entropy);

/// What a client reads of its token.
struct ClientToken {
  std::uint64_t application = 0;
  UnixSeconds issued = 0;
  UnixSeconds expires = 0;
  PublicKey server_key{};
  SecretKey secret{};
  std::vector<Address> servers{};
  std::vector<std::byte> presented{};  ///< What goes into a response.
};
/// Nothing when the bytes are no token of this version.
std::optional<ClientToken> read_client_token(std::span<const std::byte> bytes);

/// What a server learns from a token that a client presents.
struct OpenedToken {
  UnixSeconds issued = 0;
  UnixSeconds expires = 0;
  TokenId id{};
  std::uint64_t client = 0;
  SecretKey secret{};
  std::vector<Address> servers{};
  std::vector<std::byte> user_data{};
};
/// Opens what a client presents. Nothing when it was not made with this key, for this application,
/// or is not valid now. Whether it names this server and is used for the first time is the caller's
/// to check.
std::optional<OpenedToken> open_token(std::span<const std::byte> presented,
                                      std::uint64_t application, UnixSeconds now,
                                      const SecretKey& backend_key);

}  // namespace muster
