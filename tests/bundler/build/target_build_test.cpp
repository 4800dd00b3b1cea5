#include "bundler/build/target_build.h"

#include <algorithm>
#include <map>

#include <catch2/catch.hpp>

#include "runtime/assets/bundle_loader.h"
#include "runtime/assets/bundle_store.h"
#include "runtime/bundle/bundle_reader.h"
#include "runtime/bundle/catalog_reader.h"
#include "runtime/spawn/spawner.h"
#include "tests/support/arena_build.h"
#include "tests/support/memory_copy.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

AssetPath path(std::string_view text) { return AssetPath::parse(text).value(); }

TEST_CASE(
    "Every registered asset has a bundle, and each asset that it needs is in exactly one bundle",
    "[bundler][build][sys-11][sys-12]") {
  const MemoryFileSystem source = testing::copy_to_memory(MUSTER_SOURCE_DIR "/content/arena");
  const MemoryFileSystem output = testing::build_to_memory(source, {.jobs = 2});
  const auto project = Project::open(source, 2, {}).value();
  for (const auto& [folder, target] :
       {std::pair<std::string, Target>("client", Target::client), {"server", Target::server}}) {
    CAPTURE(folder);
    const auto catalog = CatalogReader::open(output.files().at(path(folder + "/catalog.mcat")));
    REQUIRE(catalog.has_value());
    CHECK(catalog.value().target() == target);
    std::map<Guid, int> homes;
    for (std::uint32_t i = 0; i < catalog.value().bundle_count(); ++i) {
      const BundleName name = catalog.value().bundle(i).name;
      const auto bundle = BundleReader::open(output.files().at(path(folder + "/" + name.path())));
      REQUIRE(bundle.has_value());
      if (name.kind == BundleKind::variant) continue;  // The base is counted.
      for (std::uint32_t e = 0; e < bundle.value().entry_count(); ++e) {
        const BundleEntry entry = bundle.value().entry(e);
        if (entry.local_id == kMainPayload) ++homes[entry.guid];
      }
    }
    for (const Guid& guid : project->model().assets_for(target)) {
      const auto bundle = catalog.value().bundle_of(guid);
      REQUIRE(bundle.has_value());
      CHECK(catalog.value().bundle(*bundle).name == BundleName::of_prefab(guid));
      const AssetNumber root = project->index().find(guid);
      for (const AssetNumber needed :
           project->graph().closure(std::span(&root, 1), project->index())) {
        const Asset& asset = project->index().at(needed);
        CAPTURE(asset.path.text());
        if (project->variants().is_variant(needed)) continue;
        CHECK(homes[asset.guid] == 1);
      }
    }
  }
}

TEST_CASE("A stripped asset that is still referenced is named in the server's catalog",
          "[bundler][build][strip]") {
  MemoryFileSystem source = testing::copy_to_memory(MUSTER_SOURCE_DIR "/content/arena");
  const std::string own = "plain/items/pistol_server.yaml";
  std::string text(as_text(source.files().at(path(own))));
  text.replace(
      text.find("  - Item:"), 0,
      "  - Hum: {clip: {fileID: 1, guid: ccb92749b5bbb4c2cccb7648d6fbab85}}\n"
      "  - MeshRenderer: {material: {fileID: 1, guid: ee3d54010428b4b66a4f07abc3d7fe5b}}\n");
  source.add(own, text);
  const Guid sound = Guid::parse("ccb92749b5bbb4c2cccb7648d6fbab85").value();
  const Guid material = Guid::parse("ee3d54010428b4b66a4f07abc3d7fe5b").value();
  const MemoryFileSystem output = testing::build_to_memory(source, {.jobs = 2});
  const auto server = CatalogReader::open(output.files().at(path("server/catalog.mcat")));
  REQUIRE(server.has_value());
  const auto named = server.value().find_asset(sound);
  REQUIRE(named.has_value());
  CHECK(named->bundle == layout::kNone);
  CHECK(named->path == "plain/audio/pickup.wav");
  CHECK_FALSE(server.value().bundle_of(sound).has_value());
  CHECK_FALSE(server.value().find_asset(material).has_value());
  const auto client = CatalogReader::open(output.files().at(path("client/catalog.mcat")));
  REQUIRE(client.has_value());
  CHECK(client.value().bundle_of(sound).has_value());
  const FileSystemSource folder(output, path("server"));
  auto store = BundleStore::open(folder);
  REQUIRE(store.has_value());
  const auto loaded = store.value().load(sound, kMainPayload);
  REQUIRE_FALSE(loaded.has_value());
  CHECK(loaded.error().code == ErrorCode::not_found);
  CHECK(loaded.error().message.find("leaves it out of the server") != std::string::npos);
  CHECK(loaded.error().message.find("'plain/audio/pickup.wav'") != std::string::npos);
  SteppedLoads loads(folder, store.value().catalog());
  BundleLoader loader(store.value(), loads, {});
  CHECK(loader.request_asset(sound).error().message == loaded.error().message);
  World world(std::span<const ComponentDescription>{});
  Spawner spawner(store.value(), world);
  CHECK(spawner.spawn(sound).error().message == loaded.error().message);
  const Error unknown = loader.request_asset(material).error();
  CHECK(unknown.code == ErrorCode::not_found);
  CHECK(unknown.message.find("'muster why'") != std::string::npos);
  CHECK(unknown.message == store.value().load(material, kMainPayload).error().message);
}

