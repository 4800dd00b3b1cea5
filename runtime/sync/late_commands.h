// Keeps the parts of late commands that must still run.
#pragma once

#include <span>

#include "registry/components/component.h"
#include "runtime/sync/command_fields.h"

namespace muster {

/// The parts of late commands that must still run: the sums, and the last non-default value of each
/// latched field. A server has one object per player.
class LateCommands {
 public:
  /// `types` must outlive this object.
  explicit LateCommands(std::span<const ComponentDescription> types);

  /// Keeps the sums and latched fields of a command that does not run.
  void add(const CommandSet& late);
  /// Adds the kept sums and latched fields to the command that runs now. If a sum is beyond the
  /// field's range, the remainder is kept for the next command.
  void release(CommandSet& running);
  void clear();

 private:
  std::span<const ComponentDescription> types_;
  CommandSet kept_;  ///< Sums begin at zero. Latched fields begin at their default values.
  bool is_empty_ = true;
};

}  // namespace muster
