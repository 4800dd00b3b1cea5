// A server: one socket and many clients. The server answers handshakes, encrypts and decrypts
// packets, and detects when a client's address changes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "net/endpoint/danger_notice.h"
#include "net/endpoint/datagram_batch.h"
#include "net/endpoint/packet_recorder.h"
#include "net/endpoint/receive_budget.h"
#include "net/endpoint/send_cap.h"
#include "net/endpoint/waiting_prefixes.h"
#include "net/secure/account_id.h"
#include "net/secure/address_budget.h"
#include "net/secure/handshake.h"
#include "net/secure/used_tokens.h"
#include "net/transport/connection.h"
#include "net/transport/datagram_socket.h"

namespace muster {

/// Identifies a client: its slot, and a generation, because slots are reused.
struct ClientHandle {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;  ///< 0 means no client.
  friend bool operator==(const ClientHandle&, const ClientHandle&) = default;
};

/// A client that asks to join. The client has proved that it receives datagrams at its address and
/// knows this server's key. If the server requires a token, the client has a valid token.
struct Applicant {
  Address address;
  Hello hello;
  AccountId account{};  ///< The client's account, from the token or from `account_of`.
  std::span<const std::byte> token_data{};  ///< The user data of the token.
  /// The client that this applicant replaces (`ServerEvent`). The replacement happens after the
  /// applicant is admitted, when its first packet arrives.
  std::optional<ClientHandle> replaces{};
};

/// The game's decisions about applicants.
class Admission {
 public:
  virtual ~Admission() = default;
  /// To admit the applicant, return nothing. To refuse the applicant, return a text for the user.
  virtual std::optional<std::string> refusal(const Applicant& applicant) = 0;
  /// Return true if a client with this different content fingerprint may join.
  virtual bool admits_content(std::uint64_t theirs) = 0;
  /// Return the client's account. For example, a game that finds a login ticket in the user data
  /// returns the account of the ticket. If the game does not know the account, it must return
  /// `applicant.account`: the account of the connect token, or `AccountId()` without a token. A
  /// newer connection of the same account replaces the older connection. Called before `refusal`.
  virtual AccountId account_of(const Applicant& applicant) { return applicant.account; }
};

/// Options of a server.
struct ServerOptions {
  ConnectionOptions connection{};
  Agreement agreement{};
  SecretKey identity{};  ///< The server's X25519 key. Clients pin the public part.
  /// The key that the server shares with the backend, to open connect tokens.
  std::optional<SecretKey> backend_key{};
  /// True if clients without a token are admitted. The identity of such a client is unknown. By
  /// default, such clients are admitted only if there is no `backend_key`.
  std::optional<bool> allow_pinned{};
  /// DANGER: admits clients without encryption. Everyone on the path can read and forge their
  /// packets. Only for development.
  bool danger_allow_unprotected = false;
  /// If `danger_allow_unprotected` is set, this function receives a warning at once and then every
  /// minute. By default, the warning goes to standard error.
  DangerLog danger_log{};
  /// The maximum number of clients, at most 4096. There are 64 more slots, because a client that
  /// replaces an older connection uses two slots for a short time.
  std::size_t clients_max = 64;
  /// The maximum number of clients per address (for IPv6, per /64), so that one machine cannot fill
  /// the server. Clients with a token do not count. Raise this limit if many clients share one
  /// address.
  std::size_t clients_per_address = 8;
  /// The addresses of this server. A token must name one of these addresses. If the list is empty,
  /// the addresses of a token are not checked.
  std::vector<Address> public_addresses{};
  /// The maximum number of used tokens in the list. A token stays in the list until it expires.
  /// While the list is full, clients with tokens are refused (`busy`). The list is lost when the
  /// server ends, and each valid token can then open one more connection. To prevent this, keep the
  /// list (`save_used_tokens`) or set `tokens_issued_from`.
  std::size_t used_tokens_max = 65536;
  /// Tokens issued before this date are refused. Set this date to the server's start date to refuse
  /// all tokens that were issued earlier, even unused tokens. The clocks of the backend and the
  /// server must then agree.
  UnixSeconds tokens_issued_from = 0;
  /// The cap of all connections together in bytes per second, without IP and UDP headers. The cap
  /// limits the budgets of the connections. Clients share the cap equally. The part that a client
  /// does not need is distributed to other clients.
  double bytes_per_second_max = 125e6;
  ReceiveLimits receive_limits{};
  /// Receives every packet of admitted clients; null if there is no recorder. Must outlive the
  /// server.
  PacketRecorder* recorder = nullptr;
};

/// A client connected, or its connection ended.
struct ServerEvent {
  enum class Kind : std::uint8_t { connected, closed };
  Kind kind = Kind::connected;
  ClientHandle client;
  std::optional<Close> close{};  ///< How the connection ended; nothing if the client connected.
  /// For a connected client, the older connection that this connection replaces. If the older
  /// connection had not ended yet, an event comes first that closes it with the reason `kicked`.
  std::optional<ClientHandle> replaces{};
};

/// The maximum number of unread events. Further events are dropped and counted.
inline constexpr std::size_t kServerEventsMax = 16'384;

/// The counters of a server. `Connection::counters` has the counters of each connection.
struct ServerCounters {
  std::uint64_t datagrams_in = 0;
  std::uint64_t datagrams_out = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t not_ours = 0;          ///< Datagrams of an unknown kind or a wrong size.
  std::uint64_t bad_sources = 0;       ///< Datagrams whose source address fails `Address::is_peer`.
  std::uint64_t receives_limited = 0;  ///< Calls of `receive` that ended at a limit.
  /// Datagrams that the system dropped because the socket's buffer was full. These datagrams are
  /// counted only on Linux.
  std::uint64_t dropped_unread = 0;
  std::uint64_t requests = 0;
  std::uint64_t challenges = 0;
  std::uint64_t requests_limited = 0;  ///< Requests dropped because of the limit for all requests.
  std::uint64_t responses = 0;
  /// Responses dropped because of the limit of an address or of all addresses.
  std::uint64_t responses_limited = 0;
  std::uint64_t clients_limited = 0;  ///< Clients refused because of the limit of their address.
  /// Responses to challenges that are too old or were made by another server.
  std::uint64_t challenges_stale = 0;
  std::uint64_t hellos_forged = 0;
  std::uint64_t tokens_used = 0;
  std::uint64_t accepts = 0;
  std::uint64_t accepts_again = 0;
  std::array<std::uint64_t, 16> refusals{};  ///< The refusals by `RefuseReason`.
  std::uint64_t pending_expired = 0;
  /// Pending clients replaced by another response of the same attempt or account.
  std::uint64_t pending_replaced = 0;
  std::uint64_t pending_removed = 0;  ///< Pending clients removed to make room (`slot_to_vacate`).
  /// Clients replaced by a newer connection.
  std::uint64_t clients_replaced = 0;
  std::uint64_t connected = 0;
  std::uint64_t closed = 0;
  std::uint64_t unknown_connection = 0;
  std::uint64_t forged = 0;  ///< Packets with a broken seal.
  std::uint64_t addresses_changed = 0;
  std::uint64_t send_failed = 0;
  /// Events dropped because the game did not clear earlier events.
  std::uint64_t events_unread = 0;
  /// The ticks in which a client used up its share of the cap, added over all clients.
  std::uint64_t capped = 0;
};

/// One socket and up to `clients_max` clients. Only one thread at a time may use this object. In
/// each tick, call `receive`, then read and queue data with each client's `connection`, then call
/// `send`. If memory is exhausted, a call throws `std::bad_alloc`. The datagrams of this call are
/// then lost, and the server can continue. If a packet of a connection was being read, close this
/// connection.
class Server {
 public:
  /// All arguments must outlive the server.
  Server(const ServerOptions& options, DatagramSocket& socket, Entropy& entropy,
         Admission& admission, Time now);
  ~Server();

