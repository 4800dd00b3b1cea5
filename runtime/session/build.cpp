#include "runtime/session/build.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <set>

#include "registry/base/disk_file_system.h"
#include "registry/base/near_name.h"
#include "runtime/assets/disk_source.h"
#include "runtime/bundle/bundle_choice.h"
#include "runtime/session/build_content.h"
#include "runtime/session/message_pipe.h"
#include "runtime/spawn/prefab_link.h"
#include "runtime/sync/struct_codec.h"

namespace muster {
namespace {

/// The maximum number of names in an error message.
constexpr std::size_t kSuggestionsMax = 3;

std::string_view short_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  return path.substr(0, path.find('.'));
}

Result<void> check_names(const std::vector<ComponentDescription>& types, std::string_view what) {
  std::set<std::string_view> names;
  for (const ComponentDescription& type : types) {
    if (const Result<void> sound = check(type); !sound) return fail(sound.error());
    if (!names.insert(type.name).second) {
      return fail(ErrorCode::invalid_argument,
                  "the game has two " + std::string(what) + " with the name '" + type.name + "'");
    }
  }
  return {};
}

void add_missing(std::vector<ComponentDescription>& components, ComponentDescription added) {
  if (std::ranges::find(components, added.name, &ComponentDescription::name) == components.end()) {
    components.push_back(std::move(added));
  }
}

Result<void> check(const OwnerPrediction& sync) {
  const auto refuse = [](std::string text) {
    return fail(ErrorCode::invalid_argument, "OwnerPrediction::" + std::move(text));
  };
  if (sync.snapshots_per_second < 1) return refuse("snapshots_per_second must be 1 or more");
  if (sync.replayed_ticks_max < 1 || sync.replayed_ticks_max > 63) {
    return refuse("replayed_ticks_max must be 1 to 63, and is " +
                  std::to_string(sync.replayed_ticks_max));
  }
  if (sync.rewind_max < Duration::zero() || sync.rewind_max > std::chrono::seconds(2)) {
    return refuse("rewind_max must be 0 to 2 s");
  }
  if (sync.extrapolation_max < Duration::zero())
    return refuse("extrapolation_max must be 0 or more");
  return {};
}

}  // namespace

Result<void> check(const Game& game) {
  if (game.ticks_per_second < 1 || game.ticks_per_second > 1000) {
    return fail(ErrorCode::invalid_argument, "Game::ticks_per_second must be 1 to 1,000, and is " +
                                                 std::to_string(game.ticks_per_second));
  }
  if (!(game.teleport_metres_per_second > 0)) {
    return fail(ErrorCode::invalid_argument, "Game::teleport_metres_per_second must be above 0");
  }
  if (const auto sound = check(game.sync); !sound) return sound;
  if (const auto sound = check_names(game.components.types, "components"); !sound) return sound;
  std::vector<ComponentDescription> sent = game.commands.types;
  sent.insert(sent.end(), game.messages.types.begin(), game.messages.types.end());
  if (const auto sound = check_names(sent, "commands or messages"); !sound) return sound;
  if (const auto sound = check_structs(sent); !sound) return sound;
  if (const auto sound = check_commands(game.commands.types); !sound) return sound;
  std::vector<session_detail::SystemEntry> systems = game.systems.entries;
  systems.insert(systems.end(), game.server_systems.entries.begin(),
                 game.server_systems.entries.end());
  for (const session_detail::SystemEntry& system : systems) {
    for (const session_detail::VisitedComponent& used : system.components) {
      const auto found =
          std::ranges::find(game.components.types, used.name, &ComponentDescription::name);
      if (found != game.components.types.end() && found->size_bytes == used.bytes) continue;
      return fail(ErrorCode::invalid_argument,
                  "the system '" + std::string(system.name) + "' uses the component '" +
                      std::string(used.name) + "', which Game::components does not list");
    }
  }
  return {};
}

