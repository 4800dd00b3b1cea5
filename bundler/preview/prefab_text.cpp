#include "bundler/preview/prefab_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "bundler/preview/project_source.h"
#include "registry/base/escaped_text.h"
#include "registry/components/component_text.h"
#include "runtime/assets/bundle_store.h"
#include "runtime/bundle/prefab_reader.h"

namespace muster {
namespace {

constexpr std::size_t kIndent = 2;

class PrefabPrinter {
 public:
  PrefabPrinter(const PrefabReader& prefab, const std::vector<ComponentDescription>& components)
      : prefab_(prefab), components_(components) {}

  // Entities are in depth-first order, so each entity is printed below its parent.
  std::string run() {
    std::vector<std::size_t> depths;
    for (std::uint32_t i = 0; i < prefab_.entity_count(); ++i) {
      const FlatEntity entity = prefab_.entity(i);
      depths.push_back(entity.parent == layout::kNone ? 0 : depths[entity.parent] + 1);
      add(entity, depths.back() * kIndent);
    }
    return std::move(text_);
  }

 private:
  void add(const FlatEntity& entity, std::size_t indent) {
    const std::string_view name = entity.name.empty() ? "(no name)" : entity.name;
    text_ += fmt::format("{:{}}{}{}\n", "", indent, escaped_text(name),
                         entity.is_active ? "" : "  (inactive)");
    for (std::uint32_t i = 0; i < entity.component_count; ++i) {
      add(prefab_.component(entity.first_component + i), indent + kIndent);
    }
  }

  void add(const FlatComponent& component, std::size_t indent) {
    const auto described =
        std::ranges::find(components_, component.type, &ComponentDescription::name);
    const bool has_values =
        component.description != layout::kNone && described != components_.end();
    text_ += fmt::format("{:{}}{}{}\n", "", indent, escaped_text(component.type),
                         has_values ? "" : "  (not described)");
    if (!has_values) return;
    text_ += component_text(*described, component.data,
                            {.indent = indent + kIndent, .with_units = true});
  }

  const PrefabReader& prefab_;
  const std::vector<ComponentDescription>& components_;
  std::string text_;
};

}  // namespace

Result<std::string> prefab_text(const Project& project, Target target,
                                const std::vector<ComponentDescription>& components,
                                const Guid& asset) {
  auto source = ProjectSource::create(project, target, components);
  if (!source) return fail(source.error());
  auto store = BundleStore::open(*source.value(), BundleStore::Catalogs::built_or_preview);
  if (!store) return fail(store.error());
  const Result<LoadedEntry> entry = store.value().load(asset, kFlattenedPrefab);
  if (!entry) {
    const bool is_packed = store.value().catalog().bundle_of(asset).has_value();
    if (!is_packed || entry.error().code != ErrorCode::not_found) return fail(entry.error());
    return fail(ErrorCode::not_found, "asset " + asset.to_string() +
                                          " has no entities: it is neither a prefab nor a factory");
  }
  const Result<PrefabReader> prefab = PrefabReader::open(entry.value().bytes);
  if (!prefab) return fail(prefab.error());
  return PrefabPrinter(prefab.value(), components).run();
}

}  // namespace muster
