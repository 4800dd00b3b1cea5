// Single cases of incremental builds: the packed bundles and the reported reasons.
#include <algorithm>

#include <catch2/catch.hpp>

#include "bundler/build/compared_files.h"
#include "tests/bundler/cache/memory_blobs.h"
#include "tests/support/crates.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/incremental_builds.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using testing::build;
using testing::Crates;
using testing::differences;
using testing::Outcome;
using testing::Settings;

AssetPath path(std::string_view text) { return AssetPath::parse(text).value(); }

/// A project in which a file is saved immediately before its n-th read.
class SavedMeanwhile final : public FileReader {
 public:
  SavedMeanwhile(MemoryFileSystem& files, AssetPath saved, std::string text, int reading)
      : files_(files), saved_(std::move(saved)), text_(std::move(text)), left_(reading) {}

  Result<FileInfo> stat(const AssetPath& path) const override { return files_.stat(path); }
  Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const override {
    return files_.list(folder);
  }
  Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                     ByteVector& buffer) const override {
    if (path == saved_ && left_-- == 0) files_.add(saved_.text(), text_);
    return files_.read(path, offset, max_bytes, buffer);
  }
  bool has_saved() const { return left_ < 0; }

 private:
  MemoryFileSystem& files_;
  AssetPath saved_;
  std::string text_;
  mutable int left_;
};

TEST_CASE("Saving a file while a build reads it causes no wrong output and no wrong cache entry",
          "[flow][incremental][cache]") {
  const bool has_earlier = GENERATE(false, true);
  const bool is_shared = GENERATE(false, true);
  int saves = 0;
  for (int reading = 0; reading < 12; ++reading) {
    CAPTURE(has_earlier, is_shared, reading);
    Crates crates;
    MemoryBlobs blobs;
    BuildCache cache({{.store = &blobs, .name = "a cache"}});
    Settings settings;
    settings.options.layout = is_shared ? Layout::shared : Layout::self_contained;
    settings.cache = &cache;
    crates.edit("Assets/Tin.prefab", "current: 7",
                "paint: " + testing::UnityProject::strong(crates.picture));
    if (has_earlier) {
      REQUIRE(crates.make(settings).is_built);
      crates.edit("Assets/Box.prefab", "paint:", "other: 1\n  paint:");
    }
    const SavedMeanwhile project(crates.project.files, path("Assets/Big.png"),
                                 Crates::picture_text('k'), reading);
    (void)build(project, crates.project.files, crates.output, crates.output, settings);
    if (project.has_saved()) ++saves;
    REQUIRE(crates.make(settings).is_built);
    Settings alone = settings;
    alone.cache = nullptr;
    MemoryFileSystem clean;
    REQUIRE(build(crates.project.files, clean, clean, alone).is_built);
    CHECK(differences(crates.output, clean).empty());
    MemoryFileSystem elsewhere;
    REQUIRE(build(crates.project.files, elsewhere, elsewhere, settings).is_built);
    CHECK(differences(elsewhere, clean).empty());
  }
  // The content of a reused shared bundle is not read.
  if (!has_earlier || !is_shared) CHECK(saves > 0);
}

TEST_CASE("A build verifies copied bundles when the output changed after it began",
          "[flow][incremental][sys-12]") {
  Crates crates;
  MemoryFileSystem previous;
  REQUIRE(build(crates.project.files, previous, previous, Settings{}).is_built);
  Crates other;
  other.edit("Assets/Tin.prefab", "current: 7", "current: 9");
  MemoryFileSystem newer;
  REQUIRE(build(other.project.files, newer, newer, Settings{}).is_built);
  // Another build publishes after the stamps are read and before bundles are copied. So the stamps
  // are old, and the bytes are new.
  Settings settings;
  settings.previous_stamps = &previous;
  MemoryFileSystem torn = newer;
  for (const auto& [name, bytes] : previous.files()) {
    if (name.text() == kStateName) REQUIRE(torn.write(name, bytes).has_value());
  }
  settings.previous = &torn;
  REQUIRE(build(crates.project.files, crates.output, crates.output, settings).is_built);
  MemoryFileSystem clean;
  REQUIRE(build(crates.project.files, clean, clean, Settings{}).is_built);
  CHECK(differences(crates.output, clean) == std::vector<std::string>{});
}

