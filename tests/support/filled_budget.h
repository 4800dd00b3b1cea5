// A game that sends as much as its connection has room for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "net/transport/connection.h"

namespace muster {

/// Queues payloads of `bytes` until the connection's budget of now is used up. Returns how the last
/// one ended. Requires: as many bytes as the largest payload has.
inline SendStatus fill_budget(Connection& connection, Time now, std::span<const std::byte> bytes) {
  constexpr std::size_t kLeastPayload = 50;
  SendStatus status = SendStatus::queued;
  while (status == SendStatus::queued) {
    const std::size_t size = std::min(connection.budget(now), connection.payload_bytes_max());
    if (size < kLeastPayload) break;
    status = connection.send_payload(bytes.first(size), 0);
  }
  connection.clear_fates();
  return status;
}

}  // namespace muster
