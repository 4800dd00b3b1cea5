// The content of a build's output, with the reason for each asset: the data of `muster report`.
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
#include "registry/project/budgets.h"

namespace muster {

/// An asset in a bundle.
struct OverviewAsset {
  Guid guid{};
  std::string variant;      ///< The keys of this form ("quality=low"); empty for the asset itself.
  std::string path;         ///< The path, with the keys in brackets.
  std::string_view kind;    ///< `texture`, `prefab`, ..., by extension.
  std::size_t bundle = 0;   ///< Index into the target's bundles.
  std::uint64_t bytes = 0;  ///< Compressed size.
  std::uint64_t plain_bytes = 0;  ///< Uncompressed size.
  Guid pulled_by{};  ///< The asset that refers to it, one step nearer to a registry; or null.
  std::optional<std::uint64_t> was_bytes;  ///< The size in the other build; nullopt if it is new.
};

struct OverviewBundle {
  std::string file;        ///< Its path in the target's folder.
  bool is_shared = false;  ///< Not the bundle of a prefab.
  std::string variant;     ///< The keys ("quality=low") of a variant of an asset.
  std::uint64_t bytes = 0;
  std::uint64_t plain_bytes = 0;
  /// The size of all files that are open after a request for it, or for its default variant.
  std::uint64_t needed_bytes = 0;
  std::string asset;         ///< The path of its prefab; empty for a shared bundle.
  std::string prefab;        ///< Like `asset`; for a prefab's variant, the path of that prefab.
  std::vector<Guid> owners;  ///< The prefabs that need it.
  std::uint64_t files = 1;   ///< The number of files that are open then.
  /// Unneeded source bytes that a prefab loads; nullopt if the build does not contain them.
  std::optional<std::uint64_t> vain_bytes;
};

/// The assets or components that a rule of `strip` removed.
struct OverviewStripped {
  std::string rule;
  std::uint64_t count = 0;
  std::uint64_t source_bytes = 0;
};

/// A budget of `muster.yaml` at the time of the build, and its subject.
struct OverviewBudget {
  std::string what;
  std::uint64_t bytes = 0;
  std::uint64_t budget_bytes = 0;
  bool is_exceeded() const { return bytes > budget_bytes; }
};

/// An asset named by a registry.
struct OverviewRegistration {
  std::string class_name;
  std::uint32_t type_id = 0;
  std::string role;
};

/// Assets with different guids and equal bytes.
struct OverviewCopies {
  std::vector<std::string> paths;
  std::uint64_t bytes = 0;  ///< The compressed size of one copy.
  std::uint64_t wasted_bytes() const { return bytes * (paths.size() - 1); }
};

/// The time of a bundle that the last build packed.
struct OverviewTiming {
  std::string path;  ///< The path of its prefab, or the name of a shared bundle.
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
  std::vector<OverviewBundle> bundles;  ///< In the catalog's order.
  std::vector<OverviewAsset> assets;    ///< By path, then bundle.
  std::map<Guid, std::vector<OverviewRegistration>> registrations;
  std::map<Guid, std::string> paths;    ///< The paths of all assets in the catalog.
  std::vector<OverviewCopies> copies;   ///< Most wasted first.
  std::vector<OverviewTiming> slowest;  ///< Slowest first, a few.
  std::uint64_t self_contained_source_bytes = 0;
  std::uint64_t shared_groups = 0;  ///< Distinct sets of owners.
  /// The limit of files per prefab; 0 if the build does not contain it.
  std::uint64_t files_max = 0;
  LoadSummary loads;
  std::uint64_t stripped_source_bytes = 0;
  std::vector<OverviewStripped> stripped_assets;      ///< Sorted by rule.
  std::vector<OverviewStripped> stripped_components;  ///< Sorted by class.
  /// The requested limit for all bundles together.
  std::optional<std::uint64_t> budget_bytes;
  /// The project's budgets: sums, and for single bundles the largest and all that exceed their
  /// budget.
  std::vector<OverviewBudget> budgets;
  // The sizes in the other build.
  std::optional<std::uint64_t> was_bytes;
  std::vector<OverviewAsset> gone;  ///< `bytes` is 0, `was_bytes` is set.
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
/// Largest first.
std::vector<OverviewKind> kinds_of(const OverviewTarget& target);

/// Reads report, catalogs and every bundle's tables. Fails with `not_found` if the folder is no
/// output, with `malformed` if its report is invalid, and with reading and opening errors, naming
/// the file.
Result<Overview> read_overview(const FileReader& files);

/// Adds to `overview` the sizes in an earlier build.
void compare_with(const Overview& earlier, Overview& overview);

/// For a terminal.
std::string overview_text(const Overview& overview);
/// For machines, and for the page: bundler/report/README.md.
std::string overview_json(const Overview& overview);

}  // namespace muster
