#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include "bundler/dictionaries/build_dictionaries.h"
#include "bundler/dictionaries/dictionary_training.h"
#include "registry/base/memory_file_system.h"
#include "registry/model/project.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/many_prefabs.h"

namespace muster {
namespace {

using testing::build;
using testing::dictionaries_in;
using testing::differences;
using testing::ManyPrefabs;
using testing::Outcome;
using testing::Settings;

std::set<Guid> samples_of(const MemoryFileSystem& files) {
  const auto project = Project::open(files, 1, {});
  REQUIRE(project.has_value());
  std::set<Guid> guids;
  const DictionarySamples samples = choose_samples(*project.value(), SamplingRules());
  for (const AssetNumber asset : samples.text) {
    guids.insert(project.value()->index().at(asset).guid);
  }
  return guids;
}

// Returns the number of a prefab that is a sample, or of a prefab that is not a sample.
unsigned find_prefab(const MemoryFileSystem& files, bool is_sample) {
  const std::set<Guid> samples = samples_of(files);
  for (unsigned i = 1;; ++i) {
    if (samples.contains(ManyPrefabs::guid_of(i)) == is_sample) return i;
  }
}

TEST_CASE("Equal samples train equal dictionaries that save more than their size",
          "[bundler][dictionary]") {
  std::vector<ByteVector> all;
  for (std::uint64_t i = 0; i < 120; ++i) all.push_back(samples::compressible(2000, i));
  const std::vector<Bytes> samples(all.begin(), all.end());
  const auto first = train_dictionary(samples, 1000);
  REQUIRE(first.has_value());
  CHECK(first->bytes == train_dictionary(samples, 1000)->bytes);
  CHECK(first->bytes == train_dictionary(samples, 1000, {}, 3)->bytes);
  CHECK(first->sample_bytes == 240'000);
  CHECK(2 * first->saved_bytes >= 3 * first->bytes.size());
  CHECK(Dictionary::open(first->bytes).has_value());
  // No dictionary is trained if there are too few other entries or samples, or if the content is
  // unrelated.
  CHECK_FALSE(train_dictionary(samples, 10).has_value());
  CHECK_FALSE(train_dictionary(std::span(samples).first(20), 1000).has_value());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = samples::noise(2000, i);
  CHECK_FALSE(train_dictionary(std::vector<Bytes>(all.begin(), all.end()), 1000).has_value());
}

TEST_CASE("A cache returns a dictionary unchanged or not at all", "[bundler][dictionary][cache]") {
  const std::vector<BuildDictionary> two = {
      {EntryKind::object, samples::dictionary(0), 12, 34},
      {EntryKind::import_settings, samples::dictionary(1), 56, 78}};
  const ByteVector bytes = encode(two);
  const auto parsed = parse_dictionaries(bytes);
  REQUIRE(parsed.has_value());
  CHECK(encode(*parsed) == bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(parse_dictionaries(Bytes(bytes).first(size)).has_value());
  }
  CHECK_FALSE(parse_dictionaries(encode({two[1], two[0]})).has_value());
  CHECK_FALSE(parse_dictionaries(encode({{EntryKind::raw, two[0].bytes, 0, 0}})).has_value());
}

TEST_CASE("The choice of samples is stable", "[bundler][dictionary]") {
  ManyPrefabs project(600);
  const std::set<Guid> before = samples_of(project.files);
  CHECK(before.size() > 40);
  CHECK(before.size() < 120);
  for (unsigned i = 601; i <= 630; ++i) {
    project.add(i);
    project.write_registry();
  }
  const std::set<Guid> after = samples_of(project.files);
  CHECK(std::ranges::includes(after, before));
  CHECK(after.size() < before.size() + 20);
  CHECK(samples_of(ManyPrefabs(400).files).empty());
}

TEST_CASE(
    "A dictionary changes only if a sample changes, and then all its bundles are packed again",
    "[bundler][dictionary]") {
  ManyPrefabs project(600);
  MemoryFileSystem output;
  REQUIRE(build(project, output).is_built);
  const auto first = dictionaries_in(output);
  REQUIRE_FALSE(first.empty());
  CHECK(build(project, output).was_up_to_date);

  project.write(find_prefab(project.files, false), 2);
  const Outcome other = build(project, output);
  CHECK(other.packed == 2);
  CHECK(dictionaries_in(output) == first);

  const unsigned sample = find_prefab(project.files, true);
  project.write(sample, 3);
  const Outcome all = build(project, output);
  CHECK(all.packed > 1200);
  CHECK(dictionaries_in(output) != first);
  const BuildReason reason{"dictionary", "content: " + ManyPrefabs::path_of(sample)};
  CHECK(std::ranges::count(all.reasons, reason) > 1000);
  MemoryFileSystem clean;
  REQUIRE(build(project, clean).is_built);
  CHECK(differences(output, clean).empty());
}

TEST_CASE("A dictionary that is lost or damaged in the output is created again",
          "[bundler][dictionary]") {
  ManyPrefabs project(600);
  MemoryFileSystem output;
  REQUIRE(build(project, output).is_built);
  MemoryFileSystem clean;
  REQUIRE(build(project, clean).is_built);
  const std::string damage = GENERATE("lost", "damaged");
  for (const std::string& name : dictionaries_in(output)) {
    const AssetPath path = AssetPath::parse(name).value();
    if (damage == "lost") REQUIRE(output.remove(path).has_value());
    if (damage != "lost") output.add(name, "no dictionary");
  }
  CHECK_FALSE(build(project, output).was_up_to_date);
  CHECK(differences(output, clean).empty());
}

TEST_CASE(
    "A changed level of a kind repacks the kind's entries, and the result equals a clean build",
    "[bundler][dictionary][compression]") {
  ManyPrefabs project(600);
  MemoryFileSystem output;
  REQUIRE(build(project, output).is_built);
  const auto before = dictionaries_in(output);
  const std::string config(as_text(project.files.files().at(AssetPath().child("muster.yaml"))));
  std::uint64_t last = 0;
  for (const std::string rule :
       {"{object: 19}", "{prefab: store}", "{object: 3, prefab: 3}", "{}"}) {
    CAPTURE(rule);
    project.files.add("muster.yaml", config + "compression: {kinds: " + rule + "}\n");
    const Outcome outcome = build(project, output);
    CHECK(outcome.packed > 1200);
    CHECK(std::ranges::any_of(outcome.reasons, [](const BuildReason& reason) {
      return reason.what == "option" && reason.detail.starts_with("compression of kinds");
    }));
    MemoryFileSystem clean;
    REQUIRE(build(project, clean).is_built);
    CHECK(differences(output, clean).empty());
    CHECK(dictionaries_in(output) == before);
    CHECK(build(project, output).was_up_to_date);
    std::uint64_t bytes = 0;
    for (const auto& [path, file] : output.files()) bytes += file.size();
    CHECK(bytes != last);
    last = bytes;
  }
}

TEST_CASE("A kind of entries that is never compressed has no dictionary",
          "[bundler][dictionary][compression]") {
  ManyPrefabs project(600);
  MemoryFileSystem output;
  REQUIRE(build(project, output).is_built);
  const auto before = dictionaries_in(output);
  REQUIRE_FALSE(before.empty());
  const std::string config(as_text(project.files.files().at(AssetPath().child("muster.yaml"))));
  // A rule for the prefabs' extension applies to all their entries.
  const auto [rule, has_dictionaries] = GENERATE(
      table<std::string, bool>({{"{object: store, prefab: store, import_settings: store}", false},
                                {"{object: store, prefab: 3, import_settings: store}", true}}));
  CAPTURE(rule);
  project.files.add("muster.yaml", config + "compression: {kinds: " + rule + "}\n");
  REQUIRE(build(project, output).is_built);
  CHECK(dictionaries_in(output).empty() == !has_dictionaries);
  MemoryFileSystem clean;
  REQUIRE(build(project, clean).is_built);
  CHECK(differences(output, clean).empty());
  CHECK(build(project, output).was_up_to_date);
  project.files.add("muster.yaml", config);
  REQUIRE(build(project, output).is_built);
  CHECK(dictionaries_in(output) == before);
}

// A prefab with one picture whose content begins like a PNG and compresses well.
MemoryFileSystem picture_called(const std::string& extension) {
  MemoryFileSystem files;
  files.add("muster.yaml",
            "version: 1\nname: one\nfolders: [a]\nclasses:\n  Things:\n    references:\n"
            "    - {path: thing, targets: [client, server]}\n"
            "compression: {kinds: {bytes: 6}}\n");
  const auto add = [&](const std::string& name, const std::string& text, unsigned number) {
    files.add("a/" + name, text);
    files.add("a/" + name + ".meta", "guid: " + ManyPrefabs::guid_of(number).to_string() + "\n");
  };
  const auto guid = [](unsigned number) { return ManyPrefabs::guid_of(number).to_string(); };
  add("things.yaml", "class: Things\nentries:\n- {type_id: 1, thing: {guid: " + guid(2) + "}}\n",
      1);
  add("crate.yaml", "class: Thing\npicture: {fileID: 1, guid: " + guid(3) + "}\n", 2);
  std::string content = "\x89PNG\r\n\x1a\n";
  for (int i = 0; i < 20000; ++i) content += "pixel " + std::to_string(i % 97) + "\n";
  add("picture." + extension, content, 3);
  return files;
}

TEST_CASE("A picture's content is compressed after the file gets a name that is not a picture's",
          "[bundler][compression]") {
  MemoryFileSystem output;
  const MemoryFileSystem before = picture_called("png");
  REQUIRE(testing::build(before, before, output, output, {}).is_built);
  const MemoryFileSystem after = picture_called("bytes");
  REQUIRE(testing::build(after, after, output, output, {}).is_built);
  MemoryFileSystem clean;
  REQUIRE(testing::build(after, after, clean, clean, {}).is_built);
  CHECK(differences(output, clean).empty());
  std::uint64_t bytes = 0;
  for (const auto& [path, file] : output.files()) bytes += file.size();
  CHECK(bytes < 60'000);
}

TEST_CASE(
    "An output without a state is reused only if the compression levels of all kinds are equal",
    "[bundler][compression]") {
  const MemoryFileSystem project = picture_called("bytes");
  MemoryFileSystem other = picture_called("bytes");
  const std::string config(as_text(other.files().at(AssetPath().child("muster.yaml"))));
  other.add("muster.yaml",
            config.substr(0, config.find("compression")) + "compression: {kinds: {bytes: 1}}\n");
  MemoryFileSystem output;
  REQUIRE(testing::build(other, other, output, output, {}).is_built);
  REQUIRE(output.remove(AssetPath().child(kStateName)).has_value());
  REQUIRE(testing::build(project, project, output, output, {}).is_built);
  MemoryFileSystem clean;
  REQUIRE(testing::build(project, project, clean, clean, {}).is_built);
  CHECK(differences(output, clean).empty());
}

TEST_CASE("With another zstd release, no dictionary is trained again", "[bundler][dictionary]") {
  ManyPrefabs project(600);
  MemoryFileSystem output;
  REQUIRE(build(project, output).is_built);
  // The state of an older release.
  auto state = read_state(output).value();
  state.compressor = "0.0.0";
  const ByteVector bytes = encode_state(state);
  REQUIRE(output.write(AssetPath().child(kStateName), bytes).has_value());
  const auto before = dictionaries_in(output);
  Settings settings;
  settings.tool = "another";
  CHECK(build(project, output, settings).reused_blocks > 0);
  CHECK(dictionaries_in(output) == before);
  CHECK(read_state(output)->targets[0].has_old_blocks);
}

}  // namespace
}  // namespace muster
