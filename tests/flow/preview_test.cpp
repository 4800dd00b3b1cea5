// Compares a preview of the sample game, without a build, with its build.
#include <catch2/catch.hpp>

#include "bundler/preview/project_source.h"
#include "content/arena/game/components.h"
#include "registry/base/disk_file_system.h"
#include "runtime/session/build_tour.h"
#include "runtime/spawn/spawner.h"
#include "tests/support/arena_build.h"
#include "tests/support/open_project.h"

using namespace muster;

namespace {

std::string outcome(const TourReport& report) {
  std::string text;
  for (const TourStop& stop : report.stops) {
    text += std::string(stop.registry) + " " + std::to_string(stop.type_number()) + " " +
            stop.guid.to_string() + " " + std::to_string(stop.entities) + " " +
            std::to_string(stop.components) + " " + std::to_string(stop.other_components) + " " +
            stop.error + "\n";
  }
  return text + std::to_string(report.effects_played) + " " + std::to_string(report.left_over);
}

TourReport tour_of(const BundleSource& source, BundleStore::Catalogs catalogs) {
  BundleStore store = BundleStore::open(source, catalogs).value();
  TourReport report;
  tour(store, arena::arena_components(), ManualClock(), report);
  return report;
}

}  // namespace

TEST_CASE("A preview has the same entities as a build", "[flow][preview][sys-13]") {
  const DiskFileSystem files =
      DiskFileSystem::open(std::string(MUSTER_SOURCE_DIR) + "/content/arena").value();
  const auto project = Project::open(files, 1, {}).value();
  const MemoryFileSystem build = testing::build_to_memory(files, {});
  for (const Target target : {Target::client, Target::server}) {
    const auto preview = ProjectSource::create(*project, target, arena::arena_components()).value();
    const FileSystemSource built(
        build, AssetPath::parse(target == Target::client ? "client" : "server").value());
    const TourReport shown = tour_of(*preview, BundleStore::Catalogs::built_or_preview);
    CHECK(shown.failures() == 0);
    CHECK(outcome(shown) == outcome(tour_of(built, BundleStore::Catalogs::built)));
  }
}

TEST_CASE("A store that requires a build refuses a preview", "[flow][preview]") {
  const testing::UnityProject empty;
  const auto project = testing::open(empty);
  const auto preview = ProjectSource::create(*project, Target::client, {}).value();
  CHECK(BundleStore::open(*preview).error().code == ErrorCode::invalid_argument);
  CHECK(BundleStore::open(*preview, BundleStore::Catalogs::built_or_preview).has_value());
  CHECK(preview->open("bundles/none.mbundle", 1000).error().code == ErrorCode::not_found);
}
