#include "bundler/report/build_diff.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "bundler/plan/output_names.h"
#include "registry/base/counted.h"
#include "registry/base/escaped_text.h"
#include "registry/base/json_text.h"
#include "runtime/bundle/bundle_reader.h"
#include "runtime/bundle/catalog_reader.h"

namespace muster {
namespace {

constexpr std::uint64_t kFileBytesMax = 8ULL * 1024 * 1024 * 1024;

/// The hash of each part of an asset in a bundle.
struct PackedAsset {
  std::map<std::int64_t, ContentHash> parts;
  std::uint64_t plain_bytes = 0;
};
using PackedAssets = std::map<Guid, PackedAsset>;

/// One target of the old or the new output.
class Side {
 public:
  static Result<Side> open(const FileReader& files, Target target) {
    Side side(files, target);
    const AssetPath path = side.folder_.child(kCatalogName);
    const auto bytes = read_whole(files, path, kFileBytesMax, side.buffer_);
    if (!bytes && bytes.error().code == ErrorCode::not_found) return side;
    if (!bytes) return fail(bytes.error());
    side.buffer_.resize(bytes.value().size());
    auto catalog = CatalogReader::open(side.buffer_);
    if (!catalog) return fail(catalog.error().code, path.text() + ": " + catalog.error().message);
    side.catalog_ = std::move(catalog).value();
    for (std::uint32_t i = 0; i < side.catalog_->bundle_count(); ++i) {
      const CatalogBundle bundle = side.catalog_->bundle(i);
      side.bundles_.emplace(bundle.name.path(), bundle);
      side.bytes_ += bundle.file_bytes;
    }
    for (std::uint32_t i = 0; i < side.catalog_->alternative_count(); ++i) {
      const CatalogAlternative one = side.catalog_->alternative(i);
      side.keys_.emplace(side.catalog_->bundle(one.alternative).name.path(),
                         keys_text(*side.catalog_, one));
    }
    return side;
  }

  bool is_there() const { return catalog_.has_value(); }
  std::uint64_t bytes() const { return bytes_; }
  const CatalogReader& catalog() const { return *catalog_; }
  const std::map<std::string, CatalogBundle>& bundles() const { return bundles_; }

  /// The bundle with this file; null if there is no such bundle.
  const CatalogBundle* find(const std::string& file) const {
    const auto found = bundles_.find(file);
    return found == bundles_.end() ? nullptr : &found->second;
  }
  std::string path_of(const Guid& guid) const {
    const auto asset = catalog_ ? catalog_->find_asset(guid) : std::nullopt;
    return asset ? std::string(asset->path) : std::string();
  }

  /// The keys of a variant's bundle; empty for any other bundle.
  std::string keys_of(const std::string& file) const {
    const auto found = keys_.find(file);
    return found == keys_.end() ? std::string() : found->second;
  }

  /// Reads the assets in a bundle of this output from the tables of the bundle.
  Result<PackedAssets> assets_of(const std::string& file) const {
    const auto path = AssetPath::parse(folder_.text() + "/" + file);
    if (!path) return fail(path.error());
    ByteVector buffer;
    const auto bytes = read_whole(*files_, path.value(), kFileBytesMax, buffer);
    if (!bytes) return fail(bytes.error());
    const auto bundle = BundleReader::open(bytes.value());
    if (!bundle) {
      return fail(bundle.error().code, path.value().text() + ": " + bundle.error().message);
    }
    PackedAssets assets;
    for (std::uint32_t i = 0; i < bundle.value().entry_count(); ++i) {
      const BundleEntry entry = bundle.value().entry(i);
      PackedAsset& asset = assets[entry.guid];
      asset.parts.emplace(entry.local_id, entry.plain_hash);
      asset.plain_bytes += entry.plain_bytes;
    }
    return assets;
  }

 private:
  Side(const FileReader& files, Target target)
      : files_(&files), folder_(AssetPath().child(std::string(folder_of(target)))) {}

  const FileReader* files_;
  AssetPath folder_;
  ByteVector buffer_;  ///< The bytes of the catalog, which `catalog_` views.
  std::optional<CatalogReader> catalog_;
  std::map<std::string, CatalogBundle> bundles_;
  std::map<std::string, std::string> keys_;  ///< The keys of each variant's bundle, by file.
  std::uint64_t bytes_ = 0;
};

class TargetComparison {
 public:
  TargetComparison(Target target, const Side& before, const Side& after)
      : before_(before), after_(after) {
    diff_.target = std::string(folder_of(target));
    diff_.old_bytes = before.bytes();
    diff_.new_bytes = after.bytes();
  }

  Result<TargetDiff> run() {
    std::map<std::string, bool> files;
    for (const auto& [file, bundle] : before_.bundles()) files[file] = true;
    for (const auto& [file, bundle] : after_.bundles()) files[file] = true;
    for (const auto& [file, is_there] : files) {
      if (auto compared = compare(file); !compared) return fail(compared.error());
    }
    BundleDiff shared;
    note_assets(gone_shared_, new_shared_, {}, shared);
    diff_.shared = std::move(shared.assets);
    find_renamed();
    diff_.is_other_catalog = before_.is_there() != after_.is_there() ||
                             before_.catalog().fingerprint() != after_.catalog().fingerprint();
    return std::move(diff_);
  }