TEST_CASE("Bundles of an output without a state are not stored in a cache",
          "[flow][incremental][cache]") {
  Crates crates;
  REQUIRE(crates.make().is_built);
  REQUIRE(crates.output.remove(path(kStateName)).has_value());
  MemoryBlobs blobs;
  BuildCache cache({{.store = &blobs, .name = "a cache"}});
  Settings settings;
  settings.cache = &cache;
  REQUIRE(crates.make(settings).is_built);
  CHECK(blobs.blobs.empty());
  MemoryFileSystem fresh;
  REQUIRE(build(crates.project.files, fresh, fresh, settings).is_built);
  CHECK_FALSE(blobs.blobs.empty());
}

TEST_CASE("Intact cache values of another format are counted and replaced",
          "[flow][incremental][cache]") {
  Crates crates;
  MemoryBlobs blobs;
  BuildCache first({{.store = &blobs, .name = "a cache"}});
  REQUIRE(crates.make({.cache = &first}).is_built);
  const auto whole = blobs.blobs;
  // The hash of each value is correct.
  for (auto& [name, bytes] : blobs.blobs) {
    if (name.starts_with("ac/")) bytes = encode(name_result(as_bytes("another tool's result")));
  }
  BuildCache cache({{.store = &blobs, .name = "a cache"}});
  MemoryFileSystem elsewhere;
  REQUIRE(build(crates.project.files, elsewhere, elsewhere, {.cache = &cache}).is_built);
  CHECK(cache.counters(0).damaged >= 4);
  CHECK(cache.notes().size() == 1);
  CHECK(blobs.blobs == whole);
}

TEST_CASE("Finding a bundle in a cache needs two requests", "[flow][incremental][cache]") {
  Crates crates;
  std::string noise;  // Too large to be inlined.
  while (noise.size() < 6 * kInlinedBytesMax) noise += hash_bytes(as_bytes(noise)).to_string();
  crates.project.files.add("Assets/Big.png", noise);
  MemoryBlobs blobs;
  BuildCache cache({{.store = &blobs, .name = "a cache"}});
  REQUIRE(crates.make({.cache = &cache}).is_built);
  const auto [gets, hits] = std::pair(blobs.gets, cache.counters(0).hits);
  MemoryFileSystem elsewhere;
  REQUIRE(build(crates.project.files, elsewhere, elsewhere, {.cache = &cache}).is_built);
  // Each bundle causes two requests and two hits: one for its queries, and one for its bytes.
  CHECK(cache.counters(0).hits - hits >= 8);
  CHECK(static_cast<std::uint64_t>(blobs.gets - gets) == cache.counters(0).hits - hits);
}

TEST_CASE("A build reports why each bundle was packed, down to the input",
          "[flow][incremental][sys-12]") {
  Crates crates;
  const Outcome first = crates.make();
  REQUIRE(first.is_built);
  CHECK(crates.has(first, "first build", ""));
  SECTION("the content of an asset has changed") {
    crates.edit("Assets/Tin.prefab", "current: 7", "current: 8");
    const Outcome now = crates.make();
    CHECK(now.packed == 2);  // one each for client and server
    CHECK(crates.has(now, "content", "Assets/Tin.prefab"));
  }
  SECTION("import settings have changed") {
    crates.project.files.add("Assets/Big.png.meta",
                             "fileFormatVersion: 2\nguid: " + crates.picture.to_string() +
                                 "\nTextureImporter:\n  mips: 1\n");
    const Outcome now = crates.make();
    CHECK(now.packed == 1);  // only for the client, because a server has no pictures
    CHECK(crates.has(now, "import settings", "Assets/Big.png.meta"));
  }
  SECTION("an option has changed") {
    const Outcome now = crates.make({.options = {.level = 9, .jobs = 1}});
    CHECK(crates.has(now, "option", "--level 1 -> 9"));
    CHECK(now.reused_blocks == 0);
  }
  SECTION("the layout has changed") {
    const Outcome now =
        crates.make({.options = {.layout = Layout::self_contained, .level = 1, .jobs = 1}});
    CHECK(now.is_built);
    CHECK_FALSE(now.was_up_to_date);
  }
  SECTION("another version of the program builds") {
    const Outcome now = crates.make({.tool = "another"});
    CHECK(crates.has(now, "muster version", std::string(testing::kTool) + " -> another"));
  }
}

