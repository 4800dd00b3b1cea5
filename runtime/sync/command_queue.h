// The server's side of a player's commands: chooses the command of each tick.
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
#include "runtime/sync/command_number.h"
#include "runtime/sync/command_report.h"
#include "runtime/sync/late_commands.h"
#include "runtime/sync/received_history.h"
#include "runtime/sync/struct_codec.h"

namespace muster {

struct CommandCounters {
  std::uint64_t received = 0;    ///< Commands that were new and in time.
  std::uint64_t late = 0;        ///< New commands whose tick had already run.
  std::uint64_t duplicates = 0;  ///< Commands that had already arrived.
  std::uint64_t missing = 0;     ///< Ticks whose command had not arrived.
  std::uint64_t skipped = 0;     ///< Commands that did not run, because too many waited.
  /// Commands that were ignored, because their numbers are too far in the past.
  std::uint64_t stale = 0;
  /// Commands that were ignored, because their numbers are too far in the future.
  std::uint64_t ahead = 0;
  std::uint64_t jumps = 0;  ///< New sequences of command numbers that the client began.
  /// Packets that cannot be decoded, because they need a lost command.
  std::uint64_t unanchored = 0;
  std::uint64_t malformed = 0;
  /// The number of decoded values and checked slots. The work per packet and per tick is bounded.
  std::uint64_t work = 0;
};

/// The meaning of a command's number.
enum class CommandPacing : std::uint8_t {
  /// The command numbers are the server's ticks. The client uses the server's reports to keep its
  /// clock ahead.
  by_server,
  /// The client numbers its commands with its own clock. In each tick, the server runs the next
  /// command, if a command has arrived. If too many commands wait, the server skips commands.
  by_client,
};

/// Runs one set of commands per tick. A missing command is made from the last command, field by
/// field (`Missing`). The presses and other sums of a late command are added once to the next
/// command that runs. A client cannot get more ticks by sending more commands, or by sending
/// commands earlier or later. Memory is bounded and work per packet is constant for all possible
/// command numbers. Allocates only in `accept`. Only one thread at a time may use this object.
class CommandQueue {
 public:
  /// The maximum number of ticks by which a command may be ahead of the running tick. Commands that
  /// are further ahead are ignored.
  static constexpr std::uint32_t kAheadMax = 48;
  /// A command that is later than this number of ticks is not used. A settled command is never used
  /// (`CommandReport::kSettledTicks`).
  static constexpr std::uint32_t kLateMax = CommandReport::kLateTicks;
  /// For `by_client`: if more than `kWaitingMax` commands wait, all commands except the last
  /// `kWaitingAfterSkip` are skipped.
  static constexpr std::uint32_t kWaitingMax = 6;
  static constexpr std::uint32_t kWaitingAfterSkip = 2;

  /// `types` are the server's types, and must outlive the queue.
  CommandQueue(std::span<const ComponentDescription> types, CommandPacing pacing);

  /// Accepts the client's list of command types. If the list differs from the previous list, all
  /// waiting commands are dropped. Call this function before the first `receive`.
  void accept(const StructDecoder& decoder);
  /// Reads a client's packet, which arrived `fraction` of a tick after the beginning of the last
  /// tick. Returns false, after reading only the header, if the packet cannot be used. Requires:
  /// the decoder of `accept`.
  bool receive(StructDecoder& decoder, std::span<const std::byte> packet, float fraction);

  /// Begins the tick whose command has the number `number`. Packets before the first tick are
  /// ignored. Requires: `by_server`, and a command number other than 0.
  void begin_tick(StructDecoder& decoder, CommandNumber number);
  /// Begins a tick. Requires: `by_client`.
  void begin_tick(StructDecoder& decoder);
  /// The commands of the running tick.
  const CommandSet& current() const { return current_; }
  /// The command number of the last command that ran or was missing; 0 before the first tick.
  CommandNumber number() const { return has_begun_ ? last_run_ : CommandNumber{}; }

