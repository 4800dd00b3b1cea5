// What a build's output consists of, and why: the content of `muster report`.
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
  std::string variant;    ///< What this form of it is for ("quality=low"); empty: the asset itself.
  std::string path;       ///< With that, in brackets.
  std::string_view kind;  ///< `texture`, `prefab`, ...: by its extension.
  std::size_t bundle = 0;         ///< Index into the target's.
  std::uint64_t bytes = 0;        ///< Compressed.
  std::uint64_t plain_bytes = 0;  ///< Before that.
  Guid pulled_by{};               ///< What refers to it, one step nearer to a registry; or null.
  std::optional<std::uint64_t> was_bytes;  ///< In the build compared with; none when it is new.
};

struct OverviewBundle {
  std::string file;        ///< In the target's folder.
  bool is_shared = false;  ///< No prefab's.
  std::string variant;     ///< What it is for ("quality=low"), if it is a variant of an asset.
  std::uint64_t bytes = 0;
  std::uint64_t plain_bytes = 0;
  /// Of all that is open once this, or by default a variant in its place, is asked for.
  std::uint64_t needed_bytes = 0;
  std::string asset;         ///< The path of the prefab that it is of; empty for a shared one.
  std::string prefab;        ///< The same; of a prefab's variant the path of that prefab.
  std::vector<Guid> owners;  ///< The prefabs that need it.
  std::uint64_t files = 1;   ///< That are open then.
  /// Source bytes that a prefab loads in vain; none where the build does not say.
  std::optional<std::uint64_t> vain_bytes;
};

/// What a rule of `strip` has left out, in assets or components.
struct OverviewStripped {
  std::string rule;
  std::uint64_t count = 0;
  std::uint64_t source_bytes = 0;
};

/// A budget of `muster.yaml`, as of the build, and what it is for.
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

/// Equal bytes under several guids.
struct OverviewCopies {
  std::vector<std::string> paths;
  std::uint64_t bytes = 0;  ///< Of one, compressed.
  std::uint64_t wasted_bytes() const { return bytes * (paths.size() - 1); }
};

/// How long a bundle took, of those that the last build packed.
struct OverviewTiming {
  std::string path;  ///< Of its prefab, or a shared bundle's name.
  double ms = 0;
};

struct OverviewTarget {
  std::string name;
  std::uint64_t source_bytes = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t bytes = 0;  ///< Of all bundles.
  std::uint64_t duplicate_bytes_avoided = 0;
  /// What bundles that hold all that they need would take, about.
  std::uint64_t self_contained_bytes = 0;
  std::vector<OverviewBundle> bundles;  ///< In the catalog's order.
  std::vector<OverviewAsset> assets;    ///< By path, then bundle.
  std::map<Guid, std::vector<OverviewRegistration>> registrations;
  std::map<Guid, std::string> paths;    ///< Of every asset that the catalog names.
  std::vector<OverviewCopies> copies;   ///< Most wasted first.
  std::vector<OverviewTiming> slowest;  ///< Slowest first, a few.
  std::uint64_t self_contained_source_bytes = 0;
  std::uint64_t shared_groups = 0;  ///< Distinct sets of owners.
  std::uint64_t files_max = 0;      ///< That a prefab should need; 0 where the build does not say.
  LoadSummary loads;
  std::uint64_t stripped_source_bytes = 0;
  std::vector<OverviewStripped> stripped_assets;      ///< By rule.
  std::vector<OverviewStripped> stripped_components;  ///< By class.
  /// Of all bundles together: what was asked for.
  std::optional<std::uint64_t> budget_bytes;
  /// Those of the project: sums, and of budgets for single bundles the largest and all that are
  /// exceeded.
  std::vector<OverviewBudget> budgets;
  // Of the build compared with.
  std::optional<std::uint64_t> was_bytes;
  std::vector<OverviewAsset> gone;  ///< `bytes` is 0, `was_bytes` is set.
};

struct Overview {
  std::string project;
  std::string layout;
  std::vector<OverviewTarget> targets;
};

/// What a kind takes in all.
struct OverviewKind {
  std::string_view name;
  std::size_t assets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t plain_bytes = 0;
};
/// Most bytes first.
std::vector<OverviewKind> kinds_of(const OverviewTarget& target);

/// Reads report, catalogs and every bundle's tables. Fails with `not_found` when the folder is no
/// output, with `malformed` when its report is none, and as reading and opening do, naming the
/// file.
Result<Overview> read_overview(const FileReader& files);

/// Notes in `overview` what everything was in an earlier build.
void compare_with(const Overview& earlier, Overview& overview);

/// For a terminal.
std::string overview_text(const Overview& overview);
/// For machines, and for the page: bundler/report/README.md.
std::string overview_json(const Overview& overview);

}  // namespace muster
