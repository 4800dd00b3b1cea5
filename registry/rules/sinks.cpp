#include "registry/rules/sinks.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "registry/vocabulary/content_hash.h"
#include "registry/vocabulary/shown_text.h"
#include "registry/vocabulary/utf8.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kSarifResultsMax = 5000;
/// No larger file is read again for a column's sake.
constexpr std::uint64_t kSarifSourceBytesMax = 256ULL * 1024 * 1024;

// File names may hold any bytes; JSON holds UTF-8 only.
std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string place(const Location& location) {
  std::string text = location.path.text();
  if (location.position.line > 0) text += fmt::format(":{}", location.position.line);
  if (location.position.column > 0) text += fmt::format(":{}", location.position.column);
  return text;
}

// A path as the relative reference of RFC 3986: letters, digits and marks stay.
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

// XML holds UTF-8 only; the JSON library knows how to mend what is none.
std::string valid_utf8(std::string_view text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace))
      .get<std::string>();
}

// What a baseline knows a finding by.
std::pair<std::string, std::string> key_of(const Finding& finding) {
  return {std::string(finding.rule), valid_utf8(finding.location.path.text())};
}

std::string xml_escaped(std::string_view text) {
  std::string result;
  for (const char c : valid_utf8(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

std::string github_escaped(std::string_view text, bool is_property) {
  std::string result;
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t size = utf8_character_bytes(text);
    if (size != 1) {
      result += size == 0 ? "\xEF\xBF\xBD" : text.substr(0, size);  // U+FFFD, as in JSON
      text.remove_prefix(std::max<std::size_t>(size, 1));
      continue;
    }
    text.remove_prefix(1);
    if (c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','))) {
      result += fmt::format("%{:02X}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result;
}

std::string format_text(std::span<const Finding> findings, const SinkOptions& options) {
  const auto paint = [&](Severity severity) -> std::pair<std::string_view, std::string_view> {
    if (!options.color) return {"", ""};
    constexpr std::array<std::string_view, 3> kColors = {"\x1b[36m", "\x1b[33m", "\x1b[31m"};
    return {kColors[static_cast<std::size_t>(severity)], "\x1b[0m"};
  };
  std::string text;
  for (const Finding& finding : findings) {
    const auto [on, off] = paint(finding.severity);
    text +=
        fmt::format("{}: {}{}{}: {} [{}]\n", shown_text(place(finding.location)), on,
                    to_string(finding.severity), off, shown_text(finding.message), finding.rule);
    for (const RelatedLocation& related : finding.related) {
      text += fmt::format("    {}: {}\n", shown_text(place(related.location)),
                          shown_text(related.message));
    }
    if (!finding.remedy.empty()) text += fmt::format("    {}\n", shown_text(finding.remedy));
  }
  const FindingCounts counts = count(findings);
  text += fmt::format("{} error{}, {} warning{}, {} note{}\n", counts.errors,
                      counts.errors == 1 ? "" : "s", counts.warnings,
                      counts.warnings == 1 ? "" : "s", counts.notes, counts.notes == 1 ? "" : "s");
  return text;
}

Json location_json(const Location& location) {
  Json json;
  json["path"] = location.path.text();
  if (location.position.line > 0) json["line"] = location.position.line;
  if (location.position.column > 0) json["column"] = location.position.column;
  return json;
}

std::string format_json(std::span<const Finding> findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    Json json = location_json(finding.location);
    json["severity"] = to_string(finding.severity);
    json["rule"] = finding.rule;
    json["message"] = finding.message;
    if (!finding.related.empty()) {
      json["related"] = Json::array();
      for (const RelatedLocation& related : finding.related) {
        Json entry = location_json(related.location);
        entry["message"] = related.message;
        json["related"].push_back(std::move(entry));
      }
    }
    list.push_back(std::move(json));
  }
  const FindingCounts counts = count(findings);
  Json report;
  report["version"] = 1;
  report["findings"] = std::move(list);
  report["counts"] = {
      {"error", counts.errors}, {"warning", counts.warnings}, {"note", counts.notes}};
  return dump(report);
}

// Columns in bytes to columns in code points, which need the text that they count in. Keeps the
// file asked for last: findings come sorted by path.
class CodePointColumns {
 public:
  explicit CodePointColumns(const FileSystem* files) : files_(files) {}

  /// Null when the place cannot be found.
  std::optional<std::size_t> column_of(const Location& location) {
    const auto [line, column] = location.position;
    if (line == 0 || column == 0) return {};
    if (!path_ || *path_ != location.path) load(location.path);
    if (line > line_starts_.size()) return {};
    const std::string_view rest = text_.substr(line_starts_[line - 1]);
    const std::string_view before = rest.substr(0, column - 1);
    if (before.size() < column - 1 || before.find('\n') != std::string_view::npos) return {};
    // Each code point has one byte that is no continuation.
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
    const auto bytes = read_whole(*files_, path, kSarifSourceBytesMax, buffer_);
    if (!bytes) return;
    text_ = as_text(bytes.value());
    line_starts_.push_back(0);
    for (std::size_t at = text_.find('\n'); at != std::string_view::npos;
         at = text_.find('\n', at + 1)) {
      line_starts_.push_back(at + 1);
    }
  }

  const FileSystem* files_;
  std::optional<AssetPath> path_;
  ByteVector buffer_;
  std::string_view text_;  // in the buffer
  std::vector<std::size_t> line_starts_;
};

Json sarif_location(const Location& location, CodePointColumns& columns) {
  Json physical;
  physical["artifactLocation"] = {{"uri", uri_of(location.path.text())}, {"uriBaseId", "PROJECT"}};
  if (location.position.line > 0) {
    physical["region"] = {{"startLine", location.position.line}};
    if (const auto column = columns.column_of(location)) {
      physical["region"]["startColumn"] = *column;
    }
  }
  return Json{{"physicalLocation", std::move(physical)}};
}

std::string format_sarif(std::span<const Finding> findings, const SinkOptions& options) {
  Json rules = Json::array();
  std::map<std::string_view, std::size_t> rule_index;
  for (const Rule& rule : all_rules()) {
    rule_index.emplace(rule.id, rules.size());
    rules.push_back({{"id", rule.id},
                     {"shortDescription", {{"text", rule.summary}}},
                     {"help", {{"text", rule.help}}},
                     {"defaultConfiguration", {{"level", to_string(rule.severity)}}}});
  }
  Json results = Json::array();
  CodePointColumns columns(options.files);
  std::map<std::string, int> repeated;
  for (const Finding& finding : findings.first(std::min(findings.size(), kSarifResultsMax))) {
    ContentHasher hasher;
    hasher.update_text(finding.rule);
    hasher.update_text(finding.location.path.text());
    hasher.update_text(finding.message);
    std::string print = hasher.finish().to_string();
    const int copy = repeated[print]++;
    Json result;
    result["ruleId"] = finding.rule;
    result["ruleIndex"] = rule_index.at(finding.rule);
    result["level"] = to_string(finding.severity);
    result["message"] = {{"text", finding.message}};
    result["locations"] = Json::array({sarif_location(finding.location, columns)});
    for (const RelatedLocation& related : finding.related) {
      Json entry = sarif_location(related.location, columns);
      entry["message"] = {{"text", related.message}};
      result["relatedLocations"].push_back(std::move(entry));
    }
    result["partialFingerprints"] = {{"muster/v1", fmt::format("{}:{}", print, copy)}};
    results.push_back(std::move(result));
  }
  Json run;
  run["tool"]["driver"] = {
      {"name", "muster"}, {"version", options.version}, {"rules", std::move(rules)}};
  run["columnKind"] = "unicodeCodePoints";
  run["originalUriBaseIds"] = {{"PROJECT", {{"description", {{"text", "the project's root"}}}}}};
  run["results"] = std::move(results);
  if (findings.size() > kSarifResultsMax) {
    run["invocations"] = Json::array(
        {{{"executionSuccessful", true},
          {"toolExecutionNotifications",
           Json::array({{{"level", "note"},
                         {"message",
                          {{"text", fmt::format("{} further findings were left out",
                                                findings.size() - kSarifResultsMax)}}}}})}}});
  }
  Json report;
  report["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  report["version"] = "2.1.0";
  report["runs"] = Json::array({std::move(run)});
  return dump(report);
}

std::string format_junit(std::span<const Finding> findings, const SinkOptions& options) {
  std::map<std::string_view, std::vector<const Finding*>> by_rule;
  for (const Rule& rule : all_rules()) by_rule[rule.id];
  std::size_t failures = 0;
  for (const Finding& finding : findings) {
    by_rule[finding.rule].push_back(&finding);
  }
  std::string cases;
  for (const auto& [rule, list] : by_rule) {
    std::string problems;
    for (const Finding* finding : list) {
      if (finding->severity != Severity::error) continue;
      problems += fmt::format("{}: {}\n", place(finding->location), finding->message);
    }
    cases += fmt::format("    <testcase classname=\"muster.validate\" name=\"{}\"", rule);
    if (problems.empty()) {
      cases += "/>\n";
      continue;
    }
    ++failures;
    cases += fmt::format(">\n      <failure message=\"{}\">{}</failure>\n    </testcase>\n",
                         xml_escaped(find_rule(rule)->summary), xml_escaped(problems));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "  <testsuite name=\"muster validate {}\" tests=\"{}\" failures=\"{}\">\n{}"
      "  </testsuite>\n</testsuites>\n",
      xml_escaped(options.project_name), by_rule.size(), failures, cases);
}

std::string format_github(std::span<const Finding> findings) {
  std::string text;
  for (const Finding& finding : findings) {
    const std::string_view command =
        finding.severity == Severity::note ? "notice" : to_string(finding.severity);
    text +=
        fmt::format("::{} file={}", command, github_escaped(finding.location.path.text(), true));
    if (finding.location.position.line > 0) {
      text += fmt::format(",line={},col={}", finding.location.position.line,
                          finding.location.position.column);
    }
    text += fmt::format(",title={}::{}\n", finding.rule, github_escaped(finding.message, false));
  }
  return text;
}

}  // namespace

Result<FindingFormat> finding_format_from(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"text", "json", "sarif", "junit", "github"};
  const auto* const found = std::ranges::find(kNames, name);
  if (found == kNames.end()) {
    return fail(ErrorCode::invalid_argument, "unknown format '" + std::string(name) + "'");
  }
  return static_cast<FindingFormat>(found - kNames.begin());
}

FindingCounts count(std::span<const Finding> findings) {
  FindingCounts counts;
  for (const Finding& finding : findings) {
    counts.errors += finding.severity == Severity::error ? 1U : 0U;
    counts.warnings += finding.severity == Severity::warning ? 1U : 0U;
    counts.notes += finding.severity == Severity::note ? 1U : 0U;
  }
  return counts;
}

std::string format_findings(std::span<const Finding> findings, FindingFormat format,
                            const SinkOptions& options) {
  switch (format) {
    case FindingFormat::text:
      return format_text(findings, options);
    case FindingFormat::json:
      return format_json(findings);
    case FindingFormat::sarif:
      return format_sarif(findings, options);
    case FindingFormat::junit:
      return format_junit(findings, options);
    case FindingFormat::github:
      return format_github(findings);
  }
  return {};
}

std::string explain_rule(const Rule& rule) {
  return fmt::format("{} ({})\n{}.\n\n{}\n", rule.id, to_string(rule.severity), rule.summary,
                     rule.help);
}

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
    return baseline;
  } catch (const nlohmann::json::exception& problem) {
    return fail(ErrorCode::malformed, std::string("baseline: ") + problem.what());
  }
}

Baseline Baseline::of(std::span<const Finding> findings) {
  Baseline baseline;
  for (const Finding& finding : findings) {
    ++baseline.counts_[key_of(finding)];
  }
  return baseline;
}

std::string Baseline::format() const {
  Json known = Json::object();
  for (const auto& [key, number] : counts_) known[key.first][key.second] = number;
  return dump(Json{{"version", 1}, {"known", std::move(known)}});
}

std::vector<Finding> Baseline::remove_known(std::vector<Finding> findings) const {
  auto left = counts_;
  std::erase_if(findings, [&](const Finding& finding) {
    const auto found = left.find(key_of(finding));
    if (found == left.end() || found->second == 0) return false;
    --found->second;
    return true;
  });
  return findings;
}

}  // namespace muster
