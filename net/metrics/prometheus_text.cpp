// Tables list the metrics, and one writer writes them. All rows of a metric follow its HELP and
// TYPE lines, as the format requires: https://prometheus.io/docs/instrumenting/exposition_formats/.
#include "net/metrics/prometheus_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "registry/base/hex.h"

namespace muster {

namespace {

template <typename Counters>
struct CounterMetric {
  std::string_view name;  ///< The name without its prefix and without `_total`.
  std::string_view help;
  std::uint64_t Counters::*value;
};

using C = ConnectionCounters;
constexpr CounterMetric<C> kConnectionCounters[] = {
    {"received_bytes", "Bytes of datagrams received.", &C::bytes_in},
    {"sent_bytes", "Bytes of datagrams sent.", &C::bytes_out},
    {"received_packets", "Packets received.", &C::packets_in},
    {"sent_packets", "Packets sent.", &C::packets_out},
    {"received_header_bits", "Bits of packet headers received.", &C::header_bits_in},
    {"delivered_packets", "Sent packets that were delivered.", &C::delivered},
    {"lost_sent_packets", "Sent packets that were lost, or in flight at the end.", &C::lost_out},
    {"late_packets", "Packets acknowledged after they were reported lost.", &C::late_out},
    {"choked_packets", "Packets sent without contents, because too many were in flight.",
     &C::choked},
    {"lost_received_packets", "Packets of the peer that never arrived.", &C::lost_in},
    {"duplicate_packets", "Packets received again.", &C::duplicate_in},
    {"stale_packets", "Packets that arrived too late to be received.", &C::stale_in},
    {"out_of_order_packets", "Packets received after a later packet.", &C::out_of_order_in},
    {"malformed_packets", "Packets that violated the format.", &C::malformed_in},
    {"unbelievable_packets", "Packets that acknowledged a packet that was never sent.",
     &C::unbelievable_in},
    {"refused_packets", "Packets refused because their contents did not fit.", &C::no_room_in},
    {"unread_stops", "Number of times that unread payloads or blocks stopped the peer.",
     &C::unread_stops},
    {"dropped_path_challenges", "Path challenges dropped because a packet answers only four.",
     &C::path_challenges_dropped},
    {"sent_payloads", "Payloads sent.", &C::payloads_out},
    {"received_payloads", "Payloads received.", &C::payloads_in},
    {"lost_payloads", "Sent payloads that were lost.", &C::payloads_lost},
    {"unread_delivery_reports", "Delivery reports dropped because earlier reports were unread.",
     &C::delivery_reports_unread},
    {"written_messages", "Messages written to packets, repeated ones included.", &C::messages_out},
    {"written_reliable_messages", "Reliable messages written, repeated ones included.",
     &C::messages_reliable_out},
    {"lost_messages", "Unreliable messages whose packet was lost.", &C::messages_lost},
    {"received_messages", "Messages received for the first time.", &C::messages_in},
    {"resent_messages", "Messages written again after a loss.", &C::messages_resent},
    {"duplicate_messages", "Messages received again.", &C::messages_duplicate},
    {"dropped_messages", "Unreliable messages dropped because too many were unread.",
     &C::messages_dropped},
    {"sent_fragments", "Fragments of blocks sent.", &C::fragments_out},
    {"received_fragments", "Fragments of blocks received.", &C::fragments_in},
    {"lost_fragments", "Sent fragments of blocks whose packet was lost.", &C::fragments_lost},
    {"resent_chunks", "Chunks of blocks sent again after a loss.", &C::chunks_resent},
    {"refused_blocks", "Sent blocks that the peer refused.", &C::blocks_refused},
    {"turned_away_blocks", "Blocks of the peer that were refused.", &C::blocks_refused_in},
    {"stalled_blocks", "Blocks of the peer given up because no new chunks arrived.",
     &C::blocks_stalled},
    {"refused_sends", "Send requests that were refused.", &C::would_block},
    {"lost_at_close",
     "Messages, payloads and blocks not confirmed as delivered at the end of the connection.",
     &C::lost_at_close},
    {"lost_at_map", "Messages not confirmed as delivered when their map ended.", &C::lost_at_map},
    {"unread_at_map", "Messages, payloads and blocks unread when their map ended.",
     &C::unread_at_map},
    {"past_map_packets", "Packets of a past map.", &C::past_map_in},
};

struct SectionMetric {
  std::string_view section;
  std::string_view direction;
  std::uint64_t C::*value;
};
constexpr SectionMetric kSections[] = {
    {"control", "in", &C::control_bytes_in},  {"control", "out", &C::control_bytes_out},
    {"payload", "in", &C::payload_bytes_in},  {"payload", "out", &C::payload_bytes_out},
    {"messages", "in", &C::message_bytes_in}, {"messages", "out", &C::message_bytes_out},
    {"blocks", "in", &C::block_bytes_in},     {"blocks", "out", &C::block_bytes_out},
};

using S = ServerCounters;
constexpr CounterMetric<S> kServerCounters[] = {
    {"received_datagrams", "Datagrams received.", &S::datagrams_in},
    {"sent_datagrams", "Datagrams sent.", &S::datagrams_out},
    {"received_bytes", "Bytes of datagrams received.", &S::bytes_in},
    {"sent_bytes", "Bytes of datagrams passed to the socket.", &S::bytes_out},
    {"foreign_datagrams", "Datagrams of unknown kind or wrong size.", &S::not_ours},
    {"impossible_sources", "Datagrams from addresses that cannot be a peer.", &S::bad_sources},
    {"limited_receives", "Calls of receive that ended at a limit.", &S::receives_limited},
    {"dropped_unread", "Datagrams lost because the socket's buffer was full.", &S::dropped_unread},
    {"requests", "Handshake requests received.", &S::requests},
    {"challenges", "Handshake challenges sent.", &S::challenges},
    {"limited_requests", "Requests above the limit for all addresses.", &S::requests_limited},
    {"responses", "Handshake responses received.", &S::responses},
    {"limited_responses", "Responses above the limit of an address or of all addresses.",
     &S::responses_limited},
    {"limited_clients", "Handshakes refused because their address was at its client limit.",
     &S::clients_limited},
    {"stale_challenges", "Responses to challenges that were too old or not made by this server.",
     &S::challenges_stale},
    {"forged_hellos", "Hellos that could not be decrypted.", &S::hellos_forged},
    {"used_tokens", "Connect tokens used.", &S::tokens_used},
    {"accepts", "Handshake accepts sent.", &S::accepts},
    {"repeated_accepts", "Accepts sent again.", &S::accepts_again},
    {"expired_pending", "Accepted clients that never sent a packet.", &S::pending_expired},
    {"replaced_pending", "Accepted clients replaced by a newer attempt before their first packet.",
     &S::pending_replaced},
    {"removed_pending", "Accepted clients removed before their first packet to make room.",
     &S::pending_removed},
    {"replaced_clients", "Clients replaced by a newer connection of the same client.",
     &S::clients_replaced},
    {"connected", "Clients that connected.", &S::connected},
    {"closed", "Clients whose connection ended.", &S::closed},
    {"unknown_connection_packets", "Packets of an unknown connection.", &S::unknown_connection},
    {"forged_packets", "Packets with a broken seal.", &S::forged},
    {"changed_addresses", "Clients that changed their address.", &S::addresses_changed},
    {"failed_sends", "Datagrams that the socket refused.", &S::send_failed},
    {"unread_events", "Server events dropped because earlier events were unread.",
     &S::events_unread},
    {"capped_ticks",
     "Ticks in which a client used up its share of the server's cap, summed over clients.",
     &S::capped},
};

/// The names of `RefuseReason` by value; 0 is unused.
constexpr std::string_view kRefusals[] = {"",
                                          "wrong_version",
                                          "wrong_application",
                                          "wrong_mode",
                                          "token_invalid",
                                          "token_used",
                                          "full",
                                          "busy",
                                          "content_differs",
                                          "descriptions_differ",
                                          "not_admitted"};
static_assert(std::size(kRefusals) == static_cast<std::size_t>(RefuseReason::not_admitted) + 1);

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

template <typename Number>
void append_number(std::string& text, Number number) {
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  text.append(digits.data(), end);
}

struct Label {
  std::string_view name;
  std::string_view value;
};

/// Returns the size of the UTF-8 character at the start of the text (RFC 3629); 0 if the character
/// is invalid or not visible.
std::size_t visible_bytes(std::string_view text) {
  const auto at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (at(0) < 0x80) return at(0) >= ' ' && at(0) != 0x7F ? 1 : 0;
  const std::size_t bytes = at(0) >= 0xF0 ? 4 : at(0) >= 0xE0 ? 3 : 2;
  if (at(0) < 0xC2 || at(0) > 0xF4 || text.size() < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((at(i) & 0xC0U) != 0x80) return 0;
  }
  const bool is_too_long = (at(0) == 0xE0 && at(1) < 0xA0) || (at(0) == 0xF0 && at(1) < 0x90);
  const bool is_none = (at(0) == 0xED && at(1) > 0x9F) || (at(0) == 0xF4 && at(1) > 0x8F);
  return is_too_long || is_none ? 0 : bytes;
}

/// Appends a label whose value is UTF-8 with escaped quotes and line ends. Invalid bytes and
/// backslashes are written as `\\x` and two digits. So different values have different texts. This
/// is necessary, because Prometheus rejects all rows of a server if a row is repeated.
void append_label(std::string& text, const Label& label) {
  text.append(label.name).append("=\"");
  for (std::string_view rest = label.value; !rest.empty();) {
    const char first = rest.front();
    const std::size_t visible = visible_bytes(rest);
    if (first == '\n') {
      text.append("\\n");
    } else if (visible == 0 || first == '\\') {
      const auto byte = static_cast<unsigned char>(first);
      text.append("\\\\x").append({kHexDigits[byte >> 4U], kHexDigits[byte & 15U]});
    } else {
      if (first == '"') text.push_back('\\');
      text.append(rest.substr(0, visible));
    }
    rest.remove_prefix(std::max<std::size_t>(visible, 1));
  }
  text.push_back('"');
}

class MetricWriter {
 public:
  MetricWriter(std::string& text, std::string_view prefix) : text_(text), prefix_(prefix) {}

