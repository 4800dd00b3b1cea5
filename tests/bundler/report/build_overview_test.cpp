#include "bundler/report/build_overview.h"

#include <algorithm>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "bundler/report/report_page.h"
#include "runtime/bundle/bundle_reader.h"
#include "tests/support/arena_build.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/memory_copy.h"

namespace muster {
namespace {

using nlohmann::json;

MemoryFileSystem arena() { return testing::copy_to_memory(MUSTER_SOURCE_DIR "/content/arena"); }

AssetPath path_of(std::string_view text) { return AssetPath::parse(text).value(); }

const MemoryFileSystem& arena_build() {
  static const MemoryFileSystem output = testing::build_to_memory(arena(), {.jobs = 2});
  return output;
}

const OverviewAsset& find(const OverviewTarget& target, const std::string& path) {
  const auto found = std::ranges::find(target.assets, path, &OverviewAsset::path);
  REQUIRE(found != target.assets.end());
  return *found;
}

TEST_CASE("An overview counts every byte of the bundles", "[bundler][report][sys-12]") {
  const Overview overview = read_overview(arena_build()).value();
  REQUIRE(overview.targets.size() == 2);
  CHECK(overview.project == "arena");
  for (const OverviewTarget& target : overview.targets) {
    std::vector<std::uint64_t> in_bundles(target.bundles.size());
    for (const OverviewAsset& asset : target.assets) in_bundles[asset.bundle] += asset.bytes;
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < target.bundles.size(); ++i) {
      const ByteVector& file =
          arena_build().files().at(path_of(target.name + "/" + target.bundles[i].file));
      const BundleReader reader = BundleReader::open(file).value();
      std::uint64_t tables = layout::bundle::header::kBytes;
      for (std::uint32_t e = 0; e < reader.entry_count(); ++e) {
        tables += layout::bundle::entry::kBytes +
                  std::uint64_t{reader.entry(e).block_count} * layout::bundle::block::kBytes;
      }
      CHECK(in_bundles[i] + tables == file.size());
      bytes += file.size();
    }
    CHECK(target.bytes == bytes);
    std::uint64_t of_kinds = 0;
    for (const OverviewKind& kind : kinds_of(target)) of_kinds += kind.bytes;
    CHECK(of_kinds < bytes);
    CHECK(target.self_contained_bytes > target.bytes);
    CHECK(target.self_contained_source_bytes ==
          target.source_bytes + target.duplicate_bytes_avoided);
    CHECK(target.files_max == 16);
    CHECK(target.loads.beyond.empty());
    CHECK(target.loads.files.max > target.loads.files.median);
    CHECK_FALSE(target.loads.files.worst.empty());
    for (const OverviewBundle& bundle : target.bundles) {
      CHECK(bundle.vain_bytes.has_value() == !bundle.is_shared);
      if (!bundle.is_shared) CHECK(bundle.files <= target.loads.files.max);
      CHECK(bundle.vain_bytes.value_or(0) <= target.loads.vain_bytes.max);
    }
  }
}

TEST_CASE("An overview counts the default variant of an asset", "[bundler][report][variant]") {
  const bool is_low = GENERATE(false, true);
  CAPTURE(is_low);
  MemoryFileSystem project = arena();
  std::string settings(as_text(project.files().at(path_of("muster.yaml"))));
  if (is_low) settings.replace(settings.find("default: high"), 13, "default: low");
  REQUIRE(project.write(path_of("muster.yaml"), as_bytes(settings)).has_value());
  const MemoryFileSystem output = testing::build_to_memory(project, {.jobs = 2});
  const Overview overview = read_overview(output).value();
  const OverviewTarget& client = overview.targets.front();
  const std::string picture = "plain/textures/sandstone.png";
  const OverviewBundle& base = client.bundles[find(client, picture).bundle];
  const OverviewBundle& low = client.bundles[find(client, picture + " (quality=low)").bundle];
  REQUIRE(base.bytes != low.bytes);
  CHECK(base.needed_bytes == (is_low ? low.bytes : base.bytes));
  CHECK(low.needed_bytes == low.bytes);
  CHECK(base.files == 1);
  const json report = json::parse(as_text(output.files().at(path_of("build.json"))));
  const json& sharing = report["targets"]["client"]["sharing"];
  CHECK(sharing["files"]["max"] == client.loads.files.max);
  CHECK(sharing["files"]["median"] == client.loads.files.median);
  CHECK(sharing["vain_source_bytes"]["max"] == client.loads.vain_bytes.max);
  CHECK(sharing["vain_source_bytes"]["median"] == client.loads.vain_bytes.median);
}

TEST_CASE("Prefabs are summarised by median and maximum", "[bundler][report]") {
  const LoadSummary none = summarise({}, 4);
  CHECK(none.files.median == 0);
  CHECK(none.files.worst.empty());
  const LoadSummary some =
      summarise({{"d", 7, 10, 0}, {"b", 2, 10, 5}, {"c", 7, 10, 5}, {"a", 1, 10, 1}}, 6);
  CHECK(some.files.median == 2);
  CHECK(some.files.max == 7);
  CHECK(some.files.worst == "c");
  CHECK(some.vain_bytes.median == 1);
  CHECK(some.vain_bytes.worst == "b");
  REQUIRE(some.beyond.size() == 2);
  CHECK(some.beyond.front().path == "c");
}

TEST_CASE("The estimate of self-contained bundles is close to their real size",
          "[bundler][report]") {
  const MemoryFileSystem real =
      testing::build_to_memory(arena(), {.layout = Layout::self_contained, .jobs = 2});
  const Overview guess = read_overview(arena_build()).value();
  const Overview truth = read_overview(real).value();
  for (std::size_t i = 0; i < guess.targets.size(); ++i) {
    const auto is = static_cast<double>(truth.targets[i].bytes);
    CHECK(static_cast<double>(guess.targets[i].self_contained_bytes) == Approx(is).epsilon(0.1));
    CHECK(truth.targets[i].self_contained_bytes == truth.targets[i].bytes);
  }
}

TEST_CASE("Every chain of references ends at a registered asset or at a registry",
          "[bundler][report]") {
  const Overview overview = read_overview(arena_build()).value();
  std::size_t longest = 0;
  for (const OverviewTarget& target : overview.targets) {
    std::map<Guid, const OverviewAsset*> assets;
    for (const OverviewAsset& asset : target.assets) assets[asset.guid] = &asset;
    for (const OverviewAsset& asset : target.assets) {
      CAPTURE(asset.path);
      const OverviewAsset* at = &asset;
      std::size_t steps = 0;
      while (!at->pulled_by.is_null()) {
        REQUIRE(assets.contains(at->pulled_by));
        at = assets[at->pulled_by];
        REQUIRE(++steps < target.assets.size());
      }
      const bool is_registry = at->path.find("Registr") != std::string::npos ||
                               at->path.find("registries") != std::string::npos ||
                               at->path.find("BundledResources") != std::string::npos;
      CHECK((target.registrations.contains(at->guid) || is_registry));
      longest = std::max(longest, steps);
    }
  }
  CHECK(longest >= 2);
}

TEST_CASE("Builds are compared asset by asset", "[bundler][report]") {
  MemoryFileSystem project = arena();
  const AssetPath level = path_of("plain/levels/canyon.yaml");
  std::string text(as_text(project.files().at(level)));
  text.replace(text.find("Canyon"), 6, "A canyon by night");
  REQUIRE(project.write(level, as_bytes(text)).has_value());
  Overview after = read_overview(testing::build_to_memory(project, {.jobs = 2})).value();
  Overview before = read_overview(arena_build()).value();
  compare_with(before, after);
  const OverviewTarget& client = after.targets.front();
  CHECK(client.was_bytes == before.targets.front().bytes);
  CHECK(client.gone.empty());
  std::vector<std::string> changed;
  for (const OverviewAsset& asset : client.assets) {
    REQUIRE(asset.was_bytes.has_value());
    if (*asset.was_bytes != asset.bytes) changed.push_back(asset.path);
  }
  CHECK(changed == std::vector<std::string>{level.text()});

  std::erase_if(before.targets.front().assets,
                [&](const OverviewAsset& asset) { return asset.path == level.text(); });
  Overview again = read_overview(arena_build()).value();
  compare_with(before, again);
  CHECK_FALSE(find(again.targets.front(), level.text()).was_bytes.has_value());
  Overview fewer = before;
  compare_with(again, fewer);
  REQUIRE(fewer.targets.front().gone.size() == 1);
  CHECK(fewer.targets.front().gone.front().path == level.text());
}

TEST_CASE("Equal files under several guids are reported", "[bundler][report]") {
  MemoryFileSystem project = arena();
  const ByteVector hit = project.files().at(path_of("Assets/Audio/Hit.wav"));
  REQUIRE(project.write(path_of("Assets/Audio/Shot.wav"), hit).has_value());
  const Overview overview = read_overview(testing::build_to_memory(project, {.jobs = 2})).value();
  const OverviewTarget& client = overview.targets.front();
  const std::vector<std::string> both = {"Assets/Audio/Hit.wav", "Assets/Audio/Shot.wav"};
  const auto found = std::ranges::find(client.copies, both, &OverviewCopies::paths);
  REQUIRE(found != client.copies.end());
  CHECK(found->wasted_bytes() == found->bytes);
  CHECK(found->bytes <= hit.size());
}

TEST_CASE("An invalid report does not crash the program", "[bundler][report]") {
  const AssetPath path = path_of("build.json");
  for (const char* text : {"", "[]", "null", "{\"targets\": []}", "{\"targets\": 5}"}) {
    MemoryFileSystem output = arena_build();
    REQUIRE(output.write(path, as_bytes(text)).has_value());
    CAPTURE(text);
    CHECK(read_overview(output).error().code == ErrorCode::malformed);
  }
  // Missing values and values of other types are ignored; sizes are still those of the files.
  for (const char* text :
       {R"({"targets": {}})", R"({"targets": {"client": [], "server": {"bundles": [5, {}]}}})",
        R"({"targets": {"client": {"bundles": [{"file": 1, "owners": 2, "assets": [3, {}]}],)"
        R"("source_bytes": -4}}, "budgets": [], "options": 6,)"
        R"("build": {"targets": {"client": {"bundles": [7, {"made": "packed", "ms": "x"}]}}}})"}) {
    MemoryFileSystem output = arena_build();
    REQUIRE(output.write(path, as_bytes(text)).has_value());
    CAPTURE(text);
    const auto overview = read_overview(output);
    REQUIRE(overview.has_value());
    CHECK(overview.value().targets.front().bytes ==
          read_overview(arena_build()).value().targets.front().bytes);
  }
  MemoryFileSystem output = arena_build();
  REQUIRE(output.remove(path).has_value());
  CHECK(read_overview(output).error().code == ErrorCode::not_found);
}

TEST_CASE("Budgets and times are read from build.json if they are in it", "[bundler][report]") {
  MemoryFileSystem output = arena_build();
  const AssetPath path = path_of("build.json");
  json report = json::parse(as_text(output.files().at(path)));
  report["budgets"] = json::parse(
      R"([{"target": "client", "bytes": 1000}, {"kinds": ["png", "wav"], "bytes": 900000000},
          {"bundle": "shared", "bytes": 1}, {"bundle": "**", "bytes": 100000000}, 7, {}])");
  json packed = json::array();
  packed.push_back({{"made", "packed"}, {"name", "aa"}, {"ms", 1.5}});
  packed.push_back({{"made", "packed"}, {"asset", "plain/a.prefab"}, {"ms", 2.5}});
  packed.push_back({{"made", "kept"}, {"asset", "plain/b.prefab"}, {"ms", 99}});
  report["build"] = {{"targets", {{"client", {{"bundles", packed}}}}}};
  REQUIRE(output.write(path, as_bytes(report.dump())).has_value());
  const Overview overview = read_overview(output).value();
  const OverviewTarget& client = overview.targets.front();
  CHECK_FALSE(client.budget_bytes.has_value());
  std::size_t exceeded = 0;
  std::size_t within = 0;
  for (const OverviewBudget& budget : client.budgets) {
    (budget.is_exceeded() ? exceeded : within) += 1;
  }
  const auto shared = std::ranges::count(client.bundles, true, &OverviewBundle::is_shared);
  CHECK(exceeded == 2 + static_cast<std::size_t>(shared));
  CHECK(within == 2);
  CHECK(client.budgets.front().what == "the bundles of the client");
  CHECK(client.budgets.front().bytes == client.bytes);
  CHECK(client.budgets.front().budget_bytes == 1000);
  CHECK(overview_text(overview).find(
            "budget 1000 bytes for the bundles of the client: exceeded by") != std::string::npos);
  CHECK(overview.targets.back().budgets.front().what == "assets of kind png, wav of the server");
  const std::vector<OverviewTiming>& slowest = overview.targets.front().slowest;
  REQUIRE(slowest.size() == 2);
  CHECK(slowest.front().path == "plain/a.prefab");
  CHECK(slowest.back().path == "aa");
  CHECK(overview_text(overview).find("2.5 ms  plain/a.prefab") != std::string::npos);
}

