#include "net/snapshot/entity_code.h"

namespace muster {
namespace {

bool differs(const KnownStates& known, std::size_t lanes, std::size_t first, std::size_t last) {
  for (std::size_t k = first; k < std::min(known.count, last); ++k) {
    if (!std::equal(known.values[0], known.values[0] + lanes, known.values[k])) return true;
  }
  return false;
}

}  // namespace

std::uint32_t changed_slot(const TypeModel& type, const KnownStates& known, bool follows_changed) {
  const std::size_t lanes = type.lanes.size();
  std::uint32_t activity = 0;
  if (known.count > 1) {
    for (std::size_t lane = 0; lane < lanes && activity + 1 < slots::kActivities; ++lane) {
      if (known.values[0][lane] != known.values[1][lane]) ++activity;
    }
  }
  const std::uint32_t older = differs(known, lanes, 2, 4) ? 1 : 0;
  const std::uint32_t oldest = differs(known, lanes, 4, kMaxKnownStates) ? 1 : 0;
  return type.first_slot + slots::kChanged + ((activity * 2 + older) * 2 + oldest) * 2 +
         (follows_changed ? 1 : 0);
}

}  // namespace muster
