#include "content/arena/game/live_game.h"

#include <cassert>
#include <utility>

#include "content/arena/game/components.h"
#include "registry/components/component_text.h"

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

namespace {

constexpr std::string_view kReplicatedRegistry = "ReplicatedEntityRegistry";

std::vector<ComponentDescription> world_components() {
  std::vector<ComponentDescription> components = arena_components();
  components.push_back(description_of<PrefabLink>());
  return components;
}

}  // namespace

/// One build, open. Members refer to one another.
struct LiveGame::Content {
  Content(std::unique_ptr<BundleSource> opened_source, BundleStore opened_store)
      : source(std::move(opened_source)), store(std::move(opened_store)) {}

  std::unique_ptr<BundleSource> source;
  BundleStore store;
  ThreadedLoads loads{*source, store.catalog(), 1, store.memory(), store.dictionaries()};
  BundleLoader loader{store, loads, {}};
};

LiveGame::LiveGame(OpenSource open_source)
    : open_source_(std::move(open_source)), world_(world_components()) {}

LiveGame::~LiveGame() = default;

Result<std::unique_ptr<LiveGame>> LiveGame::open(OpenSource open_source) {
  std::unique_ptr<LiveGame> game(new LiveGame(std::move(open_source)));
  auto content = game->open_content();
  if (!content) return fail(content.error());
  game->content_ = std::move(content.value());
  game->spawner_ = std::make_unique<Spawner>(game->content_->store, game->world_);
  game->spawner_->note_in(&game->instances_);
  game->deferred_ = std::make_unique<DeferredSpawner>(*game->spawner_, game->content_->loader,
                                                      DeferredSpawner::Options{});
  game->spawn_all();
  return game;
}

void LiveGame::frame(Time now) {
  content_->loader.update(now);
  deferred_->update();
  world_.process_despawns();
}

Result<std::optional<ReloadReport>> LiveGame::follow() {
  std::optional<ReloadReport> report;
  const auto is_another = is_another_build(*content_->source, content_->store.catalog());
  // While a build takes the place of another, there is none for a moment.
  if (!is_another && is_another.error().code == ErrorCode::not_found) return report;
  if (!is_another) return fail(is_another.error());
  if (!is_another.value()) return report;
  auto newer = open_content();
  if (!newer) return fail(newer.error());
  report = instances_.reload(*spawner_, newer.value()->store);
  deferred_->retry(newer.value()->loader);
  content_ = std::move(newer.value());
  return report;
}

std::string LiveGame::text_of(const ReloadReport& report) const {
  std::string text = std::to_string(report.unchanged) + " unchanged, " +
                     std::to_string(report.updated) + " updated, " +
                     std::to_string(report.rebuilt) + " rebuilt, " + std::to_string(report.failed) +
                     " failed\n";
  for (const Error& error : report.errors) text += "  " + error.message + "\n";
  const ComponentId link = world_.find_component("PrefabLink").value();
  for (const Guid& asset : report.changed) {
    const auto record = content_->store.catalog().find_asset(asset);
    text += "  " + (record ? std::string(record->path) : asset.to_string()) + "\n";
    const auto owners = world_.storage(link).owners();
    for (const EntityId entity : owners) {
      const Bytes value = world_.bytes(link, entity);
      if (!std::ranges::equal(value.first(asset.bytes().size()), asset.bytes())) continue;
      for (std::uint32_t i = 0; i < world_.component_type_count(); ++i) {
        const ComponentId id(i);
        if (id == link || !world_.has(id, entity)) continue;
        text += "    " + world_.storage(id).description().name + ":\n" +
                component_text(world_.storage(id).description(), world_.bytes(id, entity),
                               {.indent = 6, .with_units = true});
      }
      break;  // All of its instances follow alike; one shows it.
    }
  }
  return text;
}

Result<std::unique_ptr<LiveGame::Content>> LiveGame::open_content() const {
  auto source = open_source_(memory_);
  if (!source) return fail(source.error());
  auto store = BundleStore::open(*source.value(), BundleStore::Catalogs::built, memory_);
  if (!store) return fail(store.error());
  return std::make_unique<Content>(std::move(source.value()), std::move(store.value()));
}

void LiveGame::spawn_all() {
  const CatalogReader& catalog = content_->store.catalog();
  for (std::uint32_t i = 0; i < catalog.registry_count(); ++i) {
    const CatalogRegistry registry = catalog.registry(i);
    if (registry.class_name != kReplicatedRegistry) continue;
    for (std::uint32_t n = 0; n < registry.entry_count; ++n) {
      deferred_->spawn(catalog.entry(registry.first_entry + n).guid);
    }
  }
}

}  // namespace arena
