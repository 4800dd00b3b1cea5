// Decides which clients a server keeps. A datagram without a valid seal never ends a client. A
// pending client (accepted, without a packet yet) is removed only for a client whose hello was
// decrypted. A connected client is replaced only when the first packet of the new connection was
// decrypted.
#include <algorithm>

#include "net/endpoint/server.h"
#include "net/endpoint/server_client.h"

namespace muster {

std::optional<std::uint32_t> Server::free_slot() const {
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot] == nullptr) return slot;
  }
  return std::nullopt;
}

/// Returns true if a client counts towards `clients_max`. A client and its replacement count as one
/// client.
bool Server::uses_slot(const Client& client) const {
  if (client.is_replaced) return false;
  return client.is_connected || !client.replaces.has_value() || find(*client.replaces) == nullptr;
}

std::size_t Server::slots_used() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      slots_, [this](const auto& client) { return client != nullptr && uses_slot(*client); }));
}

/// Returns the live connection of an account; nothing if the account is unknown.
std::optional<ClientHandle> Server::connection_of(AccountId account) const {
  for (std::uint32_t slot = 0; slot < slots_.size() && account.is_known(); ++slot) {
    if (is_occupied(slot) && slots_[slot]->account == account) return handle_of(slot);
  }
  return std::nullopt;
}

bool Server::is_silent(std::uint32_t slot) const {
  return is_occupied(slot) && !slots_[slot]->is_identified &&
         slots_[slot]->sealed.connection().state() == ConnectionState::interrupted;
}

/// Returns the connection that an applicant would replace: the connection of the same account.
/// If the applicant has no account, this is a connection from the same address that has sent
/// nothing for `interrupted_after`. This connection is replaced only if the applicant could not be
/// admitted otherwise.
std::optional<ClientHandle> Server::replaced_by(const Applicant& applicant,
                                                const RequestView& attempt) {
  if (applicant.account.is_known()) return connection_of(applicant.account);
  if (attempt.mode == TrustMode::token) return std::nullopt;
  const bool is_full = slots_used() >= options_.clients_max && !pending_to_remove(true).has_value();
  if (!is_full && !has_too_many(applicant.address, attempt)) return std::nullopt;
  const std::optional<Address> subscriber = subscriber_of(applicant.address);
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (is_silent(slot) && counted_for_[slot] == subscriber) return handle_of(slot);
  }
  return std::nullopt;
}

/// Returns the slot of the pending client to remove, or no value if no pending client can be
/// removed. A client with a token is never removed, because a backend has admitted it.
std::optional<std::uint32_t> Server::pending_to_remove(bool must_use_slot) {
  waiting_.clear();
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    const Client* const client = slots_[slot].get();
    if (client == nullptr || client->is_connected || client->has_token) continue;
    if (must_use_slot && !uses_slot(*client)) continue;
    waiting_.push_back(
        {.from = client->path.peer, .since = client->accepted_first_at, .slot = slot});
  }
  if (waiting_.empty()) return std::nullopt;
  return slot_to_vacate(waiting_);
}

/// Returns the slot for an applicant, or no value if there is no slot. A pending client in this
/// slot must be removed.
std::optional<std::uint32_t> Server::slot_for(const RequestView& attempt,
                                              const Applicant& applicant) {
  // A repeated attempt reuses its slot. All pending replacements of the same connection use one
  // slot.
  const auto known = slot_of_attempt_.find(attempt.ephemeral);
  if (known != slot_of_attempt_.end()) return known->second;
  if (applicant.replaces.has_value()) {
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
      const Client* const client = slots_[slot].get();
      if (client != nullptr && !client->is_connected && client->replaces == applicant.replaces) {
        return slot;
      }
    }
  }
  const bool is_room = applicant.replaces.has_value() || slots_used() < options_.clients_max;
  if (is_room && pending_ < kPendingMax) return free_slot();
  if (const auto own = pending_of(applicant.account)) return own;
  return pending_to_remove(!is_room);
}

