// The contexts of a mixing coder for an entity. See SNAPSHOT_FORMAT.md, "Mixing".
#pragma once

#include <cstdint>

#include "net/snapshot/known_states.h"
#include "net/snapshot/lane_features.h"
#include "net/snapshot/mix.h"
#include "net/snapshot/snapshot_model.h"

namespace muster {

/// Describes the lanes of the current entity that are coded so far.
struct EntityNews {
  std::uint32_t activity = 0;  ///< The number of lanes in which the two newest known states differ.
  std::uint32_t symbols = 0;   ///< The small symbols coded so far, mixed together.
  std::int64_t last_missed = 0;
  std::int64_t last_but_one_missed = 0;
  /// One bit for each of the last lanes, 1 if the lane changed. The lowest bit belongs to the last
  /// lane.
  std::uint32_t changed_set = 0;
};

/// A number before it is coded.
struct NumberView {
  const LaneModel& model;
  const LaneMotion& motion;
  const Prediction& prediction;
  const SizeHints& hints;
  const EntityNews& entity;
  std::int64_t horizon = 0;
  std::int64_t newest = 0;
  std::int32_t size = 0;  ///< The residual's expected size (`expected_size`).
  std::uint32_t partners = 0;
  std::int64_t partner_missed = 0;       ///< The residual of the first partner.
  std::int64_t next_partner_missed = 0;  ///< The residual of the second partner.
};
MixContexts number_contexts(const NumberView& view);

/// A symbol, or the tick of an event, before it is coded.
struct SymbolView {
  const LaneModel& model;
  const SizeHints& hints;
  const EntityNews& entity;
  std::int64_t horizon = 0;
  LaneValue newest = 0;
  LaneValue before = 0;  ///< The value before the last change.
  /// The number of known states since the last change; 0 if there was no change.
  std::uint32_t age = 0;
  std::uint32_t partners = 0;
  LaneValue partner_value = 0;  ///< The current value of the first partner.
  /// For an event's tick, the age of the event in the newest known state, in ticks.
  std::int64_t since = 0;
};
MixContexts symbol_contexts(const SymbolView& view);

/// The contexts of the decision whether an entity changed.
MixContexts changed_contexts(const TypeModel& type, const KnownStates& known, bool follows_changed);

}  // namespace muster
