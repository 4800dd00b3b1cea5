#include "net/tools/record_json.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "net/capture/packet_view.h"
#include "net/secure/handshake.h"
#include "registry/base/bytes.h"
#include "registry/base/escaped_text.h"
#include "registry/base/hex.h"

namespace muster {

namespace {

using Json = nlohmann::ordered_json;
using BytesView = std::span<const std::byte>;

constexpr std::size_t kTextColumnsMax = 64;

std::string id_text(std::uint32_t id) { return fmt::format("{:08x}", id); }

std::string_view text_of(Delivery delivery) {
  constexpr std::array<std::string_view, 3> kNames = {"unreliable", "reliable unordered",
                                                      "reliable ordered"};
  return kNames[static_cast<std::size_t>(delivery)];
}

std::string_view text_of(PacketVerdict verdict) {
  constexpr std::array<std::string_view, 4> kNames = {"received", "malformed", "unbelievable",
                                                      "no room"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string_view text_of(Cipher cipher) {
  switch (cipher) {
    case Cipher::chacha20_poly1305:
      return "ChaCha20-Poly1305";
    case Cipher::aes256_gcm:
      return "AES-256-GCM";
    case Cipher::none:
      break;
  }
  return "none";
}

std::string_view close_text(std::uint8_t reason) {
  constexpr std::array<std::string_view, 10> kNames = {
      "none",   "left",      "kicked",        "timed out", "malformed",
      "forged", "exhausted", "shutting down", "no answer", "refused"};
  return reason < kNames.size() ? kNames[reason] : "unknown";
}

std::string_view refusal_text(std::uint8_t reason) {
  constexpr std::array<std::string_view, 4> kNames = {"none", "too large", "too many", "no memory"};
  return reason < kNames.size() ? kNames[reason] : "unknown";
}

Json control_json(const ControlView& item) {
  switch (item.kind) {
    case ControlItem::ping:
      return {{"item", "ping"}};
    case ControlItem::path_challenge:
      return {{"item", "path challenge"}, {"bytes", fmt::format("{:016x}", item.challenge)}};
    case ControlItem::path_response:
      return {{"item", "path response"}, {"bytes", fmt::format("{:016x}", item.challenge)}};
    case ControlItem::probe:
      return {{"item", "probe"}, {"datagram_bytes", item.number}};
    case ControlItem::close:
      return {
          {"item", "close"}, {"reason", close_text(item.reason)}, {"text", printable(item.text)}};
    case ControlItem::map:
      return {{"item", "map"}, {"number", item.number}};
    case ControlItem::channel_limit:
      return {{"item", "channel limit"}, {"channel", item.channel}, {"below", item.number}};
    case ControlItem::block_refused:
      break;
  }
  return {{"item", "block refused"}, {"block", item.number}, {"reason", refusal_text(item.reason)}};
}

void add_sections(const PacketView& view, Json& json) {
  Json controls = Json::array();
  for (const ControlView& item : std::span(view.controls).first(view.control_count)) {
    controls.push_back(control_json(item));
  }
  if (!controls.empty()) json["control"] = controls;
  if (!view.payload.empty()) {
    json["payload"] = {{{"byte_count", view.payload.size()}, {"bytes", hex_text(view.payload)}}};
  }
  Json messages = Json::array();
  for (const MessageView& message : std::span(view.messages).first(view.message_count)) {
    Json item = {{"channel", message.channel},
                 {"reliable", message.is_reliable},
                 {"ordered", message.is_ordered}};
    if (message.is_reliable) item["id"] = message.id;
    item["byte_count"] = message.bytes.size();
    item["bytes"] = hex_text(message.bytes);
    messages.push_back(item);
  }
  if (!messages.empty()) json["messages"] = messages;
  Json fragments = Json::array();
  for (const Fragment& fragment : std::span(view.fragments).first(view.fragment_count)) {
    fragments.push_back({{"block", fragment.block},
                         {"block_bytes", fragment.block_bytes},
                         {"chunks", fragment.count},
                         {"first", fragment.first},
                         {"byte_count", fragment.bytes.size()},
                         {"bytes", hex_text(fragment.bytes)}});
  }
  if (!fragments.empty()) json["blocks"] = fragments;
  if (view.fill_bytes > 0) json["fill_bytes"] = view.fill_bytes;
}

std::string mask_text(const AckMask& mask) {
  std::string text;
  for (unsigned i = 0; i < mask.word_count; ++i) {
    fmt::format_to(std::back_inserter(text), "{}{:08x}", i == 0 ? "" : " ", mask.words[i]);
  }
  return text;
}

Json fields_of(const RecordedPacket& packet) {
  PacketView view;
  read_packet_view(packet.body, packet.datagram_bytes, view);
  Json json = {{"connection", id_text(packet.connection)},
               {"sequence", packet.sequence},
               {"datagram_bytes", packet.datagram_bytes},
               {"verdict", text_of(packet.verdict)},
               {"key_phase", packet.key_phase ? 1 : 0}};
  if (view.header_bytes > 0) {
    json["ack"] = view.header.ack.value();
    json["mask"] = mask_text(view.header.mask);
    json["sent"] = view.header.sent;
    json["hold"] = view.header.hold;
    json["delay"] = view.header.delay;
    json["sections"] = view.header.sections;
  }
  add_sections(view, json);
  if (!view.problem.empty()) json["problem"] = view.problem;
  return json;
}

std::string_view mode_text(std::uint8_t mode) {
  constexpr std::array<std::string_view, 3> kNames = {"pinned", "token", "unprotected"};
  return mode < kNames.size() ? kNames[mode] : "unknown";
}

/// The fields of a request, which are also the first fields of a response.
void add_request(ByteReader& reader, Json& json) {
  json["application"] = fmt::format("{:016x}", reader.u64());
  json["connection"] = id_text(reader.u32());
  json["ephemeral_key"] = hex_text(reader.bytes(32));
}

void add_response(ByteReader& reader, Json& json) {
  add_request(reader, json);
  json["challenge_ms"] = reader.u64();
  json["mac"] = hex_text(reader.bytes(16));
  const std::uint16_t token_bytes = reader.u16();
  json["token_bytes"] = token_bytes;
  static_cast<void>(reader.bytes(token_bytes));
  const std::uint16_t hello_bytes = reader.u16();
  json["hello_bytes"] = hello_bytes;
  static_cast<void>(reader.bytes(hello_bytes));
}

void add_challenge(ByteReader& reader, Json& json) {
  json["connection"] = id_text(reader.u32());
  json["challenge_ms"] = reader.u64();
  json["mac"] = hex_text(reader.bytes(16));
  json["server_key"] = hex_text(reader.bytes(32));
}

void add_accept(ByteReader& reader, Json& json) {
  json["connection"] = id_text(reader.u32());
  json["ephemeral_key"] = hex_text(reader.bytes(32));
  json["sealed"] = hex_text(reader.bytes(reader.remaining()));
}

void add_refuse(ByteReader& reader, std::uint8_t reason, Json& json) {
  json["reason"] = reason;
  json["connection"] = id_text(reader.u32());
  json["proof"] = hex_text(reader.bytes(16));
  json["server_version"] = reader.u8();
  const std::size_t text_bytes = reader.u8();
  static_cast<void>(reader.u16());
  json["text"] = printable(reader.bytes(text_bytes));
}

void add_datagram(BytesView datagram, Json& json) {
  constexpr std::array<std::string_view, 6> kNames = {"",         "request", "challenge",
                                                      "response", "accept",  "refuse"};
  ByteReader reader(datagram);
  const std::uint8_t kind = reader.u8();
  const std::uint8_t version = reader.u8();
  const std::uint8_t mode = reader.u8();
  const std::uint8_t reason = reader.u8();
  if (kind == 0 || kind >= kNames.size()) {
    json["problem"] = "the kind of the datagram is unknown";
    return;
  }
  json["datagram"] = kNames[kind];
  json["version"] = version;
  json["mode"] = mode_text(mode);
  switch (static_cast<DatagramKind>(kind)) {
    case DatagramKind::request:
      add_request(reader, json);
      break;
    case DatagramKind::challenge:
      add_challenge(reader, json);
      break;
    case DatagramKind::response:
      add_response(reader, json);
      break;
    case DatagramKind::accept:
      add_accept(reader, json);
      break;
    case DatagramKind::refuse:
      add_refuse(reader, reason, json);
      break;
  }
  if (reader.failed()) json["problem"] = "the datagram is truncated";
}

Json fields_of(const RecordedHandshake& handshake) {
  Json json = {{"local", handshake.local.text()},
               {"peer", handshake.peer.text()},
               {"datagram_bytes", handshake.datagram.size()}};
  add_datagram(handshake.datagram, json);
  return json;
}

Json fields_of(const RecordedConnection& connection) {
  Json channels = Json::array();
  for (std::size_t i = 0; i < connection.channel_count; ++i) {
    channels.push_back({{"channel", i}, {"delivery", text_of(connection.channels[i])}});
  }
  const auto milliseconds = [](Duration duration) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  };
  return {{"connection", id_text(connection.our_id)},
          {"peer_connection", id_text(connection.their_id)},
          {"role", connection.is_server ? "server" : "client"},
          {"local", connection.local.text()},
          {"peer", connection.peer.text()},
          {"cipher", text_of(connection.cipher)},
          {"datagram_bytes_max", connection.datagram_bytes_max},
          {"block_bytes_max", connection.block_bytes_max},
          {"interrupted_after_ms", milliseconds(connection.interrupted_after)},
          {"closed_after_ms", milliseconds(connection.closed_after)},
          {"channels", channels}};
}

Json fields_of(const DroppedRecords& dropped) { return {{"records", dropped.count}}; }

std::string_view kind_of(const RecordedConnection& /*record*/) { return "connection"; }
std::string_view kind_of(const DroppedRecords& /*record*/) { return "dropped"; }
std::string_view kind_of(const RecordedPacket& packet) {
  return packet.is_outgoing ? "packet out" : "packet in";
}
std::string_view kind_of(const RecordedHandshake& handshake) {
  return handshake.is_outgoing ? "handshake out" : "handshake in";
}

std::string scalar_text(const Json& value) {
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text.size() > kTextColumnsMax) text = text.substr(0, kTextColumnsMax) + "...";
  return text;
}

/// Returns `name value` for every member of an object, except for lists.
std::string line_of(const Json& object) {
  std::string line;
  for (const auto& [name, value] : object.items()) {
    if (value.is_array()) continue;
    fmt::format_to(std::back_inserter(line), "{}{} {}", line.empty() ? "" : "  ", name,
                   scalar_text(value));
  }
  return line;
}

}  // namespace

Json json_of(const CaptureRecord& record) {
  return std::visit(
      [](const auto& present) {
        const auto nanoseconds = present.at.time_since_epoch().count();
        Json json = {{"time", static_cast<double>(nanoseconds) / 1e9},
                     {"record", kind_of(present)}};
        json.update(fields_of(present));
        return json;
      },
      record);
}

std::string text_of(const Json& record) {
  Json rest = record;
  rest.erase("time");
  rest.erase("record");
  std::string text = fmt::format("{:.6f}  {}  {}\n", record.at("time").get<double>(),
                                 record.at("record").get<std::string>(), line_of(rest));
  for (const auto& [name, list] : rest.items()) {
    if (!list.is_array()) continue;
    for (const Json& item : list) {
      fmt::format_to(std::back_inserter(text), "    {}  {}\n", name, line_of(item));
    }
  }
  return text;
}

}  // namespace muster