TEST_CASE("Reading an overview fails if an access to the disk fails", "[bundler][report][faults]") {
  MemoryFileSystem output = arena_build();
  testing::FaultyFileSystem files(output, ErrorCode::io);
  std::size_t n = 0;
  for (;; n += n < 10 ? 1 : 37) {
    files.fail_at(n);
    const bool is_read = read_overview(files).has_value();
    CHECK(is_read == !files.has_failed());
    if (!files.has_failed()) break;
  }
  CHECK(n > 40);
}

TEST_CASE("A name in the page's data cannot end the script element of the data",
          "[bundler][report]") {
  Overview overview = read_overview(arena_build()).value();
  overview.project = "</script><!--<script>/* data */ /* report.js */";
  overview.targets.front().assets.front().path = "</script>\" ' & \xE2\x80\xA8 \xFF";
  const std::string page = report_page(overview);
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(open) + open.size();
  const std::size_t to = page.find("</script>", from);
  REQUIRE(to != std::string::npos);
  const std::string data = page.substr(from, to - from);
  CHECK(data.find('<') == std::string::npos);
  const json read = json::parse(data);
  CHECK(read["project"] == overview.project);
  CHECK(read["targets"].size() == 2);
  CHECK(page.find("\"use strict\"") > to);
  CHECK(page.find("\"use strict\"") == page.rfind("\"use strict\""));
  for (const char* outside : {"http://", "https://", "src=", "@import", "url("}) {
    CAPTURE(outside);
    CHECK(page.substr(0, from).find(outside) == std::string::npos);
    CHECK(page.substr(to).find(outside) == std::string::npos);
  }
}

}  // namespace
}  // namespace muster
