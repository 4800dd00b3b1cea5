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
  clamped,             ///< A value was outside its described range; the receiver has the bound.
  diverged,            ///< A client's value differed from the server's; it was sent again.
  mispredicted,        ///< A client's prediction was corrected beyond the field's tolerance.
  refused,             ///< A client, message or command was refused; `text` has the reason.
  dropped,             ///< A full queue, or a message without a handler.
  too_large,           ///< An entity or message is larger than a wire limit; it was not sent.
  unsupported_change,  ///< A change of structure that is not replicated.
  unknown_type,        ///< A name or id that no registry of the build has.
  missing_bundle,      ///< An asset is missing or damaged; a placeholder is shown.
  content_differs,     ///< The other end has other content or descriptions; it was converted.
  overloaded,          ///< Ticks were skipped: a frame took longer than its ticks.
  unwritten,           ///< A recording or capture cannot be written: it ends here.
};

/// The kind's name, as in `clamped`.
std::string_view to_string(ProblemKind kind);

/// One report. Reports of one cause (kind, component, field, player, text) are counted and passed
/// on once per second. A value.
struct Problem {
  ProblemKind kind{};
  Tick tick{};
  EntityId entity{};  ///< Null when no entity is concerned.
  PlayerId player = PlayerId::none;
  std::string component{};  ///< Or the message's or command's name; empty where it does not apply.
  std::string field{};
  std::string system{};     ///< The system concerned, for `mispredicted`; empty if not known.
  double difference = 0;    ///< In the field's unit, for `mispredicted`.
  std::uint64_t count = 1;  ///< Occurrences since the last report of this cause.
  std::string text{};       ///< What is concerned, and what to do.
};

/// A component of an entity, for which the server computed another value. Its texts live as long as
/// the client.
struct Misprediction {
  Tick tick{};                ///< The server's, of the state that differs.
  std::uint32_t command = 0;  ///< The last command that the state includes.
  EntityId entity{};
  std::string_view component{};
  std::string_view field{};  ///< The first field that differs beyond its tolerance.
  double difference = 0;     ///< In the field's unit.
  double tolerance = 0;
  /// The last shared system that changed the component in that tick on this client. Empty: no
  /// shared system did, so the cause is a server system or an earlier tick.
  std::string_view system{};
  std::uint32_t replayed_ticks = 0;  ///< What the correction cost.
};

}  // namespace muster
