// The data of `muster report`: the content of a build's output, with the reason for each asset.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bundler/report/prefab_loads.h"
#include "registry/base/file_system.h"
#include "registry/base/guid.h"
#include "registry/base/result.h"
#include "registry/base/type_id.h"
#include "registry/project/budgets.h"

namespace muster {

/// An asset in a bundle.
struct OverviewAsset {
  Guid guid{};
  std::string
      variant;  ///< The keys of this form, for example "quality=low"; empty for the asset itself.
  std::string path;  ///< The path, followed by the keys in brackets.
  std::string_view
      kind;  ///< The kind that follows from the extension, for example `texture` or `prefab`.
  std::size_t bundle = 0;         ///< The index in the target's bundles.
  std::uint64_t bytes = 0;        ///< The compressed size.
  std::uint64_t plain_bytes = 0;  ///< The uncompressed size.
  Guid pulled_by{};  ///< The asset that refers to this asset on a shortest path from a registry; or
                     ///< null.
  /// The compressed size in the other build; no value if the asset is new.
  std::optional<std::uint64_t> was_bytes;
};

struct OverviewBundle {
  std::string file;        ///< The path in the target's folder.
  bool is_shared = false;  ///< True if the bundle is not the bundle of a prefab.
  std::string variant;     ///< The keys of a variant's bundle, for example "quality=low"; empty for
                           ///< any other bundle.
  std::uint64_t bytes = 0;
  std::uint64_t plain_bytes = 0;
  /// The size of all files that are open after a request for this bundle, or for its default
  /// variant.
  std::uint64_t needed_bytes = 0;
  std::string asset;  ///< The path of the bundle's prefab; empty for a shared bundle.
  std::string
      prefab;  ///< For a variant of a prefab, the path of that prefab; otherwise equal to `asset`.
  std::vector<Guid> owners;  ///< The prefabs that need the bundle.
  std::uint64_t files = 1;   ///< The number of files whose total size is `needed_bytes`.
  /// The source bytes that the prefab loads but does not need; no value if the report of the build
  /// does not contain this number.
  std::optional<std::uint64_t> vain_bytes;
};

/// The assets or components that a rule of `strip` removed.
struct OverviewStripped {
  std::string rule;
  std::uint64_t count = 0;
  std::uint64_t source_bytes = 0;
};

/// A budget of `muster.yaml` at the time of the build, and the size that it limits.
struct OverviewBudget {
  std::string what;
  std::uint64_t bytes = 0;
  std::uint64_t budget_bytes = 0;
  bool is_exceeded() const { return bytes > budget_bytes; }
};

/// The registration of an asset in a registry.
struct OverviewRegistration {
  std::string class_name;
  TypeId type_id;
  std::string role;
};

/// Assets with different guids and equal bytes.
struct OverviewCopies {
  std::vector<std::string> paths;
  std::uint64_t bytes = 0;  ///< The compressed size of one copy.
  std::uint64_t wasted_bytes() const { return bytes * (paths.size() - 1); }
};

/// The time in which the last build packed a bundle.
struct OverviewTiming {
  std::string path;  ///< The path of the bundle's prefab, or the name of a shared bundle.
  double ms = 0;
};

struct OverviewTarget {
  std::string name;
  std::uint64_t source_bytes = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t bytes = 0;  ///< The size of all bundles.
  std::uint64_t duplicate_bytes_avoided = 0;
  /// The estimated size of self-contained bundles.
  std::uint64_t self_contained_bytes = 0;
  std::vector<OverviewBundle> bundles;  ///< The bundles in the order of the catalog.
  std::vector<OverviewAsset> assets;    ///< The assets, sorted by path, then by bundle.
  std::map<Guid, std::vector<OverviewRegistration>> registrations;
  std::map<Guid, std::string> paths;    ///< The paths of all assets in the catalog.
  std::vector<OverviewCopies> copies;   ///< The copies, sorted by wasted bytes, the most first.
  std::vector<OverviewTiming> slowest;  ///< The slowest bundles, the slowest first.
  std::uint64_t self_contained_source_bytes = 0;
  std::uint64_t shared_groups = 0;  ///< The number of distinct sets of owners.
  /// The limit of files per prefab; 0 if the report of the build does not contain it.
  std::uint64_t files_max = 0;
  LoadSummary loads;
  std::uint64_t stripped_source_bytes = 0;
  /// The stripped assets, counted by rule and sorted by rule.
  std::vector<OverviewStripped> stripped_assets;
  /// The stripped components, counted by class and sorted by class.
  std::vector<OverviewStripped> stripped_components;
  /// The limit that the user requested for all bundles together.
  std::optional<std::uint64_t> budget_bytes;
  /// The budgets of the project. For budgets of single bundles, the list has the largest bundle and
  /// all bundles that exceed their budget.
  std::vector<OverviewBudget> budgets;
  // The sizes in the other build.
  std::optional<std::uint64_t> was_bytes;
  std::vector<OverviewAsset> gone;  ///< The assets that only the other build has. Their `bytes` is
                                    ///< 0 and their `was_bytes` is set.
};

struct Overview {
  std::string project;
  std::string layout;
  std::vector<OverviewTarget> targets;
};

/// The total size of a kind.
struct OverviewKind {
  std::string_view name;
  std::size_t assets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t plain_bytes = 0;
};
/// The total size of each kind, the largest first.
std::vector<OverviewKind> kinds_of(const OverviewTarget& target);

/// Reads the report, the catalogs and the tables of every bundle. Fails with `not_found` if the
/// folder is not an output, and with `malformed` if its report is invalid. If a file cannot be read
/// or opened, fails with the code of that failure. The message names the file.
Result<Overview> read_overview(const FileReader& files);

/// Adds to `overview` the sizes in an earlier build.
void compare_with(const Overview& earlier, Overview& overview);

/// The overview as text for a terminal.
std::string overview_text(const Overview& overview);
/// The overview as JSON, for programs and for the page. bundler/report/README.md documents it.
std::string overview_json(const Overview& overview);

}  // namespace muster
