#include "bundler/cli/build_sizes.h"

#include <algorithm>

#include "bundler/cli/edges.h"
#include "bundler/plan/output_names.h"
#include "runtime/bundle/bundle_reader.h"
#include "runtime/bundle/catalog_reader.h"

namespace muster::cli {
namespace {

Error in(const std::string& path, const Error& error) {
  return {error.code, "'" + path + "': " + error.message};
}

// Adds the sizes of a bundle's entries to the sizes of their kinds. Does not count the tables of
// the bundle.
Result<void> add_kinds(const std::string& path, const CatalogReader& catalog, TargetSizes& sizes) {
  const auto file = map_file(path);
  if (!file) return fail(file.error());
  ByteVector tables;
  const auto bundle = BundleReader::open_shared(file.value().bytes(), tables);
  if (!bundle) return fail(in(path, bundle.error()));
  for (std::uint32_t i = 0; i < bundle.value().entry_count(); ++i) {
    const BundleEntry entry = bundle.value().entry(i);
    const auto asset = catalog.find_asset(entry.guid);
    const auto name = asset ? AssetPath::parse(asset->path) : Result<AssetPath>(AssetPath());
    std::uint64_t& bytes =
        sizes.by_kind[name ? lower_ascii(name.value().extension()) : std::string()];
    for (std::uint32_t block = 0; block < entry.block_count; ++block) {
      bytes += bundle.value().block(entry, block).stored_bytes;
    }
  }
  if (file.value().is_damaged()) return fail(ErrorCode::io, "'" + path + "' was truncated");
  return {};
}

std::string prefab_of(const CatalogReader& catalog, const BundleName& name) {
  const Guid guid = Guid::from_bytes(std::as_bytes(std::span(name.bytes)));
  const auto asset = catalog.find_asset(guid);
  return asset ? std::string(asset->path) : guid.to_string();
}

// Adds the size of a bundle to its prefab. The bundles that can replace the prefab's bundle also
// count for the prefab.
void add_prefab(const CatalogReader& catalog, const CatalogBundle& bundle,
                const std::map<std::uint32_t, CatalogAlternative>& alternatives,
                std::uint32_t index, BundleSize& size) {
  if (bundle.name.kind == BundleKind::prefab) size.prefab = prefab_of(catalog, bundle.name);
  const auto found = alternatives.find(index);
  if (found == alternatives.end()) return;
  const CatalogBundle base = catalog.bundle(found->second.bundle);
  if (base.name.kind != BundleKind::prefab) return;
  size.prefab = prefab_of(catalog, base.name);
  size.variant = keys_text(catalog, found->second);
}

Result<TargetSizes> sizes_of(const std::string& folder, const MappedFile& file, bool with_kinds) {
  const std::string path = folder + "/" + std::string(kCatalogName);
  const auto opened = CatalogReader::open(file.bytes());
  if (!opened) return fail(in(path, opened.error()));
  const CatalogReader& catalog = opened.value();
  TargetSizes sizes;
  sizes.target = catalog.target();
  std::map<std::uint32_t, CatalogAlternative> alternatives;
  for (std::uint32_t i = 0; i < catalog.alternative_count(); ++i) {
    alternatives.emplace(catalog.alternative(i).alternative, catalog.alternative(i));
  }
  for (std::uint32_t i = 0; i < catalog.bundle_count(); ++i) {
    const CatalogBundle bundle = catalog.bundle(i);
    BundleSize size{bundle.name.path(), {}, bundle.file_bytes};
    add_prefab(catalog, bundle, alternatives, i, size);
    if (with_kinds) {
      if (auto added = add_kinds(folder + "/" + size.file, catalog, sizes); !added) {
        return fail(added.error());
      }
    }
    sizes.bundles.push_back(std::move(size));
  }
  if (file.is_damaged()) return fail(ErrorCode::io, "'" + path + "' was truncated");
  return sizes;
}

}  // namespace

Result<std::vector<TargetSizes>> sizes_of_build(const std::string& out, bool with_kinds) {
  std::vector<TargetSizes> all;
  for (const Target target : {Target::client, Target::server}) {
    const std::string folder = out + "/" + std::string(folder_of(target));
    const auto catalog = map_file(folder + "/" + std::string(kCatalogName));
    if (!catalog && catalog.error().code == ErrorCode::not_found) continue;
    if (!catalog) return fail(catalog.error());
    auto sizes = sizes_of(folder, catalog.value(), with_kinds);
    if (!sizes) return fail(sizes.error());
    all.push_back(std::move(sizes).value());
  }
  if (all.empty()) {
    return fail(ErrorCode::not_found, "'" + out + "' is not a build: it has no catalog");
  }
  return all;
}

bool wants_kinds(const ProjectConfig& config) {
  return std::ranges::any_of(config.budgets,
                             [](const Budget& budget) { return !budget.kinds.empty(); });
}

}  // namespace muster::cli
