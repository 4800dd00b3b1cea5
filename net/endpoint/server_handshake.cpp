// Handles requests and responses. The checks are in the order of net/CONNECTION.md: fast checks
// come first, and the server stores nothing before a cookie has proved the sender's address.
#include <algorithm>

#include "net/endpoint/server.h"
#include "net/endpoint/server_client.h"

namespace muster {

namespace {

constexpr std::string_view kAddressIsFull =
    "too many players have joined from your address: one of them must leave first";

std::array<std::byte, 32> hash_of_response(const ResponseView& response) {
  std::array<std::byte, 32> bytes{};
  std::ranges::copy(hash(response.datagram).bytes(), bytes.begin());
  return bytes;
}

}  // namespace

void Server::refuse(const DatagramPath& path, const RequestView& request, RefuseReason reason,
                    std::string_view text) {
  ++counters_.refusals[static_cast<std::size_t>(reason)];
  const std::span<std::byte> memory = outgoing_.next(socket_);
  work_.spend(receive_work::kAnswer);
  outgoing_.add(path, write_refuse(request, reason, text, memory.first<kRefuseBytesMax>()));
}

void Server::receive_request(Time now, const DatagramPath& path,
                             std::span<const std::byte> datagram) {
  ++counters_.requests;
  work_.spend(receive_work::kRequest);
  const std::optional<RequestView> request = read_request_head(datagram);
  if (!request.has_value() ||
      (request->version == kProtocolVersion && !has_zero_padding(datagram))) {
    ++counters_.not_ours;
    return;
  }
  if (!answers_.spend_one(now)) {
    ++counters_.requests_limited;
    return;
  }
  if (request->version != kProtocolVersion) {
    refuse(path, *request, RefuseReason::wrong_version,
           "the server speaks another version of the protocol: update the older of the two");
    return;
  }
  if (request->application != options_.agreement.application) {
    refuse(path, *request, RefuseReason::wrong_application, "this server belongs to another game");
    return;
  }
  const Challenge challenge = challenger_.make(now, path.peer, request->claim);
  const auto answer = write_challenge(*request, challenge, identity_.shared);
  const std::span<std::byte> memory = outgoing_.next(socket_);
  std::ranges::copy(answer, memory.begin());
  work_.spend(receive_work::kAnswer);
  outgoing_.add(path, answer.size());
  ++counters_.challenges;
}

void Server::receive_response(Time now, UnixSeconds date, const DatagramPath& path,
                              std::span<const std::byte> datagram) {
  ++counters_.responses;
  work_.spend(receive_work::kResponse);
  const std::optional<ResponseView> response = read_response(datagram);
  if (!response.has_value() || response->head.application != options_.agreement.application) {
    ++counters_.not_ours;
    return;
  }
  if (!challenger_.is_ours(response->challenge, now, path.peer, response->head.claim)) {
    ++counters_.challenges_stale;
    return;
  }
  if (answers_again(now, *response, path)) return;
  if (!response_budget_.spend_one(now, path.peer)) {
    ++counters_.responses_limited;
    return;
  }
  apply(now, date, path, *response);
}

/// Handles a repeated response: the accept may have been lost, so the same response gets the same
/// accept. Returns false for a new response. The ephemeral key alone proves nothing, so a different
/// response with the same key is checked as a new response.
bool Server::answers_again(Time now, const ResponseView& response, const DatagramPath& path) {
  const auto known = slot_of_attempt_.find(response.head.ephemeral);
  if (known == slot_of_attempt_.end()) return false;
  Client& client = *slots_[known->second];
  if (client.is_connected) return true;  // The client already has the accept.
  if (client.path.peer != path.peer) return false;
  if (!client.repeats.spend_one(now)) {
    ++counters_.responses_limited;
    return true;
  }
  work_.spend(receive_work::kRepeat);
  if (client.response_hash != hash_of_response(response)) return false;
  // The time for the client's first packet starts again. Otherwise the server could drop a client
  // that has just received the accept. Repeated responses are possible only until the challenge
  // expires.
  client.accepted_at = now;
  client.path = path;
  const std::span<std::byte> memory = outgoing_.next(socket_);
  std::copy_n(client.accept.begin(), client.accept_bytes, memory.begin());
  work_.spend(receive_work::kAnswer);
  outgoing_.add(path, client.accept_bytes);
  ++counters_.accepts_again;
  return true;
}

bool Server::allows(TrustMode mode) const {
  switch (mode) {
    case TrustMode::pinned:
      return options_.allow_pinned.value_or(!options_.backend_key.has_value());
    case TrustMode::token:
      return options_.backend_key.has_value();
    case TrustMode::unprotected:
      return options_.danger_allow_unprotected;
  }
  return false;
}

/// Checks a token. Returns false if the client was refused.
bool Server::accept_token(UnixSeconds date, const DatagramPath& path, const ResponseView& response,
                          std::optional<OpenedToken>& token) {
  const RequestView& head = response.head;
  work_.spend(receive_work::kToken);
  token = open_token(response.token, head.application, date, *options_.backend_key);
  const std::vector<Address>& ours = options_.public_addresses;
  const auto is_ours = [&ours](const Address& server) {
    return std::ranges::find(ours, server) != ours.end();
  };
  if (!token.has_value() || token->issued < options_.tokens_issued_from ||
      (!ours.empty() && std::ranges::none_of(token->servers, is_ours))) {
    refuse(path, head, RefuseReason::token_invalid,
           "the connect token has expired, or is not for this server: ask for a new one");
    return false;
  }
  if (used_tokens_.is_used_by_another(token->id, head.ephemeral, token->expires)) {
    refuse(path, head, RefuseReason::token_used,
           "the connect token was used before: ask for a new one");
    return false;
  }
  if (used_tokens_.is_full()) {
    refuse(path, head, RefuseReason::busy, "the server is busy: try again later");
    return false;
  }
  return true;
}

/// Checks the mode and the token, and then computes X25519 and opens the hello.
void Server::apply(Time now, UnixSeconds date, const DatagramPath& path,
                   const ResponseView& response) {
  const RequestView& head = response.head;
  if (!allows(head.mode)) {
    refuse(path, head, RefuseReason::wrong_mode,
           options_.backend_key.has_value()
               ? "this server requires a connect token"
               : "this server does not accept this kind of connection");
    return;
  }
  std::optional<OpenedToken> token;
  if (head.mode == TrustMode::token && !accept_token(date, path, response, token)) return;
  // If the address is at its limit and none of its clients can be replaced, refuses before X25519.
  if (!token.has_value() && has_too_many(path.peer, head) && !has_live_client(path.peer)) {
    ++counters_.clients_limited;
    refuse(path, head, RefuseReason::full, kAddressIsFull);
    return;
  }
  if (!(token.has_value() ? hellos_with_token_ : hellos_).spend_one(now)) {
    ++counters_.responses_limited;
    return;
  }
  work_.spend(receive_work::kHello);
  ServerHandshake handshake(identity_, token.has_value() ? token->secret : SecretKey());
  const std::optional<Hello> hello = handshake.open_hello(response);
  if (!hello.has_value()) {
    ++counters_.hellos_forged;
    return;
  }
  Applicant applicant{.address = path.peer, .hello = *hello};
  if (token.has_value()) {
    applicant.account = token->account;
    applicant.token_data = token->user_data;
  }
  applicant.account = admission_.account_of(applicant);
  applicant.replaces = replaced_by(applicant, head);
  std::string_view text;
  std::string game_text;
  const std::optional<std::uint32_t> slot = slot_for(head, applicant);
  std::optional<RefuseReason> reason = check_room(path, head, applicant, slot, text);
  if (!reason.has_value()) reason = check_hello(applicant, text, game_text);
  if (reason.has_value()) {
    refuse(path, head, *reason, text);
    return;
  }
  if (token.has_value()) {
    used_tokens_.add({.id = token->id,
                      .attempt = head.ephemeral,
                      .issued = token->issued,
                      .expires = token->expires},
                     now);
    ++counters_.tokens_used;
  }
  admit(now, path, response, applicant, handshake, *slot);
}

/// Checks whether there is room for an applicant. If there is no room, returns the reason for a
/// refusal.
std::optional<RefuseReason> Server::check_room(const DatagramPath& path, const RequestView& head,
                                               const Applicant& applicant,
                                               std::optional<std::uint32_t> slot,
                                               std::string_view& text) {
  const bool counts = head.mode != TrustMode::token && !applicant.replaces.has_value();
  if (counts && has_too_many(path.peer, head)) {
    ++counters_.clients_limited;
    text = kAddressIsFull;
    return RefuseReason::full;
  }
  if (slot.has_value()) return std::nullopt;
  text = "the server is full";
  return RefuseReason::full;
}

std::optional<RefuseReason> Server::check_hello(const Applicant& applicant, std::string_view& text,
                                                std::string& game_text) const {
  const Agreement& ours = options_.agreement;
  if (applicant.hello.descriptions != ours.descriptions) {
    text = "the game's component descriptions differ from the server's: use the same build";
    return RefuseReason::descriptions_differ;
  }
  if (applicant.hello.content != ours.content &&
      !admission_.admits_content(applicant.hello.content)) {
    text = "the game's content differs from the server's: update it";
    return RefuseReason::content_differs;
  }
  if (std::optional<std::string> refusal = admission_.refusal(applicant)) {
    game_text = std::move(*refusal);
    text = game_text;
    return RefuseReason::not_admitted;
  }
  return std::nullopt;
}

void Server::admit(Time now, const DatagramPath& path, const ResponseView& response,
                   const Applicant& applicant, ServerHandshake& handshake, std::uint32_t slot) {
  std::array<std::byte, 4> noise{};
  entropy_.fill(noise);
  // The id 0 means no connection.
  const std::uint32_t high = ByteReader(noise).u32() % (0xFFFFFFFFU / kSlotsMax - 1) + 1;
  ConnectionKeys keys{.server_receives = high * kSlotsMax + slot, .account = applicant.account};
  keys.datagram_bytes_max = static_cast<std::uint16_t>(options_.connection.datagram_bytes_max);
  keys.timeout_tenths = static_cast<std::uint16_t>(options_.connection.interrupted_after /
                                                   std::chrono::milliseconds(100));
  if (response.head.mode != TrustMode::unprotected) {
    const bool both_have_aes = applicant.hello.wants_aes && has_fast_aes();
    keys.cipher = both_have_aes ? Cipher::aes256_gcm : Cipher::chacha20_poly1305;
  }
  std::array<std::byte, kAcceptBytesMax> accept{};
  work_.spend(receive_work::kAccept);
  const std::size_t accept_bytes = handshake.write_accept(response, entropy_, keys, accept);
  auto client = std::make_unique<Client>(options_.connection, keys, now);
  client->slot = slot;
  client->generation = ++generation_;
  client->path = path;
  client->account = applicant.account;
  client->is_identified = applicant.account.is_known();
  client->token_data.assign(applicant.token_data.begin(), applicant.token_data.end());
  client->has_token = response.head.mode == TrustMode::token;
  client->replaces = applicant.replaces;
  client->attempt = response.head.ephemeral;
  client->response_hash = hash_of_response(response);
  client->accept = accept;
  client->accept_bytes = accept_bytes;
  if (options_.recorder != nullptr) record(now, response, *client, keys.cipher);
  Client* const before = slots_[slot].get();
  const bool is_itself = before != nullptr && before->attempt == client->attempt;
  if (before != nullptr) {
    const bool is_same_account = client->account.is_known() && before->account == client->account;
    const bool is_successor =
        is_same_account || (before->replaces.has_value() && before->replaces == client->replaces);
    if (is_itself || is_successor) {
      ++counters_.pending_replaced;
    } else {
      send_server_full(now, *before);
    }
  }
  slot_of_attempt_[response.head.ephemeral] = slot;  // No later step throws.
  if (before != nullptr) {
    if (!is_itself) slot_of_attempt_.erase(before->attempt);
    --pending_;
  }
  counted_for_[slot].reset();
  slots_[slot] = std::move(client);
  if (response.head.mode != TrustMode::token) counted_for_[slot] = subscriber_of(path.peer);
  ++pending_;
  ++counters_.accepts;
  const std::span<std::byte> memory = outgoing_.next(socket_);
  std::copy_n(accept.begin(), accept_bytes, memory.begin());
  work_.spend(receive_work::kAnswer);
  outgoing_.add(path, accept_bytes);
}

void Server::record(Time now, const ResponseView& response, Client& client, Cipher cipher) {
  const Address local = socket_.local_address();
  PacketRecorder& recorder = *options_.recorder;
  recorder.handshake({.at = now,
                      .is_outgoing = false,
                      .local = local,
                      .peer = client.path.peer,
                      .datagram = response.datagram});
  recorder.handshake({.at = now,
                      .is_outgoing = true,
                      .local = local,
                      .peer = client.path.peer,
                      .datagram = std::span(client.accept).first(client.accept_bytes)});
  RecordedConnection about = recorded_options(options_.connection);
  about.at = now;
  about.is_server = true;
  about.cipher = cipher;
  about.local = local;
  about.peer = client.path.peer;
  client.sealed.record(recorder, about);
}

}  // namespace muster
