// A session's messages of any size over a connection's reliable channel. SESSION_FORMAT.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "net/transport/connection.h"

namespace muster {

/// The channels of a session's connection.
enum SessionChannel : std::size_t {
  kReplicationChannel = 0,  ///< Reliable, for replication alone.
  kMessageChannel = 1,      ///< Reliable, for `MessagePipe`.
  kLooseChannel = 2,        ///< Unreliable messages.
  kCommandChannel = 3,      ///< Unreliable: a client's commands, and the server's reports on them.
};
/// The version of SESSION_FORMAT.md. It is part of the application number of the handshake, so ends
/// of different versions do not connect.
inline constexpr std::uint64_t kSessionFormatVersion = 6;
/// What both ends of a session's connection declare.
ConnectionOptions session_connection();

/// The kind of a session's message.
enum class SessionMessage : std::uint8_t {
  structs = 1,  ///< The sender's commands and messages: `StructEncoder::schema`.
  welcome = 2,  ///< The server's `Welcome`, for each map.
  game = 3,     ///< A message of the game.
  forced = 4,   ///< A field of a client's commands that the server forces: `CommandForces::encode`.
  resumed = 5,  ///< `Resumed`: what the lost connection has delivered.
};

/// The maximum size of a session's message. Without it, a peer could make this end allocate any
/// amount of memory.
inline constexpr std::size_t kSessionMessageBytesMax = std::size_t{1} << 20U;
/// The maximum size of all messages that wait for the connection's queue.
inline constexpr std::size_t kPipeBytesMax = std::size_t{2} << 20U;

/// Splits messages into parts that fit the channel, and joins the parts that the peer has sent.
/// Keeps messages of the game until they have arrived. So a connection that replaces a lost one
/// delivers the missing messages, each once. A server has one pipe per player, and a client has one
/// pipe. One thread at a time.
class MessagePipe {
 public:
  enum class [[nodiscard]] Received : std::uint8_t{nothing, message, malformed};

  /// False if too many bytes wait, or if the message is too large. Then nothing is sent.
  [[nodiscard]] bool send(SessionMessage kind, std::span<const std::byte> body);
  /// Sends a message of any size before all messages that wait. Requires: no message was handed to
  /// the connection only in part.
  void send_first(SessionMessage kind, std::span<const std::byte> body);
  /// Drops all messages that wait or have not arrived. Returns how many of them were messages of
  /// the game.
  std::size_t drop_all();
  /// To be called when the connection's map has changed. Drops messages in flight in both
  /// directions. Returns how many messages of the game possibly did not arrive.
  std::size_t begin_map();

  /// Another connection replaces the lost one. Messages of the game wait for `go_on`.
  void resume();
  bool is_resuming() const { return is_resuming_; }
  /// Messages of the game that were received in this map, on all connections.
  std::uint32_t received_count() const { return received_; }
  /// The peer has received the first `count` messages of the game in this map. Sends the later
  /// ones. False if the count is impossible.
  [[nodiscard]] bool go_on(std::uint32_t count);
  /// After `forget`: the peer has received `count` messages in its map.
  void set_arrived(std::uint32_t count) { arrived_ = count; }
  /// Drops the kept messages, because the peer does not know them. Returns how many were dropped.
  std::size_t forget();

  /// Hands as many waiting parts to the connection as it accepts. To be called once per frame.
  void flush(Connection& connection);
  /// The next complete message; `body` is valid until the next call.
  Received receive(Connection& connection, SessionMessage& kind, std::span<const std::byte>& body);

 private:
  using Parts = std::deque<std::vector<std::byte>>;

  void put(Parts& parts, SessionMessage kind, std::span<const std::byte> body);
  void hand_over_part();
  void drop_part();
  void forget_arrived(std::size_t unconfirmed);
  void recycle(std::vector<std::byte>&& part);

  Parts waiting_;
  Parts under_way_;  ///< Handed to the connection; messages that have not completely arrived.
  Parts held_;       ///< Messages of the game, until the peer reports what has arrived.
  std::vector<std::vector<std::byte>> spare_;  ///< Kept for their memory.
  std::size_t waiting_bytes_ = 0;              ///< The bytes of `waiting_` and `held_`.
  std::uint32_t arrived_ = 0;   ///< Messages of the game in this map that the peer has received.
  std::uint32_t received_ = 0;  ///< Messages of the game in this map that this end has received.
  bool is_resuming_ = false;
  bool is_inside_ = false;  ///< The last part that was handed over continues.
  std::vector<std::byte> incoming_;
  std::vector<std::byte> complete_;
};

/// The first message of a server to a client.
struct Welcome {
  std::uint16_t player = 0;
  std::uint16_t ticks_per_second = 0;
  std::uint16_t snapshot_ticks = 0;
  std::array<std::byte, 16> level{};   ///< The level's guid; zero for none.
  std::array<std::byte, 16> placed{};  ///< `Level::placed_hash`.
  std::uint64_t shared_seed = 0;       ///< For the random numbers of shared systems.
  std::uint64_t ticket = 0;            ///< Identifies the player on a later connection.
  std::uint16_t map = 0;               ///< Counts the server's maps; wraps.
};
/// How many messages an end had received when the connection was lost.
struct Resumed {
  std::uint16_t map = 0;    ///< The `Welcome::map` in which the messages were counted.
  std::uint32_t count = 0;  ///< `MessagePipe::received_count`.
};
/// The level of the map that begins next.
struct LevelBegin {
  std::array<std::byte, 16> level{};   ///< As in `Welcome`.
  std::array<std::byte, 16> placed{};  ///< As in `Welcome`.
};
std::vector<std::byte> encode(const Welcome& welcome);
std::optional<Welcome> decode_welcome(std::span<const std::byte> bytes);
std::vector<std::byte> encode(const Resumed& resumed);
std::optional<Resumed> decode_resumed(std::span<const std::byte> bytes);

/// The bytes that a client that lost its connection sends with its next handshake.
std::vector<std::byte> encode_ticket(std::uint64_t ticket);
/// Returns 0 if the bytes are not a ticket.
std::uint64_t decode_ticket(std::span<const std::byte> bytes);

}  // namespace muster
