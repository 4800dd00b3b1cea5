// Makes the n-th call to the file system fail, for all n. No incomplete file is accepted, and each
// file is exactly the old or the new file.
#include <algorithm>
#include <functional>
#include <map>

#include <catch2/catch.hpp>

#include "bundler/report/output_check.h"
#include "registry/base/disk_file_system.h"
#include "registry/model/prepare.h"
#include "registry/rules/sinks.h"
#include "registry/rules/validate.h"
#include "tests/support/arena_build.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/text_project.h"

namespace muster {
namespace {

using testing::FaultyFileSystem;

constexpr ErrorCode kCodes[] = {ErrorCode::io, ErrorCode::permission_denied, ErrorCode::not_found};

/// Calls `operation` for each n, with the n-th call to the file system failing. Returns the number
/// of calls.
std::size_t fail_each(FaultyFileSystem& files, const std::function<void()>& operation) {
  for (std::size_t n = 0;; ++n) {
    files.fail_at(n);
    operation();
    if (!files.has_failed()) return n;
  }
}

MemoryFileSystem project(const std::string& name) {
  return testing::read_text_project(MUSTER_SOURCE_DIR "/tests/golden/bad_content/" + name + ".txt")
      .files;
}

std::vector<std::string> paths_of(const std::vector<Finding>& findings) {
  std::vector<std::string> paths;
  for (const Finding& finding : findings) {
    paths.push_back(std::string(finding.rule) + " " + finding.location.path.text());
  }
  return paths;
}

TEST_CASE("Opening and validating a project reports each failure of the disk",
          "[flow][faults][sys-1]") {
  const std::string name = GENERATE("clean", "client-only-in-server", "unregistered-prefab");
  const ErrorCode code = GENERATE(from_range(std::begin(kCodes), std::end(kCodes)));
  MemoryFileSystem memory = project(name);
  const auto whole = Project::open(memory, 1, {});
  REQUIRE(whole.has_value());
  const std::vector<std::string> expected = paths_of(validate(*whole.value(), {}));
  REQUIRE(expected.size() == (name == "clean" ? 0 : 1));
  FaultyFileSystem files(memory, code);
  const std::size_t calls = fail_each(files, [&] {
    const auto opened = Project::open(files, 1, {});
    if (!opened) return;
    const std::vector<Finding> findings = validate(*opened.value(), {});
    // A missing file is an error only if the file is required.
    if (!files.has_failed() || code == ErrorCode::not_found) return;
    CAPTURE(name, files.failed_call(), to_string(code));
    // The file is read again for the line of a finding. If this read fails, only the line is
    // missing.
    const bool has_lost_a_line =
        !expected.empty() && paths_of(findings) == expected &&
        files.failed_call() == "read " + findings.front().location.path.text();
    CHECK((count(findings).errors > 0 || has_lost_a_line));
  });
  CHECK(calls > 30);
}

TEST_CASE(
    "Wherever the disk fails, each file is completely old or completely new after a prepare run",
    "[flow][faults][sys-1]") {
  const ErrorCode code = GENERATE(ErrorCode::io, ErrorCode::no_space);
  const MemoryFileSystem before = project("unregistered-prefab");
  MemoryFileSystem after = before;
  {
    const auto opened = Project::open(after, 1, {});
    const auto plan = plan_prepare(*opened.value());
    REQUIRE(plan.value().writes.size() == 2);
    REQUIRE(apply_prepare(after, plan.value()).has_value());
  }
  MemoryFileSystem memory = before;
  FaultyFileSystem files(memory, code);
  const std::size_t calls = fail_each(files, [&] {
    memory = before;
    const auto opened = Project::open(memory, 1, {});
    const auto plan = plan_prepare(*opened.value());
    const auto applied = apply_prepare(files, plan.value());
    CAPTURE(files.failed_call());
    if (applied) CHECK(memory.files() == after.files());
    for (const auto& [path, bytes] : memory.files()) {
      // Unity and muster ignore temporary files, and the next run replaces them.
      if (path.name().starts_with('.') && path.extension() == "tmp") continue;
      const auto old_file = before.files().find(path);
      const auto new_file = after.files().find(path);
      const bool is_old = old_file != before.files().end() && old_file->second == bytes;
      const bool is_new = new_file != after.files().end() && new_file->second == bytes;
      CAPTURE(path.text());
      CHECK((is_old || is_new));
    }
    for (const auto& [path, bytes] : before.files()) CHECK(memory.files().contains(path));
    // The next run finishes the interrupted work.
    const auto again = Project::open(memory, 1, {});
    REQUIRE(apply_prepare(memory, plan_prepare(*again.value()).value()).has_value());
    for (const auto& [path, bytes] : after.files()) CHECK(memory.files().at(path) == bytes);
  });
  CHECK(calls >= 4);
}

TEST_CASE("Checking an output reports each failure of the disk", "[flow][faults][sys-12]") {
  const ErrorCode code = GENERATE(from_range(std::begin(kCodes), std::end(kCodes)));
  MemoryFileSystem memory = testing::build_to_memory(project("clean"), {.jobs = 1});
  const auto whole = check_output(memory, 1, {});
  REQUIRE(whole.has_value());
  REQUIRE(whole.value().problems.empty());
  FaultyFileSystem files(memory, code);
  const std::size_t calls = fail_each(files, [&] {
    const auto check = check_output(files, 1, {});
    if (!files.has_failed()) return;
    CAPTURE(files.failed_call(), to_string(code));
    // One of the two targets may be missing, as after a build of one target.
    if (code == ErrorCode::not_found && files.failed_call().starts_with("stat ")) return;
    CHECK((!check.has_value() || !check.value().problems.empty()));
  });
  CHECK(calls > 6);
}

// Returns the files of an output except muster's dot files.
std::map<AssetPath, ByteVector> visible(const MemoryFileSystem& output) {
  auto files = output.files();
  std::erase_if(files, [](const auto& file) { return file.first.text().starts_with('.'); });
  return files;
}

std::map<AssetPath, ByteVector> part_of(const std::map<AssetPath, ByteVector>& output,
                                        std::string_view name) {
  auto files = output;
  std::erase_if(files, [&](const auto& file) {
    return !file.first.is_within(AssetPath::parse(name).value());
  });
  return files;
}

TEST_CASE(
    "A build leaves the old output or the new one, wherever the disk fails or the process "
    "dies",
    "[flow][faults][sys-12]") {
  const ErrorCode code = GENERATE(ErrorCode::io, ErrorCode::no_space, ErrorCode::permission_denied);
  const bool dies = GENERATE(false, true);
  const MemoryFileSystem source = project("clean");
  const auto opened = Project::open(source, 1, {}).value();
  const BuildOptions options{.jobs = 1};
  const BuildOptions other_options{.level = 12, .jobs = 1};
  // Starts without an output, or with an output that differs in every part.
  MemoryFileSystem before;
  const bool was_built = GENERATE(false, true);
  if (was_built) REQUIRE(testing::build_into(before, *opened, other_options).has_value());
  MemoryFileSystem after = before;
  REQUIRE(testing::build_into(after, *opened, options).has_value());
  const auto old_output = visible(before);
  const auto new_output = visible(after);
  for (const auto* part : {"build.json", "client", "server"}) {
    REQUIRE(part_of(old_output, part) != part_of(new_output, part));
  }

  MemoryFileSystem memory;
  FaultyFileSystem files(memory, code);
  std::size_t new_outputs = 0;
  for (std::size_t n = 0;; ++n) {
    memory = before;
    if (dies) {
      files.die_at(n);
    } else {
      files.fail_at(n);
    }
    const bool is_built = testing::build_into(files, *opened, options).has_value();
    CAPTURE(n, files.failed_call(), to_string(code), dies);
    if (is_built) CHECK(visible(memory) == new_output);
    for (const auto* part : {"build.json", "client", "server"}) {
      const auto found = part_of(visible(memory), part);
      CHECK((found == part_of(old_output, part) || found == part_of(new_output, part)));
    }
    MemoryFileSystem recovered = memory;
    REQUIRE(OutputFolder::recover(recovered).has_value());
    CHECK((visible(recovered) == old_output || visible(recovered) == new_output));
    if (visible(recovered) == new_output) ++new_outputs;
    // The next build succeeds without a repair, and leaves no other files.
    REQUIRE(testing::build_into(memory, *opened, options).has_value());
    CHECK(memory.files() == after.files());
    if (!files.has_failed()) break;
  }
  // Failures happened both before and after the commit point.
  CHECK(new_outputs > 3);
}

}  // namespace
}  // namespace muster
