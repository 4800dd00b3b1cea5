// What a server reports to a client about its commands, with each snapshot.
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

/// What has arrived, how early, and how many wait. SESSION_FORMAT.md, "Command reports".
struct CommandReport {
  static constexpr std::size_t kBytes = 34;
  static constexpr std::size_t kBytesWithBlock = 43;
  /// Earliness is reported in steps of this part of a tick, and at most 128 ticks either way.
  static constexpr float kEarlinessStep = 1.0F / 256;

  /// A command that is this much older than the newest one is settled: if it has not arrived, the
  /// server ignores it from now on.
  static constexpr std::uint32_t kSettledTicks = 24;
  /// The server ignores a command that arrives more than this many ticks after it was due.
  static constexpr std::uint32_t kLateTicks = 64;

  std::uint32_t newest = 0;    ///< The newest command that has arrived; 0 before the first.
  std::uint64_t received = 0;  ///< Bit `i`: whether command `newest - 1 - i` has arrived.
  /// Ticks between a command's first arrival and the tick that runs it; below zero for late ones.
  /// The minimum of the packets since the last report with the command that had it, and the value
  /// of the last packet. A clock servo steers by them.
  std::uint32_t measured = 0;  ///< 0 when no packet has arrived since the last report.
  float earliness_min = 0;
  float earliness_last = 0;
  std::uint8_t waiting = 0;   ///< Commands that have arrived and not run yet.
  float loss = 0;             ///< Share of the client's packets, in steps of 1/256.
  std::uint32_t starved = 0;  ///< Ticks so far whose command had not arrived; wraps.
  std::uint32_t run = 0;      ///< The command of the tick that runs, arrived or not.
  /// Older commands, in blocks of 64: bit `i` is set when one of the 64 before
  /// `newest - 64 - 64 * i` has not arrived. Reports name the commands of such blocks in turns.
  std::uint32_t gaps = 0;
  std::uint8_t block = 0;            ///< The one that is named; meaningless without gaps.
  std::uint64_t block_received = 0;  ///< As `received`, for the block.

  EncodedCommandReport encode() const;
  /// How many bytes at the beginning of a message are the report; others may follow.
  static std::size_t bytes_in(std::span<const std::byte> bytes);
  /// Nothing for malformed bytes.
  static std::optional<CommandReport> decode(std::span<const std::byte> bytes);
};

}  // namespace muster
