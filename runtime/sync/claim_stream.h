// Encodes and decodes the view claims at the beginning of each packet of commands.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/sync/command_number.h"
#include "runtime/sync/view_claim.h"

namespace muster {

/// The maximum number of claims in a packet. A packet begins with the claim of its newest command.
/// If packets are being lost, the claim of the previous command follows. The bytes are described in
/// SESSION_FORMAT.md, "Views".
inline constexpr std::uint32_t kClaimsPerPacketMax = 2;
/// The maximum size of the claims in one packet, in bytes. The usual size is 4 to 7 bytes.
inline constexpr std::size_t kClaimStreamBytesMax = 32;

/// The client's side of the stream. Keeps the claims of the last commands. The client also uses
/// these claims for the hit tests of commands that run again. The memory is bounded.
class ClaimSender {
 public:
  /// The number of commands whose claims are kept.
  static constexpr std::uint32_t kKept = 128;
  static_assert(std::has_single_bit(kKept), "numbers wrap");

  /// Adds the claim of a command. `claim` is empty if no view has been drawn yet. Requires: numbers
  /// that increase by 1.
  void push(CommandNumber number, const std::optional<ViewClaim>& claim);
  /// Appends at most `count` claims for the packet whose newest command is `number`. Call this
  /// function before the commands are appended to `packet`. Returns the number of appended bits.
  std::size_t write(CommandNumber number, std::uint32_t count,
                    std::vector<std::byte>& packet) const;
  /// Returns the claim of a command, or null if the command has no claim or is too old.
  const ViewClaim* find(CommandNumber number) const;

 private:
  struct Slot {
    CommandNumber number{};
    std::optional<ViewClaim> claim;
  };
  std::array<Slot, kKept> slots_{};
};

/// The server's side of the stream, for one player. The memory is bounded, and the work per packet
/// is constant.
class ClaimInbox {
 public:
  /// Reads the claims at the beginning of a packet, and removes the claims from `packet`. If the
  /// claims are malformed, returns false and makes `packet` empty. `now` is the server's tick.
  bool receive(std::span<const std::byte>& packet, Tick now);
  /// Returns the claim of a command, or null if no claim has arrived within the last `kTicksMax`
  /// ticks.
  const ViewClaim* find(CommandNumber number, Tick now) const;
  std::uint64_t malformed() const { return malformed_; }

 private:
  /// The maximum age of a claim, in ticks. A claim is stored under the low byte of its command's
  /// number, so an older claim could belong to another command.
  static constexpr std::int64_t kTicksMax = 100;
  /// Stores the claim of the command whose number has this low byte.
  void note(std::uint8_t low_byte, const ViewClaim& claim, Tick now);
  struct Slot {
    Tick arrived;
    std::optional<ViewClaim> claim;
  };
  std::array<Slot, 256> slots_{};
  std::uint64_t malformed_ = 0;
};

}  // namespace muster
