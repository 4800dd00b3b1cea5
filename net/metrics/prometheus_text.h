// Writes all counters in the text format of Prometheus (version 0.0.4).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "net/endpoint/server.h"
#include "net/metrics/traffic_windows.h"
#include "net/transport/connection.h"

namespace muster {

/// The metrics of one connection.
struct ConnectionMetrics {
  /// The label of the connection: any bytes, different for each row. Must outlive the call.
  std::string_view client;
  ConnectionCounters counters{};
  TrafficRates last_second{};
  Duration round_trip{};
  Duration round_trip_variation{};
  Duration round_trip_minimum{};
  Duration queue_delay{};
  double send_bytes_per_second = 0;  ///< The estimated rate of the path.
  std::size_t window_bytes = 0;
  std::size_t datagram_bytes = 0;
  bool is_interrupted = false;
};

ConnectionMetrics metrics_of(std::string_view client, const Connection& connection,
                             const TrafficWindows& windows);

/// The metrics of a server.
struct ServerMetrics {
  ServerCounters counters{};
  TrafficRates last_second{};
  std::size_t clients = 0;
  bool is_dangerous = false;  ///< True if clients without encryption are admitted.
};

/// Appends a server's metrics. Their names begin with `muster_server_`.
void append_prometheus(std::string& text, const ServerMetrics& server);
/// Appends the metrics of all connections, with one row per connection for each metric. Their names
/// begin with `muster_connection_`, and times are in seconds. Call this function once per export,
/// because the format requires that all rows of a metric are together. If there are no connections,
/// appends nothing.
void append_prometheus(std::string& text, std::span<const ConnectionMetrics> connections);

}  // namespace muster