TEST_CASE("A build reports causes in files that an asset depends on, and removed assets or files",
          "[flow][incremental][sys-12]") {
  Crates crates;
  const Outcome first = crates.make();
  REQUIRE(first.is_built);
  SECTION("the class of a script has changed") {
    crates.project.move("Assets/Scripts/Health.cs", "Assets/Scripts/Armor.cs");
    const Outcome now = crates.make();
    CHECK(crates.has(now, "class of script", "Assets/Scripts/Armor.cs"));
  }
  SECTION("the description of a component has changed") {
    crates.edit("muster.yaml", "version: 1", "version: 1\ncomponents: components.json");
    FieldDescription field;
    field.name = "current";
    field.type = FieldType::int32;
    field.element_bytes = 4;
    ComponentDescription health;
    health.name = "Health";
    health.size_bytes = health.alignment_bytes = 4;
    health.fields = {field};
    health.default_value.resize(4);
    crates.project.files.add("components.json", components_to_json(std::span(&health, 1)));
    const Outcome now = crates.make();
    CHECK(now.packed == 4);
    CHECK(crates.has(now, "description of component", "Health"));
  }
  SECTION("a prefab was removed from a registry") {
    crates.registry("client");
    const Outcome now = crates.make();
    CHECK(crates.has(now, "removed from the registry", "Assets/Tin.prefab"));
  }
  SECTION("an output file was deleted") {
    const std::string file = "client/bundles/" + crates.tin.to_string() + ".mbundle";
    REQUIRE(crates.output.remove(path(file)).has_value());
    REQUIRE(crates.output.remove(path("server/bundles/" + crates.tin.to_string() + ".mbundle"))
                .has_value());
    const Outcome now = crates.make();
    CHECK(now.packed == 2);
    CHECK(crates.output.files().contains(path(file)));
  }
  SECTION("--force packs every bundle") {
    const Outcome now = crates.make({.is_forced = true});
    CHECK(now.packed == first.packed);
    CHECK(crates.has(now, "forced", ""));
  }
}

TEST_CASE("Touching, renaming and copying rebuild nothing", "[flow][incremental][sys-12]") {
  Crates crates;
  REQUIRE(crates.make().is_built);
  SECTION("a touched file is read again, and the state stores the new time") {
    crates.project.files.touch(path("Assets/Big.png"));
    const auto before = crates.output.files();
    CHECK(crates.make().was_up_to_date);
    CHECK(crates.output.files() != before);  // only the state differs
    CHECK(differences(crates.output, crates.output).empty());
    const auto after = crates.output.files();
    CHECK(crates.make().was_up_to_date);
    CHECK(crates.output.files() == after);
  }
  SECTION("a rename changes only the names in the output") {
    crates.project.move("Assets/Tin.prefab", "Assets/Can.prefab");
    const Outcome now = crates.make();
    CHECK_FALSE(now.was_up_to_date);
    CHECK(now.packed == 0);
    const MemoryFileSystem clean = crates.clean_build();
    CHECK(differences(crates.output, clean).empty());
  }
  SECTION("a build in a copied output packs nothing") {
    MemoryFileSystem copy;
    for (const auto& [file, bytes] : crates.output.files()) copy.add(file.text(), as_text(bytes));
    const Outcome now = build(crates.project.files, copy, copy, {});
    CHECK(now.is_built);
    CHECK(now.packed == 0);
  }
  SECTION("a changed bundle in a copied output is packed again") {
    const auto file = path("client/bundles/" + crates.tin.to_string() + ".mbundle");
    ByteVector bytes = crates.output.files().at(file);
    bytes.back() ^= std::byte{1};
    REQUIRE(crates.output.write(file, bytes).has_value());
    const Outcome now = crates.make();
    CHECK_FALSE(now.was_up_to_date);
    const MemoryFileSystem clean = crates.clean_build();
    CHECK(differences(crates.output, clean).empty());
  }
}