  /// Reads received datagrams, within `ServerOptions::receive_limits`. `date` is used to check
  /// tokens. Returns the work that was done, and whether more datagrams may wait.
  ReceiveReport receive(Time now, UnixSeconds date);
  /// Sends the pending packets of all connections.
  void send(Time now);

  /// The clients that connected or ended since `clear_events`, at most `kServerEventsMax`.
  std::span<const ServerEvent> events() const { return events_; }
  void clear_events() { events_.clear(); }
  /// Calls `visit(ClientHandle)` for each client that is connected or interrupted, and for each
  /// client whose connection ended less than a second ago and was not replaced.
  template <typename Visit>
  void for_each_client(const Visit& visit) const {
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
      if (is_occupied(slot)) visit(handle_of(slot));
    }
  }
  /// The client's connection; null if the client no longer exists.
  Connection* connection(ClientHandle client);
  /// The client's account; unknown if the client no longer exists.
  AccountId account(ClientHandle client) const;
  /// Sets the account of a client. A later connection of this account replaces the client. If the
  /// client was admitted with another account, later connections of the other account no longer
  /// replace the client. If the client was admitted without an account, a later connection without
  /// an account from the same address may also replace it (`ServerOptions::clients_per_address`).
  void set_account(ClientHandle client, AccountId account);
  Address address(ClientHandle client) const;
  std::span<const std::byte> token_data(ClientHandle client) const;

  /// Returns the used tokens as bytes, for `restore_used_tokens` of this server after a restart, or
  /// of another server. Save the list after each tick in which `counters().tokens_used` grew, so
  /// that no token is lost.
  std::vector<std::byte> save_used_tokens() const { return used_tokens_.save(); }
  /// Adds a list of used tokens. Returns false and changes nothing if the bytes are not a valid
  /// list or do not fit.
  [[nodiscard]] bool restore_used_tokens(std::span<const std::byte> list, Time now) {
    return used_tokens_.restore(list, now);
  }

