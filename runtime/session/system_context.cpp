#include "runtime/session/system_context.h"

#include "runtime/session/simulation.h"

namespace muster {

std::span<const PlayerId> SystemContext::players() const { return simulation_.players_; }
std::span<const PlayerId> SystemContext::joined() const { return simulation_.joined_; }
std::span<const PlayerId> SystemContext::left() const { return simulation_.left_; }

PlayerId SystemContext::owner(EntityId entity) const {
  simulation_.reach(entity);
  return simulation_.world_.player(entity);
}

EntityReference SystemContext::reference(EntityId entity) const {
  simulation_.reach(entity);
  return simulation_.reference(entity);
}
EntityId SystemContext::find(EntityReference reference) const {
  simulation_.reach({});
  return simulation_.find(reference);
}

void SystemContext::despawn(EntityId entity) { simulation_.despawn(entity); }
bool SystemContext::is_despawning(EntityId entity) const {
  simulation_.reach(entity);
  return simulation_.world_.is_despawning(entity);
}

std::span<const Hit> SystemContext::hits(const Shot& shot) const {
  HitTests* const tests = simulation_.hit_tests_;
  if (tests == nullptr) return {};
  simulation_.reach({});
  return tests->hits(shot, simulation_.world_.player(shot.shooter));
}
std::span<const Hit> SystemContext::hits_within(Vec3 center, float metres,
                                                std::uint32_t layers) const {
  HitTests* const tests = simulation_.hit_tests_;
  simulation_.reach({});
  return tests != nullptr ? tests->hits_within(center, metres, layers) : std::span<const Hit>();
}
std::span<const SplashHit> SystemContext::splash(const Splash& splash) const {
  HitTests* const tests = simulation_.hit_tests_;
  simulation_.reach({});
  return tests != nullptr ? tests->splash(splash) : std::span<const SplashHit>();
}

Random SystemContext::random(EntityId entity) const {
  if (!entity.is_null()) simulation_.reach(entity);
  const bool is_shared = system_ < simulation_.game_.systems.entries.size();
  const std::uint64_t seed = is_shared ? simulation_.shared_seed_ : simulation_.seed_;
  Random mixed(seed ^ (std::uint64_t{tick_.value()} << 32U | system_));
  const EntityReference reference = simulation_.reference(entity);
  const auto number = static_cast<std::uint32_t>(reference.network_id);
  return Random(mixed.next() ^ (std::uint64_t{number} << 32U));
}

World& SystemContext::world() {
  simulation_.reach_any();
  return simulation_.world_;
}

std::byte* SystemContext::find_component(std::string_view name, EntityId entity,
                                         std::size_t bytes) const {
  return simulation_.find_component(name, entity, bytes);
}

Bytes SystemContext::command_bytes(PlayerId player, std::string_view name,
                                   std::size_t bytes) const {
  return simulation_.command_bytes(player, name, bytes);
}

bool SystemContext::is_server() const { return simulation_.is_server(); }

bool SystemContext::is_computed(EntityId entity) const {
  simulation_.reach(entity);
  return simulation_.world_.is_simulated_by(simulation_.machine_, entity);
}

void SystemContext::visit_entities(std::span<const session_detail::VisitedComponent> components,
                                   void* visitor, session_detail::VisitRun visit,
                                   bool is_all) const {
  simulation_.visit(components, visitor, visit, is_all);
}

EntityId SystemContext::spawn_entity(EntityType type, const SpawnOptions& options,
                                     std::span<const session_detail::NamedValue> values) {
  return simulation_.spawn(type, options, values);
}

void SystemContext::add_component(EntityId entity, const session_detail::NamedValue& value) {
  if (is_server()) simulation_.add_component(entity, value);
}
void SystemContext::remove_component(EntityId entity, std::string_view name) {
  if (is_server()) simulation_.remove_component(entity, name);
}

void SystemContext::play_cue(const EffectType* effect, const session_detail::NamedValue* message,
                             const EffectOptions& options) {
  Cue cue{.effect = {}, .options = options};
  if (effect != nullptr) cue.effect = *effect;
  if (message != nullptr) cue.message = *message;
  simulation_.cue(cue);
}

void SystemContext::send_to_near(Vec3 position, float metres,
                                 const session_detail::NamedValue& message,
                                 const SendOptions& options) {
  if (simulation_.near_message_) simulation_.near_message_(position, metres, message, options);
}

}  // namespace muster