TEST_CASE("A file that changes twice within one step of the clock is not missed",
          "[flow][incremental][sys-12]") {
  Crates crates;
  crates.project.files.stop_time();
  crates.project.files.touch(path("Assets/Tin.prefab"));
  REQUIRE(crates.make().is_built);
  CHECK(crates.make().was_up_to_date);
  crates.edit("Assets/Tin.prefab", "current: 7", "current: 8");  // the same size as before
  const Outcome now = crates.make();
  CHECK_FALSE(now.was_up_to_date);
  CHECK(now.packed == 2);
}

TEST_CASE("A damaged or unknown state only causes a full build", "[flow][incremental][sys-12]") {
  Crates crates;
  const Outcome first = crates.make();
  const MemoryFileSystem clean = crates.clean_build();
  const ByteVector state = crates.output.files().at(path(kStateName));
  for (std::size_t i = 0; i < state.size(); i += 7) {
    ByteVector damaged = state;
    damaged[i] ^= std::byte{0x10};
    REQUIRE(crates.output.write(path(kStateName), damaged).has_value());
    const Outcome now = crates.make();
    CAPTURE(i);
    CHECK(now.is_built);
    CHECK((now.was_up_to_date || now.packed == first.packed));
    CHECK(differences(crates.output, clean).empty());
  }
  REQUIRE(crates.output.remove(path(kStateName)).has_value());
  CHECK(crates.make().packed == first.packed);
  CHECK(differences(crates.output, clean).empty());
}

// Another release of the compressor would write other bytes. The test simulates this with level 1.
TEST_CASE("Unchanged bundles keep their bytes with a new compressor, until the level changes",
          "[flow][incremental][sys-12]") {
  Crates crates;
  REQUIRE(crates.make({.options = {.level = 1, .jobs = 1}}).is_built);
  const auto old_files = testing::visible(crates.output);
  // The state claims level 9 of an older release.
  auto state = read_state(crates.output);
  REQUIRE(state.has_value());
  for (StateTarget& target : state->targets) target.level = 9;
  state->compressor = "0.9";
  REQUIRE(crates.output.write(path(kStateName), encode_state(*state)).has_value());
  const std::string box = "client/bundles/" + crates.box.to_string() + ".mbundle";
  const Settings nine{.options = {.level = 9, .jobs = 1}, .tool = "a later one"};

  MemoryFileSystem clean;
  REQUIRE(build(crates.project.files, clean, clean, nine).is_built);
  REQUIRE(testing::visible(clean).at(box) != old_files.at(box));

  const Outcome later = crates.make(nine);
  CHECK(later.packed > 0);
  CHECK(later.reused_blocks > 0);
  CHECK(testing::visible(crates.output).at(box) == old_files.at(box));
  const auto kept = read_state_head(crates.output);
  REQUIRE(kept.has_value());
  CHECK(kept->targets.front().has_old_blocks);

  SECTION("a comparison with a clean build can ignore the old compressor") {
    ComparedFiles compared(crates.output);
    // the comparison does not publish
    CHECK_FALSE(build(crates.project.files, compared, clean, nine).is_built);
    const auto strict = compared.differences({"client", "server"}, false);
    CHECK_FALSE(strict.value().empty());
    const auto knowing = compared.differences({"client", "server"}, true);
    CHECK(knowing.value().empty());
    CHECK(knowing.value().repacked > 0);
  }
  SECTION("a new level packs all bundles with the new compressor") {
    const Settings six{.options = {.level = 6, .jobs = 1}, .tool = "a later one"};
    const Outcome now = crates.make(six);
    CHECK(now.reused_blocks == 0);
    MemoryFileSystem rebuilt;
    REQUIRE(build(crates.project.files, rebuilt, rebuilt, six).is_built);
    CHECK(differences(crates.output, rebuilt).empty());
  }
  SECTION("--force packs all bundles with the new compressor") {
    Settings forced = nine;
    forced.is_forced = true;
    REQUIRE(crates.make(forced).is_built);
    CHECK(differences(crates.output, clean).empty());
  }
}

