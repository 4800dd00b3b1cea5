// An untrusted patch is refused, or gives exactly the output of its catalogs. Bytes that are not a
// patch are used as the content of a patch: the length of the bundles' program, the program, and
// its data.
#include <cassert>

#include "bundler/patch/build_side.h"
#include "bundler/patch/delta_codec.h"
#include "bundler/patch/patch_apply.h"
#include "bundler/patch/patch_reader.h"
#include "bundler/report/output_check.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/patch_samples.h"

namespace {

using namespace muster;

// A few bytes of zstd can expand to gigabytes, which would slow down the fuzzer.
constexpr std::uint64_t kFuzzFileBytesMax = 1U << 20U;
constexpr std::size_t kHeaderBytes = 64;

struct Fixture {
  MemoryFileSystem before;
  MemoryFileSystem after;
  std::vector<PatchFile> base;
  std::vector<PatchFile> files;
  ByteVector frames;

  Fixture() {
    Random random(3);
    samples::BuildModel model = samples::BuildModel::random(random);
    before = model.files();
    for (int i = 0; i < 6; ++i) model.edit(random);
    after = model.files();
    DeltaEncoder encoder;
    const BuildSide old_side = BuildSide::read(before).value();
    for (const LooseFile& file : old_side.loose()) {
      base.push_back({file.path, file.bytes.size(), file.hash, false, 0});
    }
    const BuildSide new_side = BuildSide::read(after).value();
    for (const LooseFile& file : new_side.loose()) {
      const ByteVector frame = encoder.encode(file.bytes, {});
      files.push_back({file.path, file.bytes.size(), file.hash, false, frame.size()});
      frames.insert(frames.end(), frame.begin(), frame.end());
    }
  }
};

const Fixture& fixture() {
  static const Fixture only;
  return only;
}

void try_patch(Bytes patch) {
  MemoryFileSystem out;
  auto folder = OutputFolder::open_for_build(out);
  assert(folder.has_value());
  const auto read = read_patch(patch);
  if (!read) return;
  const auto applied = apply_patch(fixture().before, read.value(), folder.value(),
                                   {.max_file_bytes = kFuzzFileBytesMax, .stop = {}});
  if (!applied) {
    assert(!out.stat(AssetPath().child("client")) && !out.stat(AssetPath().child("server")));
    return;
  }
  for (const auto& [path, bytes] : out.files()) {
    if (path.extension() != "mbundle") continue;
    assert(BundleReader::open(bytes).has_value());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes input = std::as_bytes(std::span(data, size));
  if (size >= kHeaderBytes && input[0] == std::byte{'M'} && input[1] == std::byte{'P'}) {
    ByteVector fixed(input.begin(), input.end());
    samples::fix_hash(fixed);
    const std::uint64_t file_bytes = fixed.size();
    fixed = samples::patched(std::move(fixed), 32, file_bytes);
    // A program with a very large result is not a finding.
    ByteReader sizes(Bytes(fixed).subspan(48));
    if (sizes.u64() > kFuzzFileBytesMax) return 0;
    samples::fix_hash(fixed);
    try_patch(fixed);
    return 0;
  }
  if (size < 2) return 0;
  ByteReader reader(input);
  const std::size_t program_bytes = std::min<std::size_t>(reader.u16(), size - 2);
  const Bytes program = input.subspan(2, program_bytes);
  const Bytes rest = input.subspan(2 + program_bytes);
  ByteVector all = fixture().frames;
  all.insert(all.end(), rest.begin(), rest.end());
  Patch patch;
  patch.base = fixture().base;
  patch.files = fixture().files;
  patch.program.assign(program.begin(), program.end());
  patch.data = all;
  try_patch(write_patch(patch));
  return 0;
}
