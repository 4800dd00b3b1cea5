#include "net/endpoint/client.h"

#include <algorithm>

namespace muster {

namespace {

constexpr Duration kRetryInterval = std::chrono::milliseconds(250);

/// Returns all addresses to try, without duplicates.
std::vector<Address> servers_of(const ClientOptions& options) {
  std::vector<Address> servers;
  if (!options.server.is_unspecified()) servers.push_back(options.server);
  if (options.handshake.token.has_value()) {
    for (const Address& each : options.handshake.token->servers) {
      if (std::ranges::find(servers, each) == servers.end()) servers.push_back(each);
    }
  }
  if (servers.empty()) servers.push_back(options.server);
  return servers;
}

}  // namespace

Client::Client(const ClientOptions& options, DatagramSocket& socket, Entropy& entropy, Time now)
    : options_(options),
      socket_(&socket),
      handshake_(options.handshake, entropy),
      servers_(servers_of(options)),
      began_(now),
      server_began_(now),
      work_(options.receive_limits, now),
      arrivals_(now),
      notice_(options.danger_log) {
  warn(now);
}

void Client::warn(Time now) {
  if (!is_dangerous()) return;
  notice_.remind(
      now,
      "DANGER: this connection is not protected. Everyone on the path can read and forge its "
      "packets. For development only.");
}

ClientState Client::state() const {
  if (end_.has_value()) return ClientState::closed;
  if (sealed_ == nullptr) {
    return is_challenged_ ? ClientState::responding : ClientState::requesting;
  }
  switch (sealed_->connection().state()) {
    case ConnectionState::connected:
      return ClientState::connected;
    case ConnectionState::interrupted:
      return ClientState::interrupted;
    case ConnectionState::closed:
      break;
  }
  return ClientState::closed;
}

std::optional<Close> Client::end() const {
  if (end_.has_value() || sealed_ == nullptr) return end_;
  return sealed_->connection().end();
}

ReceiveReport Client::receive(Time now) {
  if (!end_.has_value()) warn(now);
  work_.begin(now);
  bool is_drained = false;
  while (const std::size_t maximum = work_.may_read(kBatch)) {
    const IncomingDatagram* const datagram = incoming_.next(*socket_, now, maximum);
    if (datagram == nullptr) {
      is_drained = true;
      break;
    }
    work_.count_datagram();
    const bool is_sound = datagram->from == server() && datagram->byte_count > 0 &&
                          datagram->byte_count <= kDatagramBytesMax;
    if (is_sound) {
      receive_datagram(arrivals_.arrival(*datagram, incoming_.read_at()),
                       datagram->memory.first(datagram->byte_count));
    } else {
      ++counters_.not_ours;
    }
  }
  if (is_drained) {
    arrivals_.all_read(now);
  } else {
    ++counters_.receives_limited;
  }
  const ReceiveReport report = work_.end(now, !is_drained, *socket_);
  counters_.dropped_unread = work_.dropped_unread();
  return report;
}

void Client::receive_datagram(Time now, std::span<std::byte> datagram) {
  if ((std::to_integer<unsigned>(datagram.front()) & kPacketBit) != 0) {
    receive_packet(now, datagram);
  } else if (sealed_ == nullptr && !end_.has_value()) {
    record_handshake(now, false, datagram);
    receive_answer(now, datagram);
  } else {
    ++counters_.not_ours;
  }
}

void Client::receive_packet(Time now, std::span<std::byte> datagram) {
  if (sealed_ == nullptr || connection_id_of(datagram) != sealed_->our_id()) {
    ++counters_.not_ours;
    return;
  }
  bool is_highest = false;
  work_.spend(receive_work::opening(datagram.size()));
  if (sealed_->read(now, datagram, is_highest) == DatagramVerdict::forged) {
    ++counters_.forged;
  } else {
    work_.spend(receive_work::applying(datagram.size()));
  }
}

void Client::receive_answer(Time now, std::span<const std::byte> datagram) {
  work_.spend(receive_work::kHandshake);
  if (std::optional<Refusal> refusal = handshake_.read_refuse(datagram)) {
    refusal_ = std::move(refusal);
    if (!try_next_server(now, refusal_)) give_up(CloseReason::refused, refusal_->text);
  } else if (!is_challenged_ && handshake_.read_challenge(datagram)) {
    is_challenged_ = true;
    challenged_at_ = now;
    last_sent_.reset();
  } else if (is_challenged_) {
    if (const std::optional<ConnectionKeys> keys = handshake_.read_accept(datagram)) {
      connect(now, *keys);
    } else {
      ++counters_.not_ours;
    }
  } else {
    ++counters_.not_ours;
  }
}

void Client::connect(Time now, const ConnectionKeys& keys) {
  ConnectionOptions options = options_.connection;
  options.datagram_bytes_max =
      std::min<std::size_t>(options.datagram_bytes_max, keys.datagram_bytes_max);
  sealed_ = std::make_unique<SealedConnection>(
      options, keys.cipher, keys.to_server, keys.to_client,
      SealedConnection::Ids{.ours = keys.client_receives, .theirs = keys.server_receives}, now);
  if (options_.recorder != nullptr) {
    RecordedConnection about = recorded_options(options);
    about.at = now;
    about.cipher = keys.cipher;
    about.local = socket_->local_address();
    about.peer = server();
    sealed_->record(*options_.recorder, about);
  }
  account_ = keys.account;
  connected_at_ = now;
  must_answer_ = true;
  forget_secrets();
}

void Client::send(Time now) {
  if (end_.has_value()) return;
  if (sealed_ == nullptr) {
    shake_hands(now);
    outgoing_.flush(*socket_);
    counters_.send_failed = outgoing_.failed();
    return;
  }
  Connection& connection = sealed_->connection();
  // No packet of the server has arrived. The server may have dropped this client, because the
  // client's first packet was lost.
  if (connection.highest_received() == 0 && now - connected_at_ >= options_.connect_timeout) {
    connection.close(CloseReason::no_answer, "the server does not answer", now);
  }
  connection.tick(now);
  for (int i = 0; i < kPacketsPerTickMax && (must_answer_ || connection.wants_to_send(now)); ++i) {
    must_answer_ = false;
    const std::size_t bytes = sealed_->write(now, outgoing_.next(*socket_));
    outgoing_.add({.peer = server()}, bytes);
  }
  outgoing_.flush(*socket_);
  counters_.send_failed = outgoing_.failed();
}

void Client::shake_hands(Time now) {
  if (now - began_ >= options_.connect_timeout) {
    give_up_unanswered();
    return;
  }
  const Duration share = options_.connect_timeout / static_cast<int>(servers_.size());
  if (now - server_began_ >= share) try_next_server(now, std::nullopt);
  if (is_challenged_ && now - challenged_at_ >= kChallengeAge) {
    is_challenged_ = false;
    last_sent_.reset();
  }
  if (last_sent_.has_value() && now - *last_sent_ < kRetryInterval) return;
  last_sent_ = now;
  const std::span<std::byte, kRequestBytes> memory =
      outgoing_.next(*socket_).first<kRequestBytes>();
  if (is_challenged_) {
    handshake_.write_response(memory);
    ++counters_.responses;
  } else {
    handshake_.write_request(memory);
    ++counters_.requests;
  }
  record_handshake(now, true, memory);
  outgoing_.add({.peer = server()}, kRequestBytes);
}

/// Tries the next address with the keys of the same attempt. So the token is still valid if the
/// last server accepted it and only the answer was lost. Returns false if no address is left.
bool Client::try_next_server(Time now, const std::optional<Refusal>& refusal) {
  if (server_index_ + 1 == servers_.size()) return false;
  tried_.push_back({.server = server(), .refusal = refusal});
  ++server_index_;
  server_began_ = now;
  is_challenged_ = false;
  last_sent_.reset();
  return true;
}

void Client::give_up_unanswered() {
  if (refusal_.has_value()) {
    give_up(CloseReason::refused, refusal_->text);
  } else {
    give_up(CloseReason::no_answer, servers_.size() == 1
                                        ? "the server does not answer"
                                        : "none of the server's addresses answers");
  }
}

void Client::record_handshake(Time now, bool is_outgoing, std::span<const std::byte> datagram) {
  if (options_.recorder == nullptr) return;
  options_.recorder->handshake({.at = now,
                                .is_outgoing = is_outgoing,
                                .local = socket_->local_address(),
                                .peer = server(),
                                .datagram = datagram});
}

void Client::give_up(CloseReason reason, std::string_view text) {
  end_ = Close{.reason = reason, .by_peer = false, .text = std::string(text)};
  forget_secrets();
}

/// Wipes the ephemeral key and the key chain. With one of these two and a recorded accept, an
/// attacker can compute every key of the connection.
void Client::forget_secrets() {
  handshake_.forget_secrets();
  if (options_.handshake.token.has_value()) options_.handshake.token->secret = SecretKey();
}

void Client::close(std::string_view text, Time now) {
  if (sealed_ == nullptr) {
    if (!end_.has_value()) give_up(CloseReason::left, text);
    return;
  }
  sealed_->connection().close(CloseReason::left, text, now);
  send(now);
}

}  // namespace muster