/// Returns the slot of the oldest pending connection of an account; nothing if the account is
/// unknown.
std::optional<std::uint32_t> Server::pending_of(AccountId account) const {
  std::optional<std::uint32_t> oldest;
  for (std::uint32_t slot = 0; slot < slots_.size() && account.is_known(); ++slot) {
    const Client* const client = slots_[slot].get();
    if (client == nullptr || client->is_connected || client->account != account) continue;
    if (!oldest.has_value() || client->accepted_first_at < slots_[*oldest]->accepted_first_at) {
      oldest = slot;
    }
  }
  return oldest;
}

/// Returns true when an address is at its limit. The attempt's own slot does not count.
bool Server::has_too_many(const Address& from, const RequestView& attempt) const {
  const std::optional<Address> subscriber = subscriber_of(from);
  auto count = static_cast<std::size_t>(std::ranges::count(counted_for_, subscriber));
  const auto known = slot_of_attempt_.find(attempt.ephemeral);
  if (known != slot_of_attempt_.end() && counted_for_[known->second] == subscriber) --count;
  return count >= options_.clients_per_address;
}

bool Server::has_live_client(const Address& from) const {
  const std::optional<Address> subscriber = subscriber_of(from);
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (is_live(slot) && counted_for_[slot] == subscriber) return true;
  }
  return false;
}

/// Connects a pending client, after its first packet was opened. Returns false if there is no
/// longer room for the client.
bool Server::connect(Time now, Client& client) {
  std::optional<ClientHandle> old = connection_of(client.account);
  const bool had_to_replace = client.replaces.has_value() && !client.account.is_known();
  if (had_to_replace && find(*client.replaces) != nullptr && is_silent(client.replaces->slot)) {
    old = client.replaces;
  }
  if (old.has_value()) {
    end_replaced(now, *slots_[old->slot]);
  } else if (had_to_replace && !uses_slot(client)) {
    // The connection that this client would replace has become active again.
    send_server_full(now, client);
    release(client.slot);
    return false;
  }
  // Reports the event before any change, because `report` may throw. The client's next packet then
  // connects it.
  report({.kind = ServerEvent::Kind::connected, .client = handle_of(client.slot), .replaces = old});
  client.is_connected = true;
  client.replaces.reset();
  cap_.join(client.slot);
  client.sealed.connection().allow(cap_.credit(client.slot));
  --pending_;
  ++counters_.connected;
  return true;
}

/// Closes a connection that a newer connection of the same client replaces.
void Server::end_replaced(Time now, Client& old) {
  old.sealed.connection().close(CloseReason::kicked, "you have joined again from elsewhere", now);
  if (!old.closed_at.has_value()) {
    report({.kind = ServerEvent::Kind::closed,
            .client = handle_of(old.slot),
            .close = old.sealed.connection().end()});
    old.closed_at = now;
    ++counters_.closed;
  }
  counted_for_[old.slot].reset();
  old.is_replaced = true;
  ++counters_.clients_replaced;
}

/// Sends a pending client a close with the reason that the server is full. The caller then removes
/// the client.
void Server::send_server_full(Time now, Client& client) {
  Connection& connection = client.sealed.connection();
  connection.close(CloseReason::kicked, "the server is full", now);
  for (std::uint32_t i = 0; i < receive_work::kClosePackets && connection.wants_to_send(now); ++i) {
    work_.spend(receive_work::kAnswer);
    const std::size_t bytes = client.sealed.write(now, outgoing_.next(socket_));
    outgoing_.add(client.path, bytes);
  }
  ++counters_.pending_removed;
}

void Server::release(std::uint32_t slot) {
  const Client& client = *slots_[slot];
  if (!client.is_connected) --pending_;
  slot_of_attempt_.erase(client.attempt);
  slots_[slot].reset();
  counted_for_[slot].reset();
  cap_.leave(slot);
}

}  // namespace muster
