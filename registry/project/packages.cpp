// Unity's formats: `dependencies` in the manifest maps each package name to a version, an address
// or `file:PATH`, where PATH is relative to `Packages`. `dependencies` in the lock maps each name
// to a mapping.
#include "registry/project/packages.h"

#include <algorithm>

#include "registry/base/json_reader.h"
#include "registry/project/asset_index.h"
#include "registry/project/config.h"
#include "registry/project/config_keys.h"
#include "registry/project/meta.h"
#include "registry/yaml/reader.h"

namespace muster {
namespace {

constexpr std::uint64_t kManifestBytesMax = 4ULL * 1024 * 1024;
constexpr std::uint64_t kSettingsBytesMax = 4ULL * 1024 * 1024;
constexpr std::uint64_t kSidecarHeadBytes = 1024;
constexpr std::size_t kFolderDepthMax = 64;
constexpr std::string_view kFile = "file:";

AssetPath packages_folder() { return AssetPath().child("Packages"); }
AssetPath manifest_path() { return packages_folder().child("manifest.json"); }

// The section `dependencies` of a file; empty if the file is missing. Fails if the file cannot be
// read, with the code of that failure. Fails with `malformed` if the file has another form.
Result<Json> dependencies_in(const FileReader& files, const AssetPath& path) {
  ByteVector buffer;
  const auto bytes = read_optional(files, path, kManifestBytesMax, buffer);
  if (!bytes) {
    if (bytes.error().code == ErrorCode::not_found) return Json::object();
    return fail(bytes.error());
  }
  // Like Unity, accepts comments, and uses the last value of a repeated key.
  auto parsed = read_json(as_text(bytes.value()), {.may_repeat_keys = true, .has_comments = true});
  constexpr const char* kConsequence = ", so the packages of this project are unknown";
  if (!parsed) return fail(ErrorCode::malformed, parsed.error().message + kConsequence);
  Json& read = parsed.value();
  if (!read.is_object()) {
    return fail(ErrorCode::malformed, std::string("this file is not a JSON object") + kConsequence);
  }
  if (!read.contains("dependencies")) return Json::object();
  if (read["dependencies"].is_object()) return std::move(read["dependencies"]);
  return fail(
      ErrorCode::malformed,
      std::string("'dependencies' is not a mapping from packages to versions") + kConsequence);
}

// Removes `.` and `..` from a path: `a/../b` becomes `b`. A path that leaves the root keeps `..` at
// its start.
std::string normalised(std::string_view text) {
  const bool is_absolute = text.starts_with('/');
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('/'));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    if (part.empty() || part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else {
      parts.push_back(part);
    }
  }
  std::string path = is_absolute ? "/" : "";
  for (const std::string_view part : parts)
    path += (path.size() > 1 ? "/" : "") + std::string(part);
  if (is_absolute || parts.empty()) return path;
  path.clear();
  for (const std::string_view part : parts) path += (path.empty() ? "" : "/") + std::string(part);
  return path;
}

bool is_package_name(std::string_view name) {
  return !name.empty() && name.find('/') == std::string_view::npos && name != "." && name != "..";
}

// The folder of a package with `file:`. The result is nullopt for a folder in `Packages`, and for
// an archive.
std::optional<std::string> package_folder(const std::string& value) {
  if (!value.starts_with(kFile)) return std::nullopt;
  std::string path = value.substr(kFile.size());
  std::ranges::replace(path, '\\', '/');
  if (path.ends_with(".tgz") || path.ends_with(".tar.gz")) return std::nullopt;
  std::string disk_path = normalised(path.starts_with('/') ? path : "Packages/" + path);
  if (disk_path.empty() || disk_path == "Packages" || disk_path.starts_with("Packages/"))
    return std::nullopt;
  return disk_path;
}

bool is_outside(std::string_view folder) {
  return folder.starts_with('/') || folder == ".." || folder.starts_with("../");
}

std::string last_part(const std::string& disk_path) {
  return disk_path.substr(disk_path.rfind('/') + 1);
}

std::vector<OutsideFolder> packages_elsewhere(const Json& dependencies) {
  std::vector<OutsideFolder> found;
  for (const auto& [name, value] : dependencies.items()) {
    if (!value.is_string() || !is_package_name(name)) continue;
    auto disk_path = package_folder(value.get<std::string>());
    if (disk_path) found.push_back({packages_folder().child(name), *disk_path, name});
  }
  return found;
}

// Ignores errors: `Packages` reads the manifest again and reports them.
std::vector<OutsideFolder> packages_elsewhere(const FileReader& files) {
  const auto dependencies = dependencies_in(files, manifest_path());
  if (!dependencies) return {};
  return packages_elsewhere(dependencies.value());
}

std::optional<OutsideFolder> outside_folder(const std::vector<OutsideFolder>& packages,
                                            std::string_view folder) {
  const std::string disk_path = normalised(folder);
  if (!is_outside(disk_path)) return std::nullopt;
  const auto known = std::ranges::find(packages, disk_path, &OutsideFolder::disk_path);
  if (known != packages.end()) return *known;
  const std::string name = last_part(disk_path);
  if (!is_package_name(name)) return std::nullopt;
  return OutsideFolder{packages_folder().child(name), disk_path, "folders"};
}

// The section `folders` of muster.yaml. Ignores errors, because `load_config` reports them later.
std::vector<std::string> folders_in_config(const FileReader& files) {
  ByteVector buffer;
  const auto bytes =
      read_whole(files, AssetPath().child(ProjectConfig::kFileName), kSettingsBytesMax, buffer);
  if (!bytes) return {};
  const std::string text(as_text(bytes.value()));
  const auto read = yaml::read_plain(text);
  if (!read.good() || read.tree().documents.size() != 1) return {};
  const yaml::Tree& tree = read.tree();
  const yaml::NodeIndex root = tree.documents.front().root;
  if (root == yaml::kNoNode || tree.at(root).kind != yaml::NodeKind::mapping) return {};
  const yaml::NodeIndex list = tree.find(root, "folders");
  std::vector<std::string> folders;
  if (list == yaml::kNoNode || tree.at(list).kind != yaml::NodeKind::sequence) return folders;
  for (const yaml::NodeIndex item : yaml::Children(tree, list)) {
    folders.emplace_back(tree.scalar(item));
  }
  return folders;
}

}  // namespace

