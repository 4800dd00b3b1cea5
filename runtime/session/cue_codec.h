// Effects and predicted messages as they travel. SESSION_FORMAT.md, "Cues".
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

/// In the place of a message's index: a cue follows.
inline constexpr std::uint16_t kCueIndex = 0xFFFF;
/// A longer name of an effect is not sent.
inline constexpr std::size_t kEffectNameMax = 64;

/// A cue as it travels. Its texts and spans live as long as the bytes.
struct SentCue {
  PredictedKey key;  ///< None for all but the player whose command it is of.
  EntityReference cause;
  std::optional<EffectType> effect;
  EffectOptions options;  ///< Of an effect; without `cause` and `metres`.
  /// The body of kind 3; empty for an effect.
  std::span<const std::byte> message;
};

/// Appends a cue to `out`. False, and nothing is appended, for a name that is too long.
bool encode_cue(const SentCue& cue, std::vector<std::byte>& out);
/// Nothing for malformed bytes, and for positions that are no numbers.
std::optional<SentCue> decode_cue(std::span<const std::byte> bytes);

}  // namespace muster
