// Changes of a server's level and build.
//
// A change of the level has these steps. All entities despawn. When a tick has ended and the new
// level is loaded, the placed entities get the ids from 0 on. Then the game spawns other entities
// in `on_level`. The next tick begins a new map of replication. A message names the level to the
// clients before the map begins.
//
// If a new build has other types, a new replication server with the new schema replaces the
// previous one. The entities stay the same.
#include <algorithm>
#include <utility>

#include "runtime/session/game_server_impl.h"

namespace muster {
namespace {

/// Whether two schemas are equal except for initial values. Initial values only make snapshots
/// smaller.
bool is_same_but_values(ReplicationSchema a, ReplicationSchema b) {
  for (ReplicationSchema* const schema : {&a, &b}) {
    for (ReplicatedType& type : schema->types) type.initial_values.clear();
  }
  return a == b;
}

}  // namespace

bool GameServer::load_level(LevelKey level) {
  const Result<Guid> found = impl_->content->level(level);
  if (found) {
    impl_->change_level(found.value());
  } else {
    impl_->problems.add({.kind = ProblemKind::unknown_type,
                         .tick = impl_->simulation.tick(),
                         .text = found.error().message});
  }
  return found.has_value();
}

void GameServer::on_level(std::function<void()> callback) { impl_->on_level = std::move(callback); }

Result<ReloadSummary> GameServer::reload(const Build& build) { return impl_->reload(build); }

void GameServer::Impl::change_level(const Guid& guid) {
  level_guid = guid;
  is_changing_level = true;
  level_left = simulation.tick();
  simulation.set_paused(true);
  simulation.despawn_all();
  level.load(guid);
  if (recorder == nullptr) return;
  problems.add(
      {.kind = ProblemKind::dropped,
       .tick = simulation.tick(),
       .text =
           "the recording ends, because the level changes: begin another recording in `on_level`"});
  stop_recording();
}

void GameServer::Impl::update_level() {
  if (!is_changing_level) return;
  assets->loader().update(now);
  {
    const StructureWatch::Pause pause(&structure.watch());
    level.update();
  }
  // The next ticks remove the despawned entities from the world and from replication.
  if (simulation.tick() == level_left || sender->count() > 0) return simulation.despawn_all();
  if (level.state() == LevelState::loading) return;
  if (level.state() == LevelState::failed) {
    problems.add({.kind = ProblemKind::missing_bundle,
                  .tick = simulation.tick(),
                  .text = "the level cannot be loaded: " + level.error().message});
    level_guid = Guid();
    collection.set_placed_count(0);
  } else if (!place_level()) {
    return simulation.despawn_all();  // Entities may have been spawned while the level loaded.
  }
  is_changing_level = false;
  simulation.set_paused(false);
  prepare_map();
  const auto callback = on_level;  // A copy, because the callback can replace itself.
  if (callback) callback();
}

bool GameServer::Impl::place_level() {
  if (level.register_placed(collection) != CollectionVerdict::accepted) return false;
  std::int32_t id = 0;
  const auto replicated = world.component<Replicated>("ReplicatedEntity");
  for (const PlacedEntity& one : level.placed()) {
    const EntityReference reference{id++};
    const Replicated* const component = world.get(replicated, one.entity);
    const Guid asset = component == nullptr
                           ? Guid()
                           : Guid::from_bytes(std::as_bytes(std::span(component->asset_guid.guid)));
    const std::optional<TypeId> type = assets->store().type_id_of(content->registry(), asset);
    if (type) {
      simulation.adopt(one.entity, reference, *type);
      continue;
    }
    const bool has_prefab = asset != Guid();
    problems.add({.kind = ProblemKind::unknown_type,
                  .entity = one.entity,
                  .text = "the entity '" + std::string(world.name(one.entity)) +
                          "' of the level is not replicated: " +
                          (has_prefab ? "its prefab is not in " + std::string(kReplicatedRegistry) +
                                            "; run `muster prepare` and build again"
                                      : "it is not the root of a prefab; put it into a prefab, and "
                                        "place that prefab in the level")});
  }
  return true;
}

Welcome GameServer::Impl::welcome_of(const Player& player) const {
  Welcome welcome{.player = player.id,
                  .ticks_per_second = content->game().ticks_per_second,
                  .snapshot_ticks = snapshot_ticks(content->game()),
                  .shared_seed = shared_seed,
                  .ticket = player.ticket,
                  .map = map_count};
  std::ranges::copy(std::as_bytes(std::span(level_guid.uuid().data)), welcome.level.begin());
  const ContentHash placed = level.placed_hash();
  std::ranges::copy(std::as_bytes(std::span(placed.bytes)), welcome.placed.begin());
  return welcome;
}

/// Ends the messages of the current map. Messages in flight are dropped with that map. The game's
/// later messages belong to the next map.
void GameServer::Impl::prepare_map() {
  if (begins_map) return;
  begins_map = true;
  ++map_count;
  for (const auto& player : players) {
    report_dropped(*player, player->pipe.drop_all(), "the map ended");
  }
}

/// Sends the first messages and the forced fields again, because the previous map may have dropped
/// them.
void GameServer::Impl::begin_map(Player& player) const {
  static_cast<void>(player.pipe.begin_map());  // `prepare_map` has dropped all messages.
  const CommandForces& forces = player.commands.forces();
  for (const ForcedField& forced : forces.lasting()) {
    player.pipe.send_first(SessionMessage::forced, forces.encode(forced));
  }
  player.pipe.send_first(SessionMessage::welcome, encode(welcome_of(player)));
  player.pipe.send_first(SessionMessage::structs, encoder.schema());
}

Result<ReloadSummary> GameServer::Impl::reload(const Build& build) {
  if (!options.may_reload) {
    return fail(ErrorCode::unsupported, "open the server with `may_reload` to reload its build");
  }
  if (build.content().target() != Target::server) {
    return fail(ErrorCode::invalid_argument, "a server needs the build for Target::server");
  }
  if (build.content().registry() != content->registry()) {
    return fail(ErrorCode::unsupported, "the new build has other registries: restart the server");
  }
  Result<std::unique_ptr<ContentStore>> newer =
      ContentStore::open(build.shared_content(), 0, assets->store().memory());
  if (!newer) return fail(newer.error());
  const StructureWatch::Pause pause(&structure.watch());
  ReloadReport report = instances.reload(spawner, newer.value()->store());
  level.follow(newer.value()->loader());
  content = build.shared_content();
  assets = std::move(newer.value());
  sender->follow_reload(instances);
  ReloadSummary summary{.unchanged = report.unchanged,
                        .updated = report.updated,
                        .rebuilt = report.rebuilt,
                        .failed = report.failed,
                        .changed = std::move(report.changed),
                        .errors = std::move(report.errors)};
  Result<ReplicatedTypes> found =
      replicated_types(spawner, {.registry = content->registry(), .local = {}});
  if (!found) {
    summary.errors.push_back(found.error());
  } else if (!is_same_but_values(found.value().schema, types->schema)) {
    summary.has_new_types = true;
    restart_replication(std::move(found.value()));
  }
  // The new build places other entities in the level.
  if (level.state() == LevelState::loading) change_level(level_guid);
  return summary;
}

void GameServer::Impl::restart_replication(ReplicatedTypes&& found) {
  earlier_spawned += sender->counters().spawned;
  earlier_despawned += sender->counters().despawned;
  earlier_clamped += replication->world().clamped().count();
  for (const auto& player : players) report_lost_events(*player, true);
  sender.reset();
  earlier_replications.push_back(std::move(replication));
  types = std::make_unique<ReplicatedTypes>(std::move(found));
  make_replication();
  for (const auto& player : players) {
    replication->add_client(client_of(player->id), {.player = player->id, .team = player->team});
  }
  simulation.resend_all();
  prepare_map();
  if (recorder == nullptr) return;
  problems.add(
      {.kind = ProblemKind::dropped,
       .tick = simulation.tick(),
       .text = "the recording ends, because the build has other types: begin another recording"});
  stop_recording();
}

}  // namespace muster