struct Attempt {
  Result<TargetBuild> result;
  std::vector<CookProblem> problems;
};

Attempt attempt(const Project& project, const std::stop_token& stop) {
  MemoryFileSystem files;
  auto output = OutputFolder::open_for_build(files);
  REQUIRE(output.has_value());
  StagedBundles bundles(output.value());
  SilentReporter reporter;
  const ManualClock clock;
  std::vector<CookProblem> problems;
  auto result = build_target(project, Target::client, {}, {.jobs = 2},
                             {bundles, reporter, clock, stop}, problems);
  return {std::move(result), std::move(problems)};
}

TEST_CASE("All assets that cannot be cooked are reported, sorted, and nothing is built",
          "[bundler][build][sys-12]") {
  testing::UnityProject project;
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
  const Guid script = project.script("ReplicatedEntity");
  std::string body = "  entries:\n";
  for (const char* name : {"B", "A"}) {
    const Guid picture = project.file("Assets/" + std::string(name) + ".png", pointer);
    const Guid prefab = project.prefab(
        "Assets/" + std::string(name) + ".prefab",
        {{script, "  look: {fileID: 2800000, guid: " + picture.to_string() + ", type: 3}\n"}});
    body += "  - guid:\n" + testing::UnityProject::words(prefab, 6) + "    prefab:\n" +
            testing::UnityProject::words(prefab, 6);
  }
  const Guid registry =
      project.asset("Assets/R.asset", project.script("ReplicatedEntityRegistry"), body);
  project.asset("Assets/Root.asset", project.script("AssetRegistryRoot"),
                "  serverBuild: 0\n  assetRegistries:\n  - " +
                    testing::UnityProject::strong(registry) + "\n");
  const auto opened = Project::open(project.files, 1, {}).value();
  REQUIRE(opened->model().assets_for(Target::client).size() == 2);
  const Attempt built = attempt(*opened, {});
  REQUIRE_FALSE(built.result.has_value());
  CHECK(built.result.error().code == ErrorCode::malformed);
  REQUIRE(built.problems.size() == 2);
  CHECK(built.problems[0].location.path.text() == "Assets/A.png");
  CHECK(built.problems[1].location.path.text() == "Assets/B.png");
}

TEST_CASE("An effect in two registries is one effect if its values are equal, otherwise an error",
          "[bundler][build]") {
  const int pool_size = GENERATE(16, 8, 0, 1025);
  CAPTURE(pool_size);
  testing::UnityProject project;
  const Guid prefab = project.prefab("Assets/Smoke.prefab");
  const Guid registry_script = project.script("SpatialEffectRegistry");
  const auto registry = [&](const char* path, int size) {
    return project.asset(path, registry_script,
                         "  entries:\n  - type_id: 1\n    poolSize: " + std::to_string(size) +
                             "\n    prefab:\n      guid: " + prefab.to_string() + "\n");
  };
  registry("Assets/A.asset", 16);
  registry("Assets/B.asset", pool_size);
  const auto opened = Project::open(project.files, 1, {}).value();
  REQUIRE(opened->model().registries.size() == 2);
  const Attempt built = attempt(*opened, {});
  CHECK(built.result.has_value() == (pool_size == 16));
  if (built.result) return;
  CHECK(built.result.error().code ==
        (pool_size == 8 ? ErrorCode::already_exists : ErrorCode::malformed));
}

TEST_CASE("A build that is asked to stop returns no result", "[bundler][build]") {
  const MemoryFileSystem source = testing::copy_to_memory(MUSTER_SOURCE_DIR "/content/arena");
  const auto project = Project::open(source, 2, {}).value();
  std::stop_source stop;
  stop.request_stop();
  const Attempt built = attempt(*project, stop.get_token());
  REQUIRE_FALSE(built.result.has_value());
  CHECK(built.result.error().code == ErrorCode::cancelled);
}

}  // namespace
}  // namespace muster
