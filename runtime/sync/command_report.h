// A server's report to a client about the client's commands. The server sends a report with each
// snapshot.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/sync/command_number.h"

namespace muster {

/// The bytes of an encoded report.
struct EncodedCommandReport {
  std::array<std::byte, 43> bytes{};
  std::size_t count = 0;
  operator std::span<const std::byte>() const {  // NOLINT: converts implicitly
    return std::span(bytes).first(count);
  }
};

/// Reports which commands have arrived, how early they arrived, and how many commands wait. The
/// bytes are described in SESSION_FORMAT.md, "Command reports".
struct CommandReport {
  static constexpr std::size_t kBytes = 34;
  static constexpr std::size_t kBytesWithBlock = 43;
  /// The step of the reported earliness, in ticks. The earliness is clamped to -128 to 128 ticks.
  static constexpr float kEarlinessStep = 1.0F / 256;

  /// A command is settled if it is more than this many ticks older than the newest command. If a
  /// settled command arrives later, the server ignores the command.
  static constexpr std::uint32_t kSettledTicks = 24;
  /// The server ignores a command that arrives more than this many ticks after its tick.
  static constexpr std::uint32_t kLateTicks = 64;

  CommandNumber newest{};      ///< The newest command that has arrived, or 0.
  std::uint64_t received = 0;  ///< Bit `i` is set if command `newest - 1 - i` has arrived.
  /// The earliness of a command is the number of ticks from its first arrival to its tick. The
  /// earliness of a late command is negative. `measured` is the command with the minimum earliness
  /// since the last report, and `earliness_min` is this minimum. `earliness_last` is the earliness
  /// of the last packet. `ClockServo` uses these values.
  CommandNumber measured{};  ///< 0 if no packet has arrived since the last report.
  float earliness_min = 0;
  float earliness_last = 0;
  std::uint8_t waiting = 0;   ///< The number of arrived commands that have not run.
  float loss = 0;             ///< The share of lost packets, in steps of 1/256.
  std::uint32_t starved = 0;  ///< The number of ticks without an arrived command; wraps.
  CommandNumber run{};        ///< The command of the running tick, even if it has not arrived.
  /// Bits for the older commands, in blocks of 64 commands. Bit `i` is set if at least one of the
  /// 64 commands before `newest - 64 - 64 * i` has not arrived. Each report lists one block with a
  /// set bit. Successive reports list these blocks in turn.
  std::uint32_t gaps = 0;
  std::uint8_t block = 0;            ///< The index of the listed block; unused if `gaps` is 0.
  std::uint64_t block_received = 0;  ///< The bits of the listed block, in the form of `received`.

  EncodedCommandReport encode() const;
  /// The size of the report at the beginning of a message. Other bytes may follow the report.
  static std::size_t bytes_in(std::span<const std::byte> bytes);
  /// Returns nothing if the bytes are malformed.
  static std::optional<CommandReport> decode(std::span<const std::byte> bytes);
};

}  // namespace muster