Result<std::shared_ptr<const BuildContent>> BuildContent::open(std::string_view folder,
                                                               Target target, const Game& game,
                                                               const BuildOpenOptions& options) {
  if (const Result<void> sound = check(game); !sound) return fail(sound.error());
  std::shared_ptr<BuildContent> content(new BuildContent(game, target, options));
  content->components_ = game.components.types;
  add_missing(content->components_, description_of<Replicated>());
  add_missing(content->components_, description_of<PrefabLink>());
  std::ranges::sort(content->components_, {}, &ComponentDescription::name);
  if (const auto opened = content->open_catalog(std::string(folder)); !opened) {
    return fail(opened.error());
  }
  if (const auto sound = content->check_components(); !sound) return fail(sound.error());
  const auto choice = BundleChoice::create(*content->catalog_, content->variants());
  if (!choice) {
    return fail(choice.error().code, content->text() + ": " + choice.error().message);
  }
  const CatalogReader& catalog = *content->catalog_;
  bool has_registry = false;
  for (std::uint32_t i = catalog.registry_count(); i > 0; --i) {
    const RegistryIndex index{i - 1};
    const CatalogRegistry registry = catalog.registry(index);
    if (registry.class_name == kReplicatedRegistry) {
      has_registry = true;
      content->registry_ = index;  // The loop ends with the first registry of the class.
      content->types_ = {};
      content->index_names(index, content->types_);
    } else if (registry.class_name == kLevelRegistry) {
      content->index_names(index, content->levels_);
    }
  }
  if (!has_registry) {
    return fail(ErrorCode::not_found, content->text() + " has no " +
                                          std::string(kReplicatedRegistry) +
                                          ": add one to the content and run `muster prepare`");
  }
  return std::shared_ptr<const BuildContent>(std::move(content));
}

Result<void> BuildContent::open_catalog(const std::string& folder) {
  folder_ = folder + (target_ == Target::server ? "/server" : "/client");
  auto disk = open_disk_source(folder_, SourceKind::automatic);
  if (!disk) return fail(disk.error());
  source_ = std::move(disk.value().source);
  auto file = source_->open(kCatalogFile, layout::catalog::kMaxFileBytes);
  if (!file && file.error().code == ErrorCode::not_found) {
    return fail(ErrorCode::not_found,
                folder_ + " has no catalog: run `muster build PROJECT --out " + folder + "` first");
  }
  if (!file) return fail(file.error());
  file_ = std::move(file.value());
  auto catalog = CatalogReader::open(file_->bytes());
  if (!catalog) {
    return fail(catalog.error().code,
                folder_ + "/" + std::string(kCatalogFile) + ": " + catalog.error().message);
  }
  catalog_ = catalog.value();
  if (catalog_->target() != target_) {
    return fail(ErrorCode::invalid_argument, folder_ + " is a build for another target");
  }
  return {};
}

/// The prefabs were cooked with the catalog's component descriptions. If the game has other
/// descriptions, the prefabs' bytes must not be used.
Result<void> BuildContent::check_components() const {
  for (const ComponentDescription& component : components_) {
    const std::optional<std::uint32_t> index = catalog_->find_component(component.name);
    if (!index || catalog_->component(*index).hash == component.hash()) continue;
    return fail(ErrorCode::invalid_argument,
                "the component '" + component.name +
                    "' of the game differs from the component in " + folder_ +
                    ": export components.json again and run `muster build`");
  }
  return {};
}

void BuildContent::index_names(RegistryIndex registry, Names& names) const {
  const CatalogRegistry found = catalog_->registry(registry);
  std::unordered_map<std::string, std::uint32_t> short_names;
  for (std::uint32_t i = 0; i < found.entry_count; ++i) {
    const std::uint32_t index = found.first_entry + i;
    const CatalogEntry entry = catalog_->entry(index);
    const auto asset = catalog_->find_asset(entry.guid);
    if (!asset) continue;
    names.entries.emplace(std::string(asset->path), index);
    const auto [at, is_new] = short_names.emplace(std::string(short_name(asset->path)), index);
    if (is_new || catalog_->entry(at->second).type_id == entry.type_id) continue;
    ++names.shared[at->first];
  }
  for (const auto& [name, index] : short_names) {
    if (!names.shared.contains(name)) names.entries.emplace(name, index);
  }
}

Result<std::uint32_t> BuildContent::find_entry(const Names& names, std::string_view name,
                                               std::string_view what) const {
  const auto found = names.entries.find(std::string(name));
  if (found != names.entries.end()) return found->second;
  if (names.shared.contains(std::string(name))) {
    return fail(ErrorCode::not_found, "several " + std::string(what) + "s have the name '" +
                                          std::string(name) + "': use the project path instead");
  }
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const auto& [known, index] : names.entries) {
    near.emplace_back(edit_distance(name, known), known);
  }
  std::ranges::sort(near);
  std::string message = text() + " has no " + std::string(what) + " '" + std::string(name) + "'";
  for (std::size_t i = 0; i < std::min(near.size(), kSuggestionsMax); ++i) {
    message +=
        (i == 0 ? "; the most similar names are '" : ", '") + std::string(near[i].second) + "'";
  }
  return fail(ErrorCode::not_found, std::move(message));
}

