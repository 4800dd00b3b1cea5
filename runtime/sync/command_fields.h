// A player's commands, and the rules by which each field is sampled, replaced and made up for.
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

/// Adds a frame's value to those of its tick, as `FieldDescription::sampled` describes. The first
/// frame of a tick replaces what the last tick left, but for sums.
/// Requires: values of `type`.
void accumulate(const ComponentDescription& type, Bytes value, bool is_first, ByteVector& tick);

/// Adds the sums of a command to those of a tick. Requires: values of `type`.
void add_sums(const ComponentDescription& type, Bytes value, ByteVector& tick);

/// Takes what was sent of the sums from them. The rest, which rounding or the range kept out, is
/// added to the next tick. Requires: values of `type`.
void take_sent(const ComponentDescription& type, Bytes sent, ByteVector& sampled);

/// Turns the commands of the tick before into those of a tick whose own are missing
/// (`FieldDescription::when_missing`).
void repeat_commands(std::span<const ComponentDescription> types, CommandSet& set);

/// What late commands still have to do: their sums, and the last value that differs from the
/// default of each field that is latched. A value per server and player.
class LateCommands {
 public:
  /// `types` must outlive this.
  explicit LateCommands(std::span<const ComponentDescription> types);

  /// Keeps what must not be lost of a command that does not run.
  void add(const CommandSet& late);
  /// Adds it to the command that runs now. What does not fit into a field's range stays for the
  /// next one.
  void release(CommandSet& running);
  void clear();

 private:
  std::span<const ComponentDescription> types_;
  CommandSet kept_;  ///< Sums from zero; latched fields from their default.
  bool is_empty_ = true;
};

}  // namespace muster
