// A client's socket and its one connection: finds the server, shakes hands, opens and seals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "net/endpoint/danger_notice.h"
#include "net/endpoint/datagram_batch.h"
#include "net/endpoint/receive_budget.h"
#include "net/endpoint/sealed_connection.h"
#include "net/secure/handshake.h"
#include "net/transport/connection.h"
#include "net/transport/datagram_socket.h"

namespace muster {

/// How a client reaches a server.
struct ClientOptions {
  ConnectionOptions connection{};
  ClientHandshake::Options handshake{};
  /// Where the server is. With a token the client then tries the token's other addresses in their
  /// order; unspecified: only those. Each gets an equal share of `connect_timeout`, and one that
  /// refuses is left at once (`Client::tried`).
  Address server{};
  /// Hears, at once and every minute, when the mode is `unprotected`; standard error when there is
  /// none.
  DangerLog danger_log{};
  /// From the first request to the accept, and from there to the server's first packet.
  Duration connect_timeout = std::chrono::seconds(10);
  /// What `receive` may use of the processor.
  ReceiveLimits receive_limits{};
  /// Is told of all that travels, when there is one. Must outlive the client.
  PacketRecorder* recorder = nullptr;
};

/// An address that was given up: it did not answer, or its server refused.
struct TriedServer {
  Address server;
  std::optional<Refusal> refusal{};
};

/// Where a client is on its way (net/CONNECTION.md).
enum class ClientState : std::uint8_t { requesting, responding, connected, interrupted, closed };

/// What a client counts besides its connection.
struct ClientCounters {
  std::uint64_t requests = 0;
  std::uint64_t responses = 0;
  std::uint64_t not_ours = 0;
  std::uint64_t forged = 0;
  std::uint64_t send_failed = 0;       ///< Datagrams that the socket did not take.
  std::uint64_t receives_limited = 0;  ///< Calls of `receive` that ended at a limit.
  std::uint64_t dropped_unread = 0;    ///< The socket was full of what had not been read. Of Linux.
};

/// One connection to a server, from the first request on. One thread at a time. Each tick:
/// `receive`, then the game reads and queues at `connection`, then `send`.
class Client {
 public:
  /// Everything given must outlive the client.
  Client(const ClientOptions& options, DatagramSocket& socket, Entropy& entropy, Time now);

  /// Reads what has arrived, within `ClientOptions::receive_limits`. The report says what was done
  /// and whether more may wait.
  ReceiveReport receive(Time now);
  void send(Time now);

  ClientState state() const;
  /// Null until connected; stays when the connection has ended.
  Connection* connection() { return sealed_ ? &sealed_->connection() : nullptr; }
  /// Why it ended; nothing while it lives. A refusal's text says what a person can do.
  std::optional<Close> end() const;
  const std::optional<Refusal>& refusal() const { return refusal_; }
  /// The address that is being asked, or that the connection goes to.
  const Address& server() const { return servers_[server_index_]; }
  /// The addresses before that one, in the order in which they were given up.
  std::span<const TriedServer> tried() const { return tried_; }
  /// Who the server takes us for.
  std::uint64_t client_id() const { return client_id_; }
  /// Goes on with another socket, as when the machine has changed its network. It must outlive the
  /// client; the server follows.
  void use_socket(DatagramSocket& socket) { socket_ = &socket; }
  void close(std::string_view text, Time now);

  const ClientCounters& counters() const { return counters_; }
  /// True when anybody may read and forge what travels: to be shown where people see it.
  bool is_dangerous() const { return options_.handshake.mode == TrustMode::unprotected; }

 private:
  void warn(Time now);
  void take_datagram(Time now, std::span<std::byte> datagram);
  void take_packet(Time now, std::span<std::byte> datagram);
  void take_answer(Time now, std::span<const std::byte> datagram);
  void connect(Time now, const ConnectionKeys& keys);
  void shake_hands(Time now);
  bool try_next_server(Time now, const std::optional<Refusal>& refusal);
  void record_handshake(Time now, bool is_outgoing, std::span<const std::byte> datagram);
  void give_up(CloseReason reason, std::string_view text);
  void give_up_unanswered();
  void forget_secrets();

  ClientOptions options_;
  DatagramSocket* socket_;
  ClientHandshake handshake_;
  std::vector<Address> servers_;
  std::size_t server_index_ = 0;
  std::vector<TriedServer> tried_;
  Time began_;
  Time server_began_;
  ReceiveBudget work_;
  ArrivalClock arrivals_;
  Time challenged_at_{};
  Time connected_at_{};
  std::optional<Time> last_sent_;
  bool is_challenged_ = false;
  bool must_answer_ = false;  ///< The accept has come: a packet tells the server.
  std::unique_ptr<SealedConnection> sealed_;
  std::optional<Close> end_;
  std::optional<Refusal> refusal_;
  std::uint64_t client_id_ = 0;
  IncomingBatch incoming_;
  OutgoingBatch outgoing_;
  ClientCounters counters_;
  DangerNotice notice_;
};

}  // namespace muster
