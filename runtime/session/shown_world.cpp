#include "runtime/session/shown_world.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <utility>

namespace muster {
namespace {

/// The last part of a path, without extension.
std::string_view short_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  return path.substr(0, path.find('.'));
}

std::optional<ComponentId> find_with(const World& world, std::string_view name,
                                     std::string_view field, FieldType type, std::size_t& offset) {
  const std::optional<ComponentId> id = world.find_component(name);
  if (!id) return std::nullopt;
  const FieldDescription* const found = world.storage(*id).description().find(field);
  if (found == nullptr || found->type != type) return std::nullopt;
  offset = found->offset_bytes;
  return id;
}

}  // namespace

ShownWorld::ShownWorld(ContentStore& assets, const World& received, const Options& options)
    : assets_(&assets),
      received_(received),
      options_(options),
      world_(assets.content().components()),
      spawner_(assets.store(), world_),
      views_(spawner_, assets.loader(), {.placeholder = options.placeholder}),
      presentations_(views_, received),
      link_(received.find_component("PrefabLink")),
      replicated_(received.find_component("ReplicatedEntity")),
      transform_(world_.find_component("Transform")) {
  if (options.may_reload) spawner_.note_in(&instances_);
  owner_ =
      find_with(received, "PresentationOwner", "variation", FieldType::uint16, variation_offset_);
  if (!transform_) return;
  const ComponentDescription& description = world_.storage(*transform_).description();
  for (const auto& [name, type] :
       {std::pair{"position", FieldType::vec3}, std::pair{"rotation", FieldType::quaternion}}) {
    const FieldDescription* const field = description.find(name);
    if (field == nullptr || field->type != type) continue;
    followed_.push_back(
        {field->offset_bytes, type == FieldType::vec3 ? sizeof(Vec3) : sizeof(Quaternion)});
  }
}

Result<std::unique_ptr<ShownWorld>> ShownWorld::open(ContentStore& assets, const World& received,
                                                     const Options& options) {
  std::unique_ptr<ShownWorld> shown(new ShownWorld(assets, received, options));
  if (const Result<void> opened = shown->open_effects(); !opened) return fail(opened.error());
  return shown;
}

Result<void> ShownWorld::open_effects() {
  player_.reset();
  index_effects();
  if (assets_->store().catalog().effect_count() == 0) return {};
  Result<EffectPlayer> player =
      EffectPlayer::create(spawner_, {.placeholder = options_.placeholder});
  if (!player) return fail(player.error());
  player_.emplace(std::move(player.value()));
  return {};
}

void ShownWorld::index_effects() {
  effects_.clear();
  const CatalogReader& catalog = assets_->store().catalog();
  std::unordered_map<std::string, std::uint32_t> shared;
  for (std::uint32_t i = 0; i < catalog.effect_count(); ++i) {
    const CatalogEffect effect = catalog.effect(i);
    const auto asset = catalog.find_asset(effect.prefab);
    if (!asset) continue;
    const Effect found{effect.kind, effect.type_id};
    effects_.emplace(std::string(asset->path), found);
    const std::string name(short_name(asset->path));
    if (shared[name]++ == 0) effects_.emplace(name, found);
  }
  for (const auto& [name, count] : shared) {
    if (count > 1) effects_.erase(name);
  }
}

bool ShownWorld::play(const PlayedEffect& effect, Time now) {
  if (!player_) return false;
  Effect found{effect.line_end ? EffectKind::hitscan : EffectKind::spatial, {}};
  if (const std::optional<TypeId> id = effect.effect.id()) {
    found.type = *id;
  } else {
    const auto named = effects_.find(std::string(effect.effect.name()));
    if (named == effects_.end()) return false;
    found = named->second;
  }
  const EffectVerdict verdict =
      found.kind == EffectKind::spatial
          ? player_->request(SpatialEffectRequest{.effect = found.type,
                                                  .position = effect.position,
                                                  .rotation = effect.rotation,
                                                  .happened_at = now})
          : player_->request(HitscanEffectRequest{.effect = found.type,
                                                  .start = effect.position,
                                                  .end = effect.line_end.value_or(effect.position),
                                                  .happened_at = now});
  // Other failures are not errors here: a full queue is counted, and a missing prefab was already
  // reported.
  return verdict != EffectVerdict::unknown_effect;
}