  /// Call this function when the client's connection is lost. From then on, a tick without a
  /// command runs the default command plus the sums of late commands. If a field is forced during
  /// this time, the field has the forced value again in the first command after the client has
  /// reconnected.
  void pause();
  /// The command at which the connection was lost. Empty while the client is connected.
  std::optional<CommandNumber> paused_since() const { return paused_since_; }

  /// Forces a field of the next tick's command. Later values of the field continue from the forced
  /// value. Returns false if the type or field is unknown, if the field is neither a number nor a
  /// bool, or if there are too many forced fields.
  bool force(StructType type, std::string_view field, Bytes value);
  /// The forces that the caller must send to the client and then clear.
  std::vector<ForcedField>& forced() { return forces_.effective(); }
  const CommandForces& forces() const { return forces_; }

  /// Returns the report for the client. Begins a new interval for `CommandReport::earliness_min`.
  CommandReport report();
  std::uint32_t waiting() const;
  const CommandCounters& counters() const { return counters_; }

 private:
  static constexpr std::uint32_t kRing = 128;
  static_assert(std::has_single_bit(kRing), "numbers wrap");
  static_assert(kAheadMax + kLateMax < kRing);
  struct Slot {
    CommandNumber number{};  ///< 0 if the slot is empty.
    std::vector<std::int64_t> values;
  };
  struct Header {
    CommandNumber newest{};
    std::uint32_t count = 0;
    CommandNumber anchor{};
    bool is_full = false;
    CommandGap gap = CommandGap::unknown;
  };
  Slot& slot(CommandNumber number) { return slots_[number.value() % kRing]; }
  const Slot& slot(CommandNumber number) const { return slots_[number.value() % kRing]; }
  bool has(CommandNumber number) const {
    return !number.is_none() && slot(number).number == number;
  }

  std::optional<Header> read_header(CommandBitsIn& bits);
  bool decode(CommandBitsIn& bits, const Header& header);
  bool is_plausible(StructDecoder& decoder, const Header& header, float fraction);
  void clear();
  void keep_skipped(StructDecoder& decoder, CommandNumber end);
  void store(StructDecoder& decoder, CommandNumber number, std::span<const std::int64_t> values);
  void note_packet(CommandNumber newest, float fraction);
  void note_earliness(CommandNumber newest, float fraction);
  void convert(StructDecoder& decoder, std::span<const std::int64_t> values, CommandSet& set);
  void keep_late(StructDecoder& decoder, CommandNumber number);
  void run(StructDecoder& decoder, CommandNumber number);
  void finish_tick(CommandNumber number);

  std::span<const ComponentDescription> types_;
  std::vector<CommandLane> lanes_;
  std::vector<std::int64_t> defaults_;
  std::vector<std::int64_t> decoded_;  ///< The commands of a packet, oldest first.
  std::vector<Slot> slots_;
  CommandSet raw_;  ///< The sampled and late commands, before forces are applied.
  CommandSet current_;
  CommandSet scratch_;
  LateCommands late_;
  CommandForces forces_;
  CommandPacing pacing_;
  bool has_begun_ = false;
  std::optional<CommandNumber> paused_since_;  ///< The command at which the connection was lost.
  CommandNumber last_run_;
  CommandNumber newest_;                    ///< The newest stored command, or 0.
  std::optional<CommandNumber> suspected_;  ///< A command that may begin a new sequence.
  ReceivedHistory history_;
  std::uint32_t next_block_ = 0;  ///< The first block that the next report may list.
  CommandNumber measured_;
  float earliness_min_ = 0;
  float earliness_last_ = 0;
  bool has_earliness_ = false;
  CommandNumber newest_packet_;
  /// Bit `i` is set if the packet of command `newest_packet_ - i` has arrived.
  std::uint64_t packets_ = 0;
  float loss_;
  CommandCounters counters_;
};

}  // namespace muster
