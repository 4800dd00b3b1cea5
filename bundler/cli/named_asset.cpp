#include "bundler/cli/named_asset.h"

#include "bundler/cli/edges.h"

namespace muster::cli {
namespace {

AssetNumber find_path(const Project& project, std::string_view name) {
  const auto path = AssetPath::parse(name);
  return path ? project.index().find(path.value()) : kNoAsset;
}

AssetNumber find_asset(const Project& project, const std::string& project_path,
                       const std::string& name) {
  if (const auto guid = Guid::parse_any_case(name)) return project.index().find(guid.value());
  const AssetNumber asset = find_path(project, name);
  if (asset != kNoAsset) return asset;
  const auto root = resolved(project_path);
  const auto resolved_path = resolved(name);
  if (!root || !resolved_path) return kNoAsset;
  std::string inside = root.value();
  if (!inside.ends_with('/')) inside += '/';
  if (!resolved_path.value().starts_with(inside)) return kNoAsset;
  return find_path(project, std::string_view(resolved_path.value()).substr(inside.size()));
}

}  // namespace

Result<AssetNumber> find_named_asset(const Project& project, const std::string& project_path,
                                     const std::string& name) {
  const AssetNumber asset = find_asset(project, project_path, name);
  if (asset != kNoAsset) return asset;
  return fail(ErrorCode::not_found,
              "'" + name +
                  "' is neither the guid nor the path (from the project's root, or from here) of "
                  "an asset with a sidecar");
}

}  // namespace muster::cli
