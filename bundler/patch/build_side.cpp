#include "bundler/patch/build_side.h"

#include <algorithm>
#include <utility>

#include "bundler/pack/output_folder.h"
#include "bundler/patch/patch_layout.h"
#include "bundler/plan/output_names.h"
#include "runtime/bundle/build_signature.h"
#include "runtime/bundle/dictionary.h"

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

AssetPath target_dictionary_path(Target target, const ContentHash& hash) {
  return AssetPath::parse(std::string(folder_of(target)) + "/" + dictionary_path(hash)).value();
}

bool is_dictionary_path(std::string_view path) {
  constexpr std::string_view kEnd = ".mdict";
  for (const Target target : {Target::client, Target::server}) {
    const std::string folder = std::string(folder_of(target)) + "/dictionaries/";
    if (!path.starts_with(folder) || !path.ends_with(kEnd)) continue;
    const std::string_view digits =
        path.substr(folder.size(), path.size() - folder.size() - kEnd.size());
    return digits.size() == 32 &&
           digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  }
  return false;
}

Result<BuildSide> BuildSide::read(const FileReader& files) {
  BuildSide side;
  const auto add = [&](const AssetPath& path, std::uint64_t max_bytes) -> Result<void> {
    LooseFile file{.path = path, .bytes = {}, .hash = {}};
    const auto bytes = read_whole(files, path, max_bytes, file.bytes);
    if (!bytes) return fail(bytes.error());
    file.bytes.resize(bytes.value().size());
    file.hash = hash_bytes(file.bytes);
    side.loose_.push_back(std::move(file));
    return {};
  };
  for (const AssetPath& path : loose_file_paths()) {
    const auto added = add(path, layout::catalog::kMaxFileBytes);
    if (!added && added.error().code != ErrorCode::not_found) return fail(added.error());
  }
  if (auto opened = side.open_catalogs(); !opened) return fail(opened.error());
  std::vector<AssetPath> dictionaries;
  for (const Target target : {Target::client, Target::server}) {
    const CatalogReader* const catalog = side.catalog(target);
    for (std::uint32_t i = 0; catalog != nullptr && i < catalog->dictionary_count(); ++i) {
      dictionaries.push_back(target_dictionary_path(target, catalog->dictionary(i).hash));
    }
  }
  std::ranges::sort(dictionaries);
  for (const AssetPath& path : dictionaries) {
    if (auto added = add(path, layout::dictionary::kMaxBytes); !added) return fail(added.error());
  }
  return of(std::move(side.loose_));
}

Result<BuildSide> BuildSide::of(std::vector<LooseFile> files) {
  BuildSide side;
  // `loose_` must not change from here on, because the catalogs are views of the bytes in `loose_`.
  side.loose_ = std::move(files);
  if (auto opened = side.open_catalogs(); !opened) return fail(opened.error());
  if (auto checked = side.check_dictionaries(); !checked) return fail(checked.error());
  return side;
}

Result<void> BuildSide::open_catalogs() {
  for (const Target target : {Target::client, Target::server}) {
    const AssetPath path = AssetPath().child(folder_of(target)).child(kCatalogName);
    const LooseFile* const file = find(path);
    if (file == nullptr) continue;
    auto catalog = CatalogReader::open(file->bytes);
    if (!catalog) return fail(catalog.error().code, path.text() + ": " + catalog.error().message);
    if (catalog.value().is_preview()) {
      return fail(ErrorCode::malformed, path.text() + ": this is the catalog of a preview");
    }
    if (catalog.value().target() != target) {
      return fail(ErrorCode::malformed, path.text() + ": this is the catalog of the other target");
    }
    catalogs_[static_cast<std::size_t>(target == Target::server)] = catalog.value();
  }
  if (!catalogs_[0] && !catalogs_[1]) {
    return fail(ErrorCode::not_found,
                "there is neither client/catalog.mcat nor "
                "server/catalog.mcat: it is not the output of a build");
  }
  return {};
}

Result<void> BuildSide::check_dictionaries() const {
  std::size_t named = 0;
  DictionarySet distinct;
  for (const Target target : {Target::client, Target::server}) {
    const CatalogReader* const reader = catalog(target);
    for (std::uint32_t i = 0; reader != nullptr && i < reader->dictionary_count(); ++i) {
      const CatalogDictionary record = reader->dictionary(i);
      const AssetPath path = target_dictionary_path(target, record.hash);
      const LooseFile* const file = find(path);
      if (file == nullptr) return fail(ErrorCode::not_found, path.text() + ": it is missing");
      if (file->bytes.size() != record.file_bytes) {
        return fail(ErrorCode::hash_mismatch,
                    path.text() + ": its size differs from the size in its catalog");
      }
      if (auto added = distinct.add(record.hash, file->bytes); !added) {
        return fail(added.error().code, path.text() + ": " + added.error().message);
      }
      ++named;
    }
  }
  if (named == dictionaries().size()) return {};
  return fail(ErrorCode::malformed, "there is a dictionary that no catalog names");
}

std::vector<const LooseFile*> BuildSide::dictionaries() const {
  std::vector<const LooseFile*> found;
  for (const LooseFile& file : loose_) {
    if (is_dictionary_path(file.path.text())) found.push_back(&file);
  }
  return found;
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
