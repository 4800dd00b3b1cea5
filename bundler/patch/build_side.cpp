#include "bundler/patch/build_side.h"

#include <utility>

#include "bundler/pack/output_folder.h"
#include "bundler/pack/target_build.h"
#include "bundler/patch/patch_layout.h"
#include "runtime/bundle/build_signature.h"

namespace muster {

std::vector<AssetPath> loose_file_paths() {
  std::vector<AssetPath> paths{AssetPath().child(OutputFolder::kReportName)};
  for (const Target target : {Target::client, Target::server}) {
    const AssetPath folder = AssetPath().child(folder_of(target));
    paths.push_back(folder.child(kCatalogName));
    paths.push_back(folder.child(kCatalogSignatureFile));
  }
  return paths;
}

Result<BuildSide> BuildSide::read(const FileSystem& files) {
  std::vector<LooseFile> loose;
  for (const AssetPath& path : loose_file_paths()) {
    LooseFile file{.path = path, .bytes = {}, .hash = {}};
    const auto bytes = read_whole(files, path, layout::catalog::kMaxFileBytes, file.bytes);
    if (!bytes && bytes.error().code == ErrorCode::not_found) continue;
    if (!bytes) return fail(bytes.error());
    file.bytes.resize(bytes.value().size());
    file.hash = hash_bytes(file.bytes);
    loose.push_back(std::move(file));
  }
  return of(std::move(loose));
}

Result<BuildSide> BuildSide::of(std::vector<LooseFile> files) {
  BuildSide side;
  side.loose_ = std::move(files);  // from here on nothing moves that a catalog reads
  for (const Target target : {Target::client, Target::server}) {
    const AssetPath path = AssetPath().child(folder_of(target)).child(kCatalogName);
    const LooseFile* const file = side.find(path);
    if (file == nullptr) continue;
    auto catalog = CatalogReader::open(file->bytes);
    if (!catalog) return fail(catalog.error().code, path.text() + ": " + catalog.error().message);
    if (catalog.value().is_preview()) {
      return fail(ErrorCode::malformed, path.text() + ": this is the catalog of a preview");
    }
    if (catalog.value().target() != target) {
      return fail(ErrorCode::malformed, path.text() + ": this is the catalog of the other target");
    }
    side.catalogs_[static_cast<std::size_t>(target == Target::server)] = catalog.value();
  }
  if (!side.catalogs_[0] && !side.catalogs_[1]) {
    return fail(ErrorCode::not_found,
                "there is neither client/catalog.mcat nor "
                "server/catalog.mcat: it is no build's output");
  }
  return side;
}

const LooseFile* BuildSide::find(const AssetPath& path) const {
  for (const LooseFile& file : loose_) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

const CatalogReader* BuildSide::catalog(Target target) const {
  const auto& catalog = catalogs_[static_cast<std::size_t>(target == Target::server)];
  return catalog ? &*catalog : nullptr;
}

std::optional<CatalogBundle> BuildSide::find(Target target, const BundleName& name) const {
  const CatalogReader* const reader = catalog(target);
  const auto index = reader == nullptr ? std::nullopt : reader->find_bundle(name);
  if (!index) return std::nullopt;
  return reader->bundle(*index);
}

AssetPath bundle_path(Target target, const BundleName& name) {
  return AssetPath::parse(std::string(folder_of(target)) + "/" + name.path()).value();
}

}  // namespace muster
