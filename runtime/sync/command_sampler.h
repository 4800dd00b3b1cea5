// Collects a client's commands from frames into ticks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/sync/command_fields.h"

namespace muster {

/// Combines the frames of a tick into its commands, each field according to its `Sampling`. If a
/// button was up in one frame and is held in the next, that counts as a press, so a press that is
/// shorter than a tick is not lost. If a frame counts presses itself, its count is added. A tick
/// without a frame has the last frame's values, without sums. Any frame rate is possible. One
/// thread at a time.
class CommandSampler {
 public:
  /// `types` must outlive the sampler.
  explicit CommandSampler(std::span<const ComponentDescription> types);

  /// Sets the state of the devices in this frame. Requires: an index of the types, and a value of
  /// that type.
  void set(std::size_t type, Bytes value);
  /// Adds the sums of a finally lost command to the next tick. Requires: as many values as the
  /// result of `values()` has.
  void add_lost(std::span<const std::int64_t> values);
  /// Ends a tick.
  void end_tick();
  /// The commands of the tick that ended last, as the server receives them: rounded to the fields'
  /// resolution. If a sum was rounded or limited to its range, the rest is added to the next tick.
  const CommandSet& last() const { return last_; }
  /// The same as integers for the wire, all types one after another.
  std::span<const std::int64_t> values() const { return values_; }

 private:
  struct Sampled {
    std::vector<ButtonField> buttons;
    std::size_t value_count = 0;  ///< On the wire.
    ByteVector tick;              ///< The combined frames of the tick.
    ByteVector frame;             ///< The values of the last frame.
    bool has_frame = false;       ///< A frame was set since the last tick ended.
  };

  std::span<const ComponentDescription> types_;
  std::vector<Sampled> sampled_;
  CommandSet last_;
  std::vector<std::int64_t> values_;
  ByteVector scratch_;
};

}  // namespace muster
