// A player's commands: sampled per frame and sent per tick by the client, run one per tick by the
// server.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "registry/vocabulary/component.h"
#include "runtime/session/struct_codec.h"

namespace muster {

/// A value of each type of `Game::commands`, in their order.
using CommandSet = std::vector<ByteVector>;

/// The described buttons of a command type: where they count presses, and where they are held.
struct ButtonField {
  std::uint32_t held_offset_bytes = 0;
  std::uint32_t press_offset_bytes = 0;
};
std::vector<ButtonField> button_fields(const ComponentDescription& command);

/// Default values of all commands.
CommandSet default_commands(std::span<const ComponentDescription> types);

/// The client's side. Counts each rising edge of a button between frames as a press, so that one
/// shorter than a tick is not lost.
class CommandSampler {
 public:
  /// `encoder` has the commands first; both must outlive the sampler.
  CommandSampler(std::span<const ComponentDescription> types, StructEncoder& encoder);

  /// The devices' state in this frame. Requires: an index of the types, and a value of that type.
  void set(std::size_t type, Bytes value);
  /// Ends a tick: the packet with this tick's commands and those of the last ticks, for the case
  /// that earlier packets were lost. Valid until the next call.
  std::span<const std::byte> end_tick();
  /// The number of the tick that ended last.
  std::uint32_t number() const { return number_; }
  /// The commands of that tick as the server receives them: rounded to the fields' resolution.
  const CommandSet& last() const { return last_; }

 private:
  std::vector<std::vector<ButtonField>> buttons_;
  StructEncoder& encoder_;
  StructDecoder decoder_;
  CommandSet now_;
  CommandSet last_;
  std::uint32_t number_ = 0;
  std::vector<std::vector<std::byte>> sent_;  ///< Encoded sets, a ring by number.
  std::vector<std::byte> packet_;
};

struct CommandCounters {
  std::uint64_t received = 0;  ///< Sets that were new.
  std::uint64_t missing = 0;   ///< Ticks that repeated an earlier command.
  std::uint64_t skipped = 0;   ///< Sets that were not run, since too many waited.
  std::uint64_t malformed = 0;
};

/// The server's side, for one player: runs one set per tick. A missing one is repeated without its
/// presses. When more than `kWaitingMax` sets wait, as after a stall, all but the last ones are
/// skipped, and their presses are added to the next one that runs. Bounded memory.
class CommandQueue {
 public:
  static constexpr std::uint32_t kWaitingMax = 6;
  static constexpr std::uint32_t kWaitingAfterSkip = 2;

  explicit CommandQueue(std::span<const ComponentDescription> types);

  /// Reads a client's packet.
  void receive(StructDecoder& decoder, std::span<const std::byte> packet);
  /// Begins a tick: chooses the commands that `current` returns.
  void begin_tick();
  const CommandSet& current() const { return current_; }
  /// The number of the last set that was run; 0 before the first.
  std::uint32_t number() const { return next_ == 0 ? 0 : next_ - 1; }
  const CommandCounters& counters() const { return counters_; }

 private:
  static constexpr std::uint32_t kRing = 64;
  /// Sets of a packet that are read; a packet with more is malformed.
  static constexpr std::uint32_t kSetsMax = 8;
  struct Slot {
    std::uint32_t number = 0;  ///< 0 is none.
    CommandSet set;
  };
  bool read_set(StructDecoder& decoder, std::span<const std::byte>& bytes, CommandSet& set);
  void add_presses(const CommandSet& from, CommandSet& to) const;
  void clear_presses(CommandSet& set) const;
  Slot& slot(std::uint32_t number) { return slots_[number % kRing]; }

  std::span<const ComponentDescription> types_;
  std::vector<std::vector<ButtonField>> buttons_;
  std::vector<Slot> slots_;
  CommandSet current_;
  CommandSet skipped_;  ///< Its presses still have to run.
  CommandSet read_;
  std::uint32_t next_ = 0;  ///< The number that runs next; 0 before the first packet.
  std::uint32_t newest_ = 0;
  CommandCounters counters_;
};

}  // namespace muster
