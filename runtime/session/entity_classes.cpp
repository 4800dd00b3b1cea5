#include "runtime/session/entity_classes.h"

namespace muster {
namespace {

constexpr std::size_t kClassesMax = 256;

}  // namespace

std::uint8_t EntityClasses::find(const SpawnOptions& options, std::optional<UpdateClass>& added) {
  added.reset();
  std::size_t larger = 0;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const Pair& pair = pairs_[i];
    if (pair.visible_within == options.visible_within && pair.priority == options.priority) {
      return static_cast<std::uint8_t>(i);
    }
    const bool is_larger = pair.visible_within >= options.visible_within;
    const bool is_better = larger == 0 || pair.visible_within < pairs_[larger].visible_within;
    if (is_larger && is_better) larger = i;
  }
  if (pairs_.size() == kClassesMax) return static_cast<std::uint8_t>(larger);
  pairs_.push_back({options.visible_within, options.priority});
  UpdateClass made{.weight = options.priority};
  if (options.visible_within > 0) made.radius = options.visible_within;
  added = made;
  return static_cast<std::uint8_t>(pairs_.size() - 1);
}

}  // namespace muster
