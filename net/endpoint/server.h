// A server's socket and its clients: answers handshakes, opens and seals packets, follows
// addresses.
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
#include "net/secure/address_budget.h"
#include "net/secure/handshake.h"
#include "net/secure/used_tokens.h"
#include "net/transport/connection.h"
#include "net/transport/datagram_socket.h"

namespace muster {

/// A client of a server: its slot, and which of the clients that had this slot.
struct ClientHandle {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;  ///< 0 is no client.
  friend bool operator==(const ClientHandle&, const ClientHandle&) = default;
};

/// Someone who has shown that they receive at their address, mean this server, and hold a token
/// where one is needed.
struct Applicant {
  Address address;
  Hello hello;
  std::uint64_t client = 0;                 ///< From the token or `client_of`; 0: not known.
  std::span<const std::byte> token_data{};  ///< User data of the token.
  /// The client that ends when this one is let in and sends its first packet (`ServerEvent`).
  std::optional<ClientHandle> replaces{};
};

/// The game's say in who is let in.
class Admission {
 public:
  virtual ~Admission() = default;
  /// Nothing lets the applicant in; a text, for a person, does not.
  virtual std::optional<std::string> refusal(const Applicant& applicant) = 0;
  /// Whether a client with another content fingerprint may play all the same.
  virtual bool admits_content(std::uint64_t theirs) = 0;
  /// The client's id; 0: not known. A game that checks user data itself, as a ticket of its
  /// login, returns the account's number: a newer connection of one client replaces the older one.
  /// Is called before `refusal`, which decides.
  virtual std::uint64_t client_of(const Applicant& applicant) { return applicant.client; }
};

/// What a server needs to know.
struct ServerOptions {
  ConnectionOptions connection{};
  Agreement agreement{};
  SecretKey identity{};  ///< Its X25519 key; clients pin the public half.
  /// The key shared with the backend, for connect tokens.
  std::optional<SecretKey> backend_key{};
  /// Whether clients without a token are let in, who say nothing of who they are. Where it is not
  /// said: only when there is no `backend_key`.
  std::optional<bool> allow_pinned{};
  /// DANGER: lets in clients whose packets anybody can read and forge. For development.
  bool danger_allow_unprotected = false;
  /// Hears of it, at once and every minute; standard error when there is none.
  DangerLog danger_log{};
  /// At most 4096. A slot (`ClientHandle::slot`) may be up to 64 more: a client that replaces
  /// itself has two for a moment.
  std::size_t clients_max = 64;
  /// Of one address (IPv6: one /64) no more are let in, lest one machine takes every place. Whoever
  /// comes with a token does not count. More where many play behind one address.
  std::size_t clients_per_address = 8;
  /// Where clients reach this server: a token must name one of them. Empty: not checked.
  std::vector<Address> public_addresses{};
  /// Used tokens that are remembered until they expire; beyond that none is taken (`busy`). They
  /// are lost when the server ends: each token opens one more connection after a restart, until it
  /// expires. Keep the list (`save_used_tokens`), or set `tokens_issued_from`.
  std::size_t used_tokens_max = 65536;
  /// Tokens that were issued before this date are refused. The date of the start makes all earlier
  /// tokens worthless, the unused ones too; backend and server then need the same date.
  UnixSeconds tokens_issued_from = 0;
  /// Of all connections together, without the heads of IP and UDP. Their budgets know of it:
  /// clients share it equally, but that who wants less leaves the rest to the others.
  double bytes_per_second_max = 125e6;
  /// What `receive` may use of the processor.
  ReceiveLimits receive_limits{};
  /// Is told of all that travels once a client is admitted, when there is one. Must outlive the
  /// server.
  PacketRecorder* recorder = nullptr;
};

/// A client connected, or its connection ended.
struct ServerEvent {
  enum class Kind : std::uint8_t { connected, closed };
  Kind kind = Kind::connected;
  ClientHandle client;
  std::optional<Close> close{};  ///< Why, when closed.
  /// When connected: the older connection of the same client, which this one replaces. Its own
  /// event, closed with the reason `kicked`, comes before this one, unless it had ended already.
  std::optional<ClientHandle> replaces{};
};

/// A game that does not clear its events hears of no more.
inline constexpr std::size_t kServerEventsMax = 16'384;

/// What a server counts besides its connections.
struct ServerCounters {
  std::uint64_t datagrams_in = 0;
  std::uint64_t datagrams_out = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t not_ours = 0;     ///< Of no known kind, or of a wrong size.
  std::uint64_t bad_sources = 0;  ///< From an address that cannot be a peer (`Address::is_peer`).
  std::uint64_t receives_limited = 0;  ///< Calls of `receive` that ended at a limit.
  std::uint64_t dropped_unread = 0;    ///< The socket was full of what had not been read. Of Linux.
  std::uint64_t requests = 0;
  std::uint64_t challenges = 0;
  std::uint64_t requests_limited = 0;  ///< Beyond what is answered in all.
  std::uint64_t responses = 0;
  std::uint64_t responses_limited = 0;  ///< Beyond the budget of an address, or of all.
  std::uint64_t clients_limited = 0;    ///< Refused: their address had all it may have.
  std::uint64_t challenges_stale = 0;   ///< Too old, or never ours.
  std::uint64_t hellos_forged = 0;
  std::uint64_t tokens_used = 0;
  std::uint64_t accepts = 0;
  std::uint64_t accepts_again = 0;
  std::array<std::uint64_t, 16> refusals{};  ///< By `RefuseReason`.
  std::uint64_t pending_expired = 0;
  std::uint64_t pending_replaced = 0;  ///< By another response of the same attempt or client.
  std::uint64_t pending_removed = 0;   ///< To make room: the oldest of the greediest prefix.
  std::uint64_t clients_replaced = 0;  ///< By a newer connection of the same client.
  std::uint64_t connected = 0;
  std::uint64_t closed = 0;
  std::uint64_t unknown_connection = 0;
  std::uint64_t forged = 0;  ///< Packets whose seal did not open.
  std::uint64_t addresses_changed = 0;
  std::uint64_t send_failed = 0;
  std::uint64_t events_unread = 0;  ///< Not told, since the game did not clear those before.
  std::uint64_t capped = 0;  ///< Ticks in which a client used up its share of the cap; of each.
};

/// One socket and up to `clients_max` clients. One thread at a time. Each tick: `receive`, then the
/// game reads and queues at each client's `connection`, then `send`. Where memory runs out
/// `std::bad_alloc` comes through: what was to be read then counts as lost on the way, and the
/// server goes on; a connection that was in the middle of a packet should be closed.
class Server {
 public:
  /// Everything given must outlive the server.
  Server(const ServerOptions& options, DatagramSocket& socket, Entropy& entropy,
         Admission& admission, Time now);
  ~Server();

