// Encodes and decodes the view claims at the beginning of each packet of commands.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/sync/view_claim.h"

namespace muster {

/// A packet begins with the claim of its newest command. When packets are lost, the claim of the
/// command before it follows. SESSION_FORMAT.md, "Views".
inline constexpr std::uint32_t kClaimsPerPacketMax = 2;
/// The maximum size of the claims in one packet. The usual size is 4 to 7 bytes.
inline constexpr std::size_t kClaimStreamBytesMax = 32;

/// The client's side. Keeps the claims of the last commands. The client also uses them itself, for
/// the hit tests of commands that run again. A value of bounded size.
class ClaimSender {
 public:
  /// The number of commands whose claims are kept.
  static constexpr std::uint32_t kKept = 128;
  static_assert(std::has_single_bit(kKept), "numbers wrap");

  /// Adds the claim of a command; nothing if no view has been drawn yet. Numbers rise by 1.
  void push(std::uint32_t number, const std::optional<ViewClaim>& claim);
  /// Appends the claims for the packet whose newest command is `number`, at most `count` of them.
  /// Call this before the commands are appended. Returns the number of bits.
  std::size_t write(std::uint32_t number, std::uint32_t count,
                    std::vector<std::byte>& packet) const;
  /// The claim of a command. Null if the command has no claim or is too old.
  const ViewClaim* find(std::uint32_t number) const;

 private:
  struct Slot {
    std::uint32_t number = 0;
    std::optional<ViewClaim> claim;
  };
  std::array<Slot, kKept> slots_{};
};

/// The server's side, for one player. A value of bounded size; constant work per packet.
class ClaimInbox {
 public:
  /// Reads the claims at the beginning of a packet, and removes them from `packet`. If they are
  /// malformed, returns false and makes `packet` empty. `now` is the server's tick.
  bool receive(std::span<const std::byte>& packet, Tick now);
  /// The claim of a command. Null if none has arrived within the last `kTicksMax` ticks.
  const ViewClaim* find(std::uint32_t number, Tick now) const;
  std::uint64_t malformed() const { return malformed_; }

 private:
  /// The age limit of a claim in ticks. Commands are identified by the low byte of their number, so
  /// an older claim could be that of another command.
  static constexpr std::int64_t kTicksMax = 100;
  void note(std::uint32_t number, const ViewClaim& claim, Tick now);
  struct Slot {
    Tick arrived;
    std::optional<ViewClaim> claim;
  };
  std::array<Slot, 256> slots_{};
  std::uint64_t malformed_ = 0;
};

}  // namespace muster
