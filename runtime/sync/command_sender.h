// A client's stream of commands: the content of each packet, and the repetition of commands.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/sync/command_coding.h"
#include "runtime/sync/command_number.h"
#include "runtime/sync/command_report.h"

namespace muster {

/// The maximum number of commands in a packet. If more commands are lost in a row, the oldest of
/// these commands are not sent again. The sums of such commands are added to a later command.
inline constexpr std::uint32_t kCommandsPerPacketMax = 8;

/// Returns the number of commands in a packet, including the newest command. With this number, at
/// most one command in a thousand is lost, if packets are lost independently of each other. The
/// assumed rate of lost packets is slightly above the measured `loss`, which is 0 to 1. If reports
/// are overdue, several packets in a row are probably lost, so the packet is filled. The result is
/// at least 1, and at most `unacknowledged` if `unacknowledged` is not 0. `round_trip_ticks` must
/// include the time between two reports.
std::uint32_t commands_per_packet(double loss, double round_trip_ticks,
                                  std::uint32_t unacknowledged);

/// Encodes packets of commands, and reads the server's reports about the commands. Only one thread
/// at a time may use this object. Allocates only in the constructor.
class CommandSender {
 public:
  explicit CommandSender(std::vector<CommandLane> lanes);

  /// Adds the commands of a tick. `values` has one value per lane, within the lane's range. Command
  /// numbers increase by 1 per tick, or by more if ticks are left out. Command numbers wrap, and
  /// are never 0: the number after 0xFFFFFFFF is 1. A command number that is not later than the
  /// previous command number begins a new sequence.
  void push(CommandNumber number, std::span<const std::int64_t> values);
  /// Returns a packet with the newest commands, which is valid until the next call. The packet is
  /// empty before the first `push`.
  std::span<const std::byte> packet(double round_trip_ticks);
  /// Reads a report. A report about commands that were not sent is ignored. Returns the number of
  /// commands that this report shows to be lost. `lost` returns these commands until the next
  /// report.
  std::uint32_t receive(const CommandReport& report);
  /// Returns the values of a lost command. The client adds the sums of a lost command to a later
  /// command, so that no press is lost. Requires: an index below the last result of `receive`.
  std::span<const std::int64_t> lost(std::uint32_t index) const;

  /// Sets a fixed number of commands per packet. Packets have fewer commands if fewer exist. 0
  /// restores the default, `commands_per_packet`.
  void set_commands_per_packet(std::uint32_t count) { fixed_count_ = count; }

  CommandNumber newest() const { return newest_; }
  std::uint32_t unacknowledged() const;
  double loss() const { return loss_; }
  /// The information in the last packet, in bits. The packet's size is rounded up to whole bytes.
  double packet_bits() const { return packet_bits_; }
  /// The sum of `packet_bits` of all packets.
  double sent_bits() const { return sent_bits_; }
  std::uint32_t packet_commands() const { return packet_commands_; }

 private:
  /// The number of kept commands. Reports can cover all kept commands. At 60 ticks per second,
  /// these are the commands of half a minute.
  static constexpr std::uint32_t kKept = 2048;
  static_assert(std::has_single_bit(kKept), "numbers wrap");
  struct Kept {
    CommandNumber number{};
    bool is_acknowledged = false;
    bool is_settled = false;  ///< Whether the command arrived or was returned as lost.
    std::vector<std::int64_t> values;
  };
  Kept& kept(CommandNumber number) { return kept_[number.value() % kKept]; }
  /// The base of a packet's first command: the first command is coded as differences from this
  /// command.
  struct Anchor {
    CommandNumber number{};
    CommandGap gap = CommandGap::unknown;
  };
  Anchor code_header(CommandBitsOut& bits, std::uint32_t count, double round_trip_ticks);
  void acknowledge(CommandNumber number);
  /// Applies a report's bit for a command. If the command has not arrived and is settled on the
  /// server, the command is lost.
  void settle(CommandNumber number, bool is_received, CommandNumber newest);
  void lose(CommandNumber number);
  void read_received(const CommandReport& report);
  void lose_late(const CommandReport& report);

  std::vector<CommandLane> lanes_;
  std::vector<std::int64_t> defaults_;
  std::vector<Kept> kept_;
  CommandNumber newest_;
  CommandNumber oldest_;        ///< All commands from `oldest_` to `newest_` exist.
  CommandNumber unsettled_;     ///< All commands before this command are settled.
  CommandNumber acknowledged_;  ///< The newest acknowledged command, or 0.
  std::vector<CommandNumber> lost_;
  double loss_ = 0.05;
  double packet_bits_ = 0;
  double sent_bits_ = 0;
  std::uint32_t fixed_count_ = 0;
  std::uint32_t packet_commands_ = 0;
  std::vector<std::byte> buffer_;
};

/// Constants for the numbers in a packet. Client and server use the same constants.
namespace command_numbers {
/// The number of bits of a short number, which has the low bits of a command number. The command
/// number may be at most `kShortAheadMax` above the newest command that the server has.
inline constexpr unsigned kShortBits = 6;
inline constexpr std::uint32_t kShortAheadMax = 32;
/// A command can be an anchor if its number is a multiple of `kAnchorStep`.
inline constexpr std::uint32_t kAnchorStep = 4;
inline constexpr std::uint32_t kAnchorStepsMax = 15;
/// A packet whose newest command number is a multiple of `kSafeStep` is coded relative to an
/// acknowledged anchor, if an anchor exists.
inline constexpr std::uint32_t kSafeStep = 4;

/// Returns the newest possible anchor before a packet's first command.
constexpr CommandNumber first_anchor(CommandNumber first) {
  return CommandNumber(first.previous().value() / kAnchorStep * kAnchorStep);
}
}  // namespace command_numbers

}  // namespace muster
