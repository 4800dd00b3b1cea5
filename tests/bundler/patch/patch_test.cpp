// Tests that each patch makes exactly the new build, and refuses every base except the old build.
#include <catch2/catch.hpp>

#include "bundler/patch/build_side.h"
#include "bundler/patch/patch_apply.h"
#include "bundler/patch/patch_create.h"
#include "bundler/patch/patch_reader.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/damage.h"
#include "tests/support/golden_file.h"
#include "tests/support/memory_copy.h"
#include "tests/support/patch_samples.h"
#include "tests/support/visible_output.h"

namespace muster {
namespace {

using samples::BuildModel;
using testing::visible;

ByteVector patch_of(const FileReader& before, const FileReader& after, bool is_portable = false) {
  return create_patch(before, after, {.is_portable = is_portable, .stop = {}}).value().bytes;
}

Result<AppliedPatch> apply(const FileReader& base, Bytes patch, FileSystem& out,
                           const ApplyOptions& options = {}) {
  const auto read = read_patch(patch);
  if (!read) return fail(read.error());
  auto folder = OutputFolder::open_for_build(out);
  REQUIRE(folder.has_value());
  return apply_patch(base, read.value(), folder.value(), options);
}

/// Two builds that differ by some edits. Each build has a client and a server, so a patch can be
/// applied in place in both directions.
struct Builds {
  MemoryFileSystem before;
  MemoryFileSystem after;
};
Builds random_builds(std::uint64_t seed, std::uint64_t edits) {
  Random random(seed);
  BuildModel model = BuildModel::random(random);
  Builds builds{model.files(), {}};
  for (std::uint64_t i = 0; i < edits; ++i) model.edit(random);
  builds.after = model.files();
  return builds;
}
Builds small_builds() { return random_builds(3, 6); }

TEST_CASE("A patch converts the old build to the new one after any edits",
          "[bundler][patch][sys-12]") {
  constexpr std::uint64_t kSeeds = 120;
  std::uint64_t smaller = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const bool is_portable = seed % 3 == 0;
    const Builds builds = random_builds(seed, 1 + seed % 9);
    CAPTURE(seed, is_portable);
    const auto made =
        create_patch(builds.before, builds.after, {.is_portable = is_portable, .stop = {}});
    REQUIRE(made.has_value());
    CHECK_FALSE((is_portable && made.value().recompresses));
    if (made.value().bytes.size() < made.value().changed_bytes) ++smaller;
    MemoryFileSystem out;
    const auto applied = apply(builds.before, made.value().bytes, out);
    REQUIRE(applied.has_value());
    CHECK(applied.value().made == made.value().changed_files);
    CHECK(visible(out) == builds.after.files());
    MemoryFileSystem same = builds.before;
    const auto in_place = apply(same, made.value().bytes, same);
    const auto targets = [](const MemoryFileSystem& files) {
      return std::pair(files.stat(AssetPath().child("client")).has_value(),
                       files.stat(AssetPath().child("server")).has_value());
    };
    const bool loses_target = (targets(builds.before).first && !targets(builds.after).first) ||
                              (targets(builds.before).second && !targets(builds.after).second);
    if (loses_target) {
      CHECK(in_place.error().code == ErrorCode::already_exists);
      CHECK(visible(same) == builds.before.files());
    } else if (!is_applied(builds.before, read_patch(made.value().bytes).value()).value()) {
      REQUIRE(in_place.has_value());
      CHECK(is_applied(same, read_patch(made.value().bytes).value()).value());
      CHECK(visible(same) == builds.after.files());
    }
  }
  CHECK(smaller > kSeeds / 2);
}

TEST_CASE("The state of the old build is removed", "[bundler][patch]") {
  const Builds builds = small_builds();
  MemoryFileSystem out = builds.before;
  const AssetPath state = AssetPath().child(".muster-state");
  REQUIRE(out.write(state, as_bytes("of the old files")).has_value());
  REQUIRE(apply(out, patch_of(builds.before, builds.after), out).has_value());
  CHECK(out.files().at(state).empty());
}

TEST_CASE("Equal builds give equal patches", "[bundler][patch]") {
  const Builds builds = small_builds();
  CHECK(patch_of(builds.before, builds.after) == patch_of(builds.before, builds.after));
}

TEST_CASE("A small change has a small patch, and applying a portable patch never compresses data",
          "[bundler][patch]") {
  Random random(5);
  BuildModel model = BuildModel::random(random);
  model.dictionary = 0;
  model.is_signed = false;
  samples::ModelBundle& bundle = model.targets[Target::client].front();
  bundle.entries = {
      {samples::guid(1), kMainPayload, EntryKind::object, samples::compressible(40000, 1)}};
  const MemoryFileSystem before = model.files();
  bundle.entries[0].plain[2000] ^= std::byte{0x55};
  const MemoryFileSystem after = model.files();
  const auto made = create_patch(before, after, {}).value();
  const auto portable = create_patch(before, after, {.is_portable = true, .stop = {}}).value();
  CHECK(made.recompresses);
  CHECK_FALSE(portable.recompresses);
  CHECK(made.bytes.size() * 2 < portable.bytes.size());
  CHECK(made.changed_files == 2);  // The bundle and its catalog.
}

TEST_CASE("Content that exists elsewhere in the base is sent as a reference", "[bundler][patch]") {
  Random random(6);
  BuildModel model = BuildModel::random(random);
  const ByteVector content = samples::noise(60000, 1);
  model.targets[Target::server].front().entries = {
      {samples::guid(1), kMainPayload, EntryKind::raw, content}};
  const MemoryFileSystem before = model.files();
  samples::ModelBundle& bundle = model.targets[Target::client].front();
  bundle.entries = {{samples::guid(7), kMainPayload, EntryKind::raw, content},
                    {samples::guid(7), kFlattenedPrefab, EntryKind::raw, content}};
  const ByteVector patch = patch_of(before, model.files(), true);
  CHECK(patch.size() < 1000);
}

TEST_CASE("Large entries are patched block by block if nothing is compressed again",
          "[bundler][patch]") {
  Random random(7);
  BuildModel model = BuildModel::random(random);
  samples::ModelBundle& bundle = model.targets[Target::client].front();
  bundle.entries = {
      {samples::guid(1), kMainPayload, EntryKind::raw, samples::compressible(400000, 1)}};
  const MemoryFileSystem before = model.files();
  bundle.entries[0].plain[200000] ^= std::byte{0x55};
  const MemoryFileSystem after = model.files();
  const auto portable = create_patch(before, after, {.is_portable = true, .stop = {}}).value();
  CHECK(portable.bytes.size() < 6000);
  CHECK(portable.changed_bytes > 40000);
  MemoryFileSystem out;
  REQUIRE(apply(before, portable.bytes, out).has_value());
  CHECK(visible(out) == after.files());
}

TEST_CASE("A wrong or damaged base is refused, and the first difference is named",
          "[bundler][patch]") {
  const Builds builds = small_builds();
  const ByteVector patch = patch_of(builds.before, builds.after);
  const auto refuse = [&](const MemoryFileSystem& base, ErrorCode code, const std::string& named) {
    MemoryFileSystem out;
    const auto applied = apply(base, patch, out);
    REQUIRE_FALSE(applied.has_value());
    CAPTURE(applied.error().message);
    CHECK(applied.error().code == code);
    CHECK(applied.error().message.find(named) != std::string::npos);
    CHECK(visible(out).empty());
  };
  for (const auto& [path, bytes] : builds.before.files()) {
    CAPTURE(path.text());
    MemoryFileSystem other = builds.before;
    ByteVector changed = bytes;
    changed.back() ^= std::byte{1};
    REQUIRE(other.write(path, changed).has_value());
    const bool is_bundle = path.extension() == "mbundle";
    // A damaged catalog is reported as damaged, other files as parts of another build.
    const bool is_catalog = path.name() == "catalog.mcat";
    const bool is_needed = !is_bundle || builds.after.files().contains(path);
    if (is_needed) {
      refuse(other,
             is_bundle || is_catalog ? ErrorCode::hash_mismatch : ErrorCode::invalid_argument,
             path.text());
    }
    REQUIRE(other.remove(path).has_value());
    if (is_needed && !is_catalog) {
      refuse(other, is_bundle ? ErrorCode::not_found : ErrorCode::invalid_argument, path.text());
    }
  }
  refuse(random_builds(4, 0).before, ErrorCode::invalid_argument,
         "not the one that the patch was made for");
  refuse(builds.after, ErrorCode::invalid_argument, "already");
  refuse({}, ErrorCode::not_found, "there is neither client/catalog.mcat");
}

TEST_CASE("Creating a patch refuses builds that do not match their own hashes",
          "[bundler][patch]") {
  const Builds builds = small_builds();
  for (const bool is_old : {true, false}) {
    for (const auto& [path, bytes] : (is_old ? builds.before : builds.after).files()) {
      if (path.extension() != "mbundle") continue;
      Builds damaged = builds;
      ByteVector changed = bytes;
      changed.back() ^= std::byte{1};
      REQUIRE((is_old ? damaged.before : damaged.after).write(path, changed).has_value());
      const auto kept = builds.before.files().find(path);
      const bool is_same = kept != builds.before.files().end() && kept->second == bytes;
      CAPTURE(path.text(), is_old);
      const auto made = create_patch(damaged.before, damaged.after, {});
      if (!is_old && is_same) continue;
      REQUIRE_FALSE(made.has_value());
      CHECK(made.error().code == ErrorCode::hash_mismatch);
      CHECK(made.error().message.find(is_old ? "the old build: " : "the new build: ") == 0);
    }
  }
  MemoryFileSystem more = builds.after;
  more.add("client/notes.txt", "mine");
  CHECK(create_patch(builds.before, more, {}).error().code == ErrorCode::already_exists);
  std::stop_source stop;
  stop.request_stop();
  CHECK(create_patch(builds.before, builds.after, {.is_portable = false, .stop = stop.get_token()})
            .error()
            .code == ErrorCode::cancelled);
}

TEST_CASE("Bytes that differ because of another zstd release are distinguished from damage",
          "[bundler][patch]") {
  // Another level gives other bytes, as another release may. So the test changes the level, which
  // is one byte of the program.
  Random random(5);
  BuildModel model = BuildModel::random(random);
  samples::ModelBundle& bundle = model.targets[Target::client].front();
  bundle.entries = {
      {samples::guid(1), kMainPayload, EntryKind::object, samples::compressible(40000, 1)}};
  const MemoryFileSystem before = model.files();
  bundle.entries[0].plain[2000] ^= std::byte{0x55};
  const ByteVector made = patch_of(before, model.files());
  std::size_t tried = 0;
  for (const std::uint32_t version : {own_zstd_version(), std::uint32_t{10501}}) {
    Patch patch = read_patch(made).value();
    ByteVector program(patch.program.begin() + static_cast<std::ptrdiff_t>(patch.bundles_at),
                       patch.program.end());
    for (std::byte& byte : program) {
      if (byte == std::byte{6}) byte = std::byte{1};
    }
    patch.program = program;
    patch.zstd_version = version;
    MemoryFileSystem out;
    const auto applied = apply(before, write_patch(patch), out);
    REQUIRE_FALSE(applied.has_value());
    CHECK(applied.error().code == ErrorCode::hash_mismatch);
    const bool names = applied.error().message.find("zstd 1.5.1") != std::string::npos &&
                       applied.error().message.find("--portable") != std::string::npos;
    CHECK(names == (version == 10501));
    CHECK(visible(out).empty());
    ++tried;
  }
  CHECK(tried == 2);
}

TEST_CASE("A damaged patch is refused and changes no file", "[bundler][patch]") {
  const Builds builds = small_builds();
  const ByteVector patch = patch_of(builds.before, builds.after);
  MemoryFileSystem out;
  damage::each_truncation(patch, [&](const ByteVector& damaged) {
    CHECK_FALSE(apply(builds.before, damaged, out).has_value());
  });
  damage::each_flip(patch, [&](std::size_t at, ByteVector& damaged) {
    CAPTURE(at);
    CHECK_FALSE(apply(builds.before, damaged, out).has_value());
    // With a corrected hash, the damage is detected later or does not change the new build.
    samples::fix_hash(damaged);
    if (apply(builds.before, damaged, out)) {
      CHECK(visible(out) == builds.after.files());
      out = {};
    }
    CHECK(visible(out).empty());
  });
}

TEST_CASE("A file above the size limit is not created", "[bundler][patch]") {
  const Builds builds = small_builds();
  const ByteVector patch = patch_of(builds.before, builds.after);
  MemoryFileSystem out;
  const auto applied = apply(builds.before, patch, out, {.max_file_bytes = 500, .stop = {}});
  REQUIRE_FALSE(applied.has_value());
  CHECK(applied.error().code == ErrorCode::limit_exceeded);
  CHECK(visible(out).empty());
}

TEST_CASE("Patches of this version can always be applied", "[bundler][patch][golden]") {
  const std::string folder = MUSTER_SOURCE_DIR "/tests/golden/patch/";
  const MemoryFileSystem before = testing::copy_to_memory(folder + "old");
  const MemoryFileSystem after = testing::copy_to_memory(folder + "new");
  for (const bool is_portable : {false, true}) {
    const std::string name = is_portable ? "portable.mpatch" : "sample.mpatch";
    const std::string text = read_golden("patch/" + name);
    const Bytes patch = as_bytes(text);
    const auto read = read_patch(patch);
    REQUIRE(read.has_value());
    CHECK(read.value().recompresses == !is_portable);
    const bool is_same_zstd = read.value().zstd_version == own_zstd_version();
    MemoryFileSystem out;
    const auto applied = apply(before, patch, out);
    if (is_portable || is_same_zstd) {
      REQUIRE(applied.has_value());
      CHECK(visible(out) == after.files());
    }
    if (!is_same_zstd) continue;
    const ByteVector again = patch_of(before, after, is_portable);
    leave_for_comparison(name, std::string(as_text(again)));
    CHECK(as_text(again) == as_text(patch));
  }
}

}  // namespace
}  // namespace muster
