#include "bundler/preview/project_source.h"

#include <algorithm>

#include "bundler/build/catalog_fill.h"
#include "bundler/pack/catalog_writer.h"
#include "bundler/plan/output_names.h"
#include "runtime/assets/bundle_store.h"

namespace muster {
namespace {

/// The compression level. A fast level is used, because a user waits and the result is not stored.
constexpr int kPreviewLevel = 1;

class CookedFile final : public BundleFile {
 public:
  explicit CookedFile(ByteVector bytes) : bytes_(std::move(bytes)) {}
  Bytes bytes() const override { return bytes_; }

 private:
  ByteVector bytes_;
};

// A build names a shared bundle by the hash of its content, which is not known yet. So a preview
// uses the hash of the list of the bundle's assets.
BundleName preview_name_of(const Project& project, const PlannedBundle& planned) {
  if (const auto name = name_of(project, planned)) return *name;
  ContentHasher hasher;
  for (const AssetNumber asset : planned.assets) {
    hasher.update(project.index().at(asset).guid.bytes());
  }
  return BundleName::of_shared(hasher.finish());
}

}  // namespace

Result<std::unique_ptr<ProjectSource>> ProjectSource::create(
    const Project& project, Target target, std::vector<ComponentDescription> components) {
  std::unique_ptr<ProjectSource> source(new ProjectSource(project, target, std::move(components)));
  if (Result<void> planned = source->plan(target); !planned) return fail(planned.error());
  return source;
}

Result<void> ProjectSource::plan(Target target) {
  build_.target = target;
  std::vector<std::uint64_t> sizes;
  for (const Asset& asset : project_.index().assets()) {
    const auto info = project_.files().stat(asset.path);
    sizes.push_back(info ? info.value().size_bytes : 0);
  }
  build_.plan = plan_bundles(project_, {.target = target}, sizes);
  for (std::size_t i = 0; i < build_.plan.bundles.size(); ++i) {
    BuiltBundle& bundle = build_.bundles.emplace_back();
    bundle.name = preview_name_of(project_, build_.plan.bundles[i]);
    bundle.planned = i;
  }
  Result<CatalogData> data = fill_catalog(project_, build_, components_);
  if (!data) return fail(data.error());
  data.value().is_preview = true;
  Result<ByteVector> bytes = encode_catalog(data.value());
  if (!bytes) return fail(bytes.error());
  catalog_ = std::move(bytes.value());
  return {};
}

Result<std::unique_ptr<BundleFile>> ProjectSource::open(std::string_view path,
                                                        std::uint64_t max_bytes) const {
  if (path == kCatalogFile) return std::make_unique<CookedFile>(catalog_);
  const auto found = std::ranges::find_if(
      build_.bundles, [&](const BuiltBundle& bundle) { return bundle.name.path() == path; });
  if (found == build_.bundles.end()) {
    return fail(ErrorCode::not_found, "the project has no '" + std::string(path) + "'");
  }
  Result<ByteVector> bytes = pack(build_.plan.bundles[found->planned]);
  if (!bytes) return fail(bytes.error());
  if (bytes.value().size() > max_bytes) {
    return fail(ErrorCode::limit_exceeded, "'" + std::string(path) + "' has more than " +
                                               std::to_string(max_bytes) + " bytes");
  }
  return std::make_unique<CookedFile>(std::move(bytes.value()));
}

Result<ByteVector> ProjectSource::pack(const PlannedBundle& planned) const {
  std::vector<CookedAsset> cooked;
  for (const AssetNumber asset : planned.assets) {
    cooked.push_back(cooker_.cook(asset));
    if (cooked.back().problems.empty()) continue;
    const CookProblem& problem = cooked.back().problems.front();
    return fail(ErrorCode::malformed, problem.location.path.text() + ":" +
                                          std::to_string(problem.location.position.line) + ": " +
                                          problem.message);
  }
  std::vector<PackEntry> entries;
  for (const CookedAsset& asset : cooked) {
    for (const CookedEntry& entry : asset.entries) {
      entries.push_back({entry.guid, entry.local_id, entry.kind, entry.plain});
    }
  }
  return pack_bundle(entries, {.level = kPreviewLevel});
}

}  // namespace muster
