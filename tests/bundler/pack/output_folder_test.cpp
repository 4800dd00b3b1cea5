#include "bundler/pack/output_folder.h"

#include <memory>
#include <set>

#include <catch2/catch.hpp>

#include "registry/base/disk_file_system.h"
#include "registry/base/memory_file_system.h"
#include "tests/support/temporary_folder.h"

namespace muster {
namespace {

using Names = std::set<std::string>;

AssetPath path(std::string_view text) { return AssetPath::parse(text).value(); }

std::string report(std::string_view version) {
  return R"({"format": 1, "muster": "0", "version": ")" + std::string(version) + "\"}";
}

// An empty output in memory or on the disk.
class SampleOutput {
 public:
  explicit SampleOutput(bool is_disk) {
    if (is_disk) {
      files_ = std::make_unique<DiskFileSystem>(DiskFileSystem::open(folder_.path()).value());
    } else {
      files_ = std::make_unique<MemoryFileSystem>();
    }
  }
  FileSystem& files() { return *files_; }

  void put(std::string_view name, std::string_view text) {
    REQUIRE(files_->write(path(name), as_bytes(text)).has_value());
  }
  bool has(std::string_view name) { return files_->stat(path(name)).has_value(); }

  void publish(std::string_view version) {
    auto output = OutputFolder::open_for_build(*files_);
    REQUIRE(output.has_value());
    const std::string text(version);
    REQUIRE(output.value().stage(path("build.json"), as_bytes(report(version))).has_value());
    REQUIRE(output.value().stage(path("client/catalog.mcat"), as_bytes(text)).has_value());
    REQUIRE(output.value().stage(path("client/bundles/" + text), as_bytes(text)).has_value());
    REQUIRE(output.value().publish().has_value());
  }

  // The names of all files except the dot files of an output folder.
  Names visible() {
    Names names;
    collect(AssetPath(), names);
    return names;
  }

 private:
  void collect(const AssetPath& folder, Names& names) {
    const auto entries = files_->list(folder);
    REQUIRE(entries.has_value());
    for (const DirectoryEntry& entry : entries.value()) {
      if (entry.name.starts_with('.')) continue;
      const AssetPath child = folder.child(entry.name);
      if (entry.kind == FileKind::folder) collect(child, names);
      if (entry.kind == FileKind::file) names.insert(child.text());
    }
  }

  TemporaryFolder folder_;
  std::unique_ptr<FileSystem> files_;
};

TEST_CASE("A publication replaces each part completely", "[bundler][output]") {
  SampleOutput sample(GENERATE(false, true));
  sample.publish("one");
  CHECK(sample.visible() == Names{"build.json", "client/catalog.mcat", "client/bundles/one"});
  sample.publish("two");
  CHECK(sample.visible() == Names{"build.json", "client/catalog.mcat", "client/bundles/two"});
  CHECK_FALSE(sample.has(".muster-publish"));
  CHECK_FALSE(sample.has(".muster-staging"));
}

TEST_CASE("A part that was not built is not removed", "[bundler][output]") {
  SampleOutput sample(GENERATE(false, true));
  sample.publish("one");
  {
    auto output = OutputFolder::open_for_build(sample.files());
    REQUIRE(output.value().stage(path("build.json"), as_bytes(report("two"))).has_value());
    REQUIRE(output.value().stage(path("server/catalog.mcat"), as_bytes("two")).has_value());
    REQUIRE(output.value().publish().has_value());
  }
  CHECK(sample.visible() ==
        Names{"build.json", "client/catalog.mcat", "client/bundles/one", "server/catalog.mcat"});
}

TEST_CASE("Staged parts that are not published disappear", "[bundler][output][sys-12]") {
  SampleOutput sample(GENERATE(false, true));
  sample.publish("one");
  {
    auto output = OutputFolder::open_for_build(sample.files());
    REQUIRE(output.has_value());
    REQUIRE(output.value().stage(path("client/a"), as_bytes("x")).has_value());
    CHECK(sample.has(".muster-staging/client/a"));
    ByteVector buffer;
    CHECK(as_text(output.value().read(path("build.json"), 100, buffer).value()) == report("one"));
  }
  CHECK(sample.visible() == Names{"build.json", "client/catalog.mcat", "client/bundles/one"});
  CHECK_FALSE(sample.has(".muster-staging"));
}

TEST_CASE("Foreign files are not changed", "[bundler][output]") {
  SampleOutput sample(GENERATE(false, true));
  sample.put("thesis.txt", "ten years");
  CHECK(OutputFolder::check_usable(sample.files()).error().code == ErrorCode::already_exists);
  CHECK(OutputFolder::open_for_build(sample.files()).error().code == ErrorCode::already_exists);
  CHECK(sample.visible() == Names{"thesis.txt"});
}

TEST_CASE("A report is recognised by its beginning", "[bundler][output]") {
  const auto [text, is_ours] = GENERATE_COPY(table<std::string, bool>({
      {report("one"), true},
      {R"({"format": 1, "muster": "0", "rest": ")" + std::string(10'000, 'x'), true},
      {R"({"format": 1})", false},
      {R"({"a": {"format": 1, "muster": "0"}})", false},
      {R"([{"format": 1, "muster": "0"}])", false},
      {R"(["format", "muster"])", false},
      {"format muster", false},
      {"", false},
  }));
  CAPTURE(text.substr(0, 60));
  SampleOutput sample(GENERATE(false, true));
  sample.put("build.json", text);
  CHECK(OutputFolder::check_usable(sample.files()).has_value() == is_ours);
}

TEST_CASE("An interrupted publication is finished from any state", "[bundler][output][sys-12]") {
  // The journal has the new parts and their identities. The first `done` parts have been exchanged.
  SampleOutput sample(GENERATE(false, true));
  const std::size_t done = GENERATE(0U, 1U, 2U);
  CAPTURE(done);
  sample.publish("one");
  sample.put(".muster-publish/build.json", report("two"));
  sample.put(".muster-publish/client/catalog.mcat", "two");
  sample.put(".muster-publish/client/bundles/two", "two");
  const AssetPath journal = path(".muster-publish");
  std::string parts;
  for (const std::string name : {"build.json", "client"}) {
    const auto info = sample.files().stat(journal.child(name));
    parts += name + " " + std::to_string(info.value().identity) + "\n";
  }
  sample.put(".muster-publish/parts", parts);
  if (done > 0) {
    REQUIRE(
        commit_move(sample.files(), journal.child("build.json"), path("build.json")).has_value());
  }
  if (done > 1)
    REQUIRE(commit_move(sample.files(), journal.child("client"), path("client")).has_value());
  CHECK(OutputFolder::needs_recovery(sample.files()).value());
  REQUIRE(OutputFolder::recover(sample.files()).has_value());
  CHECK_FALSE(OutputFolder::needs_recovery(sample.files()).value());
  CHECK(sample.visible() == Names{"build.json", "client/catalog.mcat", "client/bundles/two"});
  CHECK_FALSE(sample.has(".muster-publish"));
}

TEST_CASE("A journal with an unreadable list is not deleted", "[bundler][output]") {
  SampleOutput sample(true);
  sample.publish("one");
  sample.put(".muster-publish/build.json", "two");
  sample.put(".muster-publish/parts/x", "this is a folder");
  CHECK_FALSE(OutputFolder::recover(sample.files()).has_value());
  CHECK_FALSE(OutputFolder::open_for_build(sample.files()).has_value());
  CHECK(sample.has(".muster-publish/build.json"));
}

}  // namespace
}  // namespace muster
