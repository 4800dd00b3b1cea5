// A client's stream of commands: what each packet holds, and how often a command is repeated.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/sync/command_coding.h"
#include "runtime/sync/command_report.h"
#include "runtime/sync/field_lanes.h"

namespace muster {

/// The maximum number of commands in a packet. If more commands in a row are lost, the older ones
/// are not sent again; only their sums are added to a later command.
inline constexpr std::uint32_t kCommandsPerPacketMax = 8;

/// How many commands a packet holds, including the newest one. The number is chosen so that at most
/// one command in a thousand never arrives, if packets are lost independently of each other at a
/// rate slightly above the measured `loss`. If reports are overdue, packets are probably lost in a
/// row, so the packet is filled. The result is at least 1, and at most `unacknowledged` if that is
/// not 0. `loss` is 0 to 1; `round_trip_ticks` includes the time between two reports.
std::uint32_t commands_per_packet(double loss, double round_trip_ticks,
                                  std::uint32_t unacknowledged);

/// Encodes packets of commands and reads the server's reports about them. One thread at a time.
/// Allocates only in the constructor.
class CommandSender {
 public:
  explicit CommandSender(std::vector<CommandLane> lanes);

  /// Adds the commands of a tick: one value per lane, within its range. Stamps rise by 1 per tick,
  /// or by more if ticks are left out. They wrap, and are never 0. A stamp that is not above the
  /// last one begins a new sequence.
  void push(std::uint32_t stamp, std::span<const std::int64_t> values);
  /// The packet with the newest commands, valid until the next call. Empty before the first `push`.
  std::span<const std::byte> packet(double round_trip_ticks);
  /// Reads a report. A report about commands that were not sent is ignored. Returns how many
  /// commands turned out to be finally lost since the last report. `lost` returns these commands
  /// until the next report.
  std::uint32_t receive(const CommandReport& report);
  /// The values of a lost command. The client adds its sums to a later command, so that no press is
  /// lost. Requires: an index below the last result of `receive`.
  std::span<const std::int64_t> lost(std::uint32_t index) const;

  /// From now on each packet holds this many commands, if there are as many. 0 restores the
  /// default, where the number depends on the loss (`commands_per_packet`).
  void set_commands_per_packet(std::uint32_t count) { fixed_count_ = count; }

  std::uint32_t newest() const { return newest_; }
  std::uint32_t unacknowledged() const;
  double loss() const { return loss_; }
  /// The information in the last packet, in bits. The packet itself is rounded up to whole bytes.
  double packet_bits() const { return packet_bits_; }
  /// The sum of `packet_bits` of all packets so far.
  double sent_bits() const { return sent_bits_; }
  std::uint32_t packet_commands() const { return packet_commands_; }

 private:
  /// How many commands are kept. Reports can cover all of them; at 60 ticks per second they cover
  /// an outage of half a minute.
  static constexpr std::uint32_t kKept = 2048;
  static_assert(std::has_single_bit(kKept), "numbers wrap");
  struct Kept {
    std::uint32_t stamp = 0;
    bool is_acknowledged = false;
    bool is_settled = false;  ///< It arrived, or was returned as lost.
    std::vector<std::int64_t> values;
  };
  Kept& kept(std::uint32_t stamp) { return kept_[stamp % kKept]; }
  /// The command that the packet's first one is coded against.
  struct Anchor {
    std::uint32_t stamp = 0;
    CommandGap gap = CommandGap::unknown;
  };
  Anchor code_header(CommandBitsOut& bits, std::uint32_t count, double round_trip_ticks);
  void acknowledge(std::uint32_t stamp);
  /// Reads from a report whether a command arrived. If it did not, and is too old to be accepted by
  /// the server, it is lost.
  void settle(std::uint32_t stamp, bool is_received, std::uint32_t newest);
  void lose(std::uint32_t stamp);
  void read_received(const CommandReport& report);
  void lose_late(const CommandReport& report);

  std::vector<CommandLane> lanes_;
  std::vector<std::int64_t> defaults_;
  std::vector<Kept> kept_;
  std::uint32_t newest_ = 0;
  std::uint32_t oldest_ = 0;        ///< All stamps from here to `newest_` exist.
  std::uint32_t unsettled_ = 0;     ///< Commands before this one are settled.
  std::uint32_t acknowledged_ = 0;  ///< The newest acknowledged command; 0 for none.
  std::vector<std::uint32_t> lost_;
  double loss_ = 0.05;
  double packet_bits_ = 0;
  double sent_bits_ = 0;
  std::uint32_t fixed_count_ = 0;
  std::uint32_t packet_commands_ = 0;
  std::vector<std::byte> buffer_;
};

/// Constants of a packet's numbers, which both ends use.
namespace command_numbers {
/// A short number is the low bits of a stamp. It may be at most `kShortAheadMax` above the newest
/// command that the server has.
inline constexpr unsigned kShortBits = 6;
inline constexpr std::uint32_t kShortAheadMax = 32;
/// A command can be an anchor if its stamp is a multiple of this.
inline constexpr std::uint32_t kAnchorStep = 4;
inline constexpr std::uint32_t kAnchorStepsMax = 15;
/// Each packet whose newest stamp is a multiple of this is coded against an acknowledged anchor, if
/// there is one.
inline constexpr std::uint32_t kSafeStep = 4;

/// The newest possible anchor before a packet's first command.
constexpr std::uint32_t first_anchor(std::uint32_t first) {
  return (first - 1) / kAnchorStep * kAnchorStep;
}
}  // namespace command_numbers

}  // namespace muster
