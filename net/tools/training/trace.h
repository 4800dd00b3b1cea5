// Recorded worlds (traces), for training and measuring a codec's model.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/snapshot/codec_type.h"
#include "net/snapshot/lane.h"
#include "net/snapshot/slice_id.h"

namespace muster {

/// The maximum number of entities in one tick, which is the limit of a snapshot's reader.
inline constexpr std::size_t kMaxTraceEntities = 65'536;

/// An entity at one tick. The trace owns the values.
struct TraceEntity {
  SliceId id{};
  CodecType type{};  ///< The index in `Trace::types`.
  const LaneValue* values = nullptr;
};

/// A recording of the format MTRC1 in memory. The trace contains the entities of every tick, in
/// ascending order of unique ids below 2^32 - 1.
struct Trace {
  std::string name;
  std::uint32_t tick_rate = 0;
  /// The number of snapshots per second, from the scene's description.
  std::uint32_t send_rate = 0;
  std::vector<EntitySchema> types;
  /// For each type, the initial values of its lanes, from the scene's description.
  std::vector<std::vector<LaneValue>> initial_values;
  std::vector<std::vector<TraceEntity>> ticks;
  std::vector<LaneValue> values;  ///< The memory of all entities' values.
};

/// Returns the reason why the types of a trace do not fit into a model; empty if they fit.
std::string fault_of_types(const std::vector<EntitySchema>& types);
/// Reads a trace. `scene` is empty, or a JSON text that describes the trace's fields
/// (`tests/bench/scenes`). Returns false and sets `error` if the trace or the scene is damaged.
bool read_trace(std::span<const std::byte> bytes, std::string_view scene, Trace& out,
                std::string& error);
/// Returns the name in a trace's header; empty if there is no valid header.
std::string trace_name(std::span<const std::byte> bytes);

}  // namespace muster
