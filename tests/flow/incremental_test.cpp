// Builds that do only what is needed make what a clean build makes, whatever was edited before.
#include <algorithm>
#include <random>

#include <catch2/catch.hpp>

#include "bundler/pack/incremental_build.h"
#include "bundler/report/build_report.h"
#include "tests/support/arena_build.h"
#include "tests/support/edited_project.h"
#include "tests/support/faulty_file_system.h"

namespace muster {
namespace {

using testing::EditedProject;
using testing::FaultyFileSystem;

constexpr std::string_view kTool = "a build of muster";

struct Outcome {
  bool is_built = false;
  bool was_up_to_date = false;
  std::size_t packed = 0;  ///< Bundles.
  std::vector<BuildReason> reasons;
};

struct Settings {
  BuildOptions options{.level = 1, .jobs = 1};
  std::string tool{kTool};
  bool is_forced = false;
  bool skips_look = false;  ///< Builds although there may be nothing to do.
};

/// What the command does, without its words.
Outcome build(const MemoryFileSystem& project, FileSystem& output, const FileStamps& output_stamps,
              const Settings& settings) {
  Outcome outcome;
  const BuildWish wish{.targets = settings.options.targets,
                       .terms = {settings.tool, settings.options.layout, settings.options.level}};
  if (!settings.is_forced && !settings.skips_look) {
    auto found = find_up_to_date(output, output_stamps, project, project, wish, 1);
    if (found) {
      if (found->check.has_new_stamps) {
        (void)refresh_state(output, std::move(found->check.folders)).has_value();
      }
      outcome.is_built = outcome.was_up_to_date = true;
      return outcome;
    }
  }
  const RecordedFiles recorded(project, project);
  const auto opened = Project::open(recorded, 1, {});
  REQUIRE(opened.has_value());
  const auto components = load_components(recorded, opened.value()->config());
  REQUIRE(components.has_value());
  auto folder = OutputFolder::open_for_build(output);
  if (!folder) return outcome;
  SilentReporter reporter;
  const ManualClock clock;
  std::vector<CookProblem> problems;
  const auto builds = build_project({.project = *opened.value(),
                                     .components = components.value(),
                                     .options = settings.options,
                                     .version = "test",
                                     .tool = settings.tool,
                                     .output = folder.value(),
                                     .reporter = reporter,
                                     .clock = clock,
                                     .inputs = &recorded,
                                     .output_stamps = &output_stamps,
                                     .is_forced = settings.is_forced},
                                    problems);
  if (!builds || !folder.value().publish()) return outcome;
  outcome.is_built = true;
  for (const TargetBuild& target : builds.value()) {
    for (const BuiltBundle& bundle : target.bundles) {
      if (bundle.is_kept) continue;
      ++outcome.packed;
      std::ranges::copy(bundle.reasons, std::back_inserter(outcome.reasons));
    }
  }
  return outcome;
}

Outcome build(const EditedProject& project, MemoryFileSystem& output, const Settings& settings) {
  return build(project.files, output, output, settings);
}

/// What a reader of an output sees: everything but our own dot files.
std::map<std::string, ByteVector> visible(const MemoryFileSystem& output) {
  std::map<std::string, ByteVector> files;
  for (const auto& [path, bytes] : output.files()) {
    if (path.text().starts_with('.')) continue;
    files[path.text()] = bytes;
    if (path.text() != OutputFolder::kReportName) continue;
    const std::string report = lasting_report(as_text(bytes));
    const Bytes lasting = as_bytes(report);
    files[path.text()].assign(lasting.begin(), lasting.end());
  }
  return files;
}

std::vector<std::string> differences(const MemoryFileSystem& a, const MemoryFileSystem& b) {
  const auto left = visible(a);
  const auto right = visible(b);
  std::vector<std::string> names;
  for (const auto& [path, bytes] : left) {
    const auto other = right.find(path);
    if (other == right.end() || other->second != bytes) names.push_back(path);
  }
  for (const auto& [path, bytes] : right) {
    if (!left.contains(path)) names.push_back(path);
  }
  return names;
}

/// Edits, builds, compares; now and then the options change, or a build is killed on the way.
class Run {
 public:
  explicit Run(std::uint32_t seed) : random_(seed * 7919 + 1), project_(seed) {}

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
    history_ += edits + "| ";
    CAPTURE(history_);
    if (below(5) == 0) kill_one();
    const Outcome outcome = build(project_, output_, settings_);
    MemoryFileSystem clean;
    const Outcome anew = build(project_, clean, settings_);
    REQUIRE(outcome.is_built == anew.is_built);
    if (!outcome.is_built) return;
    ++built_;
    CHECK(differences(output_, clean).empty());
    packed_ += outcome.packed;
    packed_clean_ += anew.packed;
    check_rest();
  }

  std::size_t built() const { return built_; }
  std::size_t packed() const { return packed_; }
  std::size_t packed_clean() const { return packed_clean_; }

 private:
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }

  // Without an edit there is nothing to do, and nothing to pack for who looks all the same.
  void check_rest() {
    const auto before = output_.files();
    const Outcome again = build(project_, output_, settings_);
    CHECK(again.was_up_to_date);
    CHECK(output_.files() == before);
    if (below(4) != 0) return;
    Settings thorough = settings_;
    thorough.skips_look = true;
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
    (void)build(project_.files, files, output_, settings_);
  }

  std::mt19937 random_;
  EditedProject project_;
  MemoryFileSystem output_;
  Settings settings_;
  std::string history_;
  std::size_t built_ = 0;
  std::size_t packed_ = 0;
  std::size_t packed_clean_ = 0;
};

void run_seeds(std::uint32_t first, std::uint32_t last) {
  std::size_t built = 0;
  std::size_t packed = 0;
  std::size_t packed_clean = 0;
  for (std::uint32_t seed = first; seed < last; ++seed) {
    CAPTURE(seed);
    Run run(seed);
    for (int step = 0; step < 8; ++step) run.step();
    built += run.built();
    packed += run.packed();
    packed_clean += run.packed_clean();
  }
  // Most states of the project can be built, and most bundles stay.
  CHECK(built > 3 * (last - first));
  CHECK(packed * 2 < packed_clean);
}

TEST_CASE("Random edits build to what a clean build makes (1 of 4)",
          "[flow][incremental][sys-12]") {
  run_seeds(0, 75);
}
TEST_CASE("Random edits build to what a clean build makes (2 of 4)",
          "[flow][incremental][sys-12]") {
  run_seeds(75, 150);
}
TEST_CASE("Random edits build to what a clean build makes (3 of 4)",
          "[flow][incremental][sys-12]") {
  run_seeds(150, 225);
}
TEST_CASE("Random edits build to what a clean build makes (4 of 4)",
          "[flow][incremental][sys-12]") {
  run_seeds(225, 300);
}

}  // namespace
}  // namespace muster