  /// Closes all connections and notifies the clients.
  void close(std::string_view text, Time now);

  const PublicKey& public_key() const { return identity_.shared; }
  const ServerCounters& counters() const { return counters_; }
  /// True when clients without encryption are admitted. Show a warning to the user.
  bool is_dangerous() const { return options_.danger_allow_unprotected; }

 private:
  struct Client;

  bool is_live(std::uint32_t slot) const;
  bool is_occupied(std::uint32_t slot) const;
  ClientHandle handle_of(std::uint32_t slot) const;
  const Client* find(ClientHandle client) const;

  void warn(Time now);
  void receive_datagram(Time now, UnixSeconds date, const DatagramPath& path,
                        std::span<std::byte> datagram);
  void receive_request(Time now, const DatagramPath& path, std::span<const std::byte> datagram);
  void receive_response(Time now, UnixSeconds date, const DatagramPath& path,
                        std::span<const std::byte> datagram);
  bool answers_again(Time now, const ResponseView& response, const DatagramPath& path);
  void apply(Time now, UnixSeconds date, const DatagramPath& path, const ResponseView& response);
  bool allows(TrustMode mode) const;
  bool accept_token(UnixSeconds date, const DatagramPath& path, const ResponseView& response,
                    std::optional<OpenedToken>& token);
  void admit(Time now, const DatagramPath& path, const ResponseView& response,
             const Applicant& applicant, ServerHandshake& handshake, std::uint32_t slot);
  void record(Time now, const ResponseView& response, Client& client, Cipher cipher);
  std::optional<RefuseReason> check_room(const DatagramPath& path, const RequestView& head,
                                         const Applicant& applicant,
                                         std::optional<std::uint32_t> slot, std::string_view& text);
  std::optional<RefuseReason> check_hello(const Applicant& applicant, std::string_view& text,
                                          std::string& game_text) const;
  void refuse(const DatagramPath& path, const RequestView& request, RefuseReason reason,
              std::string_view text);
  void receive_packet(Time now, const DatagramPath& path, std::span<std::byte> datagram);
  void report(const ServerEvent& event);
  void follow(Time now, Client& client, const DatagramPath& path, bool is_highest);
  void send_packet(Time now, Client& client, const Address& to, std::span<std::byte> memory,
                   std::size_t body_bytes, std::uint32_t sequence);
  void send_client(Time now, Client& client);
  void share_cap(Time now);
  void release(std::uint32_t slot);
  bool connect(Time now, Client& client);
  void end_replaced(Time now, Client& old);
  void send_server_full(Time now, Client& client);
  std::optional<std::uint32_t> free_slot() const;
  bool uses_slot(const Client& client) const;
  std::size_t slots_used() const;
  std::optional<ClientHandle> connection_of(AccountId account) const;
  bool is_silent(std::uint32_t slot) const;
  std::optional<ClientHandle> replaced_by(const Applicant& applicant, const RequestView& attempt);
  std::optional<std::uint32_t> slot_for(const RequestView& attempt, const Applicant& applicant);
  std::optional<std::uint32_t> pending_of(AccountId account) const;
  std::optional<std::uint32_t> pending_to_remove(bool must_use_slot);
  bool has_too_many(const Address& from, const RequestView& attempt) const;
  bool has_live_client(const Address& from) const;

  ServerOptions options_;
  DatagramSocket& socket_;
  Entropy& entropy_;
  Admission& admission_;
  KeyPair identity_;
  Challenger challenger_;
  AddressBudget response_budget_;
  UsedTokens used_tokens_;
  std::vector<std::unique_ptr<Client>> slots_;
  /// For each slot, the address at which the client was accepted. The client counts towards the
  /// limit of this address. Empty for a client with a token and for a closed client. The current
  /// address is not used, because a client could then make room at its first address by moving.
  std::vector<std::optional<Address>> counted_for_;
  std::map<PublicKey, std::uint32_t> slot_of_attempt_;
  std::vector<ServerEvent> events_;
  std::vector<WaitingClient> waiting_;  ///< Memory for `pending_to_remove`.
  IncomingBatch incoming_;
  OutgoingBatch outgoing_;
  std::uint32_t generation_ = 0;
  std::size_t pending_ = 0;
  TimeBucket answers_;            ///< The limit for answers to unknown senders.
  TimeBucket hellos_;             ///< The limit for opened hellos of clients without a token.
  TimeBucket hellos_with_token_;  ///< The limit for opened hellos of clients with a token.
  ReceiveBudget work_;
  ArrivalClock arrivals_;
  SendCap cap_;
  /// Determines to which slot `send` sends first, and whether it then goes up or down the slots.
  std::uint32_t turn_ = 0;
  ServerCounters counters_;
  DangerNotice notice_;
};

}  // namespace muster
