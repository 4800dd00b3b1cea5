// What a mixing coder looks at when it codes an entity. SNAPSHOT_FORMAT.md, "Mixing".
#pragma once

#include <cstdint>

#include "net/snapshot/known_states.h"
#include "net/snapshot/lane_features.h"
#include "net/snapshot/mix.h"
#include "net/snapshot/snapshot_model.h"

namespace muster {

/// What the entity being coded has shown so far.
struct EntityNews {
  std::uint32_t activity = 0;  ///< Lanes in which the two newest known states differ.
  std::uint32_t symbols = 0;   ///< The small symbols coded so far, stirred together.
  std::int64_t last_missed = 0;
  std::int64_t last_but_one_missed = 0;
  std::uint32_t changed_set = 0;  ///< Of the last lanes coded, the newest in the lowest bit.
};

/// What is known of a number before it is coded.
struct NumberView {
  const LaneModel& model;
  const LaneMotion& motion;
  const Prediction& prediction;
  const SizeHints& hints;
  const EntityNews& entity;
  std::int64_t horizon = 0;
  std::int64_t newest = 0;
  std::int32_t size = 0;  ///< The expected size, see `expected_size`.
  std::uint32_t partners = 0;
  std::int64_t partner_missed = 0;       ///< By its first partner, ...
  std::int64_t next_partner_missed = 0;  ///< ... and by the second.
};
MixContexts number_contexts(const NumberView& view);

/// What is known of a symbol, or of the tick of an event.
struct SymbolView {
  const LaneModel& model;
  const SizeHints& hints;
  const EntityNews& entity;
  std::int64_t horizon = 0;
  LaneValue newest = 0;
  LaneValue before = 0;   ///< The value that it had before it last changed.
  std::uint32_t age = 0;  ///< How many known states ago; 0 for never.
  std::uint32_t partners = 0;
  LaneValue partner_value = 0;  ///< Of its first partner, as it is now.
  std::int64_t since = 0;       ///< Of ticks: how long before the newest known state.
};
MixContexts symbol_contexts(const SymbolView& view);

/// Of the decision whether an entity changed.
MixContexts changed_contexts(const TypeModel& type, const KnownStates& known, bool follows_changed);

}  // namespace muster
