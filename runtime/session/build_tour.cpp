// After a failure the tour continues, so that one damaged bundle does not hide other failures.
#include "runtime/session/build_tour.h"

#include <algorithm>

#include "runtime/session/build_content.h"
#include "runtime/spawn/effect_player.h"
#include "runtime/spawn/level.h"
#include "runtime/spawn/spawner.h"

namespace muster {
namespace {

constexpr Duration kTourTick = std::chrono::nanoseconds(1'000'000'000 / 60);
/// The maximum duration of an effect, in ticks: a minute.
constexpr int kMaxEffectTicks = 60 * 60;

class Guide {
 public:
  Guide(BundleStore& store, const std::vector<ComponentDescription>& components, const Clock& clock,
        TourReport& report)
      : store_(store),
        clock_(clock),
        report_(report),
        world_(components),
        view_(components),
        spawner_(store, world_),
        views_(store, view_) {}

  void run() {
    for (std::uint32_t i = 0; i < catalog().registry_count(); ++i) {
      const CatalogRegistry registry = catalog().registry(RegistryIndex{i});
      for (std::uint32_t n = 0; n < registry.entry_count; ++n) {
        spawn_entry(registry, catalog().entry(registry.first_entry + n));
      }
    }
    for (std::uint32_t i = 0; i < catalog().presentation_count(); ++i) {
      show(catalog().presentation(i));
    }
    if (catalog().target() == Target::client) play_effects();
    leave();
  }

 private:
  const CatalogReader& catalog() const { return store_.catalog(); }

  TourStop& stop_at(std::string registry, std::variant<TypeId, PresentationType> type,
                    const Guid& guid, std::uint32_t bundle) {
    TourStop& stop = report_.stops.emplace_back();
    stop.target = catalog().target();
    stop.registry = std::move(registry);
    stop.type = type;
    stop.guid = guid;
    if (const std::optional<CatalogAsset> asset = catalog().find_asset(guid)) {
      stop.path = asset->path;
    }
    if (bundle != layout::kNone) stop.bundle_bytes = catalog().bundle(bundle).file_bytes;
    return stop;
  }

  // Loads an asset before it is spawned, so that only the time of loading is measured.
  bool load(TourStop& stop) {
    const Time start = clock_.now();
    Result<const PrefabPlan*> plan = spawner_.prepare(stop.guid);
    stop.load_time = clock_.now() - start;
    if (!plan) stop.error = plan.error().message;
    return plan.has_value();
  }

  static void note(TourStop& stop, const Result<Spawned>& spawned) {
    if (!spawned) {
      stop.error = spawned.error().message;
      return;
    }
    stop.entities += spawned.value().entities;
    stop.components += spawned.value().components;
    stop.other_components += spawned.value().other_components;
  }

  void spawn_entry(const CatalogRegistry& registry, const CatalogEntry& entry) {
    TourStop& stop =
        stop_at(std::string(registry.class_name), entry.type_id, entry.guid, entry.bundle);
    if (!load(stop)) return;
    const bool is_level = registry.class_name == kLevelRegistry;
    const Result<Spawned> spawned = spawner_.spawn(entry.guid);
    note(stop, spawned);
    if (is_level && spawned) spawn_layers(stop, entry.guid, spawned.value().root);
  }

  void spawn_layers(TourStop& stop, const Guid& level, EntityId root) {
    const Result<std::vector<LevelLayer>> layers = level_layers(store_, level);
    if (!layers) {
      stop.error = layers.error().message;
      return;
    }
    for (const LevelLayer& layer : layers.value()) {
      note(stop, spawner_.spawn(layer.prefab, root));
      if (!stop.error.empty()) return;
    }
  }

  void show(const CatalogPresentation& row) {
    TourStop& stop = stop_at("presentation", row.key.type, row.presentation, row.bundle);
    if (load(stop)) note(stop, views_.spawn(row.presentation));
  }

  void play_effects() {
    bool are_loaded = true;
    for (std::uint32_t i = 0; i < catalog().effect_count(); ++i) {
      const CatalogEffect effect = catalog().effect(i);
      const bool is_spatial = effect.kind == EffectKind::spatial;
      TourStop& stop = stop_at(is_spatial ? "spatial effect" : "hitscan effect", effect.type_id,
                               effect.prefab, effect.bundle);
      if (!load(stop)) {
        are_loaded = false;
        continue;
      }
      const PrefabPlan& plan = *spawner_.prepare(effect.prefab).value();
      const auto total = [&](std::size_t count) {
        return static_cast<std::uint32_t>(count) * effect.pool_size;
      };
      stop.entities = total(plan.entities.size());
      stop.components = total(plan.components.size());
      stop.other_components = total(plan.other_components);
    }
    if (!are_loaded) return;
    Result<EffectPlayer> player = EffectPlayer::create(views_);
    if (!player) {
      stop_at("effects", TypeId(), Guid(), layout::kNone).error = player.error().message;
      return;
    }
    play(player.value());
  }

  void play(EffectPlayer& player) {
    Time now{};
    for (std::uint32_t i = 0; i < catalog().effect_count(); ++i) {
      const CatalogEffect effect = catalog().effect(i);
      const EffectVerdict verdict =
          effect.kind == EffectKind::spatial
              ? player.request(SpatialEffectRequest{effect.type_id, {0, 1, 0}, {}, now})
              : player.request(HitscanEffectRequest{effect.type_id, {0, 1, 0}, {30, 1, 0}, now});
      if (verdict == EffectVerdict::accepted) continue;
      stop_at("effects", effect.type_id, effect.prefab, effect.bundle).error = "request refused";
    }
    int ticks = 0;
    do {
      player.update(now);
      now += kTourTick;
    } while (player.playing_count() > 0 && ++ticks < kMaxEffectTicks);
    report_.effects_played += player.counters().played;
    report_.effects_ended += player.counters().ended;
    player.close();
  }

  void leave() {
    world_.each_entity([&](EntityId entity) { world_.request_despawn(entity); });
    world_.process_despawns();
    view_.each_entity([&](EntityId entity) { view_.request_despawn(entity); });
    view_.process_despawns();
    report_.left_over += world_.entity_count() + view_.entity_count();
    report_.bundles_opened += store_.counters().bundles_opened;
    report_.bundle_bytes += store_.counters().bundle_bytes;
  }

  BundleStore& store_;
  const Clock& clock_;
  TourReport& report_;
  World world_;
  World view_;  ///< The entities of presentations and effects, which are not in the main world.
  Spawner spawner_;
  Spawner views_;
};

}  // namespace

std::uint32_t TourStop::type_number() const {
  const auto* const presentation = std::get_if<PresentationType>(&type);
  return presentation != nullptr ? presentation_number(*presentation)
                                 : std::get<TypeId>(type).value();
}

std::uint32_t TourReport::failures() const {
  const auto failed =
      std::ranges::count_if(stops, [](const TourStop& stop) { return !stop.error.empty(); });
  const std::uint32_t others =
      (effects_played != effects_ended ? 1U : 0U) + (left_over > 0 ? 1U : 0U);
  return static_cast<std::uint32_t>(failed) + others;
}

void tour(BundleStore& store, std::span<const ComponentDescription> components, const Clock& clock,
          TourReport& report) {
  Guide(store, {components.begin(), components.end()}, clock, report).run();
}

void tour(const Build& build, const Clock& clock, TourReport& report) {
  Result<BundleStore> store = build.content().open_store(nullptr);
  if (!store) {
    report.stops.push_back({.target = build.content().target(), .error = store.error().message});
    return;
  }
  tour(store.value(), build.content().components(), clock, report);
}

}  // namespace muster
