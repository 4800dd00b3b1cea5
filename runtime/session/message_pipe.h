// Sends a session's messages, which can have any size, over a connection's reliable channel. The
// bytes are described in SESSION_FORMAT.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "net/secure/account_id.h"
#include "net/transport/connection.h"
#include "registry/base/player_id.h"

namespace muster {

/// The channels of a session's connection.
enum SessionChannel : std::size_t {
  kReplicationChannel = 0,  ///< Reliable, only for replication.
  kMessageChannel = 1,      ///< Reliable, for `MessagePipe`.
  kLooseChannel = 2,        ///< Unreliable messages of the game.
  kCommandChannel = 3,      ///< Unreliable: a client's commands, and the server's reports on them.
};
/// The version of SESSION_FORMAT.md. The version is part of the application number in the
/// handshake, so a client and a server with different versions do not connect.
inline constexpr std::uint64_t kSessionFormatVersion = 6;
/// The connection options that server and client both use.
ConnectionOptions session_connection();

/// The kind of a session's message.
enum class SessionMessage : std::uint8_t {
  structs = 1,  ///< The types of the sender's commands and messages: `StructEncoder::schema`.
  welcome = 2,  ///< The server's `Welcome`; one for each map.
  game = 3,     ///< A message of the game.
  forced = 4,   ///< A field of a client's commands that the server forces: `CommandForces::encode`.
  resumed = 5,  ///< `Resumed`: the number of messages that the lost connection delivered.
};

/// The maximum size of a session's message. Without this limit, a peer could make this program
/// allocate any amount of memory.
inline constexpr std::size_t kSessionMessageBytesMax = std::size_t{1} << 20U;
/// The maximum total size of the messages that wait for the connection's queue.
inline constexpr std::size_t kPipeBytesMax = std::size_t{2} << 20U;

/// Splits messages into parts that fit the channel, and joins the parts that the peer has sent.
/// Keeps each message of the game until the message has arrived. If a new connection replaces a
/// lost connection, the new connection delivers each missing message once. A server has one pipe
/// per player, and a client has one pipe. Only one thread at a time may use this object.
class MessagePipe {
 public:
  enum class [[nodiscard]] Received : std::uint8_t{nothing, message, malformed};

  /// Sends a message. Returns false and sends nothing if too many bytes wait, or if the message is
  /// too large.
  [[nodiscard]] bool send(SessionMessage kind, std::span<const std::byte> body);
  /// Sends a message of any size before all waiting messages. Requires: the connection has all
  /// parts or no parts of each earlier message.
  void send_first(SessionMessage kind, std::span<const std::byte> body);
  /// Drops all messages that wait or have not arrived. Returns the number of dropped messages of
  /// the game.
  std::size_t drop_all();
  /// Call this function when the connection's map has changed. Drops messages in flight in both
  /// directions. Returns the number of messages of the game that may have been lost.
  std::size_t begin_map();

  /// Call this function when another connection replaces the lost connection. Messages of the game
  /// wait until `go_on` is called.
  void resume();
  bool is_resuming() const { return is_resuming_; }
  /// The number of messages of the game that were received in this map, on all connections.
  std::uint32_t received_count() const { return received_; }
  /// Sends all kept messages of the game except the first `count` messages of this map, which the
  /// peer has received. Returns false if the count is impossible.
  [[nodiscard]] bool go_on(std::uint32_t count);
  /// Sets the number of messages that the peer has received in its map. Call this function after
  /// `forget`.
  void set_arrived(std::uint32_t count) { arrived_ = count; }
  /// Drops the kept messages of the game, because the peer has begun another count. Returns the
  /// number of dropped messages.
  std::size_t forget();

  /// Hands waiting parts to the connection until the connection's queue is full. Call this function
  /// once per frame.
  void flush(Connection& connection);
  /// Receives the next complete message. `body` is valid until the next call.
  Received receive(Connection& connection, SessionMessage& kind, std::span<const std::byte>& body);

 private:
  using Parts = std::deque<std::vector<std::byte>>;

  void put(Parts& parts, SessionMessage kind, std::span<const std::byte> body);
  void hand_over_part();
  void drop_part();
  void forget_arrived(std::size_t unconfirmed);
  void recycle(std::vector<std::byte>&& part);

  Parts waiting_;
  Parts in_flight_;  ///< Parts that the connection has. Their messages have not arrived completely.
  Parts deferred_;   ///< Messages of the game that wait for `go_on`.
  std::vector<std::vector<std::byte>> spare_;  ///< Unused parts, kept for their memory.
  std::size_t waiting_bytes_ = 0;              ///< The bytes of `waiting_` and `deferred_`.
  std::uint32_t arrived_ = 0;   ///< Messages of the game in this map that the peer has received.
  std::uint32_t received_ = 0;  ///< Messages of the game in this map that this pipe has received.
  bool is_resuming_ = false;
  bool is_inside_ = false;  ///< More parts follow the last part that was handed over.
  std::vector<std::byte> incoming_;
  std::vector<std::byte> complete_;
};

/// The first message of a server to a client.
struct Welcome {
  PlayerId player = PlayerId::none;
  std::uint16_t ticks_per_second = 0;
  std::uint16_t snapshot_ticks = 0;
  std::array<std::byte, 16> level{};   ///< The level's guid; zero for no level.
  std::array<std::byte, 16> placed{};  ///< `Level::placed_hash`.
  std::uint64_t shared_seed = 0;       ///< The seed of the random numbers of shared systems.
  /// The account that identifies the player on a later connection.
  AccountId ticket{};
  std::uint16_t map = 0;  ///< The number of maps that the server has begun; wraps.
};
/// A message that reports how many messages its sender had received when the connection was lost.
struct Resumed {
  std::uint16_t map = 0;    ///< The map whose messages were counted; a value of `Welcome::map`.
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

/// Encodes the bytes that a client sends with its next handshake after a lost connection.
std::vector<std::byte> encode_ticket(AccountId ticket);
/// Returns an unknown account if the bytes are not a ticket.
AccountId decode_ticket(std::span<const std::byte> bytes);

}  // namespace muster
