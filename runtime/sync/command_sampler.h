// A client's commands, sampled per frame and ended per tick.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/sync/command_fields.h"

namespace muster {

/// Gathers the frames of a tick into its commands, each field as its description says
/// (`Sampling`). A button's rising edge between two frames counts as a press, so that one that is
/// shorter than a tick is not lost; a frame that counts presses itself adds those. A tick without a
/// frame has the last frame's values, without sums. Frames may be of any rate. One thread at a
/// time.
class CommandSampler {
 public:
  /// `types` must outlive the sampler.
  explicit CommandSampler(std::span<const ComponentDescription> types);

  /// The devices' state in this frame. Requires: an index of the types, and a value of that type.
  void set(std::size_t type, Bytes value);
  /// Adds the sums of a command that was lost for good to the next tick. Requires: as many values
  /// as `values`.
  void add_lost(std::span<const std::int64_t> values);
  /// Ends a tick.
  void end_tick();
  /// The commands of the tick that ended last as the server receives them: rounded to the fields'
  /// resolution. The next tick gets the rest of a sum that was rounded or cut by its range.
  const CommandSet& last() const { return last_; }
  /// The same as integers for the wire, all types one after another.
  std::span<const std::int64_t> values() const { return values_; }

 private:
  struct Sampled {
    std::vector<ButtonField> buttons;
    std::size_t value_count = 0;  ///< On the wire.
    ByteVector tick;              ///< Gathered.
    ByteVector frame;             ///< The last frame's.
    bool has_frame = false;       ///< Since the last tick ended.
  };

  std::span<const ComponentDescription> types_;
  std::vector<Sampled> sampled_;
  CommandSet last_;
  std::vector<std::int64_t> values_;
  ByteVector scratch_;
};

}  // namespace muster
