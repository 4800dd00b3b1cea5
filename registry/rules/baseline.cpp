#include "registry/rules/baseline.h"

#include <algorithm>
#include <set>
#include <utility>

#include "registry/base/escaped_text.h"
#include "registry/base/json_reader.h"
#include "registry/base/json_text.h"
#include "registry/base/near_name.h"
#include "registry/rules/sink_text.h"

namespace muster {
namespace {

// The key of a finding in a baseline.
std::pair<std::string, std::string> key_of(const Finding& finding) {
  return {std::string(finding.rule), valid_utf8(finding.location.path.text())};
}

// Checks only the keys of the outermost object. Deeper keys are rules and paths.
std::string unread_key(int depth, const std::string& key) {
  static const std::set<std::string> kKnown = {"version", "known", "variants"};
  if (depth > 1 || kKnown.contains(key)) return {};
  return "unknown key '" + escaped_text(key) + "' of a baseline" + did_you_mean(key, kKnown);
}

}  // namespace

Result<Baseline> Baseline::parse(std::string_view text) {
  const auto refuse = [](const std::string& why) {
    return fail(ErrorCode::malformed,
                "baseline: " + why + "; write it again with '--write-baseline'");
  };
  const auto read = read_json(text, {.check_key = unread_key});
  if (!read) return refuse(read.error().message);
  const Json& json = read.value();
  const auto member = [&](const char* key) {
    return json.is_object() ? json.value(key, Json()) : Json();
  };
  const Json version = member("version");
  if (version.is_number_integer() && version != 1) {
    return fail(ErrorCode::unsupported_version,
                "baseline: version " + version.dump() + " is not supported, only version 1");
  }
  if (version != 1) return refuse("'version' must be 1");
  const Json known = member("known");
  const auto no_object = [&] { return refuse("expected 'known: {RULE: {PATH: COUNT}}'"); };
  if (!known.is_object()) return no_object();
  Baseline baseline;
  for (const auto& [rule, files] : known.items()) {
    if (!files.is_object()) return no_object();
    for (const auto& [path, number] : files.items()) {
      if (!number.is_number_unsigned()) return no_object();
      baseline.counts_[{rule, path}] = number.get<std::size_t>();
    }
  }
  const Json variants = member("variants");
  if (!variants.is_null() && !variants.is_array()) return refuse("'variants' must be a list");
  for (const Json& variant : variants) {
    if (!variant.is_string()) return refuse("'variants' must be a list of texts");
    baseline.variants_.push_back(variant.get<std::string>());
  }
  std::ranges::sort(baseline.variants_);
  return baseline;
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
