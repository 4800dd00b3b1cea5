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
/// Of SESSION_FORMAT.md. Ends of different versions do not connect: it is part of the number of the
/// application.
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

/// A message of a session has at most this many bytes: a peer could ask for any memory else.
inline constexpr std::size_t kSessionMessageBytesMax = std::size_t{1} << 20U;
/// Bytes of messages that wait for the connection's queue, at most.
inline constexpr std::size_t kPipeBytesMax = std::size_t{2} << 20U;

/// Splits messages into parts that fit the channel, and joins the parts of the other end. Keeps
/// messages of the game until they have arrived, so that another connection goes on where the lost
/// one ended: each arrives once. One per player and end. One thread at a time.
class MessagePipe {
 public:
  enum class [[nodiscard]] Received : std::uint8_t{nothing, message, malformed};

  /// False when too many bytes wait, or the message is too large: nothing of it is sent.
  [[nodiscard]] bool send(SessionMessage kind, std::span<const std::byte> body);
  /// In front of all that waits, of any size. Requires: no message is partly handed over.
  void send_first(SessionMessage kind, std::span<const std::byte> body);
  /// Drops what waits or has not arrived. Returns how many messages of the game these were.
  std::size_t drop_all();
  /// The connection's map has changed: messages under way end, in both directions. Returns how many
  /// of the game's may not have arrived.
  std::size_t begin_map();

  /// Another connection takes the place of the lost one. Messages of the game wait for `go_on`.
  void resume();
  bool is_resuming() const { return is_resuming_; }
  /// Messages of the game that were received in this map, on all connections.
  std::uint32_t received_count() const { return received_; }
  /// The peer has received `count` of the game's messages in this map: sends those after them.
  /// False for a count that cannot be true.
  [[nodiscard]] bool go_on(std::uint32_t count);
  /// After `forget`: the peer has received `count` messages in its map.
  void set_arrived(std::uint32_t count) { arrived_ = count; }
  /// The peer knows nothing of the messages before: those are dropped. Returns how many.
  std::size_t forget();

  /// Hands waiting parts to the connection, as many as it takes. Once per frame.
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
  Parts under_way_;  ///< Handed to the connection; whole messages that have not arrived.
  Parts held_;       ///< The game's, until the peer says what has arrived.
  std::vector<std::vector<std::byte>> spare_;  ///< Kept for their memory.
  std::size_t waiting_bytes_ = 0;              ///< With held ones.
  std::uint32_t arrived_ = 0;                  ///< Messages of the game, in this map.
  std::uint32_t received_ = 0;                 ///< The same of the peer's.
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
  std::uint16_t map = 0;    ///< `Welcome::map` that the count is of.
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

/// What a client that lost its connection sends with the next handshake.
std::vector<std::byte> encode_ticket(std::uint64_t ticket);
/// 0 for bytes that are no ticket.
std::uint64_t decode_ticket(std::span<const std::byte> bytes);

}  // namespace muster