std::vector<OutsideFolder> outside_folders(const FileReader& files) {
  std::vector<OutsideFolder> found = packages_elsewhere(files);
  for (const std::string& folder : folders_in_config(files)) {
    auto outside = outside_folder(found, folder);
    if (outside) found.push_back(std::move(*outside));
  }
  std::ranges::sort(found, {}, &OutsideFolder::at);
  found.erase(std::unique(found.begin(), found.end(),
                          [](const auto& a, const auto& b) { return a.at == b.at; }),
              found.end());
  return found;
}

std::optional<AssetPath> path_of_outside(const FileReader& files, std::string_view folder) {
  if (!is_outside(normalised(folder))) return std::nullopt;
  const auto outside = outside_folder(packages_elsewhere(files), folder);
  if (!outside) return std::nullopt;
  return outside->at;
}

Packages::Packages(const FileReader& files) : files_(files) {
  const Json manifest = read_names(manifest_path());
  const AssetPath lock = packages_folder().child("packages-lock.json");
  const auto info = files.stat(lock);
  has_lock_ = info.has_value();
  if (!info && info.error().code != ErrorCode::not_found) unread_.push_back({lock, info.error()});
  if (has_lock_) read_names(lock);
  for (const OutsideFolder& folder : packages_elsewhere(manifest)) {
    if (!files.stat(folder.at)) missing_.emplace(folder.named_by, folder.disk_path);
  }
}

Json Packages::read_names(const AssetPath& path) {
  auto dependencies = dependencies_in(files_, path);
  if (!dependencies) {
    unread_.push_back({path, dependencies.error()});
    return Json::object();
  }
  for (const auto& [name, value] : dependencies.value().items()) {
    named_.emplace(name, value.is_string() ? value.get<std::string>() : std::string());
  }
  return std::move(dependencies.value());
}

std::vector<Packages::Unread> Packages::unread() const {
  const std::lock_guard lock(mutex_);
  return unread_;
}

std::optional<PackageAsset> Packages::find(const Guid& guid) const {
  if (auto known = find_package_asset(guid)) return known;
  const std::lock_guard lock(mutex_);
  if (!cached_) read_cache();
  const auto found = cached_->find(guid);
  if (found == cached_->end()) return std::nullopt;
  return found->second;
}

// Reads the folders of packages, which are named `NAME@VERSION`.
void Packages::read_cache() const {
  cached_.emplace();
  const AssetPath cache = AssetPath().child("Library").child("PackageCache");
  const auto listed = files_.list(cache);
  if (!listed) {
    if (listed.error().code != ErrorCode::not_found) unread_.push_back({cache, listed.error()});
    return;
  }
  for (const DirectoryEntry& entry : listed.value()) {
    if (entry.kind != FileKind::folder) continue;
    read_cached_folder(cache.child(entry.name), entry.name.substr(0, entry.name.find('@')), 0);
  }
}

void Packages::read_cached_folder(const AssetPath& folder, const std::string& package,
                                  std::size_t depth) const {
  const auto listed = files_.list(folder);
  if (!listed) unread_.push_back({folder, listed.error()});
  if (!listed || depth > kFolderDepthMax) return;
  ByteVector buffer;
  for (const DirectoryEntry& entry : listed.value()) {
    if (is_ignored_name(entry.name)) continue;
    const AssetPath path = folder.child(entry.name);
    // Links are not followed, because they may form cycles.
    if (entry.kind == FileKind::folder && !entry.is_link) {
      read_cached_folder(path, package, depth + 1);
    }
    if (entry.kind != FileKind::file || !entry.name.ends_with(".meta")) continue;
    const auto bytes = files_.read(path, 0, kSidecarHeadBytes, buffer);
    if (!bytes) {
      unread_.push_back({path, bytes.error()});
      continue;
    }
    const MetaResult meta = read_meta(as_text(bytes.value()));
    if (meta.meta.guid.is_null()) continue;
    const auto asset = AssetPath::parse(path.text().substr(0, path.text().size() - 5));
    if (!asset) continue;
    const bool is_script = has_extension(asset.value(), "cs");
    cached_->emplace(
        meta.meta.guid,
        PackageAsset{.name = std::string(is_script ? asset.value().stem() : asset.value().name()),
                     .package = package,
                     .is_script = is_script});
  }
}

}  // namespace muster
