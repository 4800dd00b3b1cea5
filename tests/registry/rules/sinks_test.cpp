#include "registry/rules/sinks.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "registry/base/memory_file_system.h"

namespace muster {
namespace {

Finding finding(std::string_view rule, Severity severity, std::string_view path,
                yaml::Position position, std::string message) {
  Finding result;
  result.rule = find_rule(rule)->id;
  result.severity = severity;
  result.location = {AssetPath::parse(path).value(), position};
  result.message = std::move(message);
  return result;
}

std::vector<Finding> sample() {
  std::vector<Finding> findings{
      finding("duplicate-guid", Severity::error, "Assets/a b.mat", {}, "guid x, twice: 50%"),
      finding("missing-meta", Severity::warning, "Assets/c.mat", {}, "no <sidecar> & \"more\""),
      finding("unresolved-reference", Severity::note, "Assets/d,e.mat", {3, 7}, "lines\nof text")};
  findings[0].related.push_back({{AssetPath::parse("Assets/z.mat").value(), {1, 2}}, "the other"});
  findings[0].remedy = "remove one";
  return findings;
}

TEST_CASE("The text format has path, severity, rule, count and remedy", "[registry][sinks]") {
  CHECK(format_findings(sample(), FindingFormat::text, {}) ==
        "Assets/a b.mat: error: guid x, twice: 50% [duplicate-guid]\n"
        "    Assets/z.mat:1:2: the other\n"
        "    remove one\n"
        "Assets/c.mat: warning: no <sidecar> & \"more\" [missing-meta]\n"
        "Assets/d,e.mat:3:7: note: lines\\nof text [unresolved-reference]\n"
        "1 error, 1 warning, 1 note\n");
  CHECK(format_findings({}, FindingFormat::text, {}) == "0 errors, 0 warnings, 0 notes\n");
  const std::string colored = format_findings(sample(), FindingFormat::text, {.color = true});
  CHECK_THAT(colored, Catch::Contains("\x1b[31merror\x1b[0m"));
}

TEST_CASE("Text for users lists the first findings of one cause and counts the others",
          "[registry][sinks]") {
  std::vector<Finding> findings;
  for (const char* const path : {"Assets/a", "Assets/b", "Assets/c", "Assets/d", "Assets/e"}) {
    findings.push_back(finding("lfs-pointer", Severity::error, path, {1, 1}, "a pointer"));
    findings.back().is_repeated = true;
  }
  findings.push_back(finding("missing-meta", Severity::warning, "Assets/f", {}, "no sidecar"));
  CHECK(format_findings(findings, FindingFormat::text, {}) ==
        "Assets/a:1:1: error: a pointer [lfs-pointer]\n"
        "Assets/b:1:1: error: a pointer [lfs-pointer]\n"
        "Assets/c:1:1: error: a pointer [lfs-pointer]\n"
        "Assets/f: warning: no sidecar [missing-meta]\n"
        "and 2 more [lfs-pointer]; '--verbose' lists them\n"
        "5 errors, 1 warning, 0 notes\n");
  const std::string all = format_findings(findings, FindingFormat::text, {.lists_all = true});
  CHECK_THAT(all, Catch::Contains("Assets/e:1:1: error"));
  CHECK_THAT(format_findings(findings, FindingFormat::json, {}), Catch::Contains("Assets/e"));
}

TEST_CASE("JUnit's failures are the findings that make the program fail", "[registry][sinks]") {
  const std::vector<Finding> findings{
      finding("missing-meta", Severity::warning, "Assets/f", {}, "no sidecar")};
  CHECK_THAT(format_findings(findings, FindingFormat::junit, {}),
             !Catch::Contains("failures=\"1\""));
  CHECK_THAT(format_findings(findings, FindingFormat::junit, {.failing = Severity::warning}),
             Catch::Contains("failures=\"1\""));
}

TEST_CASE("A name with control characters cannot control a terminal", "[registry][sinks]") {
  std::vector<Finding> findings{finding("missing-meta", Severity::warning, "Assets/\x1b[31m\n.png",
                                        {}, "no \x1b]0;sidecar\x07")};
  findings[0].related.push_back({{AssetPath::parse("Assets/\x1b.mat").value(), {}}, "\r"});
  CHECK(format_findings(findings, FindingFormat::text, {}) ==
        "Assets/\\x1b[31m\\n.png: warning: no \\x1b]0;sidecar\\x07 [missing-meta]\n"
        "    Assets/\\x1b.mat: \\x0d\n"
        "0 errors, 1 warning, 0 notes\n");
}

TEST_CASE("GitHub's commands are escaped", "[registry][sinks]") {
  CHECK(format_findings(sample(), FindingFormat::github, {}) ==
        "::error file=Assets/a b.mat,title=duplicate-guid::guid x, twice: 50%25\n"
        "::warning file=Assets/c.mat,title=missing-meta::no <sidecar> & \"more\"\n"
        "::notice file=Assets/d%2Ce.mat,line=3,col=7,title=unresolved-reference::"
        "lines%0Aof text\n");
}

TEST_CASE("JUnit output has one test case per rule, and the cases of rules with errors fail",
          "[registry][sinks]") {
  const std::string text =
      format_findings(sample(), FindingFormat::junit, {.project_name = "<game>"});
  CHECK_THAT(text, Catch::Contains("name=\"muster validate &lt;game&gt;\""));
  CHECK_THAT(text, Catch::Contains("failures=\"1\""));
  CHECK_THAT(text, Catch::Contains("name=\"duplicate-guid\">"));
  CHECK_THAT(text, Catch::Contains("name=\"missing-meta\"/>"));
  CHECK_THAT(text, Catch::Contains("<system-out>Assets/c.mat: warning: no &lt;sidecar&gt;"));
}

TEST_CASE("Names that are not UTF-8 do not make a report invalid", "[registry][sinks]") {
  const std::vector<Finding> findings{
      finding("duplicate-guid", Severity::error, "Assets/Gr\xFCn\x01.mat", {}, "bad \xC3 bytes")};
  using nlohmann::json;
  CHECK(json::accept(format_findings(findings, FindingFormat::json, {})));
  CHECK(format_findings(findings, FindingFormat::text, {})
            .starts_with("Assets/Gr\\xfcn\\x01.mat: error: bad \\xc3 bytes "));
  CHECK(format_findings(findings, FindingFormat::github, {}) ==
        "::error file=Assets/Gr\xEF\xBF\xBDn\x01.mat,title=duplicate-guid::bad "
        "\xEF\xBF\xBD bytes\n");
  const json sarif = json::parse(format_findings(findings, FindingFormat::sarif, {}));
  const json& location = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
  CHECK(location["artifactLocation"]["uri"] == "Assets/Gr%FCn%01.mat");
  const std::string junit = format_findings(findings, FindingFormat::junit, {});
  CHECK(junit.find('\xFC') == std::string::npos);
  CHECK(junit.find('\x01') == std::string::npos);
}

TEST_CASE("SARIF has only as many results as GitHub stores, and reports the omitted results",
          "[registry][sinks]") {
  const std::vector<Finding> findings(
      5003, finding("missing-meta", Severity::warning, "Assets/c.mat", {}, "again"));
  const auto sarif =
      nlohmann::json::parse(format_findings(findings, FindingFormat::sarif, {.version = "1"}));
  const auto& run = sarif["runs"][0];
  CHECK(run["results"].size() == 5000);
  CHECK(run["results"][0]["partialFingerprints"] != run["results"][1]["partialFingerprints"]);
  CHECK(run["invocations"][0]["toolExecutionNotifications"].size() == 1);
}

TEST_CASE("SARIF counts columns in code points, or omits the columns", "[registry][sinks]") {
  MemoryFileSystem files;
  files.add("a.yaml", "plain: 1\nn\xC3\xA4me: \xF0\x9F\x98\x80 here\nlast");
  const auto [line, column, expected, reason] =
      GENERATE(table<std::uint32_t, std::uint32_t, int, std::string>(
          {{1, 1, 1, "the start"},
           {1, 8, 8, "ASCII"},
           {2, 2, 2, "before the first long character"},
           {2, 4, 3, "after two bytes"},
           {2, 13, 9, "after two and four bytes"},
           {3, 5, 5, "after the last byte"},
           {1, 9, 9, "the line's end"},
           {1, 10, 0, "after the line's end"},
           {3, 6, 0, "after the file's end"},
           {4, 1, 0, "no such line"}}));
  CAPTURE(line, column, reason);
  const std::vector<Finding> findings{
      finding("unresolved-reference", Severity::error, "a.yaml", {line, column}, "here")};
  const auto region_of = [&](const SinkOptions& options) {
    const auto sarif =
        nlohmann::json::parse(format_findings(findings, FindingFormat::sarif, options));
    CHECK(sarif["runs"][0]["columnKind"] == "unicodeCodePoints");
    return sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
  };
  const auto region = region_of({.files = &files});
  CHECK(region["startLine"] == line);
  CHECK(region.value("startColumn", 0) == expected);
  CHECK_FALSE(region_of({}).contains("startColumn"));
}

TEST_CASE("A format is found by its name", "[registry][sinks]") {
  CHECK(finding_format_from("sarif").value() == FindingFormat::sarif);
  for (const char* name : {"", "SARIF", "xml"}) {
    CHECK(finding_format_from(name).error().code == ErrorCode::invalid_argument);
  }
}

TEST_CASE("If there are too many results, SARIF contains the new and severe results",
          "[registry][sinks]") {
  std::vector<Finding> findings(
      5003, finding("missing-meta", Severity::warning, "Assets/c.mat", {}, "again"));
  for (Finding& one : findings) one.is_known = true;
  findings.push_back(finding("missing-meta", Severity::warning, "Assets/d.mat", {}, "new"));
  findings.push_back(finding("duplicate-guid", Severity::error, "Assets/e.mat", {}, "known"));
  findings.back().is_known = true;
  const auto sarif = nlohmann::json::parse(
      format_findings(findings, FindingFormat::sarif, {.has_baseline = true}));
  const auto& results = sarif["runs"][0]["results"];
  REQUIRE(results.size() == 5000);
  CHECK(results[4998]["baselineState"] == "new");
  CHECK_FALSE(results[4998].contains("suppressions"));
  CHECK(results[4999]["ruleId"] == "duplicate-guid");
  CHECK(results[4999]["baselineState"] == "unchanged");
  CHECK(results[4999]["suppressions"][0]["status"] == "accepted");
}

TEST_CASE("Paths are relative to the repository if the project is a folder of it",
          "[registry][sinks]") {
  const std::vector<Finding> findings{
      finding("missing-meta", Severity::warning, "Assets/c.mat", {}, "again")};
  const auto [prefix, path] =
      GENERATE(table<std::string, std::string>({{"", "Assets/c.mat"},
                                                {".", "Assets/c.mat"},
                                                {"./", "Assets/c.mat"},
                                                {"games/one", "games/one/Assets/c.mat"},
                                                {"./games/one//", "games/one/Assets/c.mat"}}));
  const SinkOptions options{.path_prefix = prefix};
  CHECK_THAT(format_findings(findings, FindingFormat::github, options),
             Catch::StartsWith("::warning file=" + path + ",title"));
  const auto sarif =
      nlohmann::json::parse(format_findings(findings, FindingFormat::sarif, options));
  const auto& result = sarif["runs"][0]["results"][0];
  CHECK(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == path);
  CHECK_THAT(format_findings(findings, FindingFormat::text, options),
             Catch::StartsWith("Assets/c.mat"));
}

TEST_CASE("Findings of a baseline appear only in SARIF, and are never counted",
          "[registry][sinks]") {
  std::vector<Finding> findings = sample();
  for (Finding& one : findings) one.is_known = true;
  CHECK(count(findings).errors == 0);
  CHECK(format_findings(findings, FindingFormat::text, {}) == "0 errors, 0 warnings, 0 notes\n");
  CHECK(format_findings(findings, FindingFormat::github, {}).empty());
  CHECK_THAT(format_findings(findings, FindingFormat::junit, {}),
             Catch::Contains("failures=\"0\""));
  const auto json = nlohmann::json::parse(format_findings(findings, FindingFormat::json, {}));
  CHECK(json["known"] == 3);
  CHECK(json["findings"].empty());
}

}  // namespace
}  // namespace muster
