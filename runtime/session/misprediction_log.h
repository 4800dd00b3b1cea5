// Which predictions were wrong, by how much, and because of which system.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/tick.h"
#include "runtime/world/entity_id.h"

namespace muster {

/// One component of an entity that the server computed differently. Its texts live as long as the
/// client.
struct Misprediction {
  Tick tick{};                ///< The server's, of the state that differs.
  std::uint32_t command = 0;  ///< The last command that the state includes.
  EntityId entity{};
  std::string_view component{};
  std::string_view field{};  ///< The first field that differs beyond its tolerance.
  double difference = 0;     ///< In the field's unit.
  double tolerance = 0;
  /// The last shared system that changed the component in that tick on this client. Empty: none
  /// did, so the cause is a server system or an earlier tick.
  std::string_view system{};
  std::uint32_t replayed_ticks = 0;  ///< What the correction cost.
};

/// The last `kKept` mispredictions, oldest first. Allocates once.
class MispredictionLog {
 public:
  static constexpr std::size_t kKept = 256;

  void add(const Misprediction& one);
  /// How many of the last ones are kept.
  std::size_t size() const { return kept_.size(); }
  const Misprediction& operator[](std::size_t index) const {
    return kept_[(first_ + index) % kept_.size()];
  }
  std::uint64_t total() const { return total_; }

 private:
  std::vector<Misprediction> kept_;
  std::size_t first_ = 0;  ///< The oldest, once it is full.
  std::uint64_t total_ = 0;
};

/// `tick 120, entity 7: Transform.position differs by 3 (tolerance 0.01), last written by steer`
std::string to_line(const Misprediction& one);
/// A row of `kMispredictionColumns`, without a line's end.
std::string to_csv(const Misprediction& one);
inline constexpr std::string_view kMispredictionColumns =
    "tick,command,entity,component,field,difference,tolerance,system,replayed_ticks";

}  // namespace muster
