// Tests that a failing disk or a killed process leaves either the old build or the new build.
#include <catch2/catch.hpp>

#include "bundler/patch/patch_apply.h"
#include "bundler/patch/patch_create.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/patch_samples.h"
#include "tests/support/visible_output.h"

namespace muster {
namespace {

using testing::FaultyFileSystem;
using testing::visible;

struct Builds {
  MemoryFileSystem before;
  MemoryFileSystem after;
  ByteVector patch;
};

Builds make_builds() {
  Random random(11);
  samples::BuildModel model = samples::BuildModel::random(random);
  Builds builds{model.files(), {}, {}};
  for (int i = 0; i < 5; ++i) model.edit(random);
  for (auto& [target, bundles] : model.targets) bundles.front().options.level = 12;
  builds.after = model.files();
  builds.patch = create_patch(builds.before, builds.after, {}).value().bytes;
  return builds;
}

bool apply(const FileReader& base, Bytes patch, FileSystem& out) {
  auto folder = OutputFolder::open_for_build(out);
  return folder && apply_patch(base, read_patch(patch).value(), folder.value());
}

/// Checks that each part is from the old or the new build, and that all parts are from one build
/// after recovery.
bool check_old_or_new(const MemoryFileSystem& out, const MemoryFileSystem& old_build,
                      const MemoryFileSystem& new_build) {
  for (const auto& [path, bytes] : visible(out)) {
    const auto old_file = old_build.files().find(path);
    const auto new_file = new_build.files().find(path);
    CAPTURE(path.text());
    CHECK(((old_file != old_build.files().end() && old_file->second == bytes) ||
           (new_file != new_build.files().end() && new_file->second == bytes)));
  }
  MemoryFileSystem recovered = out;
  REQUIRE(OutputFolder::recover(recovered).has_value());
  const bool is_new = visible(recovered) == new_build.files();
  CHECK((is_new || visible(recovered) == old_build.files()));
  return is_new;
}

TEST_CASE(
    "A patch leaves the old build or the new one, wherever the disk fails or the process dies",
    "[bundler][patch][faults]") {
  const ErrorCode code = GENERATE(ErrorCode::io, ErrorCode::no_space, ErrorCode::permission_denied);
  const bool dies = GENERATE(false, true);
  const bool is_in_place = GENERATE(false, true);
  const Builds builds = make_builds();
  REQUIRE(builds.before.stat(AssetPath().child("server")).has_value());
  REQUIRE(builds.after.stat(AssetPath().child("server")).has_value());
  const MemoryFileSystem old_out = is_in_place ? builds.before : MemoryFileSystem();
  MemoryFileSystem memory;
  FaultyFileSystem files(memory, code);
  std::size_t new_outputs = 0;
  std::size_t failures = 0;
  for (std::size_t n = 0;; ++n) {
    memory = old_out;
    if (dies) {
      files.die_at(n);
    } else {
      files.fail_at(n);
    }
    const FileReader& base = is_in_place ? static_cast<const FileReader&>(files) : builds.before;
    const bool is_done = apply(base, builds.patch, files);
    CAPTURE(n, files.failed_call(), to_string(code), dies, is_in_place);
    if (is_done) CHECK(visible(memory) == builds.after.files());
    const bool is_new = check_old_or_new(memory, old_out, builds.after);
    if (is_new) ++new_outputs;
    if (!files.has_failed()) break;
    ++failures;
    REQUIRE(OutputFolder::recover(memory).has_value());
    const FileReader& again = is_in_place ? static_cast<const FileReader&>(memory) : builds.before;
    if (!is_in_place || !is_new) CHECK(apply(again, builds.patch, memory));
    if (is_in_place) CHECK(is_applied(memory, read_patch(builds.patch).value()).value());
    CHECK(visible(memory) == builds.after.files());
  }
  CHECK(failures > 10);
  CHECK(new_outputs > 3);
}

TEST_CASE("A base on a failing disk fails the patch and does not change the output",
          "[bundler][patch][faults]") {
  const Builds builds = make_builds();
  MemoryFileSystem base = builds.before;
  FaultyFileSystem files(base, ErrorCode::io);
  std::size_t failures = 0;
  for (std::size_t n = 0;; ++n) {
    files.fail_at(n);
    MemoryFileSystem out;
    const bool is_done = apply(files, builds.patch, out);
    CHECK(is_done == !files.has_failed());
    CHECK(visible(out).empty() == !is_done);
    if (!files.has_failed()) break;
    ++failures;
    files.fail_at(n);
    CHECK_FALSE(create_patch(files, builds.after, {}).has_value());
  }
  CHECK(failures > 5);
}

}  // namespace
}  // namespace muster
