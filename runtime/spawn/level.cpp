#include "runtime/spawn/level.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>

#include "runtime/bundle/object_reader.h"

namespace muster {
namespace {

// The list of layers: at the top in the plain form, one level below in Unity's.
std::optional<ObjectValue> find_layers(const ObjectReader& level, std::string_view field) {
  if (level.document_count() == 0) return std::nullopt;
  const std::optional<ObjectValue> root = level.document(0).root;
  if (!root) return std::nullopt;
  if (const std::optional<ObjectValue> found = root->find(field)) return found;
  for (const ObjectChild& child : root->children()) {
    if (const std::optional<ObjectValue> found = child.value.find(field)) return found;
  }
  return std::nullopt;
}

// Which entity of which layer. Nesting the same prefab twice gives two entities of one source id;
// they are told apart by their order.
ContentHash key_of(const Guid& layer, std::int64_t source_id, std::uint32_t ordinal) {
  std::array<std::byte, 28> text{};
  std::ranges::copy(layer.bytes(), text.begin());
  const auto id = static_cast<std::uint64_t>(source_id);
  for (std::size_t i = 0; i < 8; ++i) text[16 + i] = static_cast<std::byte>(id >> (8 * i));
  for (std::size_t i = 0; i < 4; ++i) text[24 + i] = static_cast<std::byte>(ordinal >> (8 * i));
  return hash_bytes(text);
}

}  // namespace

Result<std::vector<Guid>> level_layers(BundleStore& store, const Guid& level,
                                       const LevelOptions& options) {
  Result<LoadedEntry> entry = store.load(level, kMainPayload);
  if (!entry) return fail(entry.error());
  Result<ObjectReader> object = ObjectReader::open(entry.value().bytes);
  if (!object) return fail(object.error());
  std::vector<Guid> prefabs;
  const std::optional<ObjectValue> layers = find_layers(object.value(), options.layers_field);
  if (!layers) return prefabs;
  for (const ObjectChild& layer : layers->children()) {
    const std::optional<ObjectValue> named = layer.value.find(options.prefab_field);
    const Guid prefab = named ? named->referenced() : Guid();
    if (store.catalog().bundle_of(prefab)) prefabs.push_back(prefab);
  }
  return prefabs;
}

void Level::preload(const Guid& level) { begin(level, false); }

void Level::load(const Guid& level) {
  const bool is_on_the_way = level == level_ && !is_wanted_ &&
                             (state_ == LevelState::loading || state_ == LevelState::loaded);
  if (!is_on_the_way) return begin(level, true);
  is_wanted_ = true;
  state_ = LevelState::loading;
}

void Level::begin(const Guid& level, bool is_wanted) {
  unload();
  level_ = level;
  is_wanted_ = is_wanted;
  state_ = LevelState::loading;
  Result<BundleHandle> definition =
      loader_->request_asset(level, {.priority = LoadPriority::level, .deadline = {}});
  if (!definition) return fail_level(definition.error());
  definition_ = std::move(definition.value());
}

void Level::unload() {
  spawner_.world().request_despawn(root_);
  root_ = EntityId();
  definition_.release();
  layers_.clear();
  are_layers_known_ = false;
  spawned_layers_ = 0;
  placed_.clear();
  state_ = LevelState::none;
}

void Level::follow(BundleLoader& loader) {
  loader_ = &loader;
  if (state_ == LevelState::loading || state_ == LevelState::loaded) {
    return begin(level_, is_wanted_);
  }
  if (state_ != LevelState::ready) return;
  // What is there stays, also when the newer build has it no more.
  const LoadRequest request{.priority = LoadPriority::level, .deadline = {}};
  definition_.release();
  if (auto bundle = loader_->request_asset(level_, request))
    definition_ = std::move(bundle.value());
  for (Layer& layer : layers_) {
    layer.bundle.release();
    auto bundle = loader_->request_asset(layer.prefab, request);
    if (bundle) layer.bundle = std::move(bundle.value());
  }
}

void Level::update() {
  if (!root_.is_null() && !spawner_.world().is_alive(root_)) {
    return fail_level({ErrorCode::not_found, "the level's entity is gone from the world"});
  }
  if (state_ != LevelState::loading) return;
  if (!are_layers_known_) {
    if (definition_.state() == LoadState::failed) return fail_level(definition_.error());
    if (definition_.state() == LoadState::ready) open_definition();
    return;
  }
  is_wanted_ ? spawn_next() : check_preloaded();
}

void Level::check_preloaded() {
  for (const Layer& layer : layers_) {
    if (layer.bundle.state() == LoadState::failed) return fail_level(layer.bundle.error());
    if (layer.bundle.state() == LoadState::loading) return;
  }
  state_ = LevelState::loaded;
}

// The definition's entity first, then a layer a call.
void Level::spawn_next() {
  if (root_.is_null()) {
    Result<Spawned> spawned = spawner_.spawn(level_);
    if (!spawned) return fail_level(spawned.error());
    root_ = spawned.value().root;
    return;
  }
  if (spawned_layers_ < layers_.size()) {
    const Layer& next = layers_[spawned_layers_];
    if (next.bundle.state() == LoadState::failed) return fail_level(next.bundle.error());
    if (next.bundle.state() == LoadState::ready) spawn_layer(next);
  }
  if (state_ != LevelState::loading || spawned_layers_ < layers_.size()) return;
  std::ranges::stable_sort(placed_, {}, &PlacedEntity::key);
  state_ = LevelState::ready;
}

CollectionVerdict Level::register_placed(ReplicatedCollection& collection) const {
  assert(state_ == LevelState::ready);
  std::int32_t id = 0;
  for (const PlacedEntity& placed : placed_) {
    const CollectionVerdict verdict = collection.add({id++}, placed.entity);
    if (verdict != CollectionVerdict::accepted) return verdict;
  }
  collection.set_placed_count(id);
  return CollectionVerdict::accepted;
}

void Level::open_definition() {
  Result<std::vector<Guid>> prefabs = level_layers(loader_->store(), level_, options_);
  if (!prefabs) return fail_level(prefabs.error());
  for (const Guid& prefab : prefabs.value()) {
    Result<BundleHandle> bundle =
        loader_->request_asset(prefab, {.priority = LoadPriority::level, .deadline = {}});
    if (!bundle) return fail_level(bundle.error());
    layers_.push_back({prefab, std::move(bundle.value())});
  }
  are_layers_known_ = true;
}

void Level::spawn_layer(const Layer& layer) {
  Result<const PrefabPlan*> plan = spawner_.prepare(layer.prefab);
  if (!plan) return fail_level(plan.error());
  spawner_.instantiate(*plan.value(), root_);
  const std::span<const EntityId> made = spawner_.last_made();
  const World& world = spawner_.world();
  const std::optional<ComponentId> replicated = world.find_component(options_.replicated_component);
  std::map<std::int64_t, std::uint32_t> ordinals;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::int64_t source_id = plan.value()->entities[i].source_id;
    const std::uint32_t ordinal = ordinals[source_id]++;
    if (!replicated || !world.has(*replicated, made[i])) continue;
    placed_.push_back({key_of(layer.prefab, source_id, ordinal), made[i]});
  }
  ++spawned_layers_;
}

void Level::fail_level(Error error) {
  unload();
  state_ = LevelState::failed;
  error_ = std::move(error);
}

}  // namespace muster
