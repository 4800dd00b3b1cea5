// Reports of problems that do not end the game.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "registry/base/player_id.h"
#include "registry/base/tick.h"
#include "runtime/world/entity_id.h"

namespace muster {

/// The kinds of problems.
enum class ProblemKind : std::uint8_t {
  /// A value was outside its described range, or had no name; the nearest value was sent.
  clamped,
  diverged,  ///< The values of a client and the server differed, and the entity was sent again.
  /// A client's prediction differed from the server by more than the tolerance.
  mispredicted,
  refused,    ///< A client, message or command was refused; `text` has the reason.
  dropped,    ///< A message was not delivered, or may not have been; `text` has the reason.
  too_large,  ///< An entity or message is larger than a wire limit, and was not sent.
  /// A change of a replicated entity that clients do not receive: an added or removed component,
  /// another parent, a new child or a despawned child.
  unsupported_change,
  unknown_type,     ///< A name or id that no registry of the build or no list of `Game` has.
  missing_bundle,   ///< An asset is missing or damaged; a placeholder is shown.
  content_differs,  ///< Client and server have different content or tick rates.
  overloaded,       ///< Ticks were skipped, because too many ticks were due in a frame.
  unwritten,        ///< A recording or capture ended, because it could not be written.
};

/// The name of the kind, for example `clamped`.
std::string_view to_string(ProblemKind kind);

/// One report of a problem. A cause is a combination of kind, component, field, player and text.
/// Each cause is reported at most once per second, with a count.
struct Problem {
  ProblemKind kind{};
  Tick tick{};
  EntityId entity{};  ///< Null if the problem is not about an entity.
  PlayerId player = PlayerId::none;
  std::string component{};  ///< A component, message or command; empty if there is none.
  std::string field{};
  std::string system{};     ///< For `mispredicted`, the system that caused the problem, if known.
  double difference = 0;    ///< For `mispredicted`, the difference in the field's unit.
  std::uint64_t count = 1;  ///< The occurrences since the last report of this cause.
  std::string text{};       ///< A description of the problem, and a remedy if there is one.
};

/// A component whose value on the server differs from the client's prediction. The texts live as
/// long as the client.
struct Misprediction {
  Tick tick{};          ///< The tick of the server's state that differs.
  Tick command_tick{};  ///< The tick of the last command that the state includes.
  EntityId entity{};
  std::string_view component{};
  std::string_view field{};  ///< The first field that differs by more than its tolerance.
  double difference = 0;     ///< The difference, in the field's unit.
  double tolerance = 0;      ///< The field's tolerance, in the field's unit.
  /// The last shared system that changed the component in that tick on this client. If empty, no
  /// shared system changed the component, and the cause is a server system or an earlier tick.
  std::string_view system{};
  std::uint32_t replayed_ticks = 0;  ///< The ticks that ran again for the correction.
};

}  // namespace muster
