// The data that a server stores for one client. Only the files of `Server` include this file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "net/endpoint/sealed_connection.h"
#include "net/endpoint/server.h"

namespace muster {

inline constexpr std::uint32_t kClientsMax = 4096;
/// The slots beyond `clients_max`, for clients that replace a client of a full server. The old
/// client keeps its slot until the first packet of the new client is opened, and for `kLinger`
/// after that.
inline constexpr std::uint32_t kSpareSlots = 64;
/// The slot of a client is its connection id modulo this number.
inline constexpr std::uint32_t kSlotsMax = 8192;
static_assert(kClientsMax + kSpareSlots <= kSlotsMax);
/// The maximum time from the accept to the client's first packet.
inline constexpr Duration kPendingTime = std::chrono::seconds(5);
inline constexpr std::size_t kPendingMax = 256;
/// The limit for repeated responses of a client. A valid client sends four responses per second.
inline constexpr TimeBucket::Limits kRepeatLimits{.per_second = 8, .burst = 8};
/// The time for which the slot of a closed client is kept, so that the game can read the remaining
/// data.
inline constexpr Duration kLinger = std::chrono::seconds(1);

/// A client that was accepted.
struct Server::Client {
  Client(const ConnectionOptions& options, const ConnectionKeys& keys, Time now)
      : sealed(leading(options), keys.cipher, keys.to_client, keys.to_server,
               {.ours = keys.server_receives, .theirs = keys.client_receives}, now),
        accepted_first_at(now),
        accepted_at(now),
        repeats(kRepeatLimits, now) {}

  static ConnectionOptions leading(ConnectionOptions options) {
    options.leads_maps = true;
    return options;
  }

  SealedConnection sealed;
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  DatagramPath path;
  AccountId account;
  bool is_identified = false;  ///< True if the client was admitted with an account.
  std::vector<std::byte> token_data;
  bool has_token = false;
  std::optional<ClientHandle> replaces;  ///< The client that this client replaces when it connects.
  bool is_replaced = false;              ///< True if a newer client has replaced this client.

  bool is_connected = false;  ///< True if a packet of this client was opened.
  Time accepted_first_at;
  Time accepted_at;
  TimeBucket repeats;   ///< The limit for repeated responses.
  PublicKey attempt{};  ///< The ephemeral key of the attempt.
  std::array<std::byte, 32> response_hash{};
  std::array<std::byte, kAcceptBytesMax> accept{};
  std::size_t accept_bytes = 0;
  std::optional<Time> closed_at;

  bool has_path_challenge = false;
  std::uint64_t path_challenge = 0;
  DatagramPath challenged_path;
  Time challenged_at{};
};

}  // namespace muster
