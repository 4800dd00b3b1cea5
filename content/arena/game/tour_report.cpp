#include "content/arena/game/tour_report.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace arena {
namespace {

using Json = nlohmann::ordered_json;
using muster::TourReport;
using muster::TourStop;

std::int64_t microseconds(muster::Duration duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

const char* name_of(muster::Target target) {
  return target == muster::Target::client ? "client" : "server";
}

struct Totals {
  std::uint64_t entities = 0;
  std::uint64_t components = 0;
  std::uint64_t other_components = 0;
  std::int64_t load_us = 0;
};

Totals totals_of(const TourReport& report) {
  Totals totals;
  for (const TourStop& stop : report.stops) {
    totals.entities += stop.entities;
    totals.components += stop.components;
    totals.other_components += stop.other_components;
    totals.load_us += microseconds(stop.load_time);
  }
  return totals;
}

Json to_json(const TourStop& stop) {
  Json row;
  row["side"] = name_of(stop.target);
  row["registry"] = stop.registry;
  row["type_id"] = stop.type_number();
  row["guid"] = stop.guid.to_string();
  row["path"] = stop.path;
  row["bundle_bytes"] = stop.bundle_bytes;
  row["load_us"] = microseconds(stop.load_time);
  row["entities"] = stop.entities;
  row["components"] = stop.components;
  row["other_components"] = stop.other_components;
  if (!stop.error.empty()) row["error"] = stop.error;
  return row;
}

}  // namespace

std::string tour_table(const TourReport& report) {
  std::string text = fmt::format("{:<6}  {:<24} {:>4}  {:<32}  {:<58} {:>8} {:>7} {:>8} {:>10}\n",
                                 "side", "registry", "type", "guid", "prefab", "bytes", "load us",
                                 "entities", "components");
  for (const TourStop& stop : report.stops) {
    text +=
        fmt::format("{:<6}  {:<24} {:>4}  {:<32}  {:<58} {:>8} {:>7} {:>8} {:>10}{}\n",
                    name_of(stop.target), stop.registry, stop.type_number(), stop.guid.to_string(),
                    stop.path, stop.bundle_bytes, microseconds(stop.load_time), stop.entities,
                    stop.components, stop.error.empty() ? "" : "  FAILED");
  }
  const Totals totals = totals_of(report);
  text += fmt::format(
      "\n{} stops: {} entities, {} components (and {} without description) in {} us of loading\n"
      "{} bundles opened, {} bytes; {} effects played, {} ended; {} entities left over\n",
      report.stops.size(), totals.entities, totals.components, totals.other_components,
      totals.load_us, report.bundles_opened, report.bundle_bytes, report.effects_played,
      report.effects_ended, report.left_over);
  for (const TourStop& stop : report.stops) {
    if (stop.error.empty()) continue;
    text += fmt::format("failed: {} {} {}: {}\n", name_of(stop.target), stop.registry,
                        stop.type_number(), stop.error);
  }
  text +=
      fmt::format("{}\n", report.failures() == 0 ? "no failures"
                                                 : fmt::format("{} failures", report.failures()));
  return text;
}

std::string tour_json(const TourReport& report) {
  Json json;
  json["stops"] = Json::array();
  for (const TourStop& stop : report.stops) json["stops"].push_back(to_json(stop));
  const Totals totals = totals_of(report);
  Json& sums = json["totals"];
  sums["stops"] = report.stops.size();
  sums["entities"] = totals.entities;
  sums["components"] = totals.components;
  sums["other_components"] = totals.other_components;
  sums["load_us"] = totals.load_us;
  sums["bundles_opened"] = report.bundles_opened;
  sums["bundle_bytes"] = report.bundle_bytes;
  sums["effects_played"] = report.effects_played;
  sums["effects_ended"] = report.effects_ended;
  sums["left_over"] = report.left_over;
  sums["failures"] = report.failures();
  return json.dump(1) + "\n";
}

}  // namespace arena
