#include "bundler/build/build_report.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>

#include <fmt/format.h>

#include "bundler/report/prefab_loads.h"
#include "bundler/report/pulled_by.h"
#include "bundler/report/strip_audit.h"
#include "registry/base/counted.h"
#include "registry/base/escaped_text.h"
#include "registry/base/json_text.h"
#include "registry/base/parallel.h"
#include "registry/model/open_variants.h"
#include "runtime/bundle/bundle_reader.h"
#include "runtime/bundle/dictionary.h"

namespace muster {
namespace {

constexpr int kReportVersion = 1;

std::string_view name_of(Target target) { return target == Target::client ? "client" : "server"; }

std::string_view name_of(Layout layout) {
  return layout == Layout::shared ? "shared" : "self-contained";
}

Json choice_json(const Project& project, const VariantKeys& keys) {
  Json json = Json::object();
  for (const VariantKey& key : keys) {
    const VariantAxis& axis = project.config().axes[key.axis];
    json[axis.name] = axis.values[key.value];
  }
  return json;
}

std::string_view kind_of(const BundleName& name) {
  constexpr std::array<std::string_view, kBundleFolders.size()> kBundleKinds = {"prefab", "shared",
                                                                                "variant"};
  return kBundleKinds[static_cast<std::size_t>(name.kind)];
}

Json bundle_json(const Project& project, const TargetBuild& build, const BuiltBundle& bundle,
                 const std::vector<AssetNumber>& chains) {
  const PlannedBundle& planned = build.plan.bundles[bundle.planned];
  Json json;
  json["name"] = bundle.name.to_string();
  json["kind"] = kind_of(bundle.name);
  json["file"] = bundle.name.path();
  json["hash"] = bundle.hash.to_string();
  json["bytes"] = bundle.file_bytes;
  json["plain_bytes"] = bundle.plain_bytes;
  json["source_bytes"] = bundle.source_bytes;
  std::set<std::string> owners;
  for (const AssetNumber owner : planned.owners) {
    owners.insert(project.index().at(owner).guid.to_string());
  }
  std::set<std::string> dependencies;
  for (const std::size_t needed : planned.dependencies) {
    dependencies.insert(build.bundles[needed].name.to_string());
  }
  if (!planned.keys.empty()) {
    json["variant"] = {{"of", project.index().at(planned.varied).guid.to_string()},
                       {"for", choice_json(project, planned.keys)}};
  }
  json["owners"] = owners;
  json["dependencies"] = dependencies;
  if (planned.prefab != kNoAsset) {
    json["needed_source_bytes"] = planned.needed_bytes;
    json["vain_source_bytes"] = planned.vain_bytes;
  }
  Json& assets = json["assets"] = Json::array();
  for (const AssetNumber asset : planned.assets) {
    Json row;
    row["guid"] = packed_guid(project, asset).to_string();
    row["path"] = project.index().at(asset).path.text();
    row["plain_bytes"] = build.plain_bytes_of[asset];
    // The asset that refers to this asset. For a variant, this is the asset that refers to the base
    // of the variant.
    const AssetNumber by = chains[planned.keys.empty() ? asset : planned.varied];
    if (by != kNoAsset) row["pulled_by"] = packed_guid(project, by).to_string();
    assets.push_back(std::move(row));
  }
  return json;
}

std::vector<const BuiltBundle*> sorted_bundles(const TargetBuild& build) {
  std::vector<const BuiltBundle*> sorted;
  for (const BuiltBundle& bundle : build.bundles) sorted.push_back(&bundle);
  std::ranges::sort(sorted, {}, [](const BuiltBundle* bundle) { return bundle->name; });
  return sorted;
}

std::string reason_text(const BuildReason& reason) {
  std::string text(reason.what);
  if (!reason.detail.empty()) text += ": " + escaped_text(reason.detail);
  return text;
}

Json reasons_json(const std::vector<BuildReason>& reasons) {
  Json json = Json::array();
  for (const auto& [what, detail] : reasons) json.push_back({{"what", what}, {"detail", detail}});
  return json;
}

std::string_view made_of(const BuiltBundle& bundle) {
  if (bundle.is_kept) return "kept";
  return bundle.is_cached ? "cached" : "packed";
}

// The prefab of a bundle, or the asset of a variant; `kNoAsset` for a shared bundle.
AssetNumber subject_of(const TargetBuild& build, const BuiltBundle& bundle) {
  const PlannedBundle& planned = build.plan.bundles[bundle.planned];
  return planned.keys.empty() ? planned.prefab : planned.assets.front();
}

Json made_json(const Project& project, const TargetBuild& build, const BuiltBundle& bundle) {
  const AssetNumber asset = subject_of(build, bundle);
  Json json;
  json["name"] = bundle.name.to_string();
  if (asset != kNoAsset) json["asset"] = project.index().at(asset).path.text();
  json["made"] = made_of(bundle);
  json["reasons"] = reasons_json(bundle.reasons);
  return json;
}

// The hash of every file on which the build depends, except settings and locks of registries.
Json inputs_json(const Project& project, const TargetBuild& build) {
  std::map<std::string, ContentHash> inputs;
  for (const BuiltBundle& bundle : build.bundles) {
    for (const auto& [question, answer] : bundle.facts) {
      const bool is_sidecar = question.kind == CookQuestionKind::sidecar;
      if (!is_sidecar && question.kind != CookQuestionKind::content) continue;
      const AssetNumber asset = project.index().find(question.guid);
      if (asset == kNoAsset || answer == ContentHash()) continue;
      inputs[project.index().at(asset).path.text() + (is_sidecar ? ".meta" : "")] = answer;
    }
  }
  Json json = Json::array();
  for (const auto& [path, hash] : inputs) {
    Json row;
    row["path"] = path;
    row["hash"] = hash.to_string();
    json.push_back(std::move(row));
  }
  return json;
}

Json spread_json(const LoadSpread& spread) {
  return {{"median", spread.median}, {"max", spread.max}, {"worst", spread.worst}};
}

// The numbers about shared bundles; see bundler/plan/README.md.
Json sharing_json(const Project& project, const TargetBuild& build) {
  std::vector<PrefabLoad> loads;
  std::size_t shared = 0;
  for (const PlannedBundle& bundle : build.plan.bundles) {
    if (bundle.prefab == kNoAsset) {
      shared += bundle.owners.empty() || !bundle.keys.empty() ? 0U : 1U;
      continue;
    }
    loads.push_back({project.index().at(bundle.prefab).path.text(), bundle.file_count,
                     bundle.needed_bytes, bundle.vain_bytes});
  }
  const std::uint32_t files_max = MergeRule().files_max;
  const LoadSummary summary = summarise(std::move(loads), files_max);
  Json json;
  json["groups"] = build.plan.shared_groups;
  json["shared_bundles"] = shared;
  json["files_max"] = files_max;
  json["files"] = spread_json(summary.files);
  json["vain_source_bytes"] = spread_json(summary.vain_bytes);
  json["beyond"] = Json::array();
  for (const PrefabLoad& load : summary.beyond) {
    json["beyond"].push_back({{"path", load.path}, {"files", load.files}});
  }
  return json;
}

Json rules_json(const std::vector<StrippedByRule>& rules, const char* name) {
  Json rows = Json::array();
  for (const StrippedByRule& rule : rules) {
    rows.push_back({{name, rule.rule}, {"count", rule.count}, {"source_bytes", rule.source_bytes}});
  }
  return rows;
}

Json stripped_json(const Project& project, Target target) {
  Json json;
  std::uint64_t bytes = 0;
  json["source_bytes"] = 0;
  json["rules"] = rules_json(stripped_by_rule(project, target), "rule");
  json["components"] = rules_json(stripped_components(project, target), "class");
  json["assets"] = Json::array();
  for (const StrippedAsset& one : project.stripping(target).assets()) {
    const Asset& asset = project.index().at(one.asset);
    const std::uint64_t own_bytes = source_bytes_of(project, one.asset);
    bytes += own_bytes;
    json["assets"].push_back({{"guid", asset.guid.to_string()},
                              {"path", asset.path.text()},
                              {"rule", one.rule.empty() ? std::string(kBehindStripped) : one.rule},
                              {"source_bytes", own_bytes}});
  }
  json["source_bytes"] = bytes;
  return json;
}

// The budgets of the project for both targets, even if only one target is built.
Json budgets_json(const ProjectConfig& config) {
  Json rows = Json::array();
  for (const Budget& budget : config.budgets) {
    Json row;
    if (budget.targets != TargetSet::both()) {
      row["target"] = name_of(budget.targets.has(Target::client) ? Target::client : Target::server);
    }
    if (!budget.bundle.empty()) row["bundle"] = budget.bundle;
    if (!budget.kinds.empty()) row["kinds"] = budget.kinds;
    row["bytes"] = budget.bytes;
    rows.push_back(std::move(row));
  }
  return rows;
}

double milliseconds(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

// The data that can differ between two builds of the same project, for example times.
Json moment_json(const Project& project, const std::vector<TargetBuild>& builds) {
  Json targets = Json::object();
  for (const TargetBuild& build : builds) {
    const auto kept = std::ranges::count(build.bundles, true, &BuiltBundle::is_kept);
    Duration elapsed{};
    Json bundles = Json::array();
    for (const BuiltBundle* bundle : sorted_bundles(build)) {
      elapsed += bundle->elapsed;
      bundles.push_back(made_json(project, build, *bundle));
      bundles.back()["ms"] = milliseconds(bundle->elapsed);
    }
    Json json;
    const auto cached = std::ranges::count(build.bundles, true, &BuiltBundle::is_cached);
    json["packed_bundles"] = static_cast<std::ptrdiff_t>(build.bundles.size()) - kept - cached;
    json["kept_bundles"] = kept;
    json["cache_hits"] = cached;
    json["reused_blocks"] = build.reused_blocks;
    json["pack_ms"] = milliseconds(elapsed);
    json["bundles"] = std::move(bundles);
    json["gone"] = reasons_json(build.gone);
    targets[std::string(name_of(build.target))] = std::move(json);
  }
  return {{"targets", std::move(targets)}};
}

Json target_json(const Project& project, const TargetBuild& build, const BuildOptions& options) {
  const BuildTotals totals = totals_of(build);
  Json json;
  json["layout"] = name_of(options.layout);
  json["level"] = options.level;
  json["compression"] = project.config().compression.text();
  if (!project.choice().empty()) json["variants"] = choice_json(project, project.choice());
  json["fingerprint"] = build.fingerprint.to_string();
  json["catalog_bytes"] = build.catalog_bytes;
  json["source_bytes"] = totals.source_bytes;
  json["plain_bytes"] = totals.plain_bytes;
  json["bytes"] = totals.file_bytes;
  json["duplicate_bytes_avoided"] = build.plan.duplicate_bytes_avoided;
  json["self_contained_source_bytes"] = build.plan.self_contained_bytes;
  if (options.layout == Layout::shared) json["sharing"] = sharing_json(project, build);
  json["dictionaries"] = Json::array();
  for (const DictionaryData& one : build.dictionaries) {
    json["dictionaries"].push_back({{"kind", to_string(one.kind)},
                                    {"path", dictionary_path(one.hash)},
                                    {"bytes", one.file_bytes}});
  }
  json["stripped"] = stripped_json(project, build.target);
  json["inputs"] = inputs_json(project, build);
  Json& bundles = json["bundles"] = Json::array();
  const std::vector<AssetNumber> chains = pulled_by(project, build.target);
  for (const BuiltBundle* bundle : sorted_bundles(build)) {
    bundles.push_back(bundle_json(project, build, *bundle, chains));
  }
  return json;
}

std::string table_head() {
  return fmt::format("{:<8} {:>8} {:>8} {:>14} {:>14} {:>7} {:>20}\n", "target", "prefabs",
                     "shared", "bytes in", "bytes out", "ratio", "duplicates avoided");
}

std::string table_row(Target target, const BuildTotals& totals) {
  const double ratio = totals.file_bytes == 0 ? 0.0
                                              : static_cast<double>(totals.source_bytes) /
                                                    static_cast<double>(totals.file_bytes);
  return fmt::format("{:<8} {:>8} {:>8} {:>14} {:>14} {:>6.2f}x {:>20}\n", name_of(target),
                     totals.prefab_bundles, totals.shared_bundles, totals.source_bytes,
                     totals.file_bytes, ratio, totals.duplicate_bytes_avoided);
}

Json totals_json(const BuildTotals& totals) {
  Json json;
  json["prefab_bundles"] = totals.prefab_bundles;
  json["shared_bundles"] = totals.shared_bundles;
  json["source_bytes"] = totals.source_bytes;
  json["bytes"] = totals.file_bytes;
  json["duplicate_bytes_avoided"] = totals.duplicate_bytes_avoided;
  json["fingerprint"] = totals.fingerprint.to_string();
  return json;
}

}  // namespace

BuildTotals totals_of(const TargetBuild& build) {
  BuildTotals totals;
  for (const BuiltBundle& bundle : build.bundles) {
    totals.source_bytes += bundle.source_bytes;
    totals.plain_bytes += bundle.plain_bytes;
    totals.file_bytes += bundle.file_bytes;
    const bool shared = bundle.name.kind != BundleKind::prefab;
    totals.shared_bundles += shared ? 1U : 0U;
    totals.prefab_bundles += shared ? 0U : 1U;
  }
  totals.duplicate_bytes_avoided = build.plan.duplicate_bytes_avoided;
  totals.fingerprint = build.fingerprint;
  return totals;
}

std::string build_report_json(const Project& project, const std::vector<TargetBuild>& builds,
                              const BuildOptions& options, std::string_view version,
                              std::string_view previous) {
  Json report;
  report["format"] = kReportVersion;
  report["muster"] = version;
  report["project"] = project.config().name;
  report["options"] = {{"layout", name_of(options.layout)}, {"level", options.level}};
  if (!project.choice().empty()) {
    report["options"]["variants"] = choice_json(project, project.choice());
  }
  report["budgets"] = budgets_json(project.config());
  report["targets"] = Json::object();
  // The old report is parsed only if it is needed, because it can be large.
  const Json old =
      builds.size() == kTargets.size() ? Json() : Json::parse(previous, nullptr, false);
  // The parts are made in parallel, because in a large project making a part takes as long as
  // packing several bundles.
  std::vector<Json> parts(builds.size());
  parallel_for(parts.size(), options.jobs, {}, [&](std::size_t i, unsigned) {
    parts[i] = target_json(project, builds[i], options);
  });
  for (const Target target : {Target::client, Target::server}) {
    const auto built = std::ranges::find(builds, target, &TargetBuild::target);
    if (built != builds.end()) {
      const auto index = static_cast<std::size_t>(built - builds.begin());
      report["targets"][name_of(target)] = std::move(parts[index]);
    } else if (old.is_object() && old.contains("targets") && old["targets"].is_object() &&
               old["targets"].contains(name_of(target))) {
      report["targets"][name_of(target)] = old["targets"][std::string(name_of(target))];
    }
  }
  return json_text(report);
}

std::string build_times_json(const Project& project, const std::vector<TargetBuild>& builds) {
  Json times = moment_json(project, builds);
  times["format"] = kReportVersion;
  return json_text(times);
}

std::string explanation_text(const Project& project, const std::vector<TargetBuild>& builds) {
  std::string text;
  for (const TargetBuild& build : builds) {
    const std::string folder(name_of(build.target));
    for (const BuiltBundle* bundle : sorted_bundles(build)) {
      const AssetNumber asset = subject_of(build, *bundle);
      text += fmt::format("{:<8}{}/{}", made_of(*bundle), folder, bundle->name.path());
      if (asset != kNoAsset) text += "  " + escaped_text(project.index().at(asset).path.text());
      text += "\n";
      for (const BuildReason& reason : bundle->reasons)
        text += "          " + reason_text(reason) + "\n";
    }
    for (const BuildReason& reason : build.gone) {
      text += "gone    " + folder + "  " + escaped_text(reason.detail) + "\n          " +
              std::string(reason.what) + "\n";
    }
  }
  return text;
}

std::string build_summary_text(const Project& project, const std::vector<TargetBuild>& builds,
                               Duration elapsed) {
  std::string text = table_head();
  std::vector<AssetTiming> slowest;
  std::size_t bundles = 0;
  std::size_t cached = 0;
  std::size_t packed = 0;
  for (const TargetBuild& build : builds) {
    text += table_row(build.target, totals_of(build));
    slowest.insert(slowest.end(), build.slowest.begin(), build.slowest.end());
    bundles += build.bundles.size();
    for (const BuiltBundle& bundle : build.bundles) {
      if (bundle.is_cached) ++cached;
      if (!bundle.is_cached && !bundle.is_kept) ++packed;
    }
  }
  std::ranges::stable_sort(slowest, std::ranges::greater{}, &AssetTiming::duration);
  // An asset of both targets is cooked twice, but listed once.
  std::set<AssetNumber> seen;
  std::erase_if(slowest,
                [&](const AssetTiming& timing) { return !seen.insert(timing.asset).second; });
  constexpr std::size_t kListed = 5;
  if (packed > 0) text += "slowest assets:\n";
  for (std::size_t i = 0; i < std::min(slowest.size(), kListed); ++i) {
    text += fmt::format("  {:>8.1f} ms  {}\n", milliseconds(slowest[i].duration),
                        escaped_text(project.index().at(slowest[i].asset).path.text()));
  }
  if (packed < bundles) text += fmt::format("packed {} of {}", packed, counted(bundles, "bundle"));
  if (packed < bundles && cached > 0) text += fmt::format("; {} from the cache", cached);
  if (packed < bundles) text += "\n";
  return text + fmt::format("built in {:.2f} s\n", milliseconds(elapsed) / 1000);
}

std::string build_summary_json(const Project& project, const std::vector<TargetBuild>& builds,
                               Duration elapsed, bool explains) {
  Json report;
  report["elapsed_ms"] = milliseconds(elapsed);
  report["up_to_date"] = false;
  report["targets"] = Json::object();
  for (const TargetBuild& build : builds) {
    Json json = totals_json(totals_of(build));
    json["kept_bundles"] = std::ranges::count(build.bundles, true, &BuiltBundle::is_kept);
    json["cached_bundles"] = std::ranges::count(build.bundles, true, &BuiltBundle::is_cached);
    if (explains) {
      json["bundles"] = Json::array();
      for (const BuiltBundle* bundle : sorted_bundles(build)) {
        json["bundles"].push_back(made_json(project, build, *bundle));
      }
      json["gone"] = reasons_json(build.gone);
    }
    json["slowest"] = Json::array();
    for (const AssetTiming& timing : build.slowest) {
      json["slowest"].push_back({{"path", project.index().at(timing.asset).path.text()},
                                 {"ms", milliseconds(timing.duration)}});
    }
    report["targets"][std::string(name_of(build.target))] = std::move(json);
  }
  return json_text(report);
}

std::string up_to_date_text(const UpToDate& found, TargetSet targets, Duration elapsed) {
  std::string text = table_head();
  for (const StateTarget& target : found.state.targets) {
    if (targets.has(target.target)) text += table_row(target.target, target.totals);
  }
  return text + fmt::format("nothing to do: {} unchanged, checked in {:.3f} s\n",
                            found.check.input_count == 1
                                ? "1 input is"
                                : counted(found.check.input_count, "input") + " are",
                            milliseconds(elapsed) / 1000);
}

std::string up_to_date_json(const UpToDate& found, TargetSet targets, Duration elapsed) {
  Json report;
  report["elapsed_ms"] = milliseconds(elapsed);
  report["up_to_date"] = true;
  report["targets"] = Json::object();
  for (const StateTarget& target : found.state.targets) {
    if (!targets.has(target.target)) continue;
    Json json = totals_json(target.totals);
    json["kept_bundles"] = target.totals.prefab_bundles + target.totals.shared_bundles;
    json["cached_bundles"] = 0;  // No cache was used.
    json["slowest"] = Json::array();
    report["targets"][std::string(name_of(target.target))] = std::move(json);
  }
  return json_text(report);
}

}  // namespace muster
