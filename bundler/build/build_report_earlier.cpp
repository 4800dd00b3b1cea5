// Reads reports of earlier builds.
#include <algorithm>

#include "bundler/build/build_report.h"
#include "bundler/plan/output_names.h"
#include "registry/base/json_text.h"

namespace muster {

std::string lasting_report(std::string_view text) {
  Json report = Json::parse(text, nullptr, false);
  if (!report.is_object()) return std::string(text);
  report.erase("build");
  report.erase("signature");
  return json_text(report);
}

std::string lasting_report(std::string_view text, const std::vector<std::string>& targets) {
  Json report = Json::parse(lasting_report(text), nullptr, false);
  if (!report.is_object() || !report.contains("targets") || !report["targets"].is_object()) {
    return std::string(text);
  }
  for (const Target target : {Target::client, Target::server}) {
    const std::string name(folder_of(target));
    if (std::ranges::find(targets, name) == targets.end()) report["targets"].erase(name);
  }
  return json_text(report);
}

std::optional<ReportedPacking> packing_in_report(std::string_view text, Target target) {
  using nlohmann::json;
  const auto report = json::parse(text, nullptr, false);
  const json::json_pointer pointer("/targets/" + std::string(folder_of(target)));
  if (!report.is_object() || !report.contains(pointer) || !report[pointer].is_object()) {
    return std::nullopt;
  }
  const json& built = report[pointer];
  const auto level = built.find("level");
  const auto kinds = built.find("compression");
  if (level == built.end() || !level->is_number_integer()) return std::nullopt;
  if (kinds == built.end() || !kinds->is_string()) return std::nullopt;
  return ReportedPacking{level->get<int>(), kinds->get<std::string>()};
}

}  // namespace muster
