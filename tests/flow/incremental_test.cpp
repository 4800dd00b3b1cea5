// Tests that incremental builds equal clean builds after random edits.
#include <algorithm>
#include <random>

#include <catch2/catch.hpp>

#include "tests/bundler/cache/memory_blobs.h"
#include "tests/support/edited_project.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/incremental_builds.h"

namespace muster {
namespace {

using testing::differences;
using testing::EditedProject;
using testing::FaultyFileSystem;
using testing::Outcome;
using testing::Settings;

Outcome build(const EditedProject& project, MemoryFileSystem& output, const Settings& settings) {
  return testing::build(project.files, output, output, settings);
}

/// Edits, builds and compares. Sometimes changes the options, or kills a build.
class Run {
 public:
  explicit Run(std::uint32_t seed) : random_(seed * 7919 + 1), project_(seed) {
    // A quarter of the projects train dictionaries.
    if (seed % 4 != 1) return;
    settings_.options.sampling = {
        .assets_min = 4,
        .samples_wanted = 1000,
        .share_min = seed % 8 == 1 ? 0U : 1U,
        .training = {.samples_min = 5, .dictionary_bytes_min = 256, .halves_saved_min = 0}};
  }

  void step() {
    std::string edits;
    for (std::uint32_t i = below(4); i > 0; --i) edits += project_.edit() + " ";
    if (below(6) == 0) {
      settings_.options.level = 1 + static_cast<int>(below(2));
      edits += "level ";
    }
    if (below(12) == 0) {
      settings_.options.layout =
          settings_.options.layout == Layout::shared ? Layout::self_contained : Layout::shared;
      edits += "layout ";
    }
    if (below(12) == 0) {
      settings_.tool = settings_.tool == testing::kTool ? "another" : std::string(testing::kTool);
      edits += "tool ";
    }
    if (below(8) == 0) {
      settings_.variants.clear();
      if (below(3) > 0) settings_.variants.push_back({"platform", below(2) ? "linux" : "windows"});
      if (below(3) == 0) settings_.variants.push_back({"quality", below(2) ? "low" : "high"});
      edits += "choice ";
    }
    settings_.options.targets = below(6) == 0 ? TargetSet(Target::client) : TargetSet::both();
    history_ += edits + "| ";
    CAPTURE(history_);
    if (below(5) == 0) kill_one();
    const Outcome outcome = build(project_, output_, settings_);
    MemoryFileSystem clean;
    const Outcome rebuilt = build(project_, clean, settings_);
    REQUIRE(outcome.is_built == rebuilt.is_built);
    if (!outcome.was_up_to_date) CHECK(outcome.findings == rebuilt.findings);
    known_ += outcome.known_assets;
    CHECK(rebuilt.known_assets == 0);
    if (!outcome.is_built) return;
    ++built_;
    for (const auto& [path, bytes] : output_.files()) {
      if (path.text().ends_with(".mdict")) ++dictionaries_;
    }
    auto unlike = differences(output_, clean);
    if (settings_.options.targets != TargetSet::both()) {
      // The server's target is from an earlier build.
      std::erase_if(unlike, [](const auto& path) { return !path.starts_with("client/"); });
    }
    CHECK(unlike.empty());
    packed_ += outcome.packed;
    packed_clean_ += rebuilt.packed;
    varied_ += static_cast<std::size_t>(std::ranges::count_if(
        clean.files(), [](const auto& file) { return file.first.parent().name() == "variants"; }));
    check_unedited();
    if (below(2) == 0) check_cache(clean);
  }

  std::size_t built() const { return built_; }
  std::size_t dictionaries() const { return dictionaries_; }
  std::size_t packed() const { return packed_; }
  std::size_t packed_clean() const { return packed_clean_; }
  std::size_t varied() const { return varied_; }
  std::size_t known() const { return known_; }

 private:
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }

  // A machine with only the cache builds the same output, and the next machine packs no bundle.
  void check_cache(const MemoryFileSystem& clean) {
    Settings cached = settings_;
    cached.cache = &cache_;
    MemoryFileSystem output;
    CHECK(build(project_, output, cached).is_built);
    CHECK(differences(output, clean).empty());
    MemoryFileSystem next;
    CHECK(build(project_, next, cached).packed == 0);
    CHECK(differences(next, clean).empty());
  }

  // Without an edit, a build has nothing to do. A build that checks all files packs no bundle.
  void check_unedited() {
    const auto before = output_.files();
    const Outcome again = build(project_, output_, settings_);
    CHECK(again.was_up_to_date);
    CHECK(output_.files() == before);
    if (below(4) != 0) return;
    Settings thorough = settings_;
    thorough.skips_check = true;
    const Outcome whole = build(project_, output_, thorough);
    CHECK(whole.is_built);
    CHECK(whole.packed == 0);
    CHECK(differences(output_, before_only(before)).empty());
  }

  static MemoryFileSystem before_only(const std::map<AssetPath, ByteVector>& files) {
    MemoryFileSystem copy;
    for (const auto& [path, bytes] : files) copy.add(path.text(), as_text(bytes));
    return copy;
  }

  void kill_one() {
    FaultyFileSystem files(output_, ErrorCode::io);
    files.die_at(below(120));
    (void)testing::build(project_.files, files, output_, settings_);
  }

  std::mt19937 random_;
  EditedProject project_;
  MemoryFileSystem output_;
  Settings settings_;
  MemoryBlobs blobs_;
  BuildCache cache_{{{.store = &blobs_, .name = "a cache"}}};
  std::string history_;
  std::size_t built_ = 0;
  std::size_t dictionaries_ = 0;
  std::size_t packed_ = 0;
  std::size_t packed_clean_ = 0;
  std::size_t varied_ = 0;  ///< The number of variant bundles.
  std::size_t known_ = 0;   ///< The number of assets that were not read again.
};

void run_seeds(std::uint32_t first, std::uint32_t last) {
  std::size_t dictionaries = 0;
  std::size_t built = 0;
  std::size_t packed = 0;
  std::size_t packed_clean = 0;
  std::size_t varied = 0;
  std::size_t known = 0;
  for (std::uint32_t seed = first; seed < last; ++seed) {
    CAPTURE(seed);
    Run run(seed);
    for (int step = 0; step < 8; ++step) run.step();
    built += run.built();
    dictionaries += run.dictionaries();
    packed += run.packed();
    packed_clean += run.packed_clean();
    varied += run.varied();
    known += run.known();
  }
  // Most states of the project can be built, and most bundles are reused.
  CHECK(built > 3 * (last - first));
  CHECK(varied > built);
  CHECK(packed * 2 < packed_clean);
  CHECK(dictionaries > last - first);
  CHECK(known > 4 * built);
}

TEST_CASE("Random edits build to the same output as a clean build (1 of 4)",
          "[flow][incremental][sys-12]") {
  run_seeds(0, 75);
}
TEST_CASE("Random edits build to the same output as a clean build (2 of 4)",
          "[flow][incremental][sys-12]") {
  run_seeds(75, 150);
}
TEST_CASE("Random edits build to the same output as a clean build (3 of 4)",
          "[flow][incremental][sys-12]") {
  run_seeds(150, 225);
}
TEST_CASE("Random edits build to the same output as a clean build (4 of 4)",
          "[flow][incremental][sys-12]") {
  run_seeds(225, 300);
}

}  // namespace
}  // namespace muster
