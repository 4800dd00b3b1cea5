#include "registry/rules/sinks.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "registry/base/escaped_text.h"
#include "registry/base/json_text.h"
#include "registry/base/utf8.h"
#include "registry/rules/sarif.h"
#include "registry/rules/sink_text.h"

namespace muster {
namespace {

std::string location_text(const Location& location) {
  std::string text = location.path.text();
  if (location.position.line > 0) text += fmt::format(":{}", location.position.line);
  if (location.position.column > 0) text += fmt::format(":{}", location.position.column);
  return text;
}

std::string valid_utf8(std::string_view text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace))
      .get<std::string>();
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

// The number of findings of each rule, sorted by number. The result is empty for a short report.
std::string counts_by_rule(const std::vector<Finding>& findings) {
  std::map<std::string_view, std::size_t> counts;
  for (const Finding& finding : findings) ++counts[finding.rule];
  constexpr std::size_t kShortReport = 10;
  if (findings.size() <= kShortReport || counts.size() < 2) return {};
  std::vector<std::pair<std::string_view, std::size_t>> rows(counts.begin(), counts.end());
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           &std::pair<std::string_view, std::size_t>::second);
  std::string text;
  for (const auto& [rule, number] : rows) {
    text += fmt::format("{}{} {}", text.empty() ? "by rule: " : ", ", rule, number);
  }
  return text + "\n";
}

// The maximum number of listed findings with the same cause.
constexpr std::size_t kRepeatedListed = 3;

