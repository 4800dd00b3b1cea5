// Fields of a player's commands that the server forces, as the view at a respawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/sync/command_fields.h"

namespace muster {

/// A field that has a value of the server's from a tick on.
struct ForcedField {
  std::uint32_t stamp = 0;  ///< The first command that it changes.
  std::uint16_t type = 0;   ///< Index of the command type.
  std::uint16_t field = 0;  ///< Index in its description.
  ByteVector value;         ///< A value of the command's type; only the field counts.
  ByteVector offset;        ///< The same: what later commands are shifted by.
};

/// Shifts commands from the forced tick on, so that the forced value replaces what a player had
/// accumulated: at that tick the field has the forced value, and afterwards it moves from there as
/// the device does. A sum is replaced in that tick alone. Angles wrap. Server and client do the
/// same arithmetic with the same offset, so their commands are equal, and the player's own stream
/// stays unchanged. A value per player and end; bounded.
class CommandForces {
 public:
  /// Fields that are forced at once, and offsets that are kept: one per field.
  static constexpr std::size_t kForcesMax = 32;

  /// `types` must outlive this.
  explicit CommandForces(std::span<const ComponentDescription> types) : types_(types) {}

  /// Server: the field of the command `stamp` becomes that of `value`. False for a field that is no
  /// number and no bool, an unknown field, or too many of them.
  bool force(std::uint32_t stamp, std::uint16_t type, std::string_view field, Bytes value);
  /// Client: what the server did; a repeated one counts once. False when malformed.
  bool follow(const ForcedField& forced);

  /// The bytes for the client (SESSION_FORMAT.md, "Forced commands"), and back. Nothing for bytes
  /// that are malformed, or name a field that this end does not have in the same form.
  std::vector<std::byte> encode(const ForcedField& forced) const;
  std::optional<ForcedField> decode(std::span<const std::byte> bytes) const;

  /// Changes the raw commands of a tick into the ones that run.
  void apply(std::uint32_t stamp, CommandSet& set);
  /// Server: forces that took effect after the command `since` take effect again at `stamp`, with
  /// new offsets. Sums are not forced twice.
  void renew(std::uint32_t since, std::uint32_t stamp);
  /// Server: what still changes commands, one per field: for a client that may have missed it.
  std::vector<ForcedField> lasting() const;
  /// Server: forces that took effect and that the client has to follow, with their offsets. The
  /// caller clears the list.
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
