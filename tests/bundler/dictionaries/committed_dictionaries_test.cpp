#include "bundler/dictionaries/committed_dictionaries.h"

#include <catch2/catch.hpp>

#include "tests/bundler/cache/memory_blobs.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/many_prefabs.h"

namespace muster {
namespace {

using testing::build;
using testing::dictionaries_in;
using testing::differences;
using testing::ManyPrefabs;
using testing::Outcome;

constexpr std::string_view kFolder = "Dictionaries~";

void commit_to_folder(ManyPrefabs& project) {
  const std::string config(as_text(project.files.files().at(AssetPath().child("muster.yaml"))));
  project.files.add("muster.yaml", config + "compression: {dictionaries: Dictionaries~}\n");
}

AssetPath file_of(EntryKind kind) {
  return committed_dictionary_path(AssetPath().child(kFolder), kind);
}

CommittedDictionaries committed_in(const MemoryFileSystem& files) {
  const auto config = load_config(files);
  REQUIRE(config.has_value());
  auto found = load_committed(files, config.value().compression);
  REQUIRE(found.has_value());
  REQUIRE(found.value().has_value());
  return std::move(*found.value());
}

std::vector<RetrainingPlan> plan(const MemoryFileSystem& files, bool is_forced = false) {
  const auto project = Project::open(files, 1, {});
  REQUIRE(project.has_value());
  const RetrainingWish wish{.present = committed_in(files), .is_forced = is_forced};
  auto plans = plan_retraining(*project.value(), {}, wish, 1, {});
  REQUIRE(plans.has_value());
  return std::move(plans).value();
}

void carry_out(const std::vector<RetrainingPlan>& plans, MemoryFileSystem& files) {
  for (const RetrainingPlan& one : plans) {
    if (one.what == Retraining::write)
      REQUIRE(files.write(file_of(one.kind), one.fresh).has_value());
    if (one.what == Retraining::remove) REQUIRE(files.remove(file_of(one.kind)).has_value());
  }
}

Retraining change_of(const std::vector<RetrainingPlan>& plans, EntryKind kind) {
  return std::ranges::find(plans, kind, &RetrainingPlan::kind)->what;
}

TEST_CASE("Dictionaries are trained if they save bytes, and are kept while the content is similar",
          "[bundler][dictionary]") {
  ManyPrefabs project(200);
  commit_to_folder(project);
  const std::vector<RetrainingPlan> first = plan(project.files);
  REQUIRE(change_of(first, EntryKind::object) == Retraining::write);
  CHECK(*first[0].bytes_then < first[0].bytes_without);
  CHECK(change_of(first, EntryKind::import_settings) == Retraining::keep);
  carry_out(first, project.files);
  CHECK(change_of(plan(project.files), EntryKind::object) == Retraining::keep);

  for (unsigned i = 1; i <= 200; i += 10) project.write(i, 2);
  project.add(201);
  project.write_registry();
  const std::vector<RetrainingPlan> later = plan(project.files);
  CHECK(change_of(later, EntryKind::object) == Retraining::keep);
  REQUIRE(later[0].bytes_now.has_value());
  CHECK(*later[0].bytes_now < later[0].bytes_without);
}

TEST_CASE(
    "A dictionary that no longer fits the content is replaced, or removed if no dictionary saves "
    "bytes",
    "[bundler][dictionary]") {
  ManyPrefabs project(200);
  commit_to_folder(project);
  REQUIRE(project.files.write(file_of(EntryKind::object), samples::dictionary(0)).has_value());
  CHECK(change_of(plan(project.files), EntryKind::object) == Retraining::write);

  // Unrelated content: a dictionary would save less than its own size.
  ManyPrefabs few(40);
  commit_to_folder(few);
  REQUIRE(few.files.write(file_of(EntryKind::prefab), samples::dictionary(0)).has_value());
  CHECK(change_of(plan(few.files), EntryKind::prefab) == Retraining::remove);
}

TEST_CASE(
    "Builds ignore a dictionary if all its entries are stored uncompressed, and training removes "
    "it",
    "[bundler][dictionary]") {
  ManyPrefabs project(100);
  const std::string config(as_text(project.files.files().at(AssetPath().child("muster.yaml"))));
  commit_to_folder(project);
  carry_out(plan(project.files), project.files);
  project.files.add("muster.yaml", config +
                                       "compression: {dictionaries: Dictionaries~, kinds: {object: "
                                       "store, prefab: store}}\n");
  MemoryFileSystem output;
  REQUIRE(build(project, output).is_built);
  CHECK(dictionaries_in(output).empty());
  const std::vector<RetrainingPlan> plans = plan(project.files);
  CHECK(change_of(plans, EntryKind::object) == Retraining::remove);
  carry_out(plans, project.files);
  CHECK(change_of(plan(project.files), EntryKind::object) == Retraining::keep);
  CHECK(build(project, output).packed == 0);
}

TEST_CASE("Committing the dictionaries that builds have trained repacks nothing",
          "[bundler][dictionary]") {
  ManyPrefabs project(600);
  MemoryFileSystem output;
  REQUIRE(build(project, output).is_built);
  const auto state = read_state(output);
  REQUIRE(state.has_value());
  REQUIRE_FALSE(state->dictionaries.all.empty());
  for (const StateDictionary& one : state->dictionaries.all) {
    const auto path = AssetPath::parse("client/" + dictionary_path(one.hash));
    REQUIRE(project.files.write(file_of(one.kind), output.files().at(path.value())).has_value());
  }
  commit_to_folder(project);
  CHECK(build(project, output).packed == 0);
  MemoryFileSystem clean;
  REQUIRE(build(project, clean).is_built);
  CHECK(differences(output, clean).empty());
}

TEST_CASE("A dictionary is kept if there are too few samples to judge it",
          "[bundler][dictionary]") {
  ManyPrefabs project(200);
  commit_to_folder(project);
  carry_out(plan(project.files), project.files);
  REQUIRE(project.files.remove(AssetPath::parse("plain/things.yaml").value()).has_value());
  const auto plans = plan(project.files, GENERATE(false, true));
  CHECK(change_of(plans, EntryKind::object) == Retraining::keep);
  CHECK(plans[0].has_few_samples);
  CHECK(plans[0].entries == 0);
}

TEST_CASE(
    "An unusable dictionary is replaced or removed, and the other dictionaries are judged as "
    "before",
    "[bundler][dictionary]") {
  ManyPrefabs project(200);
  commit_to_folder(project);
  carry_out(plan(project.files), project.files);
  const ByteVector object = project.files.files().at(file_of(EntryKind::object));
  project.files.add("Dictionaries~/import_settings.mdict", "no dictionary");
  REQUIRE(project.files.write(file_of(EntryKind::prefab), object).has_value());  // A second copy of
                                                                                 // the object
                                                                                 // dictionary.
  const auto opened = Project::open(project.files, 1, {});
  REQUIRE(opened.has_value());
  RetrainingWish wish{.present = {}, .is_forced = true};
  auto present = read_committed(project.files, opened.value()->config().compression, wish.unusable);
  REQUIRE(present.has_value());
  REQUIRE(wish.unusable.size() == 2);
  CHECK(wish.unusable[0].code == ErrorCode::already_exists);
  CHECK(wish.unusable[1].code == ErrorCode::malformed);
  wish.present = std::move(*present.value());
  const auto plans = plan_retraining(*opened.value(), {}, wish, 1, {});
  REQUIRE(plans.has_value());
  CHECK(change_of(plans.value(), EntryKind::object) == Retraining::keep);
  CHECK(change_of(plans.value(), EntryKind::prefab) != Retraining::keep);
  CHECK(change_of(plans.value(), EntryKind::import_settings) == Retraining::remove);
}

TEST_CASE("A new dictionary must make its entries 5 % smaller, unless it is forced",
          "[bundler][dictionary]") {
  using enum Retraining;
  CHECK(choose_retraining(1000, {}, {}, false) == keep);
  CHECK(choose_retraining(1000, {}, 900, false) == write);
  CHECK(choose_retraining(1000, 800, 761, false) == keep);
  CHECK(choose_retraining(1000, 800, 760, false) == keep);
  CHECK(choose_retraining(1000, 800, 759, false) == write);
  CHECK(choose_retraining(1000, 800, 799, true) == write);
  CHECK(choose_retraining(1000, 800, 800, true) == keep);
  CHECK(choose_retraining(1000, 800, {}, true) == keep);
  CHECK(choose_retraining(1000, 1052, {}, false) == keep);
  CHECK(choose_retraining(1000, 1053, {}, false) == remove);
  CHECK(choose_retraining(1000, 1001, {}, true) == remove);
  CHECK(choose_retraining(1000, 1100, 1001, false) == remove);
  CHECK(choose_retraining(1000, 1100, 1000, false) == write);
}

TEST_CASE("Builds use committed dictionaries for any number of prefabs", "[bundler][dictionary]") {
  ManyPrefabs project(100);
  MemoryFileSystem output;
  REQUIRE(build(project, output).is_built);
  CHECK(dictionaries_in(output).empty());
  commit_to_folder(project);
  carry_out(plan(project.files), project.files);
  const Outcome with = build(project, output);
  CHECK(with.packed > 190);
  CHECK(std::ranges::count(with.reasons, BuildReason{"dictionary", "committed: object"}) > 90);
  CHECK_FALSE(dictionaries_in(output).empty());
  CHECK(build(project, output).was_up_to_date);
  // Changed content does not change the trained dictionary.
  const auto before = dictionaries_in(output);
  for (unsigned i = 1; i <= 50; ++i) project.write(i, 5);
  CHECK(build(project, output).packed == 100);
  CHECK(dictionaries_in(output) == before);
  MemoryFileSystem clean;
  REQUIRE(build(project, clean).is_built);
  CHECK(differences(output, clean).empty());
  REQUIRE(project.files.remove(file_of(EntryKind::object)).has_value());
  CHECK(build(project, output).packed > 190);
  MemoryFileSystem without;
  REQUIRE(build(project, without).is_built);
  CHECK(differences(output, without).empty());
}

TEST_CASE("A cache distinguishes dictionaries by their kind", "[bundler][dictionary][cache]") {
  ManyPrefabs project(100);
  commit_to_folder(project);
  carry_out(plan(project.files), project.files);
  const ByteVector trained = project.files.files().at(file_of(EntryKind::object));
  // The first build has only the object dictionary, the second build only the prefab dictionary.
  (void)project.files.remove(file_of(EntryKind::prefab)).has_value();
  MemoryBlobs blobs;
  BuildCache cache({{.store = &blobs, .name = "a cache"}});
  const testing::Settings cached{.cache = &cache};
  MemoryFileSystem output;
  REQUIRE(build(project, output, cached).is_built);
  REQUIRE(project.files.remove(file_of(EntryKind::object)).has_value());
  REQUIRE(project.files.write(file_of(EntryKind::prefab), trained).has_value());
  REQUIRE(build(project, output, cached).is_built);
  MemoryFileSystem clean;
  REQUIRE(build(project, clean).is_built);
  CHECK(differences(output, clean).empty());
}

TEST_CASE("An invalid committed dictionary is an error that names the file",
          "[bundler][dictionary]") {
  ManyPrefabs project(10);
  commit_to_folder(project);
  CHECK(committed_in(project.files).empty());
  const auto load = [&] {
    return load_committed(project.files, load_config(project.files).value().compression);
  };
  project.files.add("Dictionaries~/prefab.mdict", "no dictionary");
  REQUIRE_FALSE(load().has_value());
  CHECK(load().error().code == ErrorCode::malformed);
  CHECK(load().error().message.find("Dictionaries~/prefab.mdict") == 0);
  MemoryFileSystem output;
  CHECK_FALSE(build(project, output).is_built);
  CompressionRules rules;
  rules.dictionaries = AssetPath::parse("Dictionaries~/prefab.mdict").value();
  CHECK(load_committed(project.files, rules).error().message.find("not a folder") !=
        std::string::npos);
  REQUIRE(project.files.write(file_of(EntryKind::prefab), ByteVector(2U << 20U)).has_value());
  CHECK(load().error().code == ErrorCode::limit_exceeded);
}

}  // namespace
}  // namespace muster
