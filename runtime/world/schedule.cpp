// A system is added to the last stage if it conflicts with no system there; otherwise it begins a
// new stage. A system is never added to an earlier stage. Structural changes are applied between
// stages, and a system must see the changes of all systems that were added before it.
#include "runtime/world/schedule.h"

#include <algorithm>

namespace muster {
namespace {

bool overlap(const std::vector<ComponentId>& a, const std::vector<ComponentId>& b) {
  return std::ranges::any_of(a,
                             [&](ComponentId id) { return std::ranges::find(b, id) != b.end(); });
}

}  // namespace

void Schedule::add(System system) {
  const auto index = static_cast<std::uint32_t>(systems_.size());
  const bool fits = !stages_.empty() && std::ranges::none_of(stages_.back(), [&](std::uint32_t i) {
    return conflict(systems_[i].system, system);
  });
  if (!fits) stages_.emplace_back();
  stages_.back().push_back(index);
  systems_.push_back({std::move(system), {}});
}

void Schedule::run(World& world, const RunOptions& options) {
  for (const std::vector<std::uint32_t>& stage : stages_) {
    auto run_one = [&](std::uint32_t i) {
      Scheduled& scheduled = systems_[stage[i]];
      ScheduleContext context{.world = world,
                              .changes = scheduled.changes,
                              .tick = options.tick,
                              .seconds = options.seconds,
                              .subset = options.subset};
      scheduled.system.run(context);
    };
    const auto count = static_cast<std::uint32_t>(stage.size());
    if (options.workers != nullptr) {
      options.workers->run(count, run_one);
    } else {
      for (std::uint32_t i = 0; i < count; ++i) run_one(i);
    }
    for (const std::uint32_t i : stage) systems_[i].changes.apply(world);
  }
}

std::vector<std::vector<std::string>> Schedule::stages() const {
  std::vector<std::vector<std::string>> names;
  for (const std::vector<std::uint32_t>& stage : stages_) {
    names.emplace_back();
    for (const std::uint32_t i : stage) names.back().push_back(systems_[i].system.name);
  }
  return names;
}

bool Schedule::conflict(const System& a, const System& b) {
  const auto is_alone = [](const System& system) {
    return system.reads.empty() && system.writes.empty();
  };
  return is_alone(a) || is_alone(b) || overlap(a.writes, b.writes) || overlap(a.writes, b.reads) ||
         overlap(a.reads, b.writes);
}

}  // namespace muster
