#include "bundler/report/build_overview.h"

#include <algorithm>
#include <utility>

#include "bundler/pack/output_folder.h"
#include "bundler/plan/output_names.h"
#include "registry/base/json_text.h"
#include "registry/project/asset_kinds.h"
#include "registry/rules/budget_check.h"
#include "runtime/bundle/bundle_choice.h"
#include "runtime/bundle/bundle_reader.h"
#include "runtime/bundle/catalog_reader.h"

namespace muster {
namespace {

constexpr std::uint64_t kBuildFileBytesMax = 8ULL << 30U;
/// The minimum size in bytes of reported copies. Equal smaller files are often empty files or
/// stubs.
constexpr std::uint64_t kCopyBytesMin = 256;
constexpr std::size_t kSlowestMax = 20;

std::uint64_t number(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

std::string text(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// The member `key` if it is an array; otherwise an empty array.
const Json& list(const Json& json, const char* key) {
  static const Json kNone = Json::array();
  const auto found = json.find(key);
  return found != json.end() && found->is_array() ? *found : kNone;
}

// The member `key` if it is an object; otherwise an empty object.
const Json& object(const Json& json, const char* key) {
  static const Json kNone = Json::object();
  const auto found = json.find(key);
  return found != json.end() && found->is_object() ? *found : kNone;
}

Guid guid_in(const Json& json) {
  if (!json.is_string()) return {};
  const auto guid = Guid::parse(json.get_ref<const std::string&>());
  return guid ? guid.value() : Guid();
}

/// The data of one bundle in build.json.
struct ReportedBundle {
  std::uint64_t source_bytes = 0;
  std::uint64_t needed_bytes = 0;
  std::optional<std::uint64_t> vain_bytes;
  std::vector<Guid> owners;
  std::map<Guid, Guid> pulled_by;
};

class TargetReading {
 public:
  TargetReading(const FileReader& files, Target target) : files_(files) {
    overview_.name = std::string(folder_of(target));
    folder_ = AssetPath().child(overview_.name);
  }

  /// Reads a target. Returns no value if the build does not have the target.
  Result<std::optional<OverviewTarget>> run(const Json& report, const Json& moment) {
    ByteVector buffer;
    const AssetPath path = folder_.child(kCatalogName);
    const auto bytes = read_whole(files_, path, kBuildFileBytesMax, buffer);
    if (!bytes && bytes.error().code == ErrorCode::not_found) return std::nullopt;
    if (!bytes) return fail(bytes.error());
    const auto catalog = CatalogReader::open(bytes.value());
    if (!catalog) return fail(catalog.error().code, path.text() + ": " + catalog.error().message);
    auto choice = BundleChoice::create(catalog.value());
    if (!choice) return fail(choice.error());
    choice_ = std::move(choice).value();
    read_report(report);
    read_times(moment);
    read_catalog(catalog.value());
    for (std::uint32_t i = 0; i < catalog.value().bundle_count(); ++i) {
      if (auto read = read_bundle(catalog.value(), i); !read) return fail(read.error());
    }
    finish();
    return std::optional(std::move(overview_));
  }

 private:
  void read_report(const Json& report) {
    overview_.source_bytes = number(report, "source_bytes");
    overview_.duplicate_bytes_avoided = number(report, "duplicate_bytes_avoided");
    overview_.self_contained_source_bytes = number(report, "self_contained_source_bytes");
    overview_.shared_groups = number(object(report, "sharing"), "groups");
    overview_.files_max = number(object(report, "sharing"), "files_max");
    const Json& stripped = object(report, "stripped");
    overview_.stripped_source_bytes = number(stripped, "source_bytes");
    overview_.stripped_assets = stripped_rows(list(stripped, "rules"), "rule");
    overview_.stripped_components = stripped_rows(list(stripped, "components"), "class");
    for (const Json& bundle : list(report, "bundles")) {
      if (!bundle.is_object()) continue;
      ReportedBundle& reported = reported_[text(bundle, "file")];
      reported.source_bytes = number(bundle, "source_bytes");
      reported.needed_bytes = number(bundle, "needed_source_bytes");
      if (bundle.contains("vain_source_bytes"))
        reported.vain_bytes = number(bundle, "vain_source_bytes");
      for (const Json& owner : list(bundle, "owners")) reported.owners.push_back(guid_in(owner));
      for (const Json& asset : list(bundle, "assets")) {
        if (!asset.is_object() || !asset.contains("guid")) continue;
        const Guid by = asset.contains("pulled_by") ? guid_in(asset["pulled_by"]) : Guid();
        reported.pulled_by.emplace(guid_in(asset["guid"]), by);
      }
    }
  }

  static std::vector<OverviewStripped> stripped_rows(const Json& rows, const char* name) {
    std::vector<OverviewStripped> found;
    for (const Json& row : rows) {
      if (!row.is_object()) continue;
      found.push_back({text(row, name), number(row, "count"), number(row, "source_bytes")});
    }
    return found;
  }

  // Reads the times of the bundles that the last build packed. Bundles that the last build kept
  // have no times.
  void read_times(const Json& moment) {
    for (const Json& bundle : list(moment, "bundles")) {
      if (!bundle.is_object() || text(bundle, "made") != "packed" || !bundle.contains("ms") ||
          !bundle["ms"].is_number()) {
        continue;
      }
      const std::string asset = text(bundle, "asset");
      overview_.slowest.push_back(
          {asset.empty() ? text(bundle, "name") : asset, bundle["ms"].get<double>()});
    }
    std::ranges::stable_sort(overview_.slowest, std::ranges::greater{}, &OverviewTiming::ms);
    overview_.slowest.resize(std::min(overview_.slowest.size(), kSlowestMax));
  }

  void read_catalog(const CatalogReader& catalog) {
    for (std::uint32_t i = 0; i < catalog.asset_count(); ++i) {
      const CatalogAsset asset = catalog.asset(i);
      overview_.paths.emplace(asset.guid, asset.path);
    }
    for (std::uint32_t r = 0; r < catalog.registry_count(); ++r) {
      const CatalogRegistry registry = catalog.registry(RegistryIndex{r});
      for (std::uint32_t i = 0; i < registry.entry_count; ++i) {
        const CatalogEntry entry = catalog.entry(registry.first_entry + i);
        overview_.registrations[entry.guid].push_back(
            {std::string(registry.class_name), entry.type_id, std::string(entry.role)});
      }
    }
  }

  // The record in the catalog of a bundle that can replace another bundle; no value for other
  // bundles.
  static std::optional<CatalogAlternative> alternative_of(const CatalogReader& catalog,
                                                          std::uint32_t index) {
    if (catalog.bundle(index).name.kind != BundleKind::variant) return std::nullopt;
    for (std::uint32_t i = 0; i < catalog.alternative_count(); ++i) {
      const CatalogAlternative alternative = catalog.alternative(i);
      if (alternative.alternative == index) return alternative;
    }
    return std::nullopt;
  }

  std::string prefab_of(const BundleName& name) const {
    if (name.kind != BundleKind::prefab) return {};
    const Guid guid = Guid::from_bytes(std::as_bytes(std::span(name.bytes)));
    const auto path = overview_.paths.find(guid);
    return path == overview_.paths.end() ? guid.to_string() : path->second;
  }

  Result<void> read_bundle(const CatalogReader& catalog, std::uint32_t index) {
    const CatalogBundle row = catalog.bundle(index);
    OverviewBundle bundle;
    bundle.file = row.name.path();
    bundle.is_shared = row.name.kind != BundleKind::prefab;
    bundle.prefab = prefab_of(row.name);
    if (const auto alternative = alternative_of(catalog, index)) {
      bundle.variant = keys_text(catalog, *alternative);
      bundle.prefab = prefab_of(catalog.bundle(alternative->bundle).name);
    }
    bundle.bytes = row.file_bytes;
    bundle.files = 1;
    const std::uint32_t opened = choice_->chosen(index);
    bundle.needed_bytes = catalog.bundle(opened).file_bytes;
    choice_->each_dependency(opened, [&](std::uint32_t needed) {
      ++bundle.files;
      bundle.needed_bytes += catalog.bundle(needed).file_bytes;
    });
    const auto path = AssetPath::parse(folder_.text() + "/" + bundle.file);
    if (!path) return fail(path.error());
    const auto bytes = read_whole(files_, path.value(), kBuildFileBytesMax, buffer_);
    if (!bytes) return fail(bytes.error());
    const auto reader = BundleReader::open(bytes.value());
    if (!reader) {
      return fail(reader.error().code, path.value().text() + ": " + reader.error().message);
    }
    bundle.plain_bytes = reader.value().plain_bytes();
    const auto reported = reported_.find(bundle.file);
    if (reported != reported_.end()) bundle.owners = reported->second.owners;
    add_assets(reader.value(), row.name, reported == reported_.end() ? nullptr : &reported->second,
               bundle);
    if (!bundle.is_shared && reported != reported_.end() && reported->second.vain_bytes) {
      bundle.vain_bytes = reported->second.vain_bytes;
      loads_.push_back({bundle.asset.empty() ? bundle.file : bundle.asset, bundle.files,
                        reported->second.needed_bytes, *bundle.vain_bytes});
    }
    overview_.bundles.push_back(std::move(bundle));
    return {};
  }

  void add_assets(const BundleReader& reader, const BundleName& name,
                  const ReportedBundle* reported, OverviewBundle& bundle) {
    std::map<Guid, OverviewAsset> assets;
    for (std::uint32_t i = 0; i < reader.entry_count(); ++i) {
      const BundleEntry entry = reader.entry(i);
      OverviewAsset& asset = assets[entry.guid];
      std::uint64_t stored_bytes = 0;
      for (std::uint32_t b = 0; b < entry.block_count; ++b) {
        stored_bytes += reader.block(entry, b).stored_bytes;
      }
      asset.bytes += stored_bytes;
      asset.plain_bytes += entry.plain_bytes;
      if (entry.local_id == kMainPayload && entry.plain_bytes >= kCopyBytesMin) {
        auto& equal = by_content_[{entry.plain_hash, entry.plain_bytes}];
        equal.bytes = std::max(equal.bytes, stored_bytes);
        equal.guids.push_back(entry.guid);
      }
    }
    for (auto& [guid, asset] : assets) {
      const auto path = overview_.paths.find(guid);
      asset.guid = guid;
      asset.path = path == overview_.paths.end() ? guid.to_string() : path->second;
      asset.kind = kind_of(asset.path);
      asset.variant = bundle.variant;
      if (!bundle.variant.empty()) asset.path += " (" + bundle.variant + ")";
      asset.bundle = overview_.bundles.size();
      if (reported != nullptr && reported->pulled_by.contains(guid)) {
        asset.pulled_by = reported->pulled_by.at(guid);
      }
      if (name == BundleName::of_prefab(guid)) bundle.asset = asset.path;
      overview_.assets.push_back(std::move(asset));
    }
  }

  // The estimated size of self-contained bundles. The source files that would be packed more than
  // once are known exactly. Their compressed size is estimated from the shared bundles, and each
  // shared bundle is counted once per owner.
  std::uint64_t self_contained_bytes() const {
    double bytes = 0;
    double source_bytes = 0;
    for (const OverviewBundle& bundle : overview_.bundles) {
      const auto reported = reported_.find(bundle.file);
      if (!bundle.is_shared || !bundle.variant.empty() || bundle.owners.empty() ||
          reported == reported_.end())
        continue;
      const auto again = static_cast<double>(bundle.owners.size() - 1);
      bytes += static_cast<double>(bundle.bytes) * again;
      source_bytes += static_cast<double>(reported->second.source_bytes) * again;
    }
    if (source_bytes == 0) {
      bytes = static_cast<double>(overview_.bytes);
      source_bytes = std::max(static_cast<double>(overview_.source_bytes), 1.0);
    }
    const auto more = static_cast<double>(overview_.duplicate_bytes_avoided) * bytes / source_bytes;
    return overview_.bytes + static_cast<std::uint64_t>(more);
  }

  void finish() {
    for (const OverviewBundle& bundle : overview_.bundles) {
      overview_.bytes += bundle.bytes;
      overview_.plain_bytes += bundle.plain_bytes;
    }
    overview_.self_contained_bytes = self_contained_bytes();
    if (overview_.files_max > 0)
      overview_.loads = summarise(std::move(loads_), overview_.files_max);
    std::ranges::sort(overview_.assets, [](const OverviewAsset& a, const OverviewAsset& b) {
      return std::tie(a.path, a.guid, a.bundle) < std::tie(b.path, b.guid, b.bundle);
    });
    for (auto& [content, equal] : by_content_) {
      std::ranges::sort(equal.guids);
      equal.guids.erase(std::unique(equal.guids.begin(), equal.guids.end()), equal.guids.end());
      if (equal.guids.size() < 2) continue;
      OverviewCopies copies{.paths = {}, .bytes = equal.bytes};
      for (const Guid& guid : equal.guids) {
        const auto path = overview_.paths.find(guid);
        copies.paths.push_back(path == overview_.paths.end() ? guid.to_string() : path->second);
      }
      std::ranges::sort(copies.paths);
      overview_.copies.push_back(std::move(copies));
    }
    std::ranges::sort(overview_.copies, [](const OverviewCopies& a, const OverviewCopies& b) {
      return a.wasted_bytes() != b.wasted_bytes() ? a.wasted_bytes() > b.wasted_bytes()
                                                  : a.paths < b.paths;
    });
  }

  struct EqualAssets {
    std::uint64_t bytes = 0;
    std::vector<Guid> guids;
  };
  const FileReader& files_;
  AssetPath folder_;
  std::optional<BundleChoice> choice_;  ///< The default choice of variants.
  OverviewTarget overview_;
  std::map<std::string, ReportedBundle> reported_;  ///< Keyed by file.
  std::vector<PrefabLoad> loads_;
  std::map<std::pair<ContentHash, std::uint64_t>, EqualAssets> by_content_;
  ByteVector buffer_;
};

/// An asset, or a variant of an asset.
using AssetForm = std::pair<Guid, std::string>;

AssetForm form_of(const OverviewAsset& asset) { return {asset.guid, asset.variant}; }

// The total size of each asset in all bundles of a target.
std::map<AssetForm, OverviewAsset> sums_of(const OverviewTarget& target) {
  std::map<AssetForm, OverviewAsset> sums;
  for (const OverviewAsset& asset : target.assets) {
    const auto [found, is_new] = sums.emplace(form_of(asset), asset);
    if (!is_new) found->second.bytes += asset.bytes;
  }
  return sums;
}

// The budgets in build.json.
std::vector<Budget> budgets_in(const Json& rows) {
  std::vector<Budget> budgets;
  for (const Json& row : rows) {
    if (!row.is_object()) continue;
    Budget budget;
    budget.bundle = text(row, "bundle");
    budget.bytes = number(row, "bytes");
    const std::string target = text(row, "target");
    if (!target.empty()) budget.targets = target == "client" ? Target::client : Target::server;
    for (const Json& kind : list(row, "kinds")) {
      if (kind.is_string()) budget.kinds.push_back(kind.get<std::string>());
    }
    budgets.push_back(std::move(budget));
  }
  return budgets;
}

void apply_budgets(const std::vector<Budget>& budgets, Target target, OverviewTarget& overview) {
  TargetSizes sizes;
  sizes.target = target;
  for (const OverviewBundle& bundle : overview.bundles) {
    sizes.bundles.push_back({bundle.file, bundle.prefab, bundle.bytes, bundle.variant});
  }
  for (const OverviewAsset& asset : overview.assets) {
    const auto named = overview.paths.find(asset.guid);
    const auto path = named == overview.paths.end() ? Result<AssetPath>(AssetPath())
                                                    : AssetPath::parse(named->second);
    if (path) sizes.by_kind[lower_ascii(path.value().extension())] += asset.bytes;
  }
  const std::vector<BudgetUse> uses = measure_budgets(budgets, {sizes});
  std::map<std::size_t, std::uint64_t> largest;
  for (const BudgetUse& use : uses) {
    std::uint64_t& bytes_max = largest.try_emplace(use.budget, use.bytes).first->second;
    bytes_max = std::max(bytes_max, use.bytes);
  }
  for (const BudgetUse& use : uses) {
    const Budget& budget = budgets[use.budget];
    const auto maximum = largest.find(use.budget);
    const bool is_largest = maximum != largest.end() && maximum->second == use.bytes;
    if (is_largest)
      largest.erase(maximum);  // Only the first of several equally large bundles counts.
    if (!is_largest && use.bytes <= budget.bytes) continue;
    overview.budgets.push_back({use.what, use.bytes, budget.bytes});
  }
}

}  // namespace

std::vector<OverviewKind> kinds_of(const OverviewTarget& target) {
  std::map<std::string_view, OverviewKind> kinds;
  for (const OverviewAsset& asset : target.assets) {
    OverviewKind& kind = kinds[asset.kind];
    kind.name = asset.kind;
    ++kind.assets;
    kind.bytes += asset.bytes;
    kind.plain_bytes += asset.plain_bytes;
  }
  std::vector<OverviewKind> sorted;
  for (const auto& [name, kind] : kinds) sorted.push_back(kind);
  std::ranges::stable_sort(sorted, std::ranges::greater{}, &OverviewKind::bytes);
  return sorted;
}

Result<Overview> read_overview(const FileReader& files) {
  ByteVector buffer;
  const AssetPath path = AssetPath().child(OutputFolder::kReportName);
  const auto bytes = read_whole(files, path, OutputFolder::kReportBytesMax, buffer);
  if (!bytes && bytes.error().code == ErrorCode::not_found) {
    return fail(ErrorCode::not_found, "there is no build.json: it is not the output of a build");
  }
  if (!bytes) return fail(bytes.error());
  const Json report = Json::parse(as_text(bytes.value()), nullptr, false);
  if (!report.is_object() || !report.contains("targets") || !report["targets"].is_object()) {
    return fail(ErrorCode::malformed, "build.json: it is not the report of a build; build again");
  }
  // The times are from the last build in this folder. Applying a patch removes the file with the
  // times.
  ByteVector times_buffer;
  const auto times_bytes = read_whole(files, AssetPath().child(OutputFolder::kTimesName),
                                      OutputFolder::kReportBytesMax, times_buffer);
  if (!times_bytes && times_bytes.error().code != ErrorCode::not_found) {
    return fail(times_bytes.error());
  }
  // Reports of older releases contain the times.
  const Json times = times_bytes ? Json::parse(as_text(times_bytes.value()), nullptr, false)
                                 : object(report, "build");
  Overview overview;
  overview.project = text(report, "project");
  overview.layout = text(object(report, "options"), "layout");
  const std::vector<Budget> budgets = budgets_in(list(report, "budgets"));
  for (const Target target : {Target::client, Target::server}) {
    const std::string name(folder_of(target));
    auto read = TargetReading(files, target)
                    .run(object(report["targets"], name.c_str()),
                         object(object(times, "targets"), name.c_str()));
    if (!read) return fail(read.error());
    if (!read.value()) continue;
    apply_budgets(budgets, target, *read.value());
    overview.targets.push_back(*std::move(read).value());
  }
  return overview;
}

void compare_with(const Overview& earlier, Overview& overview) {
  for (OverviewTarget& target : overview.targets) {
    const auto before = std::ranges::find(earlier.targets, target.name, &OverviewTarget::name);
    target.was_bytes = before == earlier.targets.end() ? 0 : before->bytes;
    if (before == earlier.targets.end()) continue;
    std::map<AssetForm, OverviewAsset> old_sums = sums_of(*before);
    std::map<AssetForm, bool> seen;
    for (OverviewAsset& asset : target.assets) {
      const auto was = old_sums.find(form_of(asset));
      if (was == old_sums.end()) continue;
      // If an asset is in several bundles, only the first of them is compared.
      asset.was_bytes = seen[form_of(asset)] ? 0 : was->second.bytes;
      seen[form_of(asset)] = true;
    }
    for (auto& [form, asset] : old_sums) {
      if (seen.contains(form)) continue;
      asset.was_bytes = asset.bytes;
      asset.bytes = 0;
      target.gone.push_back(std::move(asset));
    }
    std::ranges::sort(target.gone, {}, &OverviewAsset::path);
  }
}

}  // namespace muster
