#include "bundler/report/build_report.h"

#include <algorithm>
#include <chrono>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "registry/vocabulary/shown_text.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kReportVersion = 1;
constexpr std::size_t kTargets = 2;

std::string_view name_of(Target target) { return target == Target::client ? "client" : "server"; }

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

struct Totals {
  std::uint64_t source_bytes = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::size_t prefab_bundles = 0;
  std::size_t shared_bundles = 0;
};

Totals totals_of(const TargetBuild& build) {
  Totals totals;
  for (const BuiltBundle& bundle : build.bundles) {
    totals.source_bytes += bundle.source_bytes;
    totals.plain_bytes += bundle.plain_bytes;
    totals.file_bytes += bundle.file_bytes;
    const bool shared = bundle.name.kind == BundleKind::shared;
    totals.shared_bundles += shared ? 1U : 0U;
    totals.prefab_bundles += shared ? 0U : 1U;
  }
  return totals;
}

Json bundle_json(const Project& project, const TargetBuild& build, const BuiltBundle& bundle) {
  const PlannedBundle& planned = build.plan.bundles[bundle.planned];
  Json json;
  json["name"] = bundle.name.to_string();
  json["kind"] = bundle.name.kind == BundleKind::shared ? "shared" : "prefab";
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
  json["owners"] = owners;
  json["dependencies"] = dependencies;
  json["assets"] = Json::array();
  for (const AssetNumber asset : planned.assets) {
    json["assets"].push_back({{"guid", project.index().at(asset).guid.to_string()},
                              {"path", project.index().at(asset).path.text()},
                              {"plain_bytes", build.plain_bytes_of[asset]}});
  }
  return json;
}

Json target_json(const Project& project, const TargetBuild& build) {
  const Totals totals = totals_of(build);
  Json json;
  json["fingerprint"] = build.fingerprint.to_string();
  json["catalog_bytes"] = build.catalog_bytes;
  json["source_bytes"] = totals.source_bytes;
  json["plain_bytes"] = totals.plain_bytes;
  json["bytes"] = totals.file_bytes;
  json["duplicate_bytes_avoided"] = build.plan.duplicate_bytes_avoided;
  std::vector<const BuiltBundle*> sorted;
  for (const BuiltBundle& bundle : build.bundles) sorted.push_back(&bundle);
  std::ranges::sort(sorted, {}, [](const BuiltBundle* bundle) { return bundle->name; });
  json["bundles"] = Json::array();
  for (const BuiltBundle* bundle : sorted) {
    json["bundles"].push_back(bundle_json(project, build, *bundle));
  }
  return json;
}

double milliseconds(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

std::string build_report_json(const Project& project, const std::vector<TargetBuild>& builds,
                              const BuildOptions& options, std::string_view version,
                              std::string_view previous) {
  Json report;
  report["format"] = kReportVersion;
  report["muster"] = version;
  report["project"] = project.config().name;
  report["options"] = {{"layout", options.layout == Layout::shared ? "shared" : "self-contained"},
                       {"level", options.level}};
  report["targets"] = Json::object();
  // The old text of a large project is large, and most builds replace all of it.
  const Json old = builds.size() == kTargets ? Json() : Json::parse(previous, nullptr, false);
  for (const Target target : {Target::client, Target::server}) {
    const auto built = std::ranges::find(builds, target, &TargetBuild::target);
    if (built != builds.end()) {
      report["targets"][name_of(target)] = target_json(project, *built);
    } else if (old.is_object() && old.contains("targets") && old["targets"].is_object() &&
               old["targets"].contains(name_of(target))) {
      report["targets"][name_of(target)] = old["targets"][std::string(name_of(target))];
    }
  }
  return dump(report);
}

std::string build_summary_text(const Project& project, const std::vector<TargetBuild>& builds,
                               Duration elapsed) {
  std::string text =
      fmt::format("{:<8} {:>8} {:>8} {:>14} {:>14} {:>7} {:>20}\n", "target", "prefabs", "shared",
                  "bytes in", "bytes out", "ratio", "duplicates avoided");
  std::vector<AssetTiming> slowest;
  for (const TargetBuild& build : builds) {
    const Totals totals = totals_of(build);
    const double ratio = totals.file_bytes == 0 ? 0.0
                                                : static_cast<double>(totals.source_bytes) /
                                                      static_cast<double>(totals.file_bytes);
    text += fmt::format("{:<8} {:>8} {:>8} {:>14} {:>14} {:>6.2f}x {:>20}\n", name_of(build.target),
                        totals.prefab_bundles, totals.shared_bundles, totals.source_bytes,
                        totals.file_bytes, ratio, build.plan.duplicate_bytes_avoided);
    slowest.insert(slowest.end(), build.slowest.begin(), build.slowest.end());
  }
  std::ranges::stable_sort(slowest, std::ranges::greater{}, &AssetTiming::duration);
  // An asset that both targets hold is cooked for each; it is slow once.
  std::set<AssetNumber> seen;
  std::erase_if(slowest,
                [&](const AssetTiming& timing) { return !seen.insert(timing.asset).second; });
  constexpr std::size_t kListed = 5;
  text += "slowest assets:\n";
  for (std::size_t i = 0; i < std::min(slowest.size(), kListed); ++i) {
    text += fmt::format("  {:>8.1f} ms  {}\n", milliseconds(slowest[i].duration),
                        shown_text(project.index().at(slowest[i].asset).path.text()));
  }
  return text + fmt::format("built in {:.2f} s\n", milliseconds(elapsed) / 1000);
}

std::string build_summary_json(const Project& project, const std::vector<TargetBuild>& builds,
                               Duration elapsed) {
  Json report;
  report["elapsed_ms"] = milliseconds(elapsed);
  report["targets"] = Json::object();
  for (const TargetBuild& build : builds) {
    const Totals totals = totals_of(build);
    Json json;
    json["prefab_bundles"] = totals.prefab_bundles;
    json["shared_bundles"] = totals.shared_bundles;
    json["source_bytes"] = totals.source_bytes;
    json["bytes"] = totals.file_bytes;
    json["duplicate_bytes_avoided"] = build.plan.duplicate_bytes_avoided;
    json["fingerprint"] = build.fingerprint.to_string();
    json["slowest"] = Json::array();
    for (const AssetTiming& timing : build.slowest) {
      json["slowest"].push_back({{"path", project.index().at(timing.asset).path.text()},
                                 {"ms", milliseconds(timing.duration)}});
    }
    report["targets"][std::string(name_of(build.target))] = std::move(json);
  }
  return dump(report);
}

}  // namespace muster
