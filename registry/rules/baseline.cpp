#include "registry/rules/baseline.h"

#include <algorithm>
#include <utility>

#include "registry/base/json_text.h"
#include "registry/rules/sink_text.h"

namespace muster {
namespace {

// What a baseline knows a finding by.
std::pair<std::string, std::string> key_of(const Finding& finding) {
  return {std::string(finding.rule), valid_utf8(finding.location.path.text())};
}

}  // namespace

Result<Baseline> Baseline::parse(std::string_view text) {
  try {
    Baseline baseline;
    const Json json = Json::parse(text);
    if (json.at("version") != 1) {
      return fail(ErrorCode::unsupported_version, "baseline: expected version 1");
    }
    const auto no_object = [] {
      return fail(ErrorCode::malformed, "baseline: expected 'known: {RULE: {PATH: COUNT}}'");
    };
    if (!json.at("known").is_object()) return no_object();
    for (const auto& [rule, files] : json.at("known").items()) {
      if (!files.is_object()) return no_object();
      for (const auto& [path, number] : files.items()) {
        if (!number.is_number_unsigned()) return no_object();
        baseline.counts_[{rule, path}] = number.get<std::size_t>();
      }
    }
    if (json.contains("variants")) {
      baseline.variants_ = json.at("variants").get<std::vector<std::string>>();
      std::ranges::sort(baseline.variants_);
    }
    return baseline;
  } catch (const nlohmann::json::exception& problem) {
    return fail(ErrorCode::malformed, std::string("baseline: ") + problem.what());
  }
}

Baseline Baseline::of(std::span<const Finding> findings, std::vector<std::string> variants) {
  Baseline baseline;
  baseline.variants_ = std::move(variants);
  std::ranges::sort(baseline.variants_);
  for (const Finding& finding : findings) {
    ++baseline.counts_[key_of(finding)];
  }
  return baseline;
}

std::string Baseline::format() const {
  Json known = Json::object();
  for (const auto& [key, number] : counts_) known[key.first][key.second] = number;
  Json file{{"version", 1}, {"known", std::move(known)}};
  if (!variants_.empty()) file["variants"] = variants_;
  return file.dump(2) + "\n";
}

void Baseline::mark_known(std::span<Finding> findings) const {
  auto left = counts_;
  for (Finding& finding : findings) {
    const auto found = left.find(key_of(finding));
    finding.is_known = found != left.end() && found->second > 0;
    if (finding.is_known) --found->second;
  }
}

Baseline Baseline::pruned(std::span<const Finding> findings,
                          const std::function<bool(std::string_view rule)>& is_checked) const {
  const Baseline present = of(findings);
  Baseline result;
  result.variants_ = variants_;
  for (const auto& [key, number] : counts_) {
    const auto found = present.counts_.find(key);
    const std::size_t there = found == present.counts_.end() ? 0 : found->second;
    const std::size_t kept = is_checked(key.first) ? std::min(number, there) : number;
    if (kept > 0) result.counts_.emplace(key, kept);
  }
  return result;
}

std::size_t Baseline::total() const {
  std::size_t total = 0;
  for (const auto& [key, number] : counts_) total += number;
  return total;
}

}  // namespace muster
