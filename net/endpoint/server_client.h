// A server's data of one client. Only for the server's own files.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "net/endpoint/sealed_connection.h"
#include "net/endpoint/server.h"

namespace muster {

inline constexpr std::uint32_t kClientsMax = 4096;
/// Slots beyond `clients_max`, for clients that replace a client of a full server. The old client
/// keeps its slot until a packet of the new one was opened, and for `kLinger` after that.
inline constexpr std::uint32_t kSpareSlots = 64;
/// A client's slot is in the low bits of its connection id, so a client is found by index.
inline constexpr std::uint32_t kSlotsMax = 8192;
static_assert(kClientsMax + kSpareSlots <= kSlotsMax);
/// How long an accepted client may take to send its first packet.
inline constexpr Duration kPendingTime = std::chrono::seconds(5);
inline constexpr std::size_t kPendingMax = 256;
/// A client repeats its response four times per second.
inline constexpr TimeBucket::Limits kRepeatLimits{.per_second = 8, .burst = 8};
/// How long the slot of a closed client is kept, so that the game can read the remaining data.
inline constexpr Duration kLinger = std::chrono::seconds(1);

/// A client from its accept on.
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
  std::uint64_t client_id = 0;
  bool is_identified = false;  ///< It was admitted with an id.
  std::vector<std::byte> token_data;
  bool has_token = false;
  std::optional<ClientHandle> replaces;  ///< The client that it will replace when it is connected.
  bool is_replaced = false;              ///< A newer client has replaced it.

  bool is_connected = false;  ///< A packet of this client was opened.
  Time accepted_first_at;
  Time accepted_at;
  TimeBucket repeats;   ///< Limits responses that repeat the accept.
  PublicKey attempt{};  ///< The ephemeral key of the attempt.
  std::array<std::byte, 32> response_hash{};
  std::array<std::byte, kAcceptBytesMax>
      accept{};  ///< The accept, which may have to be sent again.
  std::size_t accept_bytes = 0;
  std::optional<Time> closed_at;

  bool has_path_challenge = false;
  std::uint64_t path_challenge = 0;
  DatagramPath challenged_path;
  Time challenged_at{};
};

}  // namespace muster
