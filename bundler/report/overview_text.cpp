#include <algorithm>

#include <fmt/format.h>

#include "bundler/report/build_overview.h"
#include "registry/base/counted.h"
#include "registry/base/escaped_text.h"
#include "registry/base/json_text.h"

namespace muster {
namespace {

constexpr std::size_t kListed = 10;
constexpr int kJsonVersion = 1;

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string change_text(std::uint64_t was, std::uint64_t is) {
  return fmt::format("{}{}", is < was ? '-' : '+', is < was ? was - is : is - was);
}

template <typename Row>
std::vector<const Row*> largest(const std::vector<Row>& rows, auto size_of) {
  std::vector<const Row*> sorted;
  for (const Row& row : rows) sorted.push_back(&row);
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [&](const Row* row) { return size_of(*row); });
  sorted.resize(std::min(sorted.size(), kListed));
  return sorted;
}

std::uint64_t change_of(const OverviewAsset& asset) {
  const std::uint64_t was = asset.was_bytes.value_or(0);
  return asset.bytes < was ? was - asset.bytes : asset.bytes - was;
}

void add_changes(const OverviewTarget& target, std::string& text) {
  if (!target.was_bytes) return;
  text += fmt::format("  was {} ({})\n", counted(*target.was_bytes, "byte"),
                      change_text(*target.was_bytes, target.bytes));
  std::vector<OverviewAsset> all = target.assets;
  all.insert(all.end(), target.gone.begin(), target.gone.end());
  std::string rows;
  for (const OverviewAsset* asset : largest(all, change_of)) {
    if (change_of(*asset) == 0) break;
    rows += fmt::format("  {:>12}  {}{}\n", change_text(asset->was_bytes.value_or(0), asset->bytes),
                        escaped_text(asset->path),
                        !asset->was_bytes   ? " (new)"
                        : asset->bytes == 0 ? " (gone)"
                                            : "");
  }
  if (!rows.empty()) text += "  changed most\n" + rows;
}

// Adds the budgets of the project. A limit from the command line has a separate line.
void add_budgets(const OverviewTarget& target, std::string& text) {
  for (const OverviewBudget& budget : target.budgets) {
    const bool is_over = budget.is_exceeded();
    text += fmt::format(
        "  budget {} for {}: {} {}\n", counted(budget.budget_bytes, "byte"),
        escaped_text(budget.what), is_over ? "exceeded by" : "left",
        is_over ? budget.bytes - budget.budget_bytes : budget.budget_bytes - budget.bytes);
  }
}

void add_sharing(const OverviewTarget& target, std::string& text) {
  if (target.files_max == 0) return;
  const auto shared = std::ranges::count_if(target.bundles, [](const OverviewBundle& bundle) {
    return bundle.is_shared && bundle.variant.empty() && !bundle.owners.empty();
  });
  text += fmt::format("  sharing: {} in {}\n",
                      counted(target.shared_groups, "set of owners", "sets of owners"),
                      counted(static_cast<std::size_t>(shared), "bundle"));
  const LoadSummary& loads = target.loads;
  const bool varies = std::ranges::any_of(
      target.bundles, [](const OverviewBundle& bundle) { return !bundle.variant.empty(); });
  if (varies) text += "  if an asset has variants, the default form counts as loaded\n";
  text += fmt::format("  files open for a prefab: median {}, maximum {} ({})\n", loads.files.median,
                      loads.files.max, escaped_text(loads.files.worst));
  text += fmt::format("  unneeded source bytes loaded: median {}, maximum {} ({})\n",
                      loads.vain_bytes.median, loads.vain_bytes.max,
                      escaped_text(loads.vain_bytes.worst));
  for (std::size_t i = 0; i < std::min(loads.beyond.size(), kListed); ++i) {
    text += fmt::format("  more than {} files: {} for {}\n", target.files_max,
                        loads.beyond[i].files, escaped_text(loads.beyond[i].path));
  }
  if (loads.beyond.size() > kListed) {
    text += fmt::format("  more than {} files: {} more\n", target.files_max,
                        counted(loads.beyond.size() - kListed, "prefab"));
  }
}

void add_stripped(const OverviewTarget& target, std::string& text) {
  if (target.stripped_assets.empty() && target.stripped_components.empty()) return;
  text += "  stripped\n";
  for (const OverviewStripped& rule : target.stripped_assets) {
    text += fmt::format("  {:>12}  {} ({})\n", rule.source_bytes, escaped_text(rule.rule),
                        counted(rule.count, "asset"));
  }
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  for (const OverviewStripped& rule : target.stripped_components) {
    bytes += rule.source_bytes;
    count += rule.count;
  }
  if (count > 0) {
    text += fmt::format("  {:>12}  {} of {}\n", bytes, counted(count, "component"),
                        counted(target.stripped_components.size(), "class", "classes"));
  }
}

void add_target(const OverviewTarget& target, std::string& text) {
  text += fmt::format("{}: {} in {}, {} before compression, from {}\n", target.name,
                      counted(target.bytes, "byte"), counted(target.bundles.size(), "bundle"),
                      target.plain_bytes, counted(target.source_bytes, "source byte"));
  add_budgets(target, text);
  if (target.budget_bytes) {
    const bool is_over = target.bytes > *target.budget_bytes;
    text += fmt::format(
        "  budget {}: {} {}\n", counted(*target.budget_bytes, "byte"),
        is_over ? "exceeded by" : "left",
        is_over ? target.bytes - *target.budget_bytes : *target.budget_bytes - target.bytes);
  }
  text += fmt::format(
      "  {} not stored again; self-contained bundles would take about {} bytes "
      "({}%)\n",
      counted(target.duplicate_bytes_avoided, "source byte"), target.self_contained_bytes,
      static_cast<int>(share(target.self_contained_bytes, target.bytes) + 0.5));
  add_sharing(target, text);
  add_stripped(target, text);
  add_changes(target, text);
  text += "  kinds\n";
  std::uint64_t tables_bytes = target.bytes;
  for (const OverviewKind& kind : kinds_of(target)) {
    tables_bytes -= std::min(kind.bytes, tables_bytes);
    text += fmt::format("  {:>12}  {:>5.1f}%  {} ({})\n", kind.bytes,
                        share(kind.bytes, target.bytes), kind.name, counted(kind.assets, "asset"));
  }
  text += fmt::format("  {:>12}  {:>5.1f}%  the bundles' tables\n", tables_bytes,
                      share(tables_bytes, target.bytes));
  text += "  biggest\n";
  for (const OverviewAsset* asset :
       largest(target.assets, [](const OverviewAsset& row) { return row.bytes; })) {
    text += fmt::format("  {:>12}  {:>5.1f}%  {}\n", asset->bytes,
                        share(asset->bytes, target.bytes), escaped_text(asset->path));
  }
  if (!target.copies.empty()) text += "  equal files under several guids\n";
  for (std::size_t i = 0; i < std::min(target.copies.size(), kListed); ++i) {
    const OverviewCopies& copies = target.copies[i];
    text += fmt::format("  {:>12}  {} of {}\n", copies.wasted_bytes(),
                        counted(copies.paths.size(), "copy", "copies"),
                        escaped_text(copies.paths.front()));
  }
  if (!target.slowest.empty()) text += "  slowest\n";
  for (const OverviewTiming& slow : target.slowest) {
    text += fmt::format("  {:>9.1f} ms  {}\n", slow.ms, escaped_text(slow.path));
  }
}

Json bundles_json(const OverviewTarget& target) {
  Json rows = Json::array();
  for (const OverviewBundle& bundle : target.bundles) {
    Json owners = Json::array();
    for (const Guid& owner : bundle.owners) owners.push_back(owner.to_string());
    const char* const kind = !bundle.variant.empty() ? "variant"
                             : bundle.is_shared      ? "shared"
                                                     : "prefab";
    rows.push_back({bundle.file, kind, bundle.bytes, bundle.plain_bytes, bundle.needed_bytes,
                    bundle.asset, std::move(owners), bundle.files,
                    bundle.vain_bytes ? Json(*bundle.vain_bytes) : Json()});
  }
  return rows;
}

Json asset_row(const OverviewAsset& asset, bool is_gone) {
  Json row = Json::array({asset.guid.to_string(), asset.path, asset.kind,
                          is_gone ? Json() : Json(asset.bundle), asset.bytes, asset.plain_bytes,
                          asset.pulled_by.is_null() ? std::string() : asset.pulled_by.to_string()});
  row.push_back(asset.was_bytes ? Json(*asset.was_bytes) : Json());
  return row;
}

Json overview_spread_json(const LoadSpread& spread) {
  return {{"median", spread.median}, {"max", spread.max}, {"worst", spread.worst}};
}

Json overview_sharing_json(const OverviewTarget& target) {
  if (target.files_max == 0) return {};
  Json json{{"groups", target.shared_groups},
            {"files_max", target.files_max},
            {"files", overview_spread_json(target.loads.files)},
            {"vain_source_bytes", overview_spread_json(target.loads.vain_bytes)},
            {"beyond", Json::array()}};
  for (const PrefabLoad& load : target.loads.beyond) {
    json["beyond"].push_back({{"path", load.path}, {"files", load.files}});
  }
  return json;
}

Json overview_stripped_json(const std::vector<OverviewStripped>& rules) {
  Json rows = Json::array();
  for (const OverviewStripped& rule : rules) {
    rows.push_back(
        {{"rule", rule.rule}, {"count", rule.count}, {"source_bytes", rule.source_bytes}});
  }
  return rows;
}

Json target_json(const OverviewTarget& target) {
  Json json{{"source_bytes", target.source_bytes},
            {"plain_bytes", target.plain_bytes},
            {"bytes", target.bytes},
            {"duplicate_bytes_avoided", target.duplicate_bytes_avoided},
            {"self_contained_bytes", target.self_contained_bytes}};
  json["budget_bytes"] = target.budget_bytes ? Json(*target.budget_bytes) : Json();
  json["budgets"] = Json::array();
  for (const OverviewBudget& budget : target.budgets) {
    json["budgets"].push_back(
        {{"what", budget.what}, {"bytes", budget.bytes}, {"budget_bytes", budget.budget_bytes}});
  }
  json["self_contained_source_bytes"] = target.self_contained_source_bytes;
  json["sharing"] = overview_sharing_json(target);
  json["stripped"] = {{"source_bytes", target.stripped_source_bytes},
                      {"assets", overview_stripped_json(target.stripped_assets)},
                      {"components", overview_stripped_json(target.stripped_components)}};
  json["was_bytes"] = target.was_bytes ? Json(*target.was_bytes) : Json();
  json["bundles"] = bundles_json(target);
  json["assets"] = Json::array();
  for (const OverviewAsset& asset : target.assets)
    json["assets"].push_back(asset_row(asset, false));
  json["gone"] = Json::array();
  for (const OverviewAsset& asset : target.gone) json["gone"].push_back(asset_row(asset, true));
  json["registrations"] = Json::object();
  for (const auto& [guid, registrations] : target.registrations) {
    Json& rows = json["registrations"][guid.to_string()];
    for (const OverviewRegistration& one : registrations) {
      rows.push_back({one.class_name, one.type_id.value(), one.role});
    }
  }
  json["copies"] = Json::array();
  for (const OverviewCopies& copies : target.copies) {
    json["copies"].push_back({{"bytes", copies.bytes}, {"paths", copies.paths}});
  }
  json["slowest"] = Json::array();
  for (const OverviewTiming& slow : target.slowest) {
    json["slowest"].push_back({{"path", slow.path}, {"ms", slow.ms}});
  }
  return json;
}

}  // namespace

std::string overview_text(const Overview& overview) {
  std::string text;
  for (const OverviewTarget& target : overview.targets) add_target(target, text);
  return text;
}

std::string overview_json(const Overview& overview) {
  Json json{{"format", kJsonVersion}, {"project", overview.project}, {"layout", overview.layout}};
  json["columns"] = {
      {"bundles",
       {"file", "kind", "bytes", "plain_bytes", "needed_bytes", "asset", "owners", "files",
        "vain_source_bytes"}},
      {"assets",
       {"guid", "path", "kind", "bundle", "bytes", "plain_bytes", "pulled_by", "was_bytes"}},
      {"registrations", {"class", "type_id", "role"}}};
  json["targets"] = Json::object();
  for (const OverviewTarget& target : overview.targets) {
    json["targets"][target.name] = target_json(target);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace muster
