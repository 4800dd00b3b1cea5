// Recorded worlds: what a codec's model is trained on and what it is measured with.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/snapshot/lane.h"

namespace muster {

/// So many entities may be there at a time: as many as a snapshot's reader keeps.
inline constexpr std::size_t kMaxTraceEntities = 65'536;

/// An entity at one tick. The values belong to the trace.
struct TraceEntity {
  std::uint32_t id = 0;
  std::uint16_t type = 0;
  const LaneValue* values = nullptr;
};

/// A recording of the format MTRC1 in memory: every tick's entities, in ascending order of ids,
/// each below 2^32 - 1 and there once.
struct Trace {
  std::string name;
  std::uint32_t tick_rate = 0;
  std::uint32_t send_rate = 0;  ///< Snapshots a second, as the scene's description has it.
  std::vector<EntitySchema> types;
  /// Of each type, what its lanes are in a new entity as a rule, as the scene's description has it.
  std::vector<std::vector<LaneValue>> usual;
  std::vector<std::vector<TraceEntity>> ticks;
  std::vector<LaneValue> values;  ///< What the entities point to.
};

/// What a model could not say of the types of a trace, for people; empty when nothing.
std::string fault_of_types(const std::vector<EntitySchema>& types);
/// Reads a trace; `scene`, when not empty, is the JSON text that says what its fields mean
/// (`tests/bench/scenes`). Returns false and a reason for people when either is damaged.
bool read_trace(std::span<const std::byte> bytes, std::string_view scene, Trace& out,
                std::string& error);
/// Only the name in a trace's header; empty when there is none.
std::string trace_name(std::span<const std::byte> bytes);

}  // namespace muster
