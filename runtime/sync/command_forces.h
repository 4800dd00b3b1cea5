// Fields of a player's commands that the server forces, for example the view direction at a
// respawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/sync/command_fields.h"
#include "runtime/sync/command_number.h"
#include "runtime/sync/struct_type.h"

namespace muster {

/// A field that the server sets to a value at a tick.
struct ForcedField {
  CommandNumber command{};  ///< The first command that the force changes.
  StructType type{};
  std::uint16_t field = 0;  ///< The index of the field in the type's description.
  ByteVector value;         ///< The bytes of a whole command. Only the forced field is used.
  /// The bytes of a whole command. The value of the forced field in these bytes is added to the
  /// field in later commands.
  ByteVector offset;
};

/// Shifts a forced field from the forced tick on. At the forced tick, the field has the forced
/// value instead of the device's accumulated value. In later ticks, the field changes from the
/// forced value as the device moves. A sum is replaced only in the forced tick. Angles wrap. Server
/// and client do the same arithmetic with the same offset, so their commands are equal. The
/// commands that the client sends are not changed. Server and client have one object per player.
/// The memory of an object is bounded.
class CommandForces {
 public:
  /// The maximum total number of forced fields and kept offsets.
  static constexpr std::size_t kForcesMax = 32;

  /// `types` must outlive this object.
  explicit CommandForces(std::span<const ComponentDescription> types) : types_(types) {}

  /// For a server. Sets the field to the field's value in `value`, in the command with the number
  /// `command`. Returns false if the field is unknown, if the field is neither a number nor a bool,
  /// or if there are too many forced fields.
  bool force(CommandNumber command, StructType type, std::string_view field, Bytes value);
  /// For a client. Adds a force of the server. A second call with the same force has no effect.
  /// Returns false if the force is malformed, or if there are too many forced fields.
  bool follow(const ForcedField& forced);

  /// Converts a force to the bytes for the client and back (SESSION_FORMAT.md, "Forced commands").
  /// `decode` returns nothing if the bytes are malformed, or if the client's field with the same
  /// name has another type or size.
  std::vector<std::byte> encode(const ForcedField& forced) const;
  std::optional<ForcedField> decode(std::span<const std::byte> bytes) const;

  /// Applies the forces to the sampled commands of a tick.
  void apply(CommandNumber command, CommandSet& set);
  /// For a server. Repeats the forces that took effect after the command `since`: they take effect
  /// again in the command `command`, with new offsets. Sums are not forced again.
  void renew(CommandNumber since, CommandNumber command);
  /// For a server. Returns the forces that still change commands, one per field. The server sends
  /// these forces to a client that may have missed them.
  std::vector<ForcedField> lasting() const;
  /// For a server. Returns the forces that have taken effect, with their offsets. The caller must
  /// send these forces to the client and clear the list.
  std::vector<ForcedField>& effective() { return effective_; }

 private:
  struct Force {
    ForcedField forced;
    bool has_offset = false;
  };
  bool is_valid(const ForcedField& forced) const;
  void forget(CommandNumber command);

  std::span<const ComponentDescription> types_;
  std::vector<Force> forces_;  ///< Forces by ascending command number.
  std::vector<ForcedField> effective_;
};

}  // namespace muster
