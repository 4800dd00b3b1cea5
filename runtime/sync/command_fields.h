// A player's commands, and the rules for each field: how it is sampled, and what replaces it if a
// command is missing or late.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "registry/components/component.h"

namespace muster {

/// A value of each type of `Game::commands`, in their order.
using CommandSet = std::vector<ByteVector>;

/// A button of a command: `<name>.isHeld`, a bool, and `<name>.pressCount`, a byte.
struct ButtonField {
  std::uint32_t held_offset_bytes = 0;
  std::uint32_t press_offset_bytes = 0;
};
std::vector<ButtonField> button_fields(const ComponentDescription& command);

/// Default values of all commands.
CommandSet default_commands(std::span<const ComponentDescription> types);
/// Copies values without allocating. Requires: sets of the same types.
void copy_commands(const CommandSet& from, CommandSet& to);

/// Adds a frame's value to the value of its tick, as `FieldDescription::sampled` describes. The
/// first frame of a tick replaces the last tick's value, except for sums: these are always added.
/// Requires: values of `type`.
void accumulate(const ComponentDescription& type, Bytes value, bool is_first, ByteVector& tick);

/// Adds the sums of a command to those of a tick. Requires: values of `type`.
void add_sums(const ComponentDescription& type, Bytes value, ByteVector& tick);

/// Subtracts the sent sums from `sampled`. The rest, which was not sent because of rounding or the
/// field's range, is left for the next tick. Requires: values of `type`.
void take_sent(const ComponentDescription& type, Bytes sent, ByteVector& sampled);

/// Changes the commands of the tick before into the commands of a tick whose own commands are
/// missing (`FieldDescription::when_missing`).
void repeat_commands(std::span<const ComponentDescription> types, CommandSet& set);

/// The parts of late commands that still have to run: the sums, and for each latched field the last
/// value that is not the default. A server has one object per player.
class LateCommands {
 public:
  /// `types` must outlive this.
  explicit LateCommands(std::span<const ComponentDescription> types);

  /// Keeps the sums and latched fields of a command that does not run.
  void add(const CommandSet& late);
  /// Adds the kept sums and latched fields to the command that runs now. The part of a sum that is
  /// beyond the field's range is kept for the next command.
  void release(CommandSet& running);
  void clear();

 private:
  std::span<const ComponentDescription> types_;
  CommandSet kept_;  ///< Sums start at zero, latched fields at their default.
  bool is_empty_ = true;
};

}  // namespace muster