  /// Reads what has arrived, within `ServerOptions::receive_limits`. `date` is for tokens. The
  /// report says what was done and whether more may wait.
  ReceiveReport receive(Time now, UnixSeconds date);
  /// Sends what connections want to send.
  void send(Time now);

  /// Who came and went since `clear_events`; of at most `kServerEventsMax` it is told.
  std::span<const ServerEvent> events() const { return events_; }
  void clear_events() { events_.clear(); }
  /// Calls `visit(ClientHandle)` for each client that is connected or interrupted, and for those
  /// whose connection has ended less than a second ago, unless another one has replaced them.
  template <typename Visit>
  void for_each_client(const Visit& visit) const {
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
      if (has_place(slot)) visit(handle_of(slot));
    }
  }
  /// Null when that client has gone.
  Connection* connection(ClientHandle client);
  /// Who it is (the token's client id), and where.
  std::uint64_t client_id(ClientHandle client) const;
  Address address(ClientHandle client) const;
  std::span<const std::byte> token_data(ClientHandle client) const;

  /// The used tokens as bytes, for `restore_used_tokens` of the server that runs next or beside
  /// this one. To lose none, keep it after each tick in which `counters().tokens_used` has grown.
  std::vector<std::byte> save_used_tokens() const { return used_tokens_.save(); }
  /// Adds the used tokens of a list. False, with no change, when the bytes are no such list or when
  /// it has more tokens than there is room for.
  [[nodiscard]] bool restore_used_tokens(std::span<const std::byte> list, Time now) {
    return used_tokens_.restore(list, now);
  }

