#include "registry/rules/baseline.h"

#include <algorithm>

#include <catch2/catch.hpp>

namespace muster {
namespace {

Finding finding(std::string_view rule, std::string_view path, std::uint32_t line) {
  Finding result;
  result.rule = find_rule(rule)->id;
  result.location = {AssetPath::parse(path).value(), {line, 1}};
  result.message = "message";
  return result;
}

std::vector<Finding> sample() {
  return {finding("duplicate-guid", "Assets/a.mat", 1), finding("missing-meta", "Assets/b.mat", 2),
          finding("unresolved-reference", "Assets/c.mat", 3),
          finding("unresolved-reference", "Assets/c.mat", 9)};
}

std::size_t count_new(const Baseline& baseline, std::vector<Finding> findings) {
  baseline.mark_known(findings);
  return static_cast<std::size_t>(
      std::ranges::count_if(findings, [](const Finding& one) { return !one.is_known; }));
}

bool always(std::string_view /*rule*/) { return true; }

TEST_CASE("A baseline accepts the number of findings that it counts", "[registry][baseline]") {
  std::vector<Finding> findings = sample();
  const auto baseline = Baseline::parse(Baseline::of(findings).format());
  REQUIRE(baseline.has_value());
  CHECK(count_new(baseline.value(), findings) == 0);
  findings.push_back(findings.front());
  findings.front().location.position = {9, 9};
  findings.front().message = "moved and with a new text";
  CHECK(count_new(baseline.value(), findings) == 1);
  findings.front().location.path = AssetPath::parse("Assets/elsewhere.mat").value();
  CHECK(count_new(baseline.value(), findings) == 1);
}

TEST_CASE("If findings exceed a baseline's count, the last ones are reported",
          "[registry][baseline]") {
  const Baseline baseline = Baseline::of(sample());
  std::vector<Finding> findings = sample();
  findings.insert(findings.begin() + 3, finding("unresolved-reference", "Assets/c.mat", 5));
  baseline.mark_known(findings);
  CHECK(findings[3].is_known);
  CHECK_FALSE(findings[4].is_known);
}

TEST_CASE("A baseline's text is sorted, with one count per line", "[registry][baseline]") {
  CHECK(Baseline::of(sample()).format() ==
        "{\n  \"version\": 1,\n  \"known\": {\n"
        "    \"duplicate-guid\": {\n      \"Assets/a.mat\": 1\n    },\n"
        "    \"missing-meta\": {\n      \"Assets/b.mat\": 1\n    },\n"
        "    \"unresolved-reference\": {\n      \"Assets/c.mat\": 2\n    }\n  }\n}\n");
}

TEST_CASE("Pruning lowers counts and never raises them", "[registry][baseline]") {
  const Baseline baseline = Baseline::of(sample());
  CHECK(baseline.total() == 4);
  std::vector<Finding> findings = sample();
  CHECK(baseline.pruned(findings, always).format() == baseline.format());
  findings.pop_back();
  findings.erase(findings.begin());
  findings.push_back(finding("yaml-syntax", "Assets/d.mat", 1));
  const Baseline pruned = baseline.pruned(findings, always);
  CHECK(pruned.total() == 2);
  CHECK(count_new(pruned, findings) == 1);
  const Baseline kept =
      baseline.pruned({}, [](std::string_view rule) { return rule != "duplicate-guid"; });
  CHECK(kept.total() == 1);
}

TEST_CASE("An invalid baseline is refused", "[registry][baseline]") {
  const auto [text, code] = GENERATE(table<std::string, ErrorCode>({
      {"", ErrorCode::malformed},
      {"[]", ErrorCode::malformed},
      {"{}", ErrorCode::malformed},
      {"{\"version\": 1}", ErrorCode::malformed},
      {"{\"version\": 2, \"known\": {}}", ErrorCode::unsupported_version},
      {"{\"version\": 1, \"known\": {\"r\": {\"p\": \"one\"}}}", ErrorCode::malformed},
      {"{\"version\": 1, \"known\": {\"r\": {\"p\": -1}}}", ErrorCode::malformed},
      {"{\"version\": 1, \"known\": {\"r\": 3}}", ErrorCode::malformed},
      {"{\"version\": 1, \"known\": []}", ErrorCode::malformed},
  }));
  CAPTURE(text);
  const auto baseline = Baseline::parse(text);
  REQUIRE_FALSE(baseline.has_value());
  CHECK(baseline.error().code == code);
}

TEST_CASE("A baseline accepts a file whose name is not UTF-8", "[registry][baseline]") {
  const std::vector<Finding> findings{finding("duplicate-guid", "Assets/Gr\xFCn.mat", 1)};
  const auto baseline = Baseline::parse(Baseline::of(findings).format());
  REQUIRE(baseline.has_value());
  CHECK(count_new(baseline.value(), findings) == 0);
}

}  // namespace
}  // namespace muster
