#include "bundler/pack/output_folder.h"

#include <filesystem>
#include <set>

#include <catch2/catch.hpp>

#include "tests/support/memory_copy.h"
#include "tests/support/temporary_folder.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

AssetPath path(std::string_view text) { return AssetPath::parse(text).value(); }

// A report that is recognised as one of ours.
std::string report(std::string_view version) {
  return R"({"format": 1, "muster": "0", "version": ")" + std::string(version) + "\"}";
}

void publish(const std::string& folder, std::string_view version) {
  auto output = OutputFolder::open_for_build(folder);
  REQUIRE(output.has_value());
  const std::string text(version);
  REQUIRE(output.value().stage(path("build.json"), as_bytes(report(version))).has_value());
  REQUIRE(output.value().stage(path("client/catalog.mcat"), as_bytes(text)).has_value());
  REQUIRE(output.value().stage(path("client/bundles/" + text), as_bytes(text)).has_value());
  REQUIRE(output.value().publish().has_value());
}

// What a reader sees: everything but our own dot files.
std::set<std::string> visible(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    if (entry.is_regular_file() && !name.starts_with('.')) names.insert(name);
  }
  return names;
}

TEST_CASE("A publication replaces each part as a whole", "[bundler][output]") {
  const TemporaryFolder folder;
  publish(folder.path(), "one");
  CHECK(visible(folder.path()) ==
        std::set<std::string>{"build.json", "client/catalog.mcat", "client/bundles/one"});
  publish(folder.path(), "two");
  CHECK(visible(folder.path()) ==
        std::set<std::string>{"build.json", "client/catalog.mcat", "client/bundles/two"});
  CHECK_FALSE(fs::exists(folder.path() + "/.muster-publish"));
  CHECK_FALSE(fs::exists(folder.path() + "/.muster-staging"));
}

TEST_CASE("What is staged and not published vanishes", "[bundler][output][sys-12]") {
  const TemporaryFolder folder;
  const std::string out = folder.path() + "/deep/out";
  {
    auto output = OutputFolder::open_for_build(out);
    REQUIRE(output.has_value());
    REQUIRE(output.value().stage(path("client/a"), as_bytes("x")).has_value());
    CHECK(visible(out).empty());
  }
  CHECK_FALSE(fs::exists(out));
  publish(out, "one");
  {
    auto output = OutputFolder::open_for_build(out);
    REQUIRE(output.has_value());
    REQUIRE(output.value().stage(path("client/a"), as_bytes("x")).has_value());
    ByteVector buffer;
    CHECK(as_text(output.value().read(path("build.json"), 100, buffer).value()) == report("one"));
  }
  CHECK(visible(out).contains("client/bundles/one"));
  CHECK_FALSE(visible(out).contains("client/a"));
}

TEST_CASE("Somebody's documents are left alone", "[bundler][output]") {
  const TemporaryFolder folder;
  folder.put("thesis.txt", "ten years");
  const auto output = OutputFolder::open_for_build(folder.path());
  REQUIRE_FALSE(output.has_value());
  CHECK(output.error().code == ErrorCode::already_exists);
  CHECK(visible(folder.path()) == std::set<std::string>{"thesis.txt"});
}

TEST_CASE("Two builds do not write into one folder at once", "[bundler][output]") {
  const TemporaryFolder folder;
  const auto first = OutputFolder::open_for_build(folder.path());
  REQUIRE(first.has_value());
  const auto second = OutputFolder::open_for_build(folder.path());
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().code == ErrorCode::busy);
}

TEST_CASE("A publication that was cut off is finished, wherever that was",
          "[bundler][output][sys-12]") {
  // What the folder looks like after the decision: the journal holds the new parts and knows them
  // by identity. `done` parts have been exchanged already.
  const TemporaryFolder made;
  publish(made.path(), "two");
  const MemoryFileSystem fresh = testing::copy_to_memory(made.path());
  const std::size_t done = GENERATE(0U, 1U, 2U);
  CAPTURE(done);
  const TemporaryFolder folder;
  publish(folder.path(), "one");
  for (const auto& [file, bytes] : fresh.files()) {
    if (!file.text().starts_with('.')) folder.put(".muster-publish/" + file.text(), as_text(bytes));
  }
  auto files = DiskFileSystem::open(folder.path());
  REQUIRE(files.has_value());
  const AssetPath journal = path(".muster-publish");
  std::string parts;
  for (const std::string name : {"build.json", "client"}) {
    const auto info = files.value().stat(journal.child(name));
    parts += name + " " + std::to_string(info.value().identity) + "\n";
  }
  folder.put(".muster-publish/parts", parts);
  if (done > 0) {
    REQUIRE(files.value().commit(journal.child("build.json"), path("build.json")).has_value());
  }
  if (done > 1) {
    REQUIRE(files.value().commit(journal.child("client"), path("client")).has_value());
  }
  REQUIRE(OutputFolder::recover(folder.path()).has_value());
  CHECK(visible(folder.path()) ==
        std::set<std::string>{"build.json", "client/catalog.mcat", "client/bundles/two"});
  CHECK_FALSE(fs::exists(folder.path() + "/.muster-publish"));
}

TEST_CASE("A journal whose list cannot be read is not thrown away", "[bundler][output]") {
  const TemporaryFolder folder;
  publish(folder.path(), "one");
  folder.put(".muster-publish/build.json", "two");
  fs::create_directory(folder.path() + "/.muster-publish/parts");
  CHECK_FALSE(OutputFolder::recover(folder.path()).has_value());
  CHECK(fs::exists(folder.path() + "/.muster-publish/build.json"));
}

}  // namespace
}  // namespace muster
