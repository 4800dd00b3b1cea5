// The errors of replication, and the interface that receives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "net/snapshot/lane.h"
#include "registry/base/network_id.h"
#include "registry/base/tick.h"
#include "registry/base/type_id.h"

namespace muster {

/// An entity that differed between the two ends.
struct Divergence {
  enum class Kind : std::uint8_t {
    values = 0,
    missing = 1,            ///< The client does not have the entity.
    missing_component = 2,  ///< The client's entity lacks the component named in `field`.
  };
  Kind kind = Kind::values;
  NetworkId id{};
  Tick tick{};
  /// The type's id in the game; empty if no snapshot contained the entity.
  std::optional<TypeId> type;
  /// The first field that differs, as `Component.field`, with `[i]` if the field has several
  /// values. `after Component.field` if the difference comes after the lanes that the client sent.
  /// Empty if the server no longer stores the entity's values of that tick, or found no difference.
  std::string field;
  LaneValue server_value = 0;
  LaneValue client_value = 0;
};

/// Returns a line of text that names the entity and the field that differ.
std::string to_line(const Divergence& divergence);

/// An entity with a slice whose state does not fit into a datagram. This slice is not sent until it
/// changes. Later slices are sent.
struct UnfitEntity {
  NetworkId id{};
  TypeId type{};                  ///< The type's id in the game.
  std::size_t payload_bytes = 0;  ///< The room in a datagram.
};

/// The first value outside its range that the game wrote into a field of a type. Clients receive
/// the nearest value of the range. For an angle, whole turns are added or subtracted instead, if
/// this brings the angle into the range. Later values outside the range are only counted
/// (`ReplicatedWorld::clamped`).
struct ClampedValue {
  NetworkId id{};
  TypeId type{};           ///< The type's id in the game.
  std::string_view field;  ///< `Component.field`. Valid during the call.
  std::int64_t value = 0;  ///< May be `kNotFinite`.
  std::int64_t low = 0;    ///< The minimum of the field's range.
  std::int64_t high = 0;
};

/// Receives errors of replication. The functions are called on the thread that calls `update` or
/// `end_tick`.
class DivergenceLog {
 public:
  virtual ~DivergenceLog() = default;
  virtual void diverged(const Divergence& divergence) = 0;
  virtual void left_out(const UnfitEntity& /*entity*/) {}
  virtual void clamped(const ClampedValue& /*value*/) {}
};

}  // namespace muster