std::string format_text(const std::vector<Finding>& findings, const SinkOptions& options) {
  const auto paint = [&](Severity severity) -> std::pair<std::string_view, std::string_view> {
    if (!options.color) return {"", ""};
    constexpr std::array<std::string_view, 3> kColors = {"\x1b[36m", "\x1b[33m", "\x1b[31m"};
    return {kColors[static_cast<std::size_t>(severity)], "\x1b[0m"};
  };
  std::string text;
  const auto list = [&](const Finding& finding, bool with_related) {
    const auto [on, off] = paint(finding.severity);
    text +=
        fmt::format("{}: {}{}{}: {} [{}]\n", escaped_text(location_text(finding.location)), on,
                    to_string(finding.severity), off, escaped_text(finding.message), finding.rule);
    for (const RelatedLocation& related : finding.related) {
      if (!with_related) break;
      text += fmt::format("    {}: {}\n", escaped_text(location_text(related.location)),
                          escaped_text(related.message));
    }
    if (!finding.remedy.empty()) text += fmt::format("    {}\n", escaped_text(finding.remedy));
  };
  std::map<std::string_view, std::size_t> repeated;
  for (const Finding& finding : findings) {
    const bool is_short = finding.is_repeated && !options.lists_all;
    if (is_short && ++repeated[finding.rule] > kRepeatedListed) continue;
    list(finding, !is_short);
  }
  for (const auto& [rule, number] : repeated) {
    if (number <= kRepeatedListed) continue;
    text +=
        fmt::format("and {} more [{}]; '--verbose' lists them\n", number - kRepeatedListed, rule);
  }
  text += counts_by_rule(findings);
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

std::string format_json(const std::vector<Finding>& findings, std::size_t known) {
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
  if (known > 0) report["known"] = known;
  return json_text(report);
}

struct JunitSuite {
  std::string cases;
  std::size_t count = 0;
  std::size_t failures = 0;
};

// One test case for each rule whose findings are failures.
JunitSuite junit_failures(const std::map<std::string_view, std::vector<const Finding*>>& by_rule,
                          Severity failing) {
  JunitSuite suite;
  for (const auto& [rule, list] : by_rule) {
    std::string problems;
    for (const Finding* finding : list) {
      if (finding->severity < failing) continue;
      problems += fmt::format("{}: {}\n", location_text(finding->location), finding->message);
    }
    ++suite.count;
    suite.cases += fmt::format("    <testcase classname=\"muster.validate\" name=\"{}\"", rule);
    if (problems.empty()) {
      suite.cases += "/>\n";
      continue;
    }
    ++suite.failures;
    suite.cases += fmt::format(">\n      <failure message=\"{}\">{}</failure>\n    </testcase>\n",
                               xml_escaped(find_rule(rule)->summary), xml_escaped(problems));
  }
  return suite;
}

// One passing test case for each other rule. Its output contains the findings, because JUnit has no
// warnings.
JunitSuite junit_others(const std::map<std::string_view, std::vector<const Finding*>>& by_rule,
                        Severity failing) {
  JunitSuite suite;
  for (const auto& [rule, list] : by_rule) {
    std::string lines;
    for (const Finding* finding : list) {
      if (finding->severity >= failing) continue;
      lines += fmt::format("{}: {}: {}\n", location_text(finding->location),
                           to_string(finding->severity), finding->message);
    }
    if (lines.empty()) continue;
    ++suite.count;
    suite.cases += fmt::format(
        "    <testcase classname=\"muster.validate.warnings\" name=\"{}\">\n"
        "      <system-out>{}</system-out>\n    </testcase>\n",
        rule, xml_escaped(lines));
  }
  return suite;
}

std::string format_junit(std::span<const Finding> findings, const SinkOptions& options) {
  std::map<std::string_view, std::vector<const Finding*>> by_rule;
  for (const Rule& rule : all_rules()) by_rule[rule.id];
  for (const Finding& finding : findings) by_rule[finding.rule].push_back(&finding);
  std::string suites;
  const auto add = [&](std::string_view name, const JunitSuite& suite) {
    suites += fmt::format(
        "  <testsuite name=\"{} {}\" tests=\"{}\" failures=\"{}\">\n{}  </testsuite>\n", name,
        xml_escaped(options.project_name), suite.count, suite.failures, suite.cases);
  };
  add("muster validate", junit_failures(by_rule, options.failing));
  const JunitSuite others = junit_others(by_rule, options.failing);
  if (others.count > 0) add("muster validate warnings", others);
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n" + suites + "</testsuites>\n";
}

std::string format_github(std::span<const Finding> findings, const SinkOptions& options) {
  std::string text;
  for (const Finding& finding : findings) {
    const std::string_view command =
        finding.severity == Severity::note ? "notice" : to_string(finding.severity);
    text += fmt::format("::{} file={}", command,
                        github_escaped(prefixed(options.path_prefix, finding.location.path), true));
    if (finding.location.position.line > 0) {
      text += fmt::format(",line={}", finding.location.position.line);
    }
    if (finding.location.position.column > 0) {
      text += fmt::format(",col={}", finding.location.position.column);
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
    if (finding.is_known) continue;
    counts.errors += finding.severity == Severity::error ? 1U : 0U;
    counts.warnings += finding.severity == Severity::warning ? 1U : 0U;
    counts.notes += finding.severity == Severity::note ? 1U : 0U;
  }
  return counts;
}

std::string format_findings(std::span<const Finding> findings, FindingFormat format,
                            const SinkOptions& options) {
  if (format == FindingFormat::sarif) return format_sarif(findings, options);
  std::vector<Finding> new_findings(findings.begin(), findings.end());
  std::erase_if(new_findings, [](const Finding& finding) { return finding.is_known; });
  switch (format) {
    case FindingFormat::text:
      return format_text(new_findings, options);
    case FindingFormat::json:
      return format_json(new_findings, findings.size() - new_findings.size());
    case FindingFormat::junit:
      return format_junit(new_findings, options);
    case FindingFormat::github:
      return format_github(new_findings, options);
    case FindingFormat::sarif:
      break;
  }
  return {};
}

std::string explain_rule(const Rule& rule) {
  return fmt::format("{} ({})\n{}.\n\n{}\n", rule.id, to_string(rule.severity), rule.summary,
                     rule.help);
}

}  // namespace muster