TEST_CASE("A machine without an output reuses unchanged bundles of a previous output",
          "[flow][incremental][sys-12]") {
  Crates crates;
  const Outcome first = crates.make();
  crates.edit("Assets/Tin.prefab", "current: 7", "current: 8");
  MemoryFileSystem fresh;
  const Settings settings{.previous = &crates.output};
  const MemoryFileSystem clean = crates.clean_build();
  SECTION("the previous output has a state") {
    const Outcome now = build(crates.project.files, fresh, fresh, settings);
    CHECK(now.packed == 2);
    CHECK(differences(fresh, clean).empty());
  }
  SECTION("the previous output has no state, like a shipped build") {
    REQUIRE(crates.output.remove(path(kStateName)).has_value());
    const Outcome now = build(crates.project.files, fresh, fresh, settings);
    CHECK(now.packed == first.packed);
    CHECK(now.reused_blocks > 0);
    CHECK(differences(fresh, clean).empty());
  }
  CHECK(build(crates.project.files, fresh, fresh, {}).was_up_to_date);
}

TEST_CASE("A comparison lists files that differ, are missing, or should not exist",
          "[flow][incremental][sys-12]") {
  Crates crates;
  REQUIRE(crates.make().is_built);
  const auto compare = [&] {
    ComparedFiles compared(crates.output);
    (void)build(crates.project.files, compared, crates.output, {.skips_check = true});
    return compared.differences({"client", "server"}, false).value();
  };
  CHECK(compare().empty());
  const std::string tin = "client/bundles/" + crates.tin.to_string() + ".mbundle";
  const std::string box = "server/bundles/" + crates.box.to_string() + ".mbundle";
  ByteVector bytes = crates.output.files().at(path(tin));
  bytes.back() ^= std::byte{1};
  REQUIRE(crates.output.write(path(tin), bytes).has_value());
  REQUIRE(crates.output.remove(path(box)).has_value());
  crates.output.add("client/shared/extra.mbundle", "x");
  const OutputDifferences found = compare();
  CHECK(found.other == std::vector<std::string>{tin});
  CHECK(found.missing == std::vector<std::string>{box});
  CHECK(found.extra == std::vector<std::string>{"client/shared/extra.mbundle"});
}

TEST_CASE(
    "A stripping rule repacks the bundles with affected assets or components, and is the reported "
    "reason",
    "[flow][incremental][strip][sys-14]") {
  Crates crates;
  REQUIRE(crates.make().is_built);
  const auto strip = [&](const std::string& rules) {
    crates.project.files.add("muster.yaml",
                             "version: 1\nfolders: [Assets]\nclasses:\n  CrateRegistry:\n"
                             "    entries: entries\n    references:\n"
                             "    - {path: both, strength: strong, targets: [client, server]}\n"
                             "    - {path: client, strength: strong, targets: [client]}\n" +
                                 rules);
    return crates.make();
  };
  SECTION("a kind of assets is kept, and then stripped again") {
    const Outcome kept = strip("strip: {server: {keep: [texture]}}\n");
    CHECK(kept.packed == 0);  // The client has this bundle.
    const Outcome gone = strip("");
    CHECK(gone.packed == 1);
    CHECK(crates.has(gone, "asset stripped", "Assets/Big.png"));
  }
  SECTION("a class of components is removed only from the server") {
    const Outcome gone = strip("strip: {server: {components: [Health]}}\n");
    CHECK(gone.packed == 2);
    CHECK(crates.has(gone, "stripping of component", "Health"));
    CHECK(strip("strip: {server: {components: [Health]}}\n").was_up_to_date);
    const Outcome other = strip("strip: {server: {components: [Health, Armor]}}\n");
    CHECK(other.packed == 0);
  }
  SECTION("a cache distinguishes the bundles of client and server") {
    MemoryBlobs blobs;
    BuildCache cache({{.store = &blobs, .name = "a cache"}});
    const Settings settings{.is_forced = true, .cache = &cache};
    strip("strip: {server: {components: [Health]}}\n");
    REQUIRE(crates.make(settings).is_built);
    MemoryFileSystem elsewhere;
    const Outcome again = build(crates.project.files, elsewhere, elsewhere,
                                {.options = {.level = 1}, .cache = &cache});
    CHECK(again.packed == 0);
    MemoryFileSystem clean;
    build(crates.project.files, clean, clean, {});
    CHECK(differences(elsewhere, clean).empty());
  }
}

}  // namespace
}  // namespace muster
