#include "runtime/spawn/level.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>

#include "runtime/bundle/format_error.h"
#include "runtime/bundle/object_reader.h"
#include "runtime/spawn/prefab_instances.h"

namespace muster {
namespace {

// Finds the list of layers. In a plain file, the list is in the top mapping. In a Unity file, the
// list is in a mapping inside the top mapping.
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

// A flag is an integer if the engine wrote the file. In a file that a person wrote, a flag can be a
// text.
bool is_true(const ObjectValue& value) {
  if (value.kind() == ObjectKind::integer) return value.integer() != 0;
  return value.kind() == ObjectKind::text && value.text() == "true";
}

// Identifies an entity of a layer. If the layer contains a prefab twice, two entities have the same
// source id; `ordinal` distinguishes them.
ContentHash key_of(const Guid& layer, std::int64_t source_id, std::uint32_t ordinal) {
  std::array<std::byte, 28> text{};
  std::ranges::copy(layer.bytes(), text.begin());
  const auto id = static_cast<std::uint64_t>(source_id);
  for (std::size_t i = 0; i < 8; ++i) text[16 + i] = static_cast<std::byte>(id >> (8 * i));
  for (std::size_t i = 0; i < 4; ++i) text[24 + i] = static_cast<std::byte>(ordinal >> (8 * i));
  return hash_bytes(text);
}

}  // namespace

Result<std::vector<LevelLayer>> level_layers(BundleStore& store, const Guid& level,
                                             const LevelOptions& options) {
  Result<LoadedEntry> entry = store.load(level, kMainPayload);
  if (!entry) return fail(entry.error());
  Result<ObjectReader> object = ObjectReader::open(entry.value().bytes);
  if (!object) return fail_asset("level " + level.to_string(), object.error());
  std::vector<LevelLayer> definitions;
  const std::optional<ObjectValue> layers = find_layers(object.value(), options.layers_field);
  if (!layers) return definitions;
  for (const ObjectChild& layer : layers->children()) {
    const std::optional<ObjectValue> named = layer.value.find(options.prefab_field);
    const Guid prefab = named ? named->referenced() : Guid();
    if (!store.catalog().bundle_of(prefab)) continue;
    const std::optional<ObjectValue> name = layer.value.find(options.name_field);
    const std::optional<ObjectValue> on_demand = layer.value.find(options.on_demand_field);
    const bool is_named = name && name->kind() == ObjectKind::text;
    definitions.push_back({.name = is_named ? std::string(name->text()) : std::string(),
                           .prefab = prefab,
                           .is_on_demand = on_demand && is_true(*on_demand)});
  }
  return definitions;
}

void Level::preload(const Guid& level) { begin(level, false); }

void Level::load(const Guid& level) {
  const bool is_loading = level == level_ && !is_requested_ &&
                          (state_ == LevelState::loading || state_ == LevelState::loaded);
  if (!is_loading) return begin(level, true);
  is_requested_ = true;
  state_ = LevelState::loading;
}

void Level::begin(const Guid& level, bool is_requested) {
  unload();
  level_ = level;
  is_requested_ = is_requested;
  state_ = LevelState::loading;
  Result<BundleHandle> definition =
      loader_->request_asset(level, {.priority = LoadPriority::level, .deadline = {}});
  if (!definition) return fail_level(definition.error());
  definition_ = std::move(definition.value());
}

// Despawns an entity, unless another entity has its id after a restore.
void Level::despawn(Creation& root) {
  if (spawner_.world().is_current(root)) spawner_.world().request_despawn(root.entity);
  root = {};
}

void Level::unload() {
  despawn(root_);
  definition_.release();
  layers_.clear();
  requested_layers_.clear();
  are_layers_known_ = false;
  own_layers_ = 0;
  spawned_layers_ = 0;
  placed_.clear();
  state_ = LevelState::none;
}

void Level::follow(BundleLoader& loader) {
  loader_ = &loader;
  if (state_ == LevelState::loading || state_ == LevelState::loaded || was_rebuilt()) {
    std::set<std::string, std::less<>> requested = std::move(requested_layers_);
    for (const Layer& layer : layers_) {
      if (layer.definition.is_on_demand && layer.state != LevelState::none)
        requested.insert(layer.definition.name);
    }
    begin(level_, is_requested_);
    if (state_ == LevelState::loading) requested_layers_ = std::move(requested);
    return;
  }
  if (state_ != LevelState::ready) return;
  // Loaded layers stay, even if the newer build does not have them.
  const LoadRequest request{.priority = LoadPriority::level, .deadline = {}};
  definition_.release();
  if (auto bundle = loader_->request_asset(level_, request))
    definition_ = std::move(bundle.value());
  for (Layer& layer : layers_) {
    if (layer.state == LevelState::loading) {
      this->request(layer);
    } else if (layer.state == LevelState::ready) {
      if (layer.definition.is_on_demand && travels_now(layer)) {
        despawn(layer.root);
        fail_layer(layer, travels_on_demand(layer));
        continue;
      }
      if (!layer.definition.is_on_demand && spawner_.instances() != nullptr) follow_kinds(layer);
      layer.bundle.release();
      auto bundle = loader_->request_asset(layer.definition.prefab, request);
      if (bundle) layer.bundle = std::move(bundle.value());
    } else {
      layer.bundle.release();
    }
  }
}

// Whether a reload has rebuilt a layer that belongs to the level. After such a rebuild, the level
// loads again and spawns new layers. So if a rebuilt layer still exists, the rebuild happened after
// the level was loaded.
bool Level::was_rebuilt() const {
  const PrefabInstances* const instances = spawner_.instances();
  return instances != nullptr && std::ranges::any_of(layers_, [&](const Layer& layer) {
           return !layer.definition.is_on_demand && spawner_.world().is_current(layer.root) &&
                  !instances->rebuilt(spawner_.world(), layer.root.entity).empty();
         });
}

void Level::update() {
  if (!root_.entity.is_null() && !spawner_.world().is_current(root_)) {
    return fail_level({ErrorCode::not_found, "the level's entity no longer exists in the world"});
  }
  if (state_ == LevelState::ready) return spawn_on_demand();
  if (state_ != LevelState::loading) return;
  if (!are_layers_known_) {
    if (definition_.state() == LoadState::failed) return fail_level(definition_.error());
    if (definition_.state() == LoadState::ready) open_definition();
    return;
  }
  is_requested_ ? spawn_next() : check_preloaded();
}

void Level::check_preloaded() {
  for (const Layer& layer : layers_) {
    if (layer.definition.is_on_demand) continue;
    if (layer.bundle.state() == LoadState::failed) return fail_level(layer.bundle.error());
    if (layer.bundle.state() == LoadState::loading) return;
  }
  state_ = LevelState::loaded;
}

// Spawns the entity of the definition in the first call, and then one layer per call.
void Level::spawn_next() {
  if (root_.entity.is_null()) {
    Result<Spawned> spawned = spawner_.spawn(level_);
    if (!spawned) return fail_level(spawned.error());
    root_ = spawner_.world().creation(spawned.value().root);
    return;
  }
  const auto next = std::ranges::find_if(layers_, [](const Layer& layer) {
    return !layer.definition.is_on_demand && layer.state == LevelState::loading;
  });
  if (next != layers_.end()) {
    if (next->bundle.state() == LoadState::failed) return fail_level(next->bundle.error());
    if (next->bundle.state() == LoadState::ready) spawn_layer(*next);
  }
  if (state_ != LevelState::loading || spawned_layers_ < own_layers_) return;
  std::ranges::stable_sort(placed_, {}, &PlacedEntity::key);
  state_ = LevelState::ready;
}

// Spawns one layer on demand per call.
void Level::spawn_on_demand() {
  for (Layer& layer : layers_) {
    if (layer.state != LevelState::loading || layer.bundle.state() == LoadState::loading) continue;
    if (layer.bundle.state() == LoadState::failed) {
      fail_layer(layer, layer.bundle.error());
      continue;
    }
    return spawn_layer(layer);
  }
}

void Level::load_layer(std::string_view name) {
  if (state_ == LevelState::none || state_ == LevelState::failed) return;
  if (!are_layers_known_) {
    requested_layers_.emplace(name);
    return;
  }
  Layer* const layer = find_on_demand(name);
  if (layer == nullptr) return;
  if (layer->state == LevelState::none || layer->state == LevelState::failed) request(*layer);
}

void Level::unload_layer(std::string_view name) {
  if (const auto wish = requested_layers_.find(name); wish != requested_layers_.end())
    requested_layers_.erase(wish);
  Layer* const layer = find_on_demand(name);
  if (layer == nullptr) return;
  despawn(layer->root);
  layer->bundle.release();
  layer->state = LevelState::none;
}

LevelState Level::layer_state(std::string_view name) const {
  const Layer* const layer = find_layer(name);
  if (layer != nullptr) return layer->state;
  return requested_layers_.contains(name) ? LevelState::loading : LevelState::none;
}

const Error& Level::layer_error(std::string_view name) const {
  const Layer* const layer = find_layer(name);
  assert(layer != nullptr && layer->state == LevelState::failed);
  return layer->error;
}

const Level::Layer* Level::find_layer(std::string_view name) const {
  const auto found = std::ranges::find_if(
      layers_, [&](const Layer& layer) { return layer.definition.name == name; });
  return found == layers_.end() ? nullptr : &*found;
}

Level::Layer* Level::find_on_demand(std::string_view name) {
  const auto found = std::ranges::find_if(layers_, [&](const Layer& layer) {
    return layer.definition.is_on_demand && layer.definition.name == name;
  });
  return found == layers_.end() ? nullptr : &*found;
}

CollectionVerdict Level::register_placed(ReplicatedCollection& collection) const {
  assert(state_ == LevelState::ready);
  std::int32_t id = 0;
  for (const PlacedEntity& placed : placed_) {
    const CollectionVerdict verdict = collection.add({id}, placed.entity);
    if (verdict != CollectionVerdict::accepted) {
      while (id > 0) static_cast<void>(collection.remove({--id}));
      collection.set_placed_count(0);
      return verdict;
    }
    ++id;
  }
  collection.set_placed_count(id);
  return CollectionVerdict::accepted;
}

ContentHash Level::placed_hash() const {
  ContentHasher hasher;
  for (const PlacedEntity& placed : placed_) {
    hasher.update(std::as_bytes(std::span(placed.key.bytes)));
    hasher.update(std::as_bytes(std::span(placed.kind.bytes)));
  }
  return hasher.finish();
}

void Level::open_definition() {
  Result<std::vector<LevelLayer>> definitions = level_layers(loader_->store(), level_, options_);
  if (!definitions) return fail_level(definitions.error());
  for (LevelLayer& one : definitions.value()) {
    Layer& layer = layers_.emplace_back();
    layer.definition = std::move(one);
    if (!layer.definition.is_on_demand) ++own_layers_;
  }
  are_layers_known_ = true;
  for (Layer& layer : layers_) {
    const bool is_own = !layer.definition.is_on_demand;
    if (is_own || requested_layers_.contains(layer.definition.name)) request(layer);
    if (is_own && layer.state == LevelState::failed) return fail_level(std::move(layer.error));
  }
  requested_layers_.clear();
}

void Level::request(Layer& layer) {
  layer.bundle.release();
  Result<BundleHandle> bundle = loader_->request_asset(
      layer.definition.prefab, {.priority = LoadPriority::level, .deadline = {}});
  if (!bundle) return fail_layer(layer, bundle.error());
  layer.bundle = std::move(bundle.value());
  layer.state = LevelState::loading;
}

// Whether a prefab contains a replicated entity. The component of replicated entities is identified
// by its name.
bool Level::has_travellers(const PrefabPlan& plan) const {
  const auto replicated = spawner_.world().find_component(options_.replicated_component);
  return replicated && std::ranges::count(plan.components, *replicated, &PlannedComponent::id) > 0;
}

bool Level::travels_now(const Layer& layer) {
  const Result<const PrefabPlan*> plan = spawner_.prepare(layer.definition.prefab);
  return plan && has_travellers(*plan.value());
}

Error Level::travels_on_demand(const Layer& layer) const {
  return {ErrorCode::invalid_argument, "layer '" + layer.definition.name +
                                           "' is on demand, but contains an entity with " +
                                           std::string(options_.replicated_component) +
                                           ", whose network id would differ on every machine"};
}

void Level::spawn_layer(Layer& layer) {
  Result<const PrefabPlan*> plan = spawner_.prepare(layer.definition.prefab);
  if (layer.definition.is_on_demand) {
    if (!plan) return fail_layer(layer, plan.error());
    if (has_travellers(*plan.value())) return fail_layer(layer, travels_on_demand(layer));
    layer.root = spawner_.world().creation(spawner_.instantiate(*plan.value(), root_.entity).root);
    layer.state = LevelState::ready;
    return;
  }
  if (!plan) return fail_level(plan.error());
  layer.root = spawner_.world().creation(spawner_.instantiate(*plan.value(), root_.entity).root);
  layer.state = LevelState::ready;
  const std::span<const EntityId> made = spawner_.last_made();
  each_placed(layer, *plan.value(),
              [&](std::size_t i, const ContentHash& key, const ContentHash& kind) {
                placed_.push_back({.key = key, .entity = made[i], .kind = kind});
              });
  ++spawned_layers_;
}

// Calls `visit(index, key, kind)` for the entities of a plan that get network ids.
template <typename Visit>
void Level::each_placed(const Layer& layer, const PrefabPlan& plan, Visit visit) const {
  const World& world = spawner_.world();
  const std::optional<ComponentId> replicated = world.find_component(options_.replicated_component);
  if (!replicated) return;
  const ComponentDescription& description = world.storage(*replicated).description();
  std::map<std::int64_t, std::uint32_t> ordinals;
  for (std::size_t i = 0; i < plan.entities.size(); ++i) {
    const PlannedEntity& entity = plan.entities[i];
    const std::uint32_t ordinal = ordinals[entity.source_id]++;
    const auto components =
        std::span(plan.components).subspan(entity.first_component, entity.component_count);
    const auto found = std::ranges::find(components, *replicated, &PlannedComponent::id);
    if (found == components.end()) continue;
    const Bytes value = Bytes(plan.data).subspan(found->offset_bytes, found->size_bytes);
    visit(i, key_of(layer.definition.prefab, entity.source_id, ordinal),
          hash_fields(description, value));
  }
}

// Updates the kinds of a layer's placed entities after a reload that has not rebuilt them.
void Level::follow_kinds(const Layer& layer) {
  const Result<const PrefabPlan*> plan = spawner_.prepare(layer.definition.prefab);
  if (!plan) return;  // The layer is unchanged.
  each_placed(layer, *plan.value(),
              [&](std::size_t, const ContentHash& key, const ContentHash& kind) {
                // Several entities have the same key if a level contains a layer's prefab twice.
                for (auto found = std::ranges::lower_bound(placed_, key, {}, &PlacedEntity::key);
                     found != placed_.end() && found->key == key; ++found) {
                  found->kind = kind;
                }
              });
}

void Level::fail_layer(Layer& layer, Error error) {
  layer.bundle.release();
  layer.state = LevelState::failed;
  layer.error = std::move(error);
}

void Level::fail_level(Error error) {
  unload();
  state_ = LevelState::failed;
  error_ = std::move(error);
}

}  // namespace muster