 private:
  Result<void> compare(const std::string& file) {
    const CatalogBundle* const old_bundle = before_.find(file);
    const CatalogBundle* const new_bundle = after_.find(file);
    if (old_bundle != nullptr && new_bundle != nullptr && old_bundle->hash == new_bundle->hash) {
      return {};
    }
    BundleDiff bundle{.change = Change::changed, .file = file, .asset = {}, .assets = {}};
    if (old_bundle == nullptr) bundle.change = Change::added;
    if (new_bundle == nullptr) bundle.change = Change::removed;
    PackedAssets old_assets;
    PackedAssets new_assets;
    if (old_bundle != nullptr) {
      bundle.old_bytes = old_bundle->file_bytes;
      auto assets = before_.assets_of(file);
      if (!assets) return fail(assets.error());
      old_assets = std::move(assets).value();
    }
    if (new_bundle != nullptr) {
      bundle.new_bytes = new_bundle->file_bytes;
      diff_.ship_bytes += new_bundle->file_bytes;
      auto assets = after_.assets_of(file);
      if (!assets) return fail(assets.error());
      new_assets = std::move(assets).value();
    }
    const BundleName name = (new_bundle != nullptr ? new_bundle : old_bundle)->name;
    note_assets(old_assets, new_assets, name, bundle);
    if (name.kind == BundleKind::variant && !(new_assets.empty() && old_assets.empty())) {
      const Guid& guid = (new_assets.empty() ? old_assets : new_assets).begin()->first;
      const std::string path = after_.path_of(guid);
      const std::string keys = after_.keys_of(file);
      bundle.asset = (path.empty() ? before_.path_of(guid) : path) + " (" +
                     (keys.empty() ? before_.keys_of(file) : keys) + ")";
    }
    if (bundle.asset.empty() && bundle.change == Change::removed) gone_shared_.merge(old_assets);
    if (bundle.asset.empty() && bundle.change == Change::added) new_shared_.merge(new_assets);
    diff_.bundles.push_back(std::move(bundle));
    return {};
  }

  void note_assets(const PackedAssets& old_assets, const PackedAssets& new_assets,
                   const BundleName& name, BundleDiff& bundle) const {
    const auto path_of = [&](const Guid& guid) {
      const std::string path = after_.path_of(guid);
      return path.empty() ? before_.path_of(guid) : path;
    };
    const auto note = [&](Change change, const Guid& guid, std::uint64_t was, std::uint64_t is) {
      bundle.assets.push_back({change, guid, path_of(guid), was, is});
    };
    for (const auto& [guid, asset] : new_assets) {
      if (name == BundleName::of_prefab(guid)) bundle.asset = path_of(guid);
      const auto was = old_assets.find(guid);
      if (was == old_assets.end()) {
        note(Change::added, guid, 0, asset.plain_bytes);
      } else if (was->second.parts != asset.parts) {
        note(Change::changed, guid, was->second.plain_bytes, asset.plain_bytes);
      }
    }
    for (const auto& [guid, asset] : old_assets) {
      if (name == BundleName::of_prefab(guid)) bundle.asset = path_of(guid);
      if (!new_assets.contains(guid)) note(Change::removed, guid, asset.plain_bytes, 0);
    }
    std::ranges::sort(bundle.assets, [](const AssetDiff& a, const AssetDiff& b) {
      return std::tie(a.path, a.guid) < std::tie(b.path, b.guid);
    });
  }

  void find_renamed() {
    if (!before_.is_there() || !after_.is_there()) return;
    for (std::uint32_t i = 0; i < after_.catalog().asset_count(); ++i) {
      const CatalogAsset asset = after_.catalog().asset(i);
      std::string before = before_.path_of(asset.guid);
      if (before.empty() || before == asset.path) continue;
      diff_.renamed.push_back({asset.guid, std::move(before), std::string(asset.path)});
    }
    std::ranges::sort(diff_.renamed, {}, &RenamedAsset::new_path);
  }

