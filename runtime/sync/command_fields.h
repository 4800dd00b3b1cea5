// Sampling of a player's commands, and replacement of missing commands, field by field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "registry/components/component.h"

namespace muster {

/// One value of each type of `Game::commands`, in the order of the types.
using CommandSet = std::vector<ByteVector>;

/// A button of a command. A button has two fields: `<name>.isHeld`, a bool, and
/// `<name>.pressCount`, a byte.
struct ButtonField {
  std::uint32_t held_offset_bytes = 0;
  std::uint32_t press_offset_bytes = 0;
};
std::vector<ButtonField> button_fields(const ComponentDescription& command);

/// Returns the default values of all commands.
CommandSet default_commands(std::span<const ComponentDescription> types);
/// Copies values without allocating. Requires: sets of the same types.
void copy_commands(const CommandSet& from, CommandSet& to);

/// Adds a frame's value to a tick's value, as `FieldDescription::sampled` describes. In the first
/// frame of a tick, the frame's value replaces the previous tick's value. The values of sum fields
/// are added in every frame. Requires: values of `type`.
void accumulate(const ComponentDescription& type, Bytes value, bool is_first, ByteVector& tick);

/// Adds the sums in `value` to the sums in `tick`. Requires: values of `type`.
void add_sums(const ComponentDescription& type, Bytes value, ByteVector& tick);

/// Subtracts the sent sums from `sampled`. The remainder stays for the next tick. A remainder
/// exists if a sum was rounded or was beyond the field's range. Requires: values of `type`.
void subtract_sent(const ComponentDescription& type, Bytes sent, ByteVector& sampled);

/// Makes the commands of a tick whose commands are missing, as `FieldDescription::when_missing`
/// describes. `set` has the previous tick's commands, and is changed in place.
void repeat_commands(std::span<const ComponentDescription> types, CommandSet& set);

}  // namespace muster