  /// Ends everything; clients are told.
  void close(std::string_view text, Time now);

  const PublicKey& public_key() const { return identity_.shared; }
  const ServerCounters& counters() const { return counters_; }
  /// True when anybody may read and forge what travels: to be shown where people see it. The server
  /// says it to `danger_log`, too.
  bool is_dangerous() const { return options_.danger_allow_unprotected; }

 private:
  struct Client;

  bool is_live(std::uint32_t slot) const;
  bool has_place(std::uint32_t slot) const;
  ClientHandle handle_of(std::uint32_t slot) const;
  const Client* find(ClientHandle client) const;

  void warn(Time now);
  void take_datagram(Time now, UnixSeconds date, const DatagramPath& path,
                     std::span<std::byte> datagram);
  void take_request(Time now, const DatagramPath& path, std::span<const std::byte> datagram);
  void take_response(Time now, UnixSeconds date, const DatagramPath& path,
                     std::span<const std::byte> datagram);
  bool answers_again(Time now, const ResponseView& response, const DatagramPath& path);
  void apply(Time now, UnixSeconds date, const DatagramPath& path, const ResponseView& response);
  bool allows(TrustMode mode) const;
  bool take_token(UnixSeconds date, const DatagramPath& path, const ResponseView& response,
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
  void take_packet(Time now, const DatagramPath& path, std::span<std::byte> datagram);
  void tell(const ServerEvent& event);
  void follow(Time now, Client& client, const DatagramPath& path, bool is_highest);
  void send_packet(Time now, Client& client, const Address& to, std::span<std::byte> memory,
                   std::size_t body_bytes, std::uint32_t sequence);
  void send_client(Time now, Client& client);
  void share_cap(Time now);
  void release(std::uint32_t slot);
  bool connect(Time now, Client& client);
  void end_replaced(Time now, Client& old);
  void turn_away(Time now, Client& client);
  std::optional<std::uint32_t> free_slot() const;
  bool takes_place(const Client& client) const;
  std::size_t places_taken() const;
  std::optional<ClientHandle> connection_of(std::uint64_t client_id) const;
  bool is_silent(std::uint32_t slot) const;
  std::optional<ClientHandle> replaced_by(const Applicant& applicant, const RequestView& attempt);
  std::optional<std::uint32_t> slot_for(const RequestView& attempt, const Applicant& applicant);
  std::optional<std::uint32_t> pending_of(std::uint64_t client_id) const;
  std::optional<std::uint32_t> pending_to_remove(bool must_take_place);
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
  /// Of each slot who it counts for: where its client was accepted, and nobody when a token vouches
  /// for it or it has closed. Not where the client is now: he would make room by moving on.
  std::vector<std::optional<Address>> counted_for_;
  std::map<PublicKey, std::uint32_t> slot_of_attempt_;
  std::vector<ServerEvent> events_;
  std::vector<WaitingClient> waiting_;  ///< Memory for `pending_to_remove`.
  IncomingBatch incoming_;
  OutgoingBatch outgoing_;
  std::uint32_t generation_ = 0;
  std::size_t pending_ = 0;
  TimeBucket answers_;            ///< Answers to datagrams of unknown senders.
  TimeBucket hellos_;             ///< Hellos opened for clients without a token,
  TimeBucket hellos_with_token_;  ///< and for those with one.
  ReceiveBudget work_;
  ArrivalClock arrivals_;
  SendCap cap_;
  std::uint32_t turn_ = 0;  ///< Who is first to send, and in which direction it goes on.
  ServerCounters counters_;
  DangerNotice notice_;
};

}  // namespace muster
