// A client: connects one socket to a server, and encrypts and decrypts packets.
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

/// Options of a client.
struct ClientOptions {
  ConnectionOptions connection{};
  ClientHandshake::Options handshake{};
  /// The first address to try; may be unspecified if there is a token. With a token, the client
  /// then tries the token's other addresses in order. Each address gets an equal share of
  /// `connect_timeout`. After a refusal, the client tries the next address at once
  /// (`Client::tried`).
  Address server{};
  /// If the mode is `unprotected`, this function receives a warning at once and then every minute.
  /// By default the warning goes to standard error.
  DangerLog danger_log{};
  /// The maximum time from the first request to the accept. The server's first packet must arrive
  /// within the same time after the accept.
  Duration connect_timeout = std::chrono::seconds(10);
  ReceiveLimits receive_limits{};
  /// Receives every packet that is sent or opened; null if there is no recorder. Must outlive the
  /// client.
  PacketRecorder* recorder = nullptr;
};

/// An address that did not answer, or whose server refused the client.
struct TriedServer {
  Address server;
  std::optional<Refusal> refusal{};
};

/// The state of a client (net/CONNECTION.md, "States").
enum class ClientState : std::uint8_t { requesting, responding, connected, interrupted, closed };

/// The counters of a client. `Connection::counters` has the counters of its connection.
struct ClientCounters {
  std::uint64_t requests = 0;
  std::uint64_t responses = 0;
  std::uint64_t not_ours = 0;
  std::uint64_t forged = 0;
  std::uint64_t send_failed = 0;       ///< Datagrams that the socket did not send.
  std::uint64_t receives_limited = 0;  ///< Calls of `receive` that ended at a limit.
  /// Datagrams that the system dropped because the socket's buffer was full. These datagrams are
  /// counted only on Linux.
  std::uint64_t dropped_unread = 0;
};

/// One connection to a server. Only one thread at a time may use this object. In each tick, call
/// `receive`, then read and queue data with `connection`, then call `send`.
class Client {
 public:
  /// All arguments must outlive the client.
  Client(const ClientOptions& options, DatagramSocket& socket, Entropy& entropy, Time now);

  /// Reads received datagrams, within `ClientOptions::receive_limits`. Returns the work that was
  /// done, and whether more datagrams may wait.
  ReceiveReport receive(Time now);
  void send(Time now);

  ClientState state() const;
  /// The connection; null until the client is connected. The pointer stays valid after the
  /// connection has ended.
  Connection* connection() { return sealed_ ? &sealed_->connection() : nullptr; }
  /// How the connection ended; nothing while it is alive. For a refusal, the text contains the
  /// remedy for the user.
  std::optional<Close> end() const;
  const std::optional<Refusal>& refusal() const { return refusal_; }
  /// The address that the client currently tries, or is connected to.
  const Address& server() const { return servers_[server_index_]; }
  /// The addresses that the client tried without success, in order.
  std::span<const TriedServer> tried() const { return tried_; }
  /// The account that the server assigned; unknown until the client is connected.
  AccountId account() const { return account_; }
  /// Continues with another socket, for example after a change of network. The server then sends to
  /// the new address. The socket must outlive the client.
  void use_socket(DatagramSocket& socket) { socket_ = &socket; }
  void close(std::string_view text, Time now);

  const ClientCounters& counters() const { return counters_; }
  /// True when everyone on the path can read and forge packets. Show a warning to the user.
  bool is_dangerous() const { return options_.handshake.mode == TrustMode::unprotected; }

 private:
  void warn(Time now);
  void receive_datagram(Time now, std::span<std::byte> datagram);
  void receive_packet(Time now, std::span<std::byte> datagram);
  void receive_answer(Time now, std::span<const std::byte> datagram);
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
  bool must_answer_ = false;  ///< True if the accept has arrived and no packet was sent since.
  std::unique_ptr<SealedConnection> sealed_;
  std::optional<Close> end_;
  std::optional<Refusal> refusal_;
  AccountId account_;
  IncomingBatch incoming_;
  OutgoingBatch outgoing_;
  ClientCounters counters_;
  DangerNotice notice_;
};

}  // namespace muster
