// Variants of the sample game: built, and loaded by a game.
#include <algorithm>

#include <catch2/catch.hpp>

#include "bundler/preview/project_source.h"
#include "content/arena/game/components.h"
#include "registry/base/disk_file_system.h"
#include "runtime/assets/bundle_loader.h"
#include "tests/support/arena_build.h"

using namespace muster;

namespace {

AssetPath path(std::string_view text) { return AssetPath::parse(text).value(); }

DiskFileSystem arena_files() {
  return DiskFileSystem::open(std::string(MUSTER_SOURCE_DIR) + "/content/arena").value();
}

constexpr std::string_view kBase = "plain/textures/sandstone.png";
constexpr std::string_view kLowPicture = "plain/textures/sandstone@low.png";
constexpr std::string_view kRock = "plain/level/rock_art.yaml";

ByteVector file(const FileReader& files, std::string_view name) {
  ByteVector buffer;
  const Bytes bytes = read_whole(files, path(name), 1U << 20U, buffer).value();
  return {bytes.begin(), bytes.end()};
}

bool is_equal(Bytes a, const ByteVector& b) { return std::ranges::equal(a, b); }

Guid guid_at(const Project& project, std::string_view name) {
  return project.index().at(project.index().find(path(name))).guid;
}

}  // namespace

TEST_CASE("A game loads the chosen variant of an asset, and no other variant", "[flow][variant]") {
  const DiskFileSystem files = arena_files();
  const auto project = Project::open(files, 1, {}).value();
  const Guid picture = guid_at(*project, kBase);
  const MemoryFileSystem build = testing::build_to_memory(files, {});
  const FileSystemSource source(build, path("client"));
  const bool is_low = GENERATE(false, true);
  CAPTURE(is_low);
  const std::vector<VariantSetting> settings = {{"quality", is_low ? "low" : "high"}};
  BundleStore store = BundleStore::open(source, {}, nullptr, settings).value();
  CHECK(store.choice().value_of("quality") == settings[0].value);
  const std::uint32_t requested = store.catalog().bundle_of(picture).value();
  CHECK((store.chosen(requested) != requested) == is_low);

  // Assets that depend on the variant also load it, in the background and synchronously.
  const Guid rock = guid_at(*project, kRock);
  SteppedLoads executor(source, store.catalog());
  {
    BundleLoader loader(store, executor, {});
    const BundleHandle handle = loader.request_asset(rock).value();
    CHECK(loader.finish(handle, Time()) == LoadState::ready);
    CHECK(store.is_open(requested));
    const std::uint64_t opened = store.counters().bundles_opened;
    const LoadedEntry entry = store.load(picture, kMainPayload).value();
    CHECK(entry.kind == EntryKind::raw);
    CHECK(is_equal(entry.bytes, file(files, is_low ? kLowPicture : kBase)));
    CHECK(store.load(picture, kImportSettings).has_value());
    CHECK(store.counters().bundles_opened == opened);
  }
  BundleStore other = BundleStore::open(source, {}, nullptr, settings).value();
  const std::uint32_t bundle = other.catalog().bundle_of(rock).value();
  REQUIRE(other.load_bundles({&bundle, 1}).has_value());
  CHECK(other.is_open(requested));
  CHECK(other.counters().bundles_opened == store.counters().bundles_opened);
  CHECK(is_equal(other.load(picture, kMainPayload).value().bytes,
                 file(files, is_low ? kLowPicture : kBase)));
}

TEST_CASE("Files of variants that were not chosen may be missing", "[flow][variant]") {
  const DiskFileSystem files = arena_files();
  const auto project = Project::open(files, 1, {}).value();
  const Guid picture = guid_at(*project, kBase);
  MemoryFileSystem build = testing::build_to_memory(files, {});
  const FileSystemSource source(build, path("client"));
  const std::vector<VariantSetting> low = {{"quality", "low"}};
  std::string base;
  {
    const BundleStore store = BundleStore::open(source).value();
    base = store.catalog().bundle(store.catalog().bundle_of(picture).value()).name.path();
  }
  REQUIRE(build.remove(path("client/" + base)).has_value());
  BundleStore by_default = BundleStore::open(source).value();
  CHECK(by_default.load(picture, kMainPayload).error().code == ErrorCode::not_found);
  BundleStore store = BundleStore::open(source, {}, nullptr, low).value();
  CHECK(is_equal(store.load(picture, kMainPayload).value().bytes, file(files, kLowPicture)));
}

TEST_CASE("A build for one variant contains only this variant, under the asset's guid",
          "[flow][variant]") {
  const DiskFileSystem files = arena_files();
  const std::vector<VariantWish> wishes = {{"quality", "low"}};
  const auto project = Project::open(files, 1, {}, {}, wishes).value();
  const Guid picture = guid_at(*Project::open(files, 1, {}).value(), kBase);
  CHECK(guid_at(*project, kLowPicture) == picture);
  CHECK(project->index().find(path(kBase)) == kNoAsset);
  MemoryFileSystem build;
  const auto layout = GENERATE(Layout::shared, Layout::self_contained);
  REQUIRE(testing::build_into(build, *project, {.layout = layout}).has_value());
  const FileSystemSource source(build, path("client"));
  BundleStore store = BundleStore::open(source).value();
  CHECK(store.catalog().alternative_count() == 0);
  CHECK(store.choice().value_of("quality") == "low");
  CHECK(is_equal(store.load(picture, kMainPayload).value().bytes, file(files, kLowPicture)));
  const std::vector<VariantSetting> high = {{"quality", "high"}};
  CHECK(BundleStore::open(source, {}, nullptr, high).error().code == ErrorCode::invalid_argument);
}

TEST_CASE("A preview has the same variants as a build", "[flow][preview][variant]") {
  const DiskFileSystem files = arena_files();
  const auto project = Project::open(files, 1, {}).value();
  const Guid picture = guid_at(*project, kBase);
  const auto preview =
      ProjectSource::create(*project, Target::client, arena::arena_components()).value();
  for (const auto& [value, name] : {std::pair("low", kLowPicture), std::pair("high", kBase)}) {
    const std::vector<VariantSetting> settings = {{"quality", value}};
    BundleStore store =
        BundleStore::open(*preview, BundleStore::Catalogs::built_or_preview, nullptr, settings)
            .value();
    CHECK(is_equal(store.load(picture, kMainPayload).value().bytes, file(files, name)));
  }
}