void ShownWorld::update(PlayerId player, Time now, const ShownTransform& transform,
                        const std::function<bool(EntityId)>& is_hidden) {
  if (owner_ && assets_->store().catalog().presentation_count() > 0) {
    const ComponentStorage& owners = received_.storage(*owner_);
    for (std::size_t i = 0; i < owners.owners().size(); ++i) {
      const EntityId entity = owners.owners()[i];
      if (!received_.is_alive(entity) || is_hidden(entity)) continue;
      std::uint16_t variation = 0;
      std::memcpy(&variation, received_.bytes(*owner_, entity).data() + variation_offset_,
                  sizeof variation);
      show(entity, variation, player);
      const std::byte* const at = transform(entity);
      follow(entity, PresentationType::shared, at);
      follow(entity, PresentationType::own, at);
    }
    views_.update();
    presentations_.update();
  }
  if (player_) {
    player_->update(now);
    list_playing(now);
  }
  world_.process_despawns();
}

/// The prefab of an entity. An entity that a level places has no prefab link, so the component
/// `ReplicatedEntity` names the prefab.
std::optional<Guid> ShownWorld::asset_of(EntityId entity) const {
  for (const std::optional<ComponentId>& component : {link_, replicated_}) {
    if (!component) continue;
    const Bytes bytes = received_.bytes(*component, entity);
    if (bytes.size() < sizeof(AssetReference)) continue;
    // Both components begin with the prefab's guid.
    return Guid::from_bytes(bytes.first(sizeof AssetReference::guid));
  }
  return std::nullopt;
}

void ShownWorld::show(EntityId entity, std::uint16_t variation, PlayerId player) {
  const std::optional<Guid> asset = asset_of(entity);
  if (!asset) return;
  PresentationKey key{*asset, options_.platforms, PresentationType::shared, variation};
  show_as(entity, key);
  const bool is_mine = player != PlayerId::none && received_.player(entity) == player;
  if (!is_mine) return presentations_.hide(entity, PresentationType::own);
  key.type = PresentationType::own;
  show_as(entity, key);
}

/// Shows a presentation. Failures are ignored, because an entity need not have a presentation of
/// every type.
void ShownWorld::show_as(EntityId entity, const PresentationKey& key) {
  static_cast<void>(presentations_.show(entity, key));
}

void ShownWorld::follow(EntityId entity, PresentationType type, const std::byte* transform) {
  const EntityId root = transform != nullptr ? presentations_.shown(entity, type) : EntityId();
  if (root.is_null() || !transform_) return;
  const std::span<std::byte> bytes = world_.bytes(*transform_, root);
  if (bytes.empty()) return;
  for (const Field& field : followed_) {
    std::memcpy(bytes.data() + field.offset, transform + field.offset, field.bytes);
  }
}

void ShownWorld::list_playing(Time now) {
  playing_.clear();
  if (player_->playing_count() == 0) return;
  const CatalogReader& catalog = assets_->store().catalog();
  for (std::uint32_t i = 0; i < catalog.effect_count(); ++i) {
    const CatalogEffect effect = catalog.effect(i);
    for (const EffectInstance& one : player_->instances(effect.kind, effect.type_id)) {
      if (!one.is_playing) continue;
      playing_.push_back({.root = one.root,
                          .type = effect.type_id,
                          .position = one.position,
                          .rotation = one.rotation,
                          .line_start = one.start,
                          .line_end = one.end,
                          .seconds = std::chrono::duration<float>(now - one.started_at).count()});
    }
  }
}

ReloadReport ShownWorld::reload(ContentStore& newer) {
  const auto effects_of = [](const CatalogReader& catalog) {
    std::vector<std::array<std::uint32_t, 3>> all;
    for (std::uint32_t i = 0; i < catalog.effect_count(); ++i) {
      const CatalogEffect one = catalog.effect(i);
      all.push_back({static_cast<std::uint32_t>(one.kind), one.type_id.value(), one.pool_size});
    }
    return all;
  };
  const bool has_same_effects =
      effects_of(assets_->store().catalog()) == effects_of(newer.store().catalog());
  ReloadReport report = instances_.reload(spawner_, newer.store());
  views_.retry(newer.loader());
  assets_ = &newer;
  if (has_same_effects) {
    if (player_) player_->retry();
    index_effects();
    return report;
  }
  if (player_) player_->close();
  if (const Result<void> opened = open_effects(); !opened) report.errors.push_back(opened.error());
  return report;
}

std::vector<Error> ShownWorld::drain_problems() {
  std::vector<Error> problems = views_.drain_problems();
  if (!player_) return problems;
  std::vector<Error> more = player_->drain_problems();
  problems.insert(problems.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  return problems;
}

}  // namespace muster
