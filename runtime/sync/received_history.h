// Records which of the last commands have arrived.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/sync/command_number.h"

namespace muster {

/// A bit for each of the last 2,112 command numbers: the last 64 command numbers, and 32 earlier
/// blocks of 64 command numbers. Commands before the first noted command count as missing. Each
/// call takes constant time.
class ReceivedHistory {
 public:
  static constexpr std::uint32_t kBlocks = 32;

  /// Records that a command has arrived. A command that is older than the history is ignored.
  void note(CommandNumber number);
  /// Removes all commands.
  void clear() { *this = ReceivedHistory(); }

  /// Returns the bits of the 64 commands before `end`. Bit `i` is set if `end - 1 - i` has arrived.
  /// Requires: `end` is at most 1 above the newest command, and within the history.
  std::uint64_t before(CommandNumber end) const;
  /// Returns a bit for each block. Bit `i` is set if a command of block `i` is missing. Block `i`
  /// has the 64 commands before `newest - 64 - 64 * i`.
  std::uint32_t gaps() const;
  std::uint64_t block(std::uint32_t index) const { return before(newest_ - (64 + 64 * index)); }

 private:
  /// The number of words is a power of two, because command numbers wrap.
  static constexpr std::uint32_t kWords = 64;
  static constexpr std::uint32_t kCommands = 64 + 64 * kBlocks;

  bool has_begun_ = false;
  CommandNumber newest_;
  /// Bit `number % 64` of word `number / 64 % kWords` is set if command `number` has not arrived.
  std::array<std::uint64_t, kWords> missing_{};
};

}  // namespace muster
