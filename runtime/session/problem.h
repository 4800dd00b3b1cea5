// Reports of problems while the game continues.
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
  clamped,             ///< A value was outside its described range; the nearest bound was sent.
  diverged,            ///< A client's value differed from the server's; it was sent again.
  mispredicted,        ///< A client's prediction was corrected beyond the field's tolerance.
  refused,             ///< A client, message or command was refused; `text` has the reason.
  dropped,             ///< A message was dropped: a queue was full, or there is no handler.
  too_large,           ///< An entity or message is larger than a wire limit; it was not sent.
  unsupported_change,  ///< A change of structure that is not replicated.
  unknown_type,        ///< A name or id that no registry of the build has.
  missing_bundle,      ///< An asset is missing or damaged; a placeholder is shown.
  content_differs,     ///< The other end has other content or descriptions; values are converted.
  overloaded,          ///< Ticks were skipped: a frame took longer than its ticks.
  unwritten,           ///< A recording or capture cannot be written: it ends here.
};

/// The name of the kind, for example `clamped`.
std::string_view to_string(ProblemKind kind);

/// One report. A cause is a combination of kind, component, field, player and text. Each cause is
/// reported at most once per second, with a count. A value.
struct Problem {
  ProblemKind kind{};
  Tick tick{};
  EntityId entity{};  ///< Null if the problem is not about an entity.
  PlayerId player = PlayerId::none;
  std::string component{};  ///< A component, message or command; empty if it does not apply.
  std::string field{};
  std::string system{};     ///< The system concerned, for `mispredicted`; empty if not known.
  double difference = 0;    ///< In the field's unit, for `mispredicted`.
  std::uint64_t count = 1;  ///< Occurrences since the last report of this cause.
  std::string text{};       ///< What the problem is about, and what to do.
};

/// A component for which the server computed another value than the client predicted. The texts
/// live as long as the client.
struct Misprediction {
  Tick tick{};                ///< The server's tick of the state that differs.
  std::uint32_t command = 0;  ///< The last command that the state includes.
  EntityId entity{};
  std::string_view component{};
  std::string_view field{};  ///< The first field that differs beyond its tolerance.
  double difference = 0;     ///< In the field's unit.
  double tolerance = 0;
  /// The last shared system that changed the component in that tick on this client. Empty if no
  /// shared system changed it: then the cause is a server system or an earlier tick.
  std::string_view system{};
  std::uint32_t replayed_ticks = 0;  ///< What the correction cost.
};

}  // namespace muster