  void begin_counter(std::string_view name, std::string_view help) {
    begin(name, "_total", "counter", help);
  }
  void begin_gauge(std::string_view name, std::string_view help) { begin(name, "", "gauge", help); }

  template <typename Number>
  void row(std::span<const Label> labels, Number value) {
    append_name();
    if (!labels.empty()) {
      char separator = '{';
      for (const Label& label : labels) {
        text_.push_back(separator);
        append_label(text_, label);
        separator = ',';
      }
      text_.push_back('}');
    }
    text_.push_back(' ');
    append_number(text_, value);
    text_.push_back('\n');
  }
  template <typename Number>
  void row(const Label& label, Number value) {
    row(std::span(&label, 1), value);
  }
  template <typename Number>
  void row(Number value) {
    row(std::span<const Label>(), value);
  }

 private:
  void begin(std::string_view name, std::string_view ending, std::string_view type,
             std::string_view help) {
    name_ = name;
    ending_ = ending;
    text_.append("# HELP ");
    append_name();
    text_.append(" ").append(help).append("\n# TYPE ");
    append_name();
    text_.append(" ").append(type).append("\n");
  }
  void append_name() { text_.append(prefix_).append(name_).append(ending_); }

  std::string& text_;
  std::string_view prefix_;
  std::string_view name_;
  std::string_view ending_;
};

/// A gauge and the function that reads it.
template <typename Source>
struct GaugeMetric {
  std::string_view name;
  std::string_view help;
  double (*value)(const Source&);
};

using M = ConnectionMetrics;
constexpr GaugeMetric<M> kConnectionGauges[] = {
    {"round_trip_seconds", "Smoothed round trip time.",
     [](const M& m) { return seconds(m.round_trip); }},
    {"round_trip_variation_seconds", "Smoothed deviation of the round trip time.",
     [](const M& m) { return seconds(m.round_trip_variation); }},
    {"round_trip_minimum_seconds", "Minimum round trip time of the last ten seconds.",
     [](const M& m) { return seconds(m.round_trip_minimum); }},
    {"queue_delay_seconds", "Queueing delay on the way to the peer.",
     [](const M& m) { return seconds(m.queue_delay); }},
    {"estimated_bytes_per_second", "Estimated rate of the path.",
     [](const M& m) { return m.send_bytes_per_second; }},
    {"window_bytes", "Maximum bytes in flight.",
     [](const M& m) { return static_cast<double>(m.window_bytes); }},
    {"datagram_bytes", "The largest datagram that is known to arrive.",
     [](const M& m) { return static_cast<double>(m.datagram_bytes); }},
    {"interrupted", "1 while no packets arrive, otherwise 0.",
     [](const M& m) { return m.is_interrupted ? 1.0 : 0.0; }},
    {"received_bytes_per_second", "Bytes received in the last second.",
     [](const M& m) { return m.last_second.bytes_in_per_second; }},
    {"sent_bytes_per_second", "Bytes sent in the last second.",
     [](const M& m) { return m.last_second.bytes_out_per_second; }},
    {"received_packets_per_second", "Packets received in the last second.",
     [](const M& m) { return m.last_second.packets_in_per_second; }},
    {"sent_packets_per_second", "Packets sent in the last second.",
     [](const M& m) { return m.last_second.packets_out_per_second; }},
    {"received_loss_ratio", "Share of the peer's packets lost in the last second.",
     [](const M& m) { return m.last_second.loss_in; }},
    {"sent_loss_ratio", "Share of sent packets that were lost in the last second.",
     [](const M& m) { return m.last_second.loss_out; }},
};

constexpr GaugeMetric<ServerMetrics> kServerGauges[] = {
    {"dangerous", "1 when the server admits clients without encryption, otherwise 0.",
     [](const ServerMetrics& s) { return s.is_dangerous ? 1.0 : 0.0; }},
    {"clients", "Clients that are connected or interrupted.",
     [](const ServerMetrics& s) { return static_cast<double>(s.clients); }},
    {"received_bytes_per_second", "Bytes received in the last second.",
     [](const ServerMetrics& s) { return s.last_second.bytes_in_per_second; }},
    {"sent_bytes_per_second", "Bytes sent in the last second.",
     [](const ServerMetrics& s) { return s.last_second.bytes_out_per_second; }},
    {"received_datagrams_per_second", "Datagrams received in the last second.",
     [](const ServerMetrics& s) { return s.last_second.packets_in_per_second; }},
    {"sent_datagrams_per_second", "Datagrams sent in the last second.",
     [](const ServerMetrics& s) { return s.last_second.packets_out_per_second; }},
};

}  // namespace

ConnectionMetrics metrics_of(std::string_view client, const Connection& connection,
                             const TrafficWindows& windows) {
  const RoundTrip& round_trip = connection.round_trip();
  return {.client = client,
          .counters = connection.counters(),
          .last_second = windows.last_second(),
          .round_trip = round_trip.smoothed(),
          .round_trip_variation = round_trip.variation(),
          .round_trip_minimum = round_trip.has_sample() ? round_trip.minimum() : Duration{},
          .queue_delay = connection.rate().queue_delay(),
          .send_bytes_per_second = connection.rate().bytes_per_second(),
          .window_bytes = connection.rate().window(),
          .datagram_bytes = connection.datagram_bytes(),
          .is_interrupted = connection.state() == ConnectionState::interrupted};
}

void append_prometheus(std::string& text, const ServerMetrics& server) {
  MetricWriter writer(text, "muster_server_");
  for (const auto& gauge : kServerGauges) {
    writer.begin_gauge(gauge.name, gauge.help);
    writer.row(gauge.value(server));
  }
  for (const auto& counter : kServerCounters) {
    writer.begin_counter(counter.name, counter.help);
    writer.row(server.counters.*counter.value);
  }
  writer.begin_counter("refusals", "Handshakes refused, by reason.");
  for (std::size_t i = 1; i < std::size(kRefusals); ++i) {
    writer.row(Label{"reason", kRefusals[i]}, server.counters.refusals[i]);
  }
}

void append_prometheus(std::string& text, std::span<const ConnectionMetrics> connections) {
  if (connections.empty()) return;
  MetricWriter writer(text, "muster_connection_");
  for (const auto& gauge : kConnectionGauges) {
    writer.begin_gauge(gauge.name, gauge.help);
    for (const M& row : connections) writer.row(Label{"client", row.client}, gauge.value(row));
  }
  for (const auto& counter : kConnectionCounters) {
    writer.begin_counter(counter.name, counter.help);
    for (const M& row : connections) {
      writer.row(Label{"client", row.client}, row.counters.*counter.value);
    }
  }
  writer.begin_counter("section_bytes", "Bytes of packets' bodies, by section.");
  for (const M& row : connections) {
    for (const SectionMetric& section : kSections) {
      const std::array labels = {Label{"client", row.client}, Label{"section", section.section},
                                 Label{"direction", section.direction}};
      writer.row(labels, row.counters.*section.value);
    }
  }
}

}  // namespace muster
