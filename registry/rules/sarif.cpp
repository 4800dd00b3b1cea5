#include "registry/rules/sarif.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "registry/base/content_hash.h"
#include "registry/base/json_text.h"
#include "registry/rules/sink_text.h"

namespace muster {
namespace {

/// The maximum number of results that GitHub stores.
constexpr std::size_t kResultsMax = 5000;
/// The maximum size of a file that is read to compute columns.
constexpr std::uint64_t kSourceBytesMax = 256ULL * 1024 * 1024;

// Converts a path to a relative reference (RFC 3986). Escapes all bytes except letters, digits and
// some marks.
std::string uri_of(std::string_view path) {
  constexpr std::string_view kUnreserved = "-._~/";
  std::string result;
  for (const char c : path) {
    const bool stays = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       kUnreserved.find(c) != std::string_view::npos;
    result += stays ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

// Converts columns in bytes to columns in code points. Caches the text of the last file, because
// findings are sorted by path.
class CodePointColumns {
 public:
  explicit CodePointColumns(const FileReader* files) : files_(files) {}

  /// The column of a location in code points; nullopt if the file has no such position.
  std::optional<std::size_t> column_of(const Location& location) {
    const auto [line, column] = location.position;
    if (line == 0 || column == 0) return {};
    if (!path_ || *path_ != location.path) load(location.path);
    if (line > line_starts_.size()) return {};
    const std::string_view rest = text_.substr(line_starts_[line - 1]);
    const std::string_view before = rest.substr(0, column - 1);
    if (before.size() < column - 1 || before.find('\n') != std::string_view::npos) return {};
    // Counts code points: each has exactly one byte that is not a continuation byte.
    return 1 + static_cast<std::size_t>(std::ranges::count_if(before, [](char c) {
             return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
           }));
  }

 private:
  void load(const AssetPath& path) {
    path_ = path;
    line_starts_.clear();
    text_ = {};
    if (files_ == nullptr) return;
    const auto bytes = read_whole(*files_, path, kSourceBytesMax, buffer_);
    if (!bytes) return;
    text_ = as_text(bytes.value());
    line_starts_.push_back(0);
    for (std::size_t at = text_.find('\n'); at != std::string_view::npos;
         at = text_.find('\n', at + 1)) {
      line_starts_.push_back(at + 1);
    }
  }

  const FileReader* files_;
  std::optional<AssetPath> path_;
  ByteVector buffer_;
  std::string_view text_;  // Views the buffer.
  std::vector<std::size_t> line_starts_;
};

Json sarif_location(const Location& location, CodePointColumns& columns, std::string_view prefix) {
  Json physical;
  physical["artifactLocation"] = {{"uri", uri_of(prefixed(prefix, location.path))},
                                  {"uriBaseId", "PROJECT"}};
  if (location.position.line > 0) {
    physical["region"] = {{"startLine", location.position.line}};
    if (const auto column = columns.column_of(location)) {
      physical["region"]["startColumn"] = *column;
    }
  }
  return Json{{"physicalLocation", std::move(physical)}};
}

Json rules_json() {
  Json rules = Json::array();
  for (const Rule& rule : all_rules()) {
    rules.push_back({{"id", rule.id},
                     {"shortDescription", {{"text", rule.summary}}},
                     {"help", {{"text", rule.help}}},
                     {"defaultConfiguration", {{"level", to_string(rule.severity)}}}});
  }
  return rules;
}

// The fingerprints of all findings, including findings that are not written. So the number that
// distinguishes equal fingerprints does not depend on the selection of findings.
std::vector<std::string> fingerprints_of(std::span<const Finding> findings) {
  std::vector<std::string> prints;
  std::map<std::string, int> repeated;
  for (const Finding& finding : findings) {
    ContentHasher hasher;
    hasher.update_text(finding.rule);
    hasher.update_text(finding.location.path.text());
    hasher.update_text(finding.identity.empty() ? finding.message : finding.identity);
    std::string print = hasher.finish().to_string();
    const int copy = repeated[print]++;
    prints.push_back(fmt::format("{}:{}", print, copy));
  }
  return prints;
}

// The indices of the findings to write, in order.
std::vector<std::size_t> written(std::span<const Finding> findings) {
  std::vector<std::size_t> chosen(findings.size());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  if (chosen.size() <= kResultsMax) return chosen;
  std::ranges::stable_sort(chosen, [&](std::size_t a, std::size_t b) {
    if (findings[a].is_known != findings[b].is_known) return findings[b].is_known;
    return findings[a].severity > findings[b].severity;
  });
  chosen.resize(kResultsMax);
  std::ranges::sort(chosen);
  return chosen;
}

Json result_json(const Finding& finding, const std::string& fingerprint, const SinkOptions& options,
                 CodePointColumns& columns) {
  Json result;
  result["ruleId"] = finding.rule;
  result["ruleIndex"] = find_rule(finding.rule) - all_rules().data();
  result["level"] = to_string(finding.severity);
  result["message"] = {{"text", finding.message}};
  result["locations"] =
      Json::array({sarif_location(finding.location, columns, options.path_prefix)});
  for (const RelatedLocation& related : finding.related) {
    Json entry = sarif_location(related.location, columns, options.path_prefix);
    entry["message"] = {{"text", related.message}};
    result["relatedLocations"].push_back(std::move(entry));
  }
  result["partialFingerprints"] = {{"muster/v1", fingerprint}};
  if (options.has_baseline) result["baselineState"] = finding.is_known ? "unchanged" : "new";
  if (finding.is_known) {
    result["suppressions"] = Json::array({{{"kind", "external"},
                                           {"status", "accepted"},
                                           {"justification", "counted in the baseline file"}}});
  }
  return result;
}

}  // namespace

std::string format_sarif(std::span<const Finding> findings, const SinkOptions& options) {
  CodePointColumns columns(options.files);
  const std::vector<std::string> prints = fingerprints_of(findings);
  Json results = Json::array();
  for (const std::size_t index : written(findings)) {
    results.push_back(result_json(findings[index], prints[index], options, columns));
  }
  Json run;
  run["tool"]["driver"] = {
      {"name", "muster"}, {"version", options.version}, {"rules", rules_json()}};
  run["columnKind"] = "unicodeCodePoints";
  const std::string_view root =
      options.path_prefix.empty() ? "the project's root" : "the root of the project's repository";
  run["originalUriBaseIds"] = {{"PROJECT", {{"description", {{"text", root}}}}}};
  run["results"] = std::move(results);
  if (findings.size() > kResultsMax) {
    const std::string note =
        fmt::format("{} further findings were left out", findings.size() - kResultsMax);
    run["invocations"] =
        Json::array({{{"executionSuccessful", true},
                      {"toolExecutionNotifications",
                       Json::array({{{"level", "note"}, {"message", {{"text", note}}}}})}}});
  }
  Json report;
  report["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  report["version"] = "2.1.0";
  report["runs"] = Json::array({std::move(run)});
  return json_text(report);
}

}  // namespace muster
