#include "bundler/report/output_check.h"

#include <algorithm>

#include <catch2/catch.hpp>

#include "bundler/pack/bundle_writer.h"
#include "bundler/pack/catalog_writer.h"
#include "runtime/bundle/bundle_reader.h"
#include "tests/support/arena_build.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/decoded.h"
#include "tests/support/memory_copy.h"

namespace muster {
namespace {

const MemoryFileSystem& sample() {
  static const MemoryFileSystem files = testing::build_to_memory(
      testing::copy_to_memory(MUSTER_SOURCE_DIR "/content/arena"), {.jobs = 2});
  return files;
}

AssetPath path(std::string_view text) { return AssetPath::parse(text).value(); }

AssetPath first_below(std::string_view folder) {
  for (const auto& [path, bytes] : sample().files()) {
    if (path.text().starts_with(folder)) return path;
  }
  FAIL("nothing below " << folder);
  return {};
}

OutputCheck check(const FileReader& files, unsigned jobs = 2) {
  auto result = check_output(files, jobs, {});
  REQUIRE(result.has_value());
  return std::move(result).value();
}

std::vector<std::pair<std::string, ErrorCode>> problems_of(const FileReader& files) {
  std::vector<std::pair<std::string, ErrorCode>> problems;
  for (const OutputProblem& problem : check(files).problems) {
    CHECK_FALSE(problem.message.empty());
    problems.emplace_back(problem.path, problem.code);
  }
  return problems;
}

using Problems = std::vector<std::pair<std::string, ErrorCode>>;

TEST_CASE("A check finds no problem in a build's output, for any number of threads",
          "[bundler][report][sys-12]") {
  const OutputCheck one = check(sample(), 1);
  CHECK(one.problems.empty());
  CHECK(one.bundles > 60);
  CHECK(one.entries > one.bundles);
  const OutputCheck many = check(sample(), 5);
  CHECK(many.entries == one.entries);
  CHECK(many.bytes == one.bytes);
}

TEST_CASE("Damage is reported with the damaged file", "[bundler][report][sys-12]") {
  MemoryFileSystem files = sample();
  const AssetPath bundle = first_below("client/bundles/");
  ByteVector bytes = files.files().at(bundle);
  SECTION("a bundle is truncated") {
    bytes.pop_back();
    REQUIRE(files.write(bundle, bytes).has_value());
    CHECK(problems_of(files) == Problems{{bundle.text(), ErrorCode::truncated}});
  }
  SECTION("a bundle has one more byte") {
    bytes.push_back(std::byte{});
    REQUIRE(files.write(bundle, bytes).has_value());
    CHECK(problems_of(files) == Problems{{bundle.text(), ErrorCode::malformed}});
  }
  SECTION("one bit of a bundle is flipped") {
    bytes.back() ^= std::byte{1};
    REQUIRE(files.write(bundle, bytes).has_value());
    REQUIRE(problems_of(files).size() == 1);
    CHECK(problems_of(files)[0].first == bundle.text());
  }
  SECTION("a bundle is missing") {
    REQUIRE(files.remove(bundle).has_value());
    CHECK(problems_of(files) == Problems{{bundle.text(), ErrorCode::not_found}});
  }
  SECTION("the folders of the targets have extra files") {
    files.add("client/bundles/stray.mbundle", "x");
    files.add("server/notes.txt", "x");
    files.add("server/more/notes.txt", "x");
    CHECK(problems_of(files) == Problems{{"client/bundles/stray.mbundle", ErrorCode::malformed},
                                         {"server/more", ErrorCode::malformed},
                                         {"server/notes.txt", ErrorCode::malformed}});
  }
  SECTION("a foreign file is beside the targets") {
    files.add("notes.txt", "x");
    CHECK(problems_of(files) == Problems{{"notes.txt", ErrorCode::malformed}});
  }
  SECTION("the report is damaged") {
    const auto [text, code] = GENERATE(table<std::string, ErrorCode>({
        {"", ErrorCode::malformed},
        {"\xFF\xFF", ErrorCode::malformed},
        {"[]", ErrorCode::malformed},
        {"{\"targets\": 5}", ErrorCode::malformed},
        {"{\"targets\": {\"client\": 1, \"server\": 2}}", ErrorCode::hash_mismatch},
    }));
    files.add("build.json", text);
    const Problems problems = problems_of(files);
    REQUIRE_FALSE(problems.empty());
    CHECK(problems[0] == std::pair<std::string, ErrorCode>("build.json", code));
  }
  SECTION("a bundle has the same size but other bytes") {
    const ByteVector other = samples::patched(bytes, 16, std::uint64_t{0});
    REQUIRE(files.write(bundle, other).has_value());
    CHECK(problems_of(files).size() == 1);
  }
  SECTION("a catalog is missing") {
    REQUIRE(files.remove(path("server/catalog.mcat")).has_value());
    CHECK(problems_of(files) == Problems{{"server/catalog.mcat", ErrorCode::not_found}});
  }
  SECTION("the server has the client's catalog") {
    const ByteVector client = files.files().at(path("client/catalog.mcat"));
    REQUIRE(files.write(path("server/catalog.mcat"), client).has_value());
    const Problems problems = problems_of(files);
    CHECK(std::ranges::find(problems, std::pair<std::string, ErrorCode>("server/catalog.mcat",
                                                                        ErrorCode::malformed)) !=
          problems.end());
  }
}

TEST_CASE("A client and a server of different builds are reported as a mismatch",
          "[bundler][report][sys-12]") {
  MemoryFileSystem project = testing::copy_to_memory(MUSTER_SOURCE_DIR "/content/arena");
  const AssetPath registry = path("plain/registries/levels.yaml");
  std::string text(as_text(project.files().at(registry)));
  text.replace(text.find("type_id: 2"), 10, "type_id: 9");
  project.add(registry.text(), text);
  MemoryFileSystem mixed = testing::build_to_memory(project, {.jobs = 2});
  for (const auto& [file, bytes] : sample().files()) {
    if (file.text().starts_with("client/")) REQUIRE(mixed.write(file, bytes).has_value());
  }
  const Problems problems = problems_of(mixed);
  CHECK(std::ranges::find(problems, std::pair<std::string, ErrorCode>("server/catalog.mcat",
                                                                      ErrorCode::hash_mismatch)) !=
        problems.end());
}

TEST_CASE("A folder that is not an output is refused, and a check can be stopped",
          "[bundler][report]") {
  MemoryFileSystem nothing;
  nothing.add("notes.txt", "x");
  CHECK(check_output(nothing, 1, {}).error().code == ErrorCode::not_found);
  nothing.add("build.json", "{}");
  CHECK(std::ranges::count(problems_of(nothing),
                           std::pair<std::string, ErrorCode>("client", ErrorCode::not_found)) == 1);
  std::stop_source stop;
  stop.request_stop();
  CHECK(check_output(sample(), 2, stop.get_token()).error().code == ErrorCode::cancelled);
}

TEST_CASE("A variant that contains other assets than its base is reported",
          "[bundler][report][variant]") {
  MemoryFileSystem files = sample();
  const AssetPath catalog = path("client/catalog.mcat");
  CatalogData data = samples::decode(CatalogReader::open(files.files().at(catalog)).value());
  REQUIRE(data.alternatives.size() == 1);
  const BundleName name = data.alternatives.front().alternative;
  const ByteVector plain = samples::noise(100, 1);
  const PackEntry entry{samples::guid(1), kMainPayload, EntryKind::raw, plain};
  const ByteVector bundle = pack_bundle({&entry, 1}).value();
  const auto row = std::ranges::find(data.bundles, name, &BundleData::name);
  row->hash = BundleReader::open(bundle).value().bundle_hash();
  row->file_bytes = bundle.size();
  REQUIRE(files.write(path("client/" + name.path()), bundle).has_value());
  REQUIRE(files.write(catalog, encode_catalog(data).value()).has_value());
  CHECK(problems_of(files) == Problems{{"build.json", ErrorCode::hash_mismatch},
                                       {"client/" + name.path(), ErrorCode::malformed}});
}

}  // namespace
}  // namespace muster
