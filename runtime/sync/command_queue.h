// The server's side of a player's commands: finds the command of each tick.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "registry/components/component.h"
#include "runtime/sync/command_coding.h"
#include "runtime/sync/command_fields.h"
#include "runtime/sync/command_forces.h"
#include "runtime/sync/command_report.h"
#include "runtime/sync/received_history.h"
#include "runtime/sync/struct_codec.h"

namespace muster {

struct CommandCounters {
  std::uint64_t received = 0;    ///< Commands that were new and in time.
  std::uint64_t late = 0;        ///< New commands whose tick had run; their sums run later.
  std::uint64_t duplicates = 0;  ///< Commands that had already arrived.
  std::uint64_t missing = 0;     ///< Ticks whose command had not arrived.
  std::uint64_t skipped = 0;     ///< Commands that did not run, because too many waited.
  std::uint64_t stale = 0;       ///< Stamps too far in the past: ignored.
  std::uint64_t ahead = 0;       ///< Stamps too far in the future: ignored.
  std::uint64_t jumps = 0;       ///< Clients that began a new sequence of stamps.
  std::uint64_t unanchored = 0;  ///< Packets that cannot be decoded without a lost command.
  std::uint64_t malformed = 0;
  std::uint64_t work = 0;  ///< Values decoded and slots checked: bounded per packet and tick.
};

/// The meaning of a command's stamp.
enum class CommandPacing : std::uint8_t {
  /// Stamps are the server's ticks. The client uses the server's reports to keep its clock ahead.
  by_server,
  /// The client numbers its commands with its own clock. The server runs the next command, waits
  /// while there is none, and skips commands when too many wait.
  by_client,
};

/// Runs one set of commands per tick. A missing command is made from the last command, field by
/// field (`Missing`). The presses and other sums of a late command are not lost: they are added to
/// the next command that runs, exactly once. A client cannot get more ticks by sending more
/// commands, or by sending them earlier or later. Memory is bounded and work per packet is
/// constant, whatever the stamps are. Allocates only in `accept`. One thread at a time.
class CommandQueue {
 public:
  /// How many ticks a stamp may be ahead of the tick that runs. Later stamps are ignored.
  static constexpr std::uint32_t kAheadMax = 48;
  /// Ticks for which a late command still counts, unless it is settled
  /// (`CommandReport::kSettledTicks`).
  static constexpr std::uint32_t kLateMax = CommandReport::kLateTicks;
  /// For `by_client`: if more than `kWaitingMax` commands wait, all but the last
  /// `kWaitingAfterSkip` are skipped.
  static constexpr std::uint32_t kWaitingMax = 6;
  static constexpr std::uint32_t kWaitingAfterSkip = 2;

  /// `types` are this end's; they must outlive the queue.
  CommandQueue(std::span<const ComponentDescription> types, CommandPacing pacing);

  /// Accepts the client's list of commands. If it differs from the list before, the commands that
  /// wait are dropped. Requires: called before any packet is received.
  void accept(const StructDecoder& decoder);
  /// Reads a client's packet, which arrived `fraction` of a tick after the last tick began.
  /// Returns false if only the header was read, because the packet cannot be used. That takes
  /// almost no time. Requires: the decoder of `accept`.
  bool receive(StructDecoder& decoder, std::span<const std::byte> packet, float fraction);

  /// Begins the tick whose command has this stamp, which is not 0. Packets before the first tick
  /// are ignored. Requires: `by_server`.
  void begin_tick(StructDecoder& decoder, std::uint32_t stamp);
  /// Begins a tick. Requires: `by_client`.
  void begin_tick(StructDecoder& decoder);
  /// The commands of the tick that runs.
  const CommandSet& current() const { return current_; }
  /// The stamp of the last command that was run or missed; 0 before the first.
  std::uint32_t number() const { return has_begun_ ? last_run_ : 0; }

