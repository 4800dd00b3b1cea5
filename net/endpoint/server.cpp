// The clients and packets of a server. server_handshake.cpp handles requests and responses.
#include "net/endpoint/server.h"

#include <cassert>

#include "net/endpoint/server_client.h"

namespace muster {

namespace {

constexpr Duration kPathChallengeInterval = std::chrono::seconds(1);

bool is_same_host(const Address& a, const Address& b) { return a.with_port(0) == b.with_port(0); }
/// The limit for challenges and refusals of requests: 0.1 s of processor time per second.
constexpr TimeBucket::Limits kAnswerLimits{.per_second = 50'000, .burst = 1'700};
/// The limit for hellos: 0.1 s of processor time per second, at three X25519 per hello. Clients
/// with a token have a separate bucket, so a flood of hellos from other clients does not stop them.
constexpr TimeBucket::Limits kHelloLimits{.per_second = 1'000, .burst = 128};

}  // namespace

Server::Server(const ServerOptions& options, DatagramSocket& socket, Entropy& entropy,
               Admission& admission, Time now)
    : options_(options),
      socket_(socket),
      entropy_(entropy),
      admission_(admission),
      identity_(KeyPair::of(options.identity)),
      challenger_(entropy),
      response_budget_({}, entropy),
      used_tokens_(options.used_tokens_max),
      slots_(options.clients_max + kSpareSlots),
      counted_for_(slots_.size()),
      answers_(kAnswerLimits, now),
      hellos_(kHelloLimits, now),
      hellos_with_token_(kHelloLimits, now),
      work_(options.receive_limits, now),
      arrivals_(now),
      cap_(options.bytes_per_second_max, slots_.size(), now),
      notice_(options.danger_log) {
  assert(options.clients_max >= 1);
  assert(options.clients_max <= kClientsMax);
  waiting_.reserve(kPendingMax);
  options_.identity = SecretKey();  // Wipes the copy; `identity_` keeps the key.
  warn(now);
}

void Server::warn(Time now) {
  if (!is_dangerous()) return;
  notice_.remind(now,
                 "DANGER: this server admits clients without protection. Everyone on the path can "
                 "read and forge their packets. For development only.");
}

Server::~Server() = default;

bool Server::is_live(std::uint32_t slot) const {
  return slots_[slot] != nullptr && slots_[slot]->is_connected;
}

bool Server::is_occupied(std::uint32_t slot) const {
  return is_live(slot) && !slots_[slot]->is_replaced;
}

ClientHandle Server::handle_of(std::uint32_t slot) const {
  return {.slot = slot, .generation = slots_[slot]->generation};
}

const Server::Client* Server::find(ClientHandle client) const {
  if (client.slot >= slots_.size() || slots_[client.slot] == nullptr) return nullptr;
  const Client& found = *slots_[client.slot];
  return found.generation == client.generation && found.is_connected ? &found : nullptr;
}

Connection* Server::connection(ClientHandle client) {
  return find(client) == nullptr ? nullptr : &slots_[client.slot]->sealed.connection();
}

AccountId Server::account(ClientHandle client) const {
  const Client* const found = find(client);
  return found == nullptr ? AccountId() : found->account;
}

void Server::set_account(ClientHandle client, AccountId account) {
  if (find(client) != nullptr) slots_[client.slot]->account = account;
}

Address Server::address(ClientHandle client) const {
  const Client* const found = find(client);
  return found == nullptr ? Address() : found->path.peer;
}

std::span<const std::byte> Server::token_data(ClientHandle client) const {
  const Client* const found = find(client);
  return found == nullptr ? std::span<const std::byte>() : found->token_data;
}

ReceiveReport Server::receive(Time now, UnixSeconds date) {
  warn(now);
  used_tokens_.forget_expired(date, now);
  work_.begin(now);
  bool is_drained = false;
  while (const std::size_t maximum = work_.may_read(kBatch)) {
    const IncomingDatagram* const datagram = incoming_.next(socket_, now, maximum);
    if (datagram == nullptr) {
      is_drained = true;
      break;
    }
    work_.count_datagram();
    ++counters_.datagrams_in;
    counters_.bytes_in += datagram->byte_count;
    receive_datagram(arrivals_.arrival(*datagram, incoming_.read_at()), date,
                     {.peer = datagram->from, .local = datagram->to},
                     datagram->memory.first(datagram->byte_count));
  }
  if (is_drained) arrivals_.all_read(now);
  if (!is_drained) ++counters_.receives_limited;
  outgoing_.flush(socket_);
  const ReceiveReport report = work_.end(now, !is_drained, socket_);
  counters_.dropped_unread = work_.dropped_unread();
  return report;
}

void Server::receive_datagram(Time now, UnixSeconds date, const DatagramPath& path,
                              std::span<std::byte> datagram) {
  if (!path.peer.is_peer()) {
    ++counters_.bad_sources;
    return;
  }
  if (datagram.empty() || datagram.size() > kDatagramBytesMax) {
    ++counters_.not_ours;
    return;
  }
  const auto first = std::to_integer<std::uint8_t>(datagram.front());
  if ((first & kPacketBit) != 0) {
    receive_packet(now, path, datagram);
  } else if (first == static_cast<std::uint8_t>(DatagramKind::request)) {
    receive_request(now, path, datagram);
  } else if (first == static_cast<std::uint8_t>(DatagramKind::response)) {
    receive_response(now, date, path, datagram);
  } else {
    ++counters_.not_ours;
  }
}

void Server::receive_packet(Time now, const DatagramPath& path, std::span<std::byte> datagram) {
  const std::uint32_t id = connection_id_of(datagram);
  const std::uint32_t slot = id % kSlotsMax;
  if (id == 0 || slot >= slots_.size() || slots_[slot] == nullptr ||
      slots_[slot]->sealed.our_id() != id) {
    ++counters_.unknown_connection;
    return;
  }
  Client& client = *slots_[slot];
  bool is_highest = false;
  work_.spend(receive_work::opening(datagram.size()));
  const DatagramVerdict verdict = client.sealed.read(now, datagram, is_highest);
  if (verdict == DatagramVerdict::forged) {
    ++counters_.forged;
  } else {
    work_.spend(receive_work::applying(datagram.size()));
  }
  if (verdict != DatagramVerdict::received) return;
  if (!client.is_connected && !connect(now, client)) return;
  follow(now, client, path, is_highest);
}

void Server::report(const ServerEvent& event) {
  if (events_.size() < kServerEventsMax) {
    events_.push_back(event);
  } else {
    ++counters_.events_unread;
  }
}

/// Sends a path challenge to a new address of a client. Uses the new address when the answer
/// arrives.
void Server::follow(Time now, Client& client, const DatagramPath& path, bool is_highest) {
  const std::optional<std::uint64_t> answer = client.sealed.connection().drain_path_answer();
  if (path.peer == client.path.peer) return;
  // Some NATs send each packet from another port, so an answer is valid from any port.
  if (answer.has_value() && client.has_path_challenge && *answer == client.path_challenge &&
      is_same_host(path.peer, client.challenged_path.peer)) {
    // If only the port changes, the measurements of the path are kept (RFC 9000, section 9.4).
    if (!is_same_host(path.peer, client.path.peer)) client.sealed.connection().path_changed();
    client.path = path;
    client.has_path_challenge = false;
    ++counters_.addresses_changed;
    return;
  }
  if (!is_highest ||
      (client.has_path_challenge && now - client.challenged_at < kPathChallengeInterval))
    return;
  // A repeated challenge to the same address has the same bytes, so that a late answer to an
  // earlier challenge is valid.
  if (!client.has_path_challenge || !is_same_host(client.challenged_path.peer, path.peer)) {
    std::array<std::byte, 8> challenge{};
    entropy_.fill(challenge);
    client.path_challenge = ByteReader(challenge).u64();
  }
  client.has_path_challenge = true;
  client.challenged_path = path;
  client.challenged_at = now;
  work_.spend(receive_work::kAnswer);
  const std::span<std::byte> memory = outgoing_.next(socket_);
  const std::size_t bytes = client.sealed.write_path_challenge(now, client.path_challenge, memory);
  outgoing_.add(path, bytes);
  cap_.spent(client.slot, bytes);
}

void Server::send(Time now) {
  const auto count = static_cast<std::uint32_t>(slots_.size());
  // The order alternates between ticks, so that each of two clients is first equally often. A
  // client that is always second in a shared queue would measure a longer queue, and lower its
  // rate.
  const bool is_forwards = turn_ % 2 == 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t slot = (turn_ / 2 + (is_forwards ? i : count - 1 - i)) % count;
    if (slots_[slot] == nullptr) continue;
    send_client(now, *slots_[slot]);
    const Client& client = *slots_[slot];
    const bool is_over = client.is_connected
                             ? client.closed_at.has_value() && now - *client.closed_at > kLinger
                             : now - client.accepted_at > kPendingTime;
    if (!is_over) continue;
    if (!client.is_connected) ++counters_.pending_expired;
    release(slot);
  }
  turn_ = (turn_ + 1) % (2 * count);
  share_cap(now);
  outgoing_.flush(socket_);
  counters_.datagrams_out = outgoing_.sent();
  counters_.bytes_out = outgoing_.bytes();
  counters_.send_failed = outgoing_.failed();
}

void Server::send_client(Time now, Client& client) {
  if (!client.is_connected) return;
  Connection& connection = client.sealed.connection();
  connection.tick(now);
  for (int i = 0; i < kPacketsPerTickMax && connection.wants_to_send(now); ++i) {
    // Closed connections ignore the cap, so that their clients receive the close at once.
    const bool is_closed = connection.state() == ConnectionState::closed;
    if (!is_closed && cap_.credit(client.slot) <= 0 && cap_.is_used_up()) break;
    const std::size_t bytes = client.sealed.write(now, outgoing_.next(socket_));
    outgoing_.add(client.path, bytes);
    cap_.spent(client.slot, bytes);
  }
  if (connection.state() != ConnectionState::closed || client.closed_at.has_value()) return;
  report({.kind = ServerEvent::Kind::closed,
          .client = handle_of(client.slot),
          .close = connection.end()});
  client.closed_at = now;
  counted_for_[client.slot].reset();
  ++counters_.closed;
}

/// Distributes the cap: sets the bytes that each client may send until the next tick.
void Server::share_cap(Time now) {
  counters_.capped += cap_.refill(now);
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (is_live(slot)) slots_[slot]->sealed.connection().allow(cap_.credit(slot));
  }
}

void Server::close(std::string_view text, Time now) {
  for (const std::unique_ptr<Client>& client : slots_) {
    if (client != nullptr && client->is_connected) {
      client->sealed.connection().close(CloseReason::shutting_down, text, now);
    }
  }
  send(now);
}

}  // namespace muster