Result<TypeId> BuildContent::type(EntityType type) const {
  const CatalogRegistry registry = catalog_->registry(registry_);
  if (const std::optional<TypeId> id = type.id()) {
    if (catalog_->resolve(registry, *id)) return *id;
    return fail(ErrorCode::not_found,
                text() + " has no replicated type with the id " + std::to_string(id->value()));
  }
  const Result<std::uint32_t> entry = find_entry(types_, type.name(), "replicated type");
  if (!entry) return fail(entry.error());
  return catalog_->entry(entry.value()).type_id;
}

Result<Guid> BuildContent::level(LevelKey level) const {
  if (const std::optional<TypeId> id = level.id()) {
    if (const auto entry = catalog_->resolve(kLevelRegistry, *id)) return entry->guid;
    return fail(ErrorCode::not_found,
                text() + " has no level with the id " + std::to_string(id->value()));
  }
  const Result<std::uint32_t> entry = find_entry(levels_, level.name(), "level");
  if (!entry) return fail(entry.error());
  return catalog_->entry(entry.value()).guid;
}

std::string_view BuildContent::path(TypeId type) const {
  const auto entry = catalog_->resolve(catalog_->registry(registry_), type);
  const auto asset = entry ? catalog_->find_asset(entry->guid) : std::nullopt;
  return asset ? asset->path : std::string_view();
}

Guid BuildContent::asset(std::string_view path) const {
  for (std::uint32_t i = 0; i < catalog_->asset_count(); ++i) {
    const CatalogAsset asset = catalog_->asset(i);
    if (asset.path == path) return asset.guid;
  }
  return {};
}

Agreement BuildContent::agreement() const {
  Agreement agreement{.application = game_.application ^ (kSessionFormatVersion << 56U),
                      .content = 0,
                      .descriptions = 0};
  const ContentHash hash = catalog_->agreement();
  std::memcpy(&agreement.content, hash.bytes.data(), sizeof agreement.content);
  return agreement;
}

Result<BundleStore> BuildContent::open_store(std::shared_ptr<MemoryPool> memory) const {
  return BundleStore::open(*source_, BundleStore::Catalogs::built, std::move(memory), variants());
}

std::vector<VariantSetting> BuildContent::variants() const {
  std::vector<VariantSetting> settings;
  for (const auto& [axis, value] : options_.variants) settings.push_back({axis, value});
  return settings;
}

std::string BuildContent::text() const {
  std::string text = folder_;
  if (catalog_) text += " (" + catalog_->fingerprint().to_string().substr(0, 8) + ")";
  return text;
}

Result<Build> Build::open(std::string_view folder, Target target, const Game& game,
                          const BuildOpenOptions& options) {
  auto content = BuildContent::open(folder, target, game, options);
  if (!content) return fail(content.error());
  return Build(std::move(content.value()));
}

Result<TypeId> Build::type(EntityType type) const { return content_->type(type); }
std::vector<TypeId> Build::types() const {
  const CatalogReader& catalog = content_->catalog();
  const CatalogRegistry registry = catalog.registry(content_->registry());
  std::vector<TypeId> types;
  for (std::uint32_t i = 0; i < registry.entry_count; ++i) {
    types.push_back(catalog.entry(registry.first_entry + i).type_id);
  }
  return types;
}

std::string_view Build::path(const Guid& asset) const {
  const auto record = content_->catalog().find_asset(asset);
  return record ? record->path : std::string_view();
}

bool Build::agrees_with(const Build& other) const {
  return content_->catalog().agreement() == other.content_->catalog().agreement();
}

std::string Build::text() const { return content_->text(); }

Result<void> export_components(const Game& game, const std::string& path) {
  if (const Result<void> sound = check(game); !sound) return sound;
  std::vector<ComponentDescription> components = game.components.types;
  add_missing(components, description_of<Replicated>());
  std::ranges::sort(components, {}, &ComponentDescription::name);
  const std::string text = components_to_json(components, game.messages.types);
  return write_through(path, std::as_bytes(std::span(text)));
}

int complain(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 1;
}

}  // namespace muster
