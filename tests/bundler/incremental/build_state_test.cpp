#include "bundler/incremental/build_state.h"

#include <catch2/catch.hpp>

#include "bundler/incremental/input_check.h"
#include "registry/base/memory_file_system.h"
#include "tests/support/damage.h"

namespace muster {
namespace {

AssetPath path(std::string_view text) { return AssetPath::parse(text).value(); }

Guid guid(std::uint8_t number) {
  std::array<std::byte, 16> bytes{};
  bytes[15] = std::byte{number};
  return Guid::from_bytes(bytes);
}

ContentHash hash(std::string_view text) { return hash_bytes(as_bytes(text)); }

StateInput input(std::string name, InputUse use, bool exists = true) {
  StateInput made;
  made.name = std::move(name);
  made.use = use;
  if (exists) {
    made.stamp = {.exists = true,
                  .kind = FileKind::file,
                  .size_bytes = 300,
                  .modified_ns = -5,
                  .changed_ns = 1'700'000'000'123'456'789,
                  .identity = 77};
  }
  made.is_settled = exists;
  if (use == InputUse::whole) made.hash = hash(made.name);
  return made;
}

BuildState sample() {
  BuildState state;
  state.tool = "muster";
  state.compressor = "1.5.4";
  state.folders.push_back({AssetPath(),
                           {input("", InputUse::whole), input("gone.yaml", InputUse::part, false),
                            input("muster.yaml", InputUse::whole)}});
  state.folders.push_back({path("Assets"), {input("a.png", InputUse::stat)}});
  state.report = {"build.json", 10, 11, 12};
  state.assets = {{guid(1), "Assets/a.png"}, {guid(2), "Assets/b.prefab"}};
  state.facts = {{{.kind = CookQuestionKind::content, .guid = guid(1)}, hash("a")},
                 {{.kind = CookQuestionKind::component, .guid = {}, .text = "Health"}, {}}};
  StateBundle bundle;
  bundle.name = BundleName::of_prefab(guid(2));
  bundle.prefab = guid(2);
  bundle.hash = hash("bundle");
  bundle.file_bytes = 1000;
  bundle.assets = {{0, 20}, {1, 30}};
  bundle.facts = {0, 1};
  StateTarget target;
  target.level = 6;
  target.has_old_blocks = true;
  target.totals.prefab_bundles = 1;
  target.outputs = {{"client/bundles/x.mbundle", 1000, 5, 6}, {"client/catalog.mcat", 1, 2, 3}};
  target.bundles = {bundle};
  target.compression = "object: 19, wav: store";
  target.dictionaries = {{EntryKind::object, hash("objects"), 100, 200},
                         {EntryKind::import_settings, hash("settings"), 300, 400}};
  state.dictionaries = {hash("samples"), {target.dictionaries[1]}, {0, 1}, {1}};
  state.targets.push_back(target);
  target.target = Target::server;
  target.layout = Layout::self_contained;
  target.is_current = false;
  target.bundles.clear();
  state.targets.push_back(target);
  state.sidecars = {{1, {guid(1), false, true}}, {3, {guid(2), true, false}}};
  state.mentions = {
      {1, {}},
      {2,
       {{guid(3), yaml::MentionKind::strong, 40, 2}, {guid(1), yaml::MentionKind::json, 40, 1}}}};
  state.known_terms = hash("terms");
  AssetFacts facts{.is_packable = true,
                   .has_fit_values = true,
                   .stripped = {},
                   .sources = {guid(1), guid(4)},
                   .scripts = {guid(3)},
                   .class_name = "Health"};
  state.known.push_back({0, hash("a"), facts});
  facts.is_packable = false;
  facts.stripped[1] = StrippedFile{.rule = "kind mesh",
                                   .components = {{"Light", {2, 300}}, {"Camera", {1, 20}}},
                                   .counts = {{{guid(1), yaml::MentionKind::strong}, 2},
                                              {{guid(1), yaml::MentionKind::json}, 1}}};
  state.known.push_back({1, hash("b"), facts});
  return state;
}

TEST_CASE("The state of a build is unchanged after a round trip", "[bundler][state][sys-12]") {
  const BuildState state = sample();
  const ByteVector bytes = encode_state(state);
  const auto read = decode_state(bytes);
  REQUIRE(read.has_value());
  CHECK(encode_state(read.value()) == bytes);
  const StateInput* const found = read.value().find(path("muster.yaml"));
  REQUIRE(found != nullptr);
  CHECK(found->stamp == state.folders[0].inputs[2].stamp);
  CHECK(found->hash == hash("muster.yaml"));
  CHECK(read.value().find(AssetPath()) != nullptr);
  CHECK(read.value().find(path("Assets/b.png")) == nullptr);
  CHECK(read.value().find(path("Nowhere/a.png")) == nullptr);
  CHECK(read.value().find(Target::server)->layout == Layout::self_contained);
  CHECK(read.value().facts == state.facts);
  CHECK(read.value().sidecars[1].facts == state.sidecars[1].facts);
  CHECK(read.value().mentions[1].mentions == state.mentions[1].mentions);
  CHECK(read.value().known[1].facts == state.known[1].facts);
  CHECK(read.value().known[1].facts.stripped[1].has_value());
  CHECK(read.value().known[1].key == hash("b"));

  const auto head = decode_state_head(
      Bytes(bytes).first(static_cast<std::size_t>(state_head_bytes(bytes).value())));
  REQUIRE(head.has_value());
  CHECK(head.value().targets.size() == 2);
  CHECK(head.value().facts.empty());
}

TEST_CASE("A truncated or damaged state is refused", "[bundler][state][sys-12]") {
  const ByteVector bytes = encode_state(sample());
  damage::each_truncation(
      bytes, [](const ByteVector& part) { CHECK_FALSE(decode_state(part).has_value()); });
  damage::each_flip(bytes, [](std::size_t offset, ByteVector& damaged) {
    CAPTURE(offset);
    CHECK_FALSE(decode_state(damaged).has_value());
  });
  ByteVector longer = bytes;
  longer.push_back(std::byte{0});
  CHECK_FALSE(decode_state(longer).has_value());
}

TEST_CASE("The inputs of a state are numbered", "[bundler][state][sys-12]") {
  const BuildState state = sample();
  const InputNumbers numbers(state);
  REQUIRE(numbers.count() == 4);
  for (std::uint32_t number = 0; number < numbers.count(); ++number) {
    CHECK(numbers.of(numbers.path_of(number)) == number);
  }
  CHECK(numbers.path_of(0).empty());
  CHECK(numbers.at(2).name == "muster.yaml");
  CHECK(numbers.path_of(3) == path("Assets/a.png"));
  CHECK_FALSE(numbers.of(path("Assets")).has_value());
}

TEST_CASE("A state with impossible values is refused", "[bundler][state][sys-12]") {
  const auto is_refused = [](const auto& spoil) {
    BuildState state = sample();
    spoil(state);
    return !decode_state(encode_state(state)).has_value();
  };
  CHECK_FALSE(is_refused([](BuildState&) {}));
  CHECK(is_refused([](BuildState& state) { state.sidecars[0].input = 4; }));
  CHECK(is_refused([](BuildState& state) { state.sidecars[0].input = 3; }));
  CHECK(is_refused([](BuildState& state) { state.sidecars[0].facts.guid = {}; }));
  CHECK(is_refused([](BuildState& state) { state.mentions[1].input = 1; }));
  CHECK(is_refused([](BuildState& state) { state.mentions[1].mentions[0].offset_bytes = 41; }));
  CHECK(is_refused([](BuildState& state) { state.mentions[1].mentions[0].times = 0; }));
  CHECK(is_refused([](BuildState& state) { state.known[1].asset = 2; }));
  CHECK(is_refused([](BuildState& state) { state.known[1].asset = 0; }));
  CHECK(is_refused([](BuildState& state) {
    std::swap(state.known[0].facts.sources[0], state.known[0].facts.sources[1]);
  }));
}

TEST_CASE("Only the parts of inputs that were read are compared", "[bundler][state][sys-12]") {
  MemoryFileSystem files;
  files.add("a/looked.png", "12345");
  files.add("a/part.bin", "12345");
  files.add("a/whole.yaml", "12345");
  RecordedFiles recorded(files, files);
  ByteVector buffer;
  REQUIRE(recorded.stat(path("a/looked.png")).has_value());
  REQUIRE(recorded.read(path("a/part.bin"), 0, 3, buffer).has_value());
  REQUIRE(recorded.read(path("a/whole.yaml"), 0, 100, buffer).has_value());
  REQUIRE(recorded.list(path("a")).has_value());
  CHECK_FALSE(recorded.stat(path("a/missing")).has_value());
  BuildState state;
  StateFolder folder{path("a"), {}};
  for (const RecordedInput& seen : recorded.inputs()) {
    const StateInput kept{std::string(seen.path.name()), seen.stamp, seen.use,
                          is_settled(seen.stamp, recorded.started_ns()), seen.hash};
    if (seen.path == path("a")) {
      state.folders.push_back({AssetPath(), {kept}});
    } else {
      folder.inputs.push_back(kept);
    }
  }
  state.folders.push_back(folder);
  const auto changed = [&] {
    std::vector<std::string> paths;
    for (const AssetPath& one : check_inputs(state.folders, files, files, 2).changed) {
      paths.push_back(one.text());
    }
    return paths;
  };
  using Paths = std::vector<std::string>;
  CHECK(changed().empty());
  SECTION("a file whose size was used is compared by its size") {
    files.add("a/looked.png", "54321");
    CHECK(changed().empty());
    files.add("a/looked.png", "654321");
    CHECK(changed() == Paths{"a/looked.png"});
  }
  SECTION("a file that was read in part is compared by its stamp") {
    files.touch(path("a/part.bin"));
    CHECK(changed() == Paths{"a/part.bin"});
  }
  SECTION("a file that was read completely is compared by its content") {
    files.touch(path("a/whole.yaml"));
    const InputCheck check = check_inputs(state.folders, files, files, 1);
    CHECK(check.changed.empty());
    CHECK(check.has_new_stamps);
    CHECK(check.hashed >= 1);
    files.add("a/whole.yaml", "54321");
    CHECK(changed() == Paths{"a/whole.yaml"});
  }
  SECTION("a folder is compared by its names") {
    files.add("a/more", "");
    CHECK(changed() == Paths{"a"});
    files.add("a/missing", "");
    CHECK(changed() == Paths{"a", "a/missing"});
  }
  SECTION("a file was removed") {
    REQUIRE(files.remove(path("a/whole.yaml")).has_value());
    CHECK(changed() == Paths{"a", "a/whole.yaml"});
  }
}

TEST_CASE("A change during reading is reported", "[bundler][state][sys-12]") {
  MemoryFileSystem files;
  files.add("a", "1");
  RecordedFiles recorded(files, files);
  ByteVector buffer;
  REQUIRE(recorded.read(path("a"), 0, 100, buffer).has_value());
  REQUIRE(recorded.read(path("a"), 0, 100, buffer).has_value());
  CHECK_FALSE(recorded.is_torn());
  files.add("a", "2");
  REQUIRE(recorded.read(path("a"), 0, 100, buffer).has_value());
  CHECK(recorded.is_torn());
}

}  // namespace
}  // namespace muster
