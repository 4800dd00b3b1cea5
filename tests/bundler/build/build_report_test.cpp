#include "bundler/build/build_report.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/arena_build.h"
#include "tests/support/memory_copy.h"

namespace muster {
namespace {

using nlohmann::json;

const MemoryFileSystem& arena() {
  static const MemoryFileSystem files = testing::copy_to_memory(MUSTER_SOURCE_DIR "/content/arena");
  return files;
}

json report_of(const MemoryFileSystem& output) {
  return json::parse(as_text(output.files().at(AssetPath::parse("build.json").value())));
}

TEST_CASE("build.json describes every file of the output", "[bundler][report][sys-12]") {
  const Layout layout = GENERATE(Layout::shared, Layout::self_contained);
  const MemoryFileSystem output = testing::build_to_memory(arena(), {.layout = layout, .jobs = 2});
  const json report = report_of(output);
  CHECK(report["project"] == "arena");
  CHECK(report["options"]["layout"] == (layout == Layout::shared ? "shared" : "self-contained"));
  std::size_t files = 1;  // build.json itself
  for (const auto& [target, part] : report["targets"].items()) {
    ++files;
    std::uint64_t bytes = 0;
    for (const json& bundle : part["bundles"]) {
      ++files;
      const std::string path = target + "/" + bundle["file"].get<std::string>();
      CAPTURE(path);
      const auto file = output.files().find(AssetPath::parse(path).value());
      REQUIRE(file != output.files().end());
      CHECK(bundle["bytes"] == file->second.size());
      bytes += file->second.size();
      std::uint64_t plain_bytes = 0;
      for (const json& asset : bundle["assets"]) {
        plain_bytes += asset["plain_bytes"].get<std::uint64_t>();
      }
      CHECK(bundle["plain_bytes"] == plain_bytes);
      if (layout == Layout::self_contained &&
          bundle["file"].get<std::string>().starts_with("prefab")) {
        CHECK(bundle["dependencies"].empty());
      }
    }
    CHECK(part["bytes"] == bytes);
  }
  CHECK(files == output.files().size());
}

TEST_CASE("A target that is not built keeps its part of the report, and unknown content is dropped",
          "[bundler][report]") {
  const auto project = Project::open(arena(), 2, {}).value();
  const BuildOptions options;
  const std::string whole =
      R"({"targets": {"client": {"fingerprint": "x"}, "other": {"fingerprint": "y"}}})";
  const json kept = json::parse(build_report_json(*project, {}, options, "1", whole));
  CHECK(kept["targets"] == json::parse(R"({"client": {"fingerprint": "x"}})"));
  for (const char* nonsense : {"", "[]", "{", "{\"targets\": 5}", "null"}) {
    CAPTURE(nonsense);
    CHECK(json::parse(build_report_json(*project, {}, options, "1", nonsense))["targets"].empty());
  }
}

TEST_CASE("A summary has sizes, ratios and times", "[bundler][report]") {
  const auto project = Project::open(arena(), 2, {}).value();
  TargetBuild build;
  build.target = Target::server;
  build.plan.duplicate_bytes_avoided = 77;
  build.bundles.push_back({BundleName::of_prefab(project->index().at(0).guid), {}, 50, 90, 100, 0});
  build.slowest.push_back({0, std::chrono::milliseconds(3)});
  const std::string text = build_summary_text(*project, {build}, std::chrono::milliseconds(1500));
  CHECK_THAT(text, Catch::Contains("server") && Catch::Contains("2.00x") && Catch::Contains("77") &&
                       Catch::Contains("3.0 ms  " + project->index().at(0).path.text()) &&
                       Catch::EndsWith("built in 1.50 s\n"));
  const json report = json::parse(build_summary_json(*project, {build}, std::chrono::seconds(2)));
  CHECK(report["elapsed_ms"] == 2000);
  CHECK(report["targets"]["server"]["bytes"] == 50);
  TargetBuild empty;
  CHECK_THAT(build_summary_text(*project, {empty}, {}), Catch::Contains("0.00x"));
}

}  // namespace
}  // namespace muster
