// Queues as many payloads as a connection's budget allows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "net/transport/connection.h"

namespace muster {

/// Queues payloads with contents from `bytes` until the connection's budget is used up. Returns the
/// status of the last payload. Requires: `bytes` has the size of the largest payload.
inline SendStatus fill_budget(Connection& connection, Time now, std::span<const std::byte> bytes) {
  constexpr std::size_t kPayloadMin = 50;
  SendStatus status = SendStatus::queued;
  while (status == SendStatus::queued) {
    const std::size_t size = std::min(connection.budget(now), connection.payload_bytes_max());
    if (size < kPayloadMin) break;
    status = connection.send_payload(bytes.first(size), 0);
  }
  connection.clear_delivery_reports();
  return status;
}

}  // namespace muster
