// Fields of a player's commands that the server forces, such as the view direction at a respawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/sync/command_fields.h"

namespace muster {

/// A field that the server sets to a value at a tick.
struct ForcedField {
  std::uint32_t stamp = 0;  ///< The first command that it changes.
  std::uint16_t type = 0;   ///< Index of the command type.
  std::uint16_t field = 0;  ///< Index in its description.
  ByteVector value;         ///< A whole command; only the forced field is used.
  ByteVector offset;        ///< A whole command; added to the field in later commands.
};

/// Shifts a forced field from the forced tick on. At that tick, the field has the forced value
/// instead of the value that the player's device had accumulated. Afterwards it changes from there
/// as the device moves. A field that is a sum is replaced only in that tick. Angles wrap. Server
/// and client do the same arithmetic with the same offset, so their commands are equal. The
/// commands that the client sends are not changed. Each end has one object per player, of bounded
/// size.
class CommandForces {
 public:
  /// The maximum number of forced fields and kept offsets together.
  static constexpr std::size_t kForcesMax = 32;

  /// `types` must outlive this.
  explicit CommandForces(std::span<const ComponentDescription> types) : types_(types) {}

  /// Server: in the command `stamp`, the field becomes that field of `value`. False if the field is
  /// unknown, if it is neither a number nor a bool, or if there are too many forced fields.
  bool force(std::uint32_t stamp, std::uint16_t type, std::string_view field, Bytes value);
  /// Client: adds a force of the server. Adding it again has no effect. False if it is malformed,
  /// or if there are too many forced fields.
  bool follow(const ForcedField& forced);

  /// Converts a force to the bytes for the client and back (SESSION_FORMAT.md, "Forced commands").
  /// `decode` returns nothing if the bytes are malformed, or if this end's field of that name does
  /// not have the same type and size.
  std::vector<std::byte> encode(const ForcedField& forced) const;
  std::optional<ForcedField> decode(std::span<const std::byte> bytes) const;

  /// Changes the raw commands of a tick into the commands that run.
  void apply(std::uint32_t stamp, CommandSet& set);
  /// Server: forces that took effect after the command `since` take effect again at `stamp`, with
  /// new offsets. Fields that are sums are not forced again.
  void renew(std::uint32_t since, std::uint32_t stamp);
  /// Server: the forces that still change commands, one per field. They are sent to a client that
  /// may have missed them.
  std::vector<ForcedField> lasting() const;
  /// Server: the forces that have taken effect since the caller cleared this list, with their
  /// offsets. The client has to follow them.
  std::vector<ForcedField>& effective() { return effective_; }

 private:
  struct Force {
    ForcedField forced;
    bool has_offset = false;
  };
  bool is_valid(const ForcedField& forced) const;
  void forget(std::uint32_t stamp);

  std::span<const ComponentDescription> types_;
  std::vector<Force> forces_;  ///< By ascending stamp.
  std::vector<ForcedField> effective_;
};

}  // namespace muster
