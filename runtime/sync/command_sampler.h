// Combines the frames of a client into the commands of its ticks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "net/replication/replication_schema.h"
#include "runtime/sync/clamped_struct_field.h"
#include "runtime/sync/command_fields.h"
#include "runtime/sync/struct_type.h"

namespace muster {

/// Combines the frames of a tick into the tick's commands. Each field is combined according to its
/// `Sampling`. A button that is up in one frame and held in the next frame counts as a press.
/// Therefore a press that is shorter than a tick is not lost. The `pressCount` of a frame is added
/// to the presses. A tick without a frame has the last frame's values, without sums. Any frame rate
/// is possible. Only one thread at a time may use this object.
class CommandSampler {
 public:
  /// `types` must outlive the sampler.
  explicit CommandSampler(std::span<const ComponentDescription> types);

  /// Sets the state of the devices in this frame. Requires: a type of `types`, and a value of
  /// that type.
  void set(StructType type, Bytes value);
  /// Adds the sums of a lost command to the next tick. Requires: `values` has the size of
  /// `values()`.
  void add_lost(std::span<const std::int64_t> values);
  /// Ends a tick.
  void end_tick();
  /// The fields that were clamped in the last ended tick. A sum above its range is not one of them,
  /// because the next tick gets the remainder. A sum with NaN or infinity becomes 0.
  std::span<const ClampedStructField> clamped() const { return clamped_; }
  /// The commands of the last ended tick, rounded to the fields' resolution. The server receives
  /// the same values. If a sum was rounded or limited to its range, the remainder is added to the
  /// next tick.
  const CommandSet& last() const { return last_; }
  /// The values of `last()` as integers for the wire, in the order of the types.
  std::span<const std::int64_t> values() const { return values_; }

 private:
  struct Sampled {
    std::vector<ButtonField> buttons;
    ComponentSchema schema;
    std::size_t value_count = 0;  ///< The number of values on the wire.
    ByteVector tick;              ///< The combined frames of the tick.
    ByteVector frame;             ///< The values of the last frame.
    bool has_frame = false;       ///< Whether a frame was set since the last tick ended.
  };

  std::span<const ComponentDescription> types_;
  std::vector<Sampled> sampled_;
  CommandSet last_;
  std::vector<std::int64_t> values_;
  std::vector<ClampedStructField> not_finite_;  ///< Sums of the tick that has not ended.
  std::vector<ClampedStructField> clamped_;
  ByteVector scratch_;
};

}  // namespace muster