  const Side& before_;
  const Side& after_;
  PackedAssets gone_shared_;  ///< The assets in removed shared bundles.
  PackedAssets new_shared_;
  TargetDiff diff_;
};

Result<void> check_is_output(const FileReader& files, const char* which) {
  if (files.stat(AssetPath().child("build.json"))) return {};
  return fail(
      ErrorCode::not_found,
      fmt::format("the {} folder has no build.json: it is not the output of a build", which));
}

constexpr std::string_view name_of(Change change) {
  switch (change) {
    case Change::added:
      return "added";
    case Change::removed:
      return "removed";
    case Change::changed:
      return "changed";
  }
  return {};
}

std::string sizes_text(std::uint64_t before, std::uint64_t after) {
  return fmt::format("{} -> {} ({}{})", before, after, after < before ? '-' : '+',
                     after < before ? before - after : after - before);
}

std::size_t count_of(const TargetDiff& target, Change change) {
  return static_cast<std::size_t>(std::ranges::count(target.bundles, change, &BundleDiff::change));
}

void add_text(const std::vector<AssetDiff>& assets, std::string& text) {
  for (const AssetDiff& asset : assets) {
    text += fmt::format("      {:<7}  {}  {}\n", name_of(asset.change),
                        asset.path.empty() ? asset.guid.to_string() : escaped_text(asset.path),
                        sizes_text(asset.old_bytes, asset.new_bytes));
  }
}

void add_text(const TargetDiff& target, std::string& text) {
  text +=
      fmt::format("{}: {} bytes\n", target.target, sizes_text(target.old_bytes, target.new_bytes));
  for (const BundleDiff& bundle : target.bundles) {
    text += fmt::format("  {:<7}  {}{}  {}\n", name_of(bundle.change), bundle.file,
                        bundle.asset.empty() ? "" : " (" + escaped_text(bundle.asset) + ")",
                        sizes_text(bundle.old_bytes, bundle.new_bytes));
    if (bundle.change != Change::changed) continue;
    if (bundle.assets.empty()) text += "      only packed in another way\n";
    add_text(bundle.assets, text);
  }
  if (!target.shared.empty()) text += "  in shared bundles\n";
  add_text(target.shared, text);
  if (target.bundles.empty() && target.is_other_catalog) text += "  only the catalog changed\n";
  for (const RenamedAsset& asset : target.renamed) {
    text += fmt::format("  renamed  {} -> {}\n", escaped_text(asset.old_path),
                        escaped_text(asset.new_path));
  }
  text += fmt::format("  {} changed, {} added, {} removed; {} to ship\n",
                      counted(count_of(target, Change::changed), "bundle"),
                      count_of(target, Change::added), count_of(target, Change::removed),
                      counted(target.ship_bytes, "byte"));
}

Json to_json(const std::vector<AssetDiff>& assets) {
  Json json = Json::array();
  for (const AssetDiff& asset : assets) {
    json.push_back({{"change", name_of(asset.change)},
                    {"guid", asset.guid.to_string()},
                    {"path", asset.path},
                    {"old_bytes", asset.old_bytes},
                    {"new_bytes", asset.new_bytes}});
  }
  return json;
}

Json to_json(const BundleDiff& bundle) {
  Json json{{"change", name_of(bundle.change)}, {"file", bundle.file}};
  if (!bundle.asset.empty()) json["asset"] = bundle.asset;
  json["old_bytes"] = bundle.old_bytes;
  json["new_bytes"] = bundle.new_bytes;
  json["assets"] = to_json(bundle.assets);
  return json;
}

}  // namespace

Result<std::vector<TargetDiff>> diff_builds(const FileReader& old_files,
                                            const FileReader& new_files) {
  if (auto is_output = check_is_output(old_files, "old"); !is_output) {
    return fail(is_output.error());
  }
  if (auto is_output = check_is_output(new_files, "new"); !is_output) {
    return fail(is_output.error());
  }
  std::vector<TargetDiff> diffs;
  for (const Target target : {Target::client, Target::server}) {
    const auto before = Side::open(old_files, target);
    if (!before) return fail(before.error());
    const auto after = Side::open(new_files, target);
    if (!after) return fail(after.error());
    if (!before.value().is_there() && !after.value().is_there()) continue;
    auto diff = TargetComparison(target, before.value(), after.value()).run();
    if (!diff) return fail(diff.error());
    diffs.push_back(std::move(diff).value());
  }
  return diffs;
}

std::string diff_text(const std::vector<TargetDiff>& targets) {
  std::string text;
  for (const TargetDiff& target : targets) {
    if (target.is_empty()) {
      text += target.target + ": the same\n";
    } else {
      add_text(target, text);
    }
  }
  return text;
}

std::string diff_json(const std::vector<TargetDiff>& targets) {
  Json json{{"format", 1}, {"targets", Json::object()}};
  for (const TargetDiff& target : targets) {
    Json target_json{{"old_bytes", target.old_bytes},
                     {"new_bytes", target.new_bytes},
                     {"ship_bytes", target.ship_bytes}};
    target_json["bundles"] = Json::array();
    for (const BundleDiff& bundle : target.bundles)
      target_json["bundles"].push_back(to_json(bundle));
    target_json["shared"] = to_json(target.shared);
    target_json["catalog_changed"] = target.is_other_catalog;
    target_json["renamed"] = Json::array();
    for (const RenamedAsset& asset : target.renamed) {
      target_json["renamed"].push_back({{"guid", asset.guid.to_string()},
                                        {"old_path", asset.old_path},
                                        {"new_path", asset.new_path}});
    }
    json["targets"][target.target] = std::move(target_json);
  }
  return json_text(json);
}

}  // namespace muster
