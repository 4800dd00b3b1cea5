// Everything that is counted, in the text format of Prometheus (version 0.0.4).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "net/endpoint/server.h"
#include "net/metrics/traffic_windows.h"
#include "net/transport/connection.h"

namespace muster {

/// What is told of one connection.
struct ConnectionMetrics {
  std::string_view client;  ///< The label; any bytes. Must outlive the call. Unique among the rows.
  ConnectionCounters counters{};
  TrafficRates last_second{};
  Duration round_trip{};
  Duration round_trip_variation{};
  Duration round_trip_minimum{};
  Duration queue_delay{};
  double send_bytes_per_second = 0;  ///< What the path is thought to carry.
  std::size_t window_bytes = 0;
  std::size_t datagram_bytes = 0;
  bool is_interrupted = false;
};

ConnectionMetrics metrics_of(std::string_view client, const Connection& connection,
                             const TrafficWindows& windows);

/// What is told of a server.
struct ServerMetrics {
  ServerCounters counters{};
  TrafficRates last_second{};
  std::size_t clients = 0;
  bool is_dangerous = false;  ///< Lets in clients whose packets anybody reads and forges.
};

/// Appends a server's metrics. Names begin with `muster_server_`; times are in seconds.
void append_prometheus(std::string& text, const ServerMetrics& server);
/// Appends metrics of all connections, one row each per metric, since a metric must stand in one
/// place: call it once per export. Names begin with `muster_connection_`. Nothing without rows.
void append_prometheus(std::string& text, std::span<const ConnectionMetrics> connections);

}  // namespace muster
