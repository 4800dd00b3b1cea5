// Encodes and decodes cues, which are effects and predicted messages. The bytes are described in
// SESSION_FORMAT.md, "Cues".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/session/game.h"
#include "runtime/sync/predicted_key.h"

namespace muster {

/// This value is sent in place of a message's index if a cue follows.
inline constexpr std::uint16_t kCueIndex = 0xFFFF;
/// The maximum length of an effect's name, in bytes. Effects with longer names are not sent.
inline constexpr std::size_t kEffectNameMax = 64;

/// A cue on the wire. The texts and spans of a decoded cue point into the decoded bytes.
struct SentCue {
  PredictedKey key;  ///< Set only for the player whose command caused the cue.
  EntityReference cause;
  std::optional<EffectType> effect;
  EffectOptions options;  ///< The options of an effect, without `cause` and `metres`.
  /// The body of a message of kind 3 (`SessionMessage::game`); empty for an effect.
  std::span<const std::byte> message;
};

/// Appends a cue to `out`. Returns false and appends nothing if the effect's name is too long.
bool encode_cue(const SentCue& cue, std::vector<std::byte>& out);
/// Returns nothing if the bytes are malformed, or if a position is not finite.
std::optional<SentCue> decode_cue(std::span<const std::byte> bytes);

}  // namespace muster
