// The reports of the replication, which come from worker threads.
#include <mutex>
#include <string>

#include "registry/base/not_finite.h"
#include "runtime/session/game_server_impl.h"

namespace muster {

void GameServer::Impl::diverged(const Divergence& divergence) {
  const std::lock_guard lock(worker_mutex);
  worker_problems.push_back({.kind = ProblemKind::diverged,
                             .tick = simulation.tick(),
                             .text = muster::to_line(divergence)});
}

void GameServer::Impl::left_out(const UnfitEntity& entity) {
  const std::lock_guard lock(worker_mutex);
  worker_problems.push_back({.kind = ProblemKind::too_large,
                             .tick = simulation.tick(),
                             .entity = collection.find(reference_to(entity.id)),
                             .text = "entities of " + std::string(content->path(entity.type)) +
                                     " are not sent: they do not fit into a datagram"});
}

void GameServer::Impl::clamped(const ClampedValue& value) {
  const std::size_t dot = value.field.find('.');
  const std::string_view component = value.field.substr(0, dot);
  const std::string_view field =
      dot == std::string_view::npos ? std::string_view{} : value.field.substr(dot + 1);
  std::string text = "a value of " + std::string(content->path(value.type)) +
                     " is outside its range: clients receive the nearest value of the range";
  const std::optional<ComponentId> id = world.find_component(component);
  const FieldDescription* const described =
      id ? world.storage(*id).description().find(field) : nullptr;
  const bool is_finite = value.value != kNotFinite;
  if (described != nullptr &&
      (described->minimum != described->maximum || !described->names.empty() || !is_finite)) {
    text = outside_range(*described, value.value) + " in " +
           std::string(content->path(value.type)) + ": clients receive the nearest value" +
           (is_finite ? "" : " to zero");
  }
  const std::lock_guard lock(worker_mutex);
  worker_problems.push_back({.kind = ProblemKind::clamped,
                             .tick = simulation.tick(),
                             .entity = collection.find(reference_to(value.id)),
                             .component = std::string(component),
                             .field = std::string(field),
                             .text = std::move(text)});
}

}  // namespace muster
