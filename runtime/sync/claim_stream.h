// Claims of views on their way: in front of each packet of commands.
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

/// The client's side: keeps the claims of the last commands, also for its own verdicts, which
/// replays need again. A value of bounded size.
class ClaimSender {
 public:
  /// Commands whose claims are kept.
  static constexpr std::uint32_t kKept = 128;
  static_assert(std::has_single_bit(kKept), "numbers wrap");

  /// The claim of a command; null when nothing has been drawn yet. Numbers rise by 1.
  void push(std::uint32_t number, const std::optional<ViewClaim>& claim);
  /// Appends what goes in front of the packet with this newest command: at most `count` claims.
  /// Returns the number of bits.
  std::size_t write(std::uint32_t number, std::uint32_t count,
                    std::vector<std::byte>& packet) const;
  /// Null for a command without a claim, and for one that is too long ago.
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
  /// Reads what is in front of a packet, and removes it. False, with an empty packet, when that is
  /// malformed. `now` is the server's tick.
  bool receive(std::span<const std::byte>& packet, Tick now);
  /// The claim of a command; null unless one arrived in the last seconds.
  const ViewClaim* find(std::uint32_t number, Tick now) const;
  std::uint64_t malformed() const { return malformed_; }

 private:
  /// After this many ticks the low byte of a number may mean another command.
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
