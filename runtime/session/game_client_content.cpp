// The content of a client: its level, presentations and effects, and the change to a newer build.
#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "runtime/session/game_client_impl.h"
#include "runtime/session/level_model.h"
#include "runtime/world/math.h"

namespace muster {
namespace {

/// More threads would only wait for the disk.
constexpr std::uint32_t kLoadingThreadsMax = 64;

}  // namespace

Result<std::unique_ptr<GameClient::Impl>> GameClient::Impl::open(const Build& build, Edges& edges,
                                                                 const GameClientOptions& requested,
                                                                 const PublicKey& key) {
  if (requested.loading_threads > kLoadingThreadsMax) {
    return fail(ErrorCode::invalid_argument, "loading_threads must be 0 to 64");
  }
  Result<std::unique_ptr<ContentStore>> assets = ContentStore::open(
      build.shared_content(), requested.loading_threads, std::make_shared<MemoryPool>());
  if (!assets) return fail(assets.error());
  auto impl = std::make_unique<Impl>(build.shared_content(), edges, requested, key,
                                     std::move(assets.value()));
  if (const Result<void> opened = impl->open_view(); !opened) return fail(opened.error());
  return impl;
}

Result<void> GameClient::Impl::open_view() {
  ShownWorld::Options shown_options{.platforms = options.platforms,
                                    .may_reload = options.may_reload};
  if (!options.placeholder.empty()) {
    shown_options.placeholder = content->asset(options.placeholder);
    if (shown_options.placeholder == Guid()) {
      return fail(ErrorCode::not_found,
                  content->text() + " has no prefab '" + options.placeholder + "'");
    }
  }
  Result<std::unique_ptr<ShownWorld>> opened = ShownWorld::open(*assets, world, shown_options);
  if (!opened) return fail(opened.error());
  view = std::move(opened.value());
  add_load_problems(view->drain_problems());
  return {};
}

Result<void> GameClient::Impl::open_capture() {
  if (options.capture_file.empty()) return {};
  auto created = PacketCapture::create(edges, options.capture_file, now);
  if (!created) return fail(created.error());
  capture = std::move(created.value());
  return {};
}

void GameClient::Impl::request_level() {
  const Guid requested = Guid::from_bytes(welcome->level);
  is_level_requested = requested != Guid();
  is_level_there = !is_level_requested;
  collection.set_placed_count(0);
  if (is_level_requested) {
    level.load(requested);
  } else {
    level.unload();
  }
}

void GameClient::Impl::load() {
  assets->loader().update(now);
  if (!is_level_requested || is_level_there) return;
  level.update();
  if (level.state() == LevelState::loading) return;
  is_level_there = true;
  if (level.state() == LevelState::failed) {
    ++counted.loads_failed;
    problems.add({.kind = ProblemKind::missing_bundle,
                  .text = "the level is not shown: " + level.error().message});
    return;
  }
  agree_on_level();
  const auto asset = content->catalog().find_asset(Guid::from_bytes(welcome->level));
  const auto callback = on_level;  // A copy, because the callback can replace itself.
  if (callback) callback(asset ? asset->path : std::string_view());
}

/// Server and client have the same ids for placed entities only if both have placed the same
/// entities.
void GameClient::Impl::agree_on_level() {
  const ContentHash placed = level.placed_hash();
  if (std::ranges::equal(welcome->placed, std::as_bytes(std::span(placed.bytes)))) {
    [[maybe_unused]] const CollectionVerdict verdict = level.register_placed(collection);
    assert(verdict == CollectionVerdict::accepted);  // No entity had an id before this call.
    return;
  }
  for (const PlacedEntity& one : level.placed()) world.request_despawn(one.entity);
  problems.add({.kind = ProblemKind::content_differs,
                .text = "the server has placed other entities in the level: those placed here are "
                        "removed"});
}

void GameClient::Impl::begin_level(Connection& connection) {
  if (std::exchange(must_end_world, false)) end_world();
  replication->update(connection);
  apply(ServerSource(*replication), {});
  replication->clear();
  for (const auto& [id, entity] : std::exchange(known, {})) world.request_despawn(entity);
  welcome->level = next_levels.back().level;
  welcome->placed = next_levels.back().placed;
  next_levels.clear();
  request_level();
}

/// Replaces the old build's content by the new build's content in all members.
Result<ReloadSummary> GameClient::Impl::reload(const Build& build) {
  if (!options.may_reload) {
    return fail(ErrorCode::unsupported, "open the client with `may_reload` to reload its build");
  }
  if (build.content().target() != Target::client) {
    return fail(ErrorCode::invalid_argument, "a client needs the build for Target::client");
  }
  if (build.content().registry() != content->registry()) {
    return fail(ErrorCode::unsupported, "the new build has other registries: restart the client");
  }
  Result<std::unique_ptr<ContentStore>> newer =
      ContentStore::open(build.shared_content(), options.loading_threads, assets->store().memory());
  if (!newer) return fail(newer.error());
  ReloadReport followed = instances.reload(spawner, newer.value()->store());
  deferred.retry(newer.value()->loader());
  level.follow(newer.value()->loader());
  ReloadReport shown_report = view->reload(*newer.value());
  content = build.shared_content();
  assets = std::move(newer.value());
  if (is_level_there && level.state() == LevelState::loading) is_level_there = false;
  ReloadSummary summary{.unchanged = followed.unchanged + shown_report.unchanged,
                        .updated = followed.updated + shown_report.updated,
                        .rebuilt = followed.rebuilt + shown_report.rebuilt,
                        .failed = followed.failed + shown_report.failed,
                        .changed = std::move(followed.changed),
                        .errors = std::move(followed.errors)};
  summary.changed.insert(summary.changed.end(), shown_report.changed.begin(),
                         shown_report.changed.end());
  std::ranges::sort(summary.changed);
  summary.changed.erase(std::unique(summary.changed.begin(), summary.changed.end()),
                        summary.changed.end());
  std::ranges::move(shown_report.errors, std::back_inserter(summary.errors));
  return summary;
}

void GameClient::Impl::add_load_problems(std::vector<Error> errors) {
  for (Error& error : errors) {
    ++counted.loads_failed;
    problems.add(
        {.kind = ProblemKind::missing_bundle, .tick = tick(), .text = std::move(error.message)});
  }
}

void GameClient::Impl::note_ready() {
  std::vector<EntityId> ready;
  std::erase_if(loading, [&](const Loading& one) {
    if (!world.is_alive(one.entity)) return true;
    if (deferred.is_waiting(one.entity)) return false;
    if (deferred.is_placeholder(one.entity)) return true;
    ++counted.loads;
    counted.load_time += now - one.since;
    counted.load_time_max = std::max(counted.load_time_max, now - one.since);
    if (on_ready) ready.push_back(one.entity);
    return true;
  });
  for (const EntityId entity : ready) {
    const auto callback = on_ready;  // A copy, because the callback can replace itself.
    if (callback && world.is_alive(entity)) callback(entity);
  }
}

void GameClient::Impl::show_view() {
  const std::optional<ComponentId> transform = walk.find("Transform");
  view->update(
      player, now,
      [&](EntityId entity) -> const std::byte* {
        const std::uint32_t index =
            transform ? world.storage(*transform).index_of(entity) : ComponentStorage::kAbsent;
        return index == ComponentStorage::kAbsent ? nullptr : locate(*transform, index, true);
      },
      [&](EntityId entity) { return prediction != nullptr && prediction->is_hidden(entity); });
  add_load_problems(view->drain_problems());
}

const FieldDescription* GameClient::Impl::position_field(ComponentId component) const {
  const ComponentDescription& description = world.storage(component).description();
  if (description.name != "Transform") return nullptr;
  const FieldDescription* const field = description.find("position");
  return field != nullptr && field->type == FieldType::vec3 ? field : nullptr;
}

void GameClient::Impl::show_offsets(ShownComponent& one) {
  const FieldDescription* const field = position_field(one.history.id());
  if (field == nullptr || prediction == nullptr) return;
  const ComponentStorage& storage = world.storage(one.history.id());
  const std::span<const EntityId> owners = storage.owners();
  for (std::size_t i = 0; i < owners.size(); ++i) {
    std::byte* const at = one.values.data() + i * storage.stride_bytes() + field->offset_bytes;
    Vec3 position;
    std::memcpy(&position, at, sizeof position);
    const bool is_own = prediction->is_predicted(owners[i]);
    position = offsets.shown(owners[i], position, is_own, now);
    std::memcpy(at, &position, sizeof position);
  }
}

void GameClient::Impl::show_from(EntityId entity, Vec3 position, Duration length) {
  for (ShownComponent& one : shown) {
    const FieldDescription* const field = position_field(one.history.id());
    const ComponentStorage& storage = world.storage(one.history.id());
    const std::uint32_t index = storage.index_of(entity);
    if (field == nullptr || index == ComponentStorage::kAbsent) continue;
    const std::size_t offset = std::size_t{index} * storage.stride_bytes() + field->offset_bytes;
    if (offset + sizeof position > one.values.size()) continue;
    Vec3 computed;
    std::memcpy(&computed, one.values.data() + offset, sizeof computed);
    offsets.begin(entity, position - computed, now, length);
    std::memcpy(one.values.data() + offset, &position, sizeof position);
  }
}

void GameClient::Impl::add_metrics(GameClientMetrics& metrics) const {
  const ReplicationClientCounters& counters = replication->counters();
  metrics.snapshots = counters.snapshots;
  metrics.snapshot_bytes = counters.snapshot_bytes;
  metrics.snapshots_late = counters.late;
  metrics.snapshots_unknown = counters.unknown;
  metrics.snapshots_malformed = counters.malformed;
  metrics.resyncs = counters.resyncs;
  metrics.checksums = counters.checksums;
  metrics.divergences = counters.divergences;
  metrics.presentations = view->presentation_count();
  metrics.effects_played = view->effect_counters().played;
  metrics.effects_too_late = view->effect_counters().too_late;
}

Result<ReloadSummary> GameClient::reload(const Build& build) { return impl_->reload(build); }
void GameClient::on_ready(std::function<void(EntityId)> callback) {
  impl_->on_ready = std::move(callback);
}
const World& GameClient::view() const { return impl_->view->world(); }
EntityId GameClient::presentation(EntityId entity, PresentationType type) const {
  return impl_->view->presentation(entity, type);
}
std::span<const PlayingEffect> GameClient::effects() const { return impl_->view->effects(); }

}  // namespace muster
