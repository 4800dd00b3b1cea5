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

/// Commands of a packet, at most: the rest of a longer gap is lost but for what sums carry.
inline constexpr std::uint32_t kCommandsPerPacketMax = 8;

/// How many commands a packet holds, the newest included. Enough that at most one command in a
/// thousand never arrives, if each packet is lost for itself at a little more than the measured
/// loss. As many as fit when reports are overdue, since packets are then lost in a row. At least 1,
/// and at most the unacknowledged ones. `loss` is 0 to 1; `round_trip_ticks` includes the time
/// between two reports.
std::uint32_t commands_per_packet(double loss, double round_trip_ticks,
                                  std::uint32_t unacknowledged);

/// Encodes packets and follows the server's reports. One thread at a time; allocates only when it
/// is made.
class CommandSender {
 public:
  explicit CommandSender(std::vector<CommandLane> lanes);

  /// The commands of a tick, as many values as lanes, within their ranges. Stamps rise by one per
  /// tick, or more when ticks are left out; they wrap, and are never 0. A lower one begins a new
  /// sequence.
  void push(std::uint32_t stamp, std::span<const std::int64_t> values);
  /// The packet for the newest commands. Valid until the next call. Empty before the first.
  std::span<const std::byte> packet(double round_trip_ticks);
  /// Ignores reports about commands that were not sent. Returns how many commands are known to be
  /// lost for good since the last report; `lost` has them until the next one.
  std::uint32_t receive(const CommandReport& report);
  /// The values of a lost command. The client adds its sums to a later one, so that no press is
  /// lost. Requires: an index below what `receive` returned.
  std::span<const std::int64_t> lost(std::uint32_t index) const;

  /// Each packet then holds this many, if it has as many; 0: as many as the loss asks for.
  void set_commands_per_packet(std::uint32_t count) { fixed_count_ = count; }

  std::uint32_t newest() const { return newest_; }
  std::uint32_t unacknowledged() const;
  double loss() const { return loss_; }
  /// The information in the last packet, in bits; it is sent in whole bytes.
  double packet_bits() const { return packet_bits_; }
  /// The same of all packets so far.
  double sent_bits() const { return sent_bits_; }
  std::uint32_t packet_commands() const { return packet_commands_; }

 private:
  /// Commands of which a report can say whether they arrived: an outage of half a minute.
  static constexpr std::uint32_t kKept = 2048;
  static_assert(std::has_single_bit(kKept), "numbers wrap");
  struct Kept {
    std::uint32_t stamp = 0;
    bool is_acknowledged = false;
    bool is_settled = false;  ///< It arrived, or was given to the caller as lost.
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
  /// A report says whether a command arrived. One that did not, and that is settled, is lost.
  void settle(std::uint32_t stamp, bool is_received, std::uint32_t newest);
  void lose(std::uint32_t stamp);
  void read_received(const CommandReport& report);
  void lose_late(const CommandReport& report);

  std::vector<CommandLane> lanes_;
  std::vector<std::int64_t> defaults_;
  std::vector<Kept> kept_;
  std::uint32_t newest_ = 0;
  std::uint32_t oldest_ = 0;        ///< First stamp of those that follow without a gap.
  std::uint32_t unsettled_ = 0;     ///< Commands before this one are settled.
  std::uint32_t acknowledged_ = 0;  ///< The newest one; 0 for none.
  std::vector<std::uint32_t> lost_;
  double loss_ = 0.05;
  double packet_bits_ = 0;
  double sent_bits_ = 0;
  std::uint32_t fixed_count_ = 0;
  std::uint32_t packet_commands_ = 0;
  std::vector<std::byte> buffer_;
};

/// What both ends know of a packet's numbers.
namespace command_numbers {
/// Bits of a short number, and how far ahead of the newest one that the server has it may be.
inline constexpr unsigned kShortBits = 6;
inline constexpr std::uint32_t kShortAheadMax = 32;
/// Anchors are commands whose stamp is a multiple of this.
inline constexpr std::uint32_t kAnchorStep = 4;
inline constexpr std::uint32_t kAnchorStepsMax = 15;
/// At least every fourth packet has an anchor that is acknowledged.
inline constexpr std::uint32_t kSafeStep = 4;

/// The newest possible anchor before a packet's first command.
constexpr std::uint32_t first_anchor(std::uint32_t first) {
  return (first - 1) / kAnchorStep * kAnchorStep;
}
}  // namespace command_numbers

}  // namespace muster
