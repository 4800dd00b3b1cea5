// A server's report to a client about the client's commands. Sent with each snapshot.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace muster {

/// A report's bytes.
struct EncodedCommandReport {
  std::array<std::byte, 43> bytes{};
  std::size_t count = 0;
  operator std::span<const std::byte>() const {  // NOLINT: bytes are bytes
    return std::span(bytes).first(count);
  }
};

/// Which commands have arrived, how early they arrived, and how many wait to be run.
/// SESSION_FORMAT.md, "Command reports".
struct CommandReport {
  static constexpr std::size_t kBytes = 34;
  static constexpr std::size_t kBytesWithBlock = 43;
  /// The step of the reported earliness, in ticks. Values are clamped to 128 ticks in both
  /// directions.
  static constexpr float kEarlinessStep = 1.0F / 256;

  /// A command that is more than this many ticks older than the newest one is settled: if it has
  /// not arrived, the server ignores it from now on.
  static constexpr std::uint32_t kSettledTicks = 24;
  /// The server ignores a command that arrives more than this many ticks after it was due.
  static constexpr std::uint32_t kLateTicks = 64;

  std::uint32_t newest = 0;    ///< The newest command that has arrived; 0 before the first.
  std::uint64_t received = 0;  ///< Bit `i`: whether command `newest - 1 - i` has arrived.
  /// Earliness is the number of ticks from a command's first arrival to the tick that runs it. It
  /// is negative for a late command. `measured` is the command with the minimum earliness since the
  /// last report, and `earliness_min` is its earliness. `earliness_last` is the earliness of the
  /// last packet. `ClockServo` uses these values.
  std::uint32_t measured = 0;  ///< 0 when no packet has arrived since the last report.
  float earliness_min = 0;
  float earliness_last = 0;
  std::uint8_t waiting = 0;   ///< Commands that have arrived and have not run yet.
  float loss = 0;             ///< The lost share of the client's packets, in steps of 1/256.
  std::uint32_t starved = 0;  ///< The number of ticks whose command had not arrived; wraps.
  std::uint32_t run = 0;      ///< The command of the running tick, even if it has not arrived.
  /// Older commands, in blocks of 64. Bit `i` is set if at least one of the 64 commands before
  /// `newest - 64 - 64 * i` has not arrived. Each report lists the commands of one such block, in
  /// turn.
  std::uint32_t gaps = 0;
  std::uint8_t block = 0;            ///< The block that is listed; unused if `gaps` is 0.
  std::uint64_t block_received = 0;  ///< As `received`, for the block.

  EncodedCommandReport encode() const;
  /// The size of the report at the beginning of a message. Other bytes may follow it.
  static std::size_t bytes_in(std::span<const std::byte> bytes);
  /// Nothing for malformed bytes.
  static std::optional<CommandReport> decode(std::span<const std::byte> bytes);
};

}  // namespace muster