  /// The client's connection was lost. From now on a tick without a command runs the default
  /// command plus the sums of late commands. A field that is forced meanwhile has the forced value
  /// again in the first command that runs after the client has reconnected.
  void rest();
  /// The command at which the connection was lost; nothing while the client is connected.
  std::optional<std::uint32_t> resting_since() const { return resting_since_; }

  /// Forces a field of the next tick's command, such as the view direction at a respawn. Later
  /// values of the field continue from the forced value. False if the type or field is unknown, or
  /// if the field is not a number.
  bool force(std::uint16_t type, std::string_view field, Bytes value);
  /// Forces that the client has to follow; the caller sends and clears them.
  std::vector<ForcedField>& forced() { return forces_.effective(); }
  const CommandForces& forces() const { return forces_; }

  /// The report for the client. Begins a new interval for `earliness_min`.
  CommandReport report();
  std::uint32_t waiting() const;
  const CommandCounters& counters() const { return counters_; }

 private:
  static constexpr std::uint32_t kRing = 128;
  static_assert(std::has_single_bit(kRing), "numbers wrap");
  static_assert(kAheadMax + kLateMax < kRing);
  struct Slot {
    std::uint32_t stamp = 0;  ///< 0 is none.
    std::vector<std::int64_t> values;
  };
  struct Header {
    std::uint32_t newest = 0;
    std::uint32_t count = 0;
    std::uint32_t anchor = 0;
    bool is_full = false;
    CommandGap gap = CommandGap::unknown;
  };
  Slot& slot(std::uint32_t stamp) { return slots_[stamp % kRing]; }
  const Slot& slot(std::uint32_t stamp) const { return slots_[stamp % kRing]; }
  bool has(std::uint32_t stamp) const { return stamp != 0 && slot(stamp).stamp == stamp; }

  std::optional<Header> read_header(CommandBitsIn& bits);
  bool decode(CommandBitsIn& bits, const Header& header);
  bool is_plausible(StructDecoder& decoder, const Header& header, float fraction);
  void clear();
  void keep_skipped(StructDecoder& decoder, std::uint32_t end);
  void store(StructDecoder& decoder, std::uint32_t stamp, std::span<const std::int64_t> values);
  void note_packet(std::uint32_t newest, float fraction);
  void note_earliness(std::uint32_t newest, float fraction);
  void convert(StructDecoder& decoder, std::span<const std::int64_t> values, CommandSet& set);
  void keep_late(StructDecoder& decoder, std::uint32_t stamp);
  void run(StructDecoder& decoder, std::uint32_t stamp);
  void finish_tick(std::uint32_t stamp);

  std::span<const ComponentDescription> types_;
  std::vector<CommandLane> lanes_;
  std::vector<std::int64_t> defaults_;
  std::vector<std::int64_t> decoded_;  ///< A packet's commands, oldest first.
  std::vector<Slot> slots_;
  CommandSet raw_;  ///< The sampled commands plus late ones, before forces.
  CommandSet current_;
  CommandSet scratch_;
  LateCommands late_;
  CommandForces forces_;
  CommandPacing pacing_;
  bool has_begun_ = false;
  std::optional<std::uint32_t> resting_since_;  ///< The command when the client was lost.
  std::uint32_t last_run_ = 0;
  std::uint32_t newest_ = 0;                ///< The newest stored stamp; 0 for none.
  std::optional<std::uint32_t> suspected_;  ///< A stamp that may begin a new sequence.
  ReceivedHistory history_;
  std::uint32_t next_block_ = 0;  ///< The block that the next report names, if it has gaps.
  std::uint32_t measured_ = 0;
  float earliness_min_ = 0;
  float earliness_last_ = 0;
  bool has_earliness_ = false;
  std::uint32_t newest_packet_ = 0;
  /// Bit `i`: whether the packet of command `newest_packet_ - i` has arrived.
  std::uint64_t packets_ = 0;
  float loss_;
  CommandCounters counters_;
};

}  // namespace muster
