// Writes the golden files of patches, and the corpus of their fuzz target:
//     make_patch_goldens tests
#include <cstdio>
#include <string>

#include "bundler/patch/patch_create.h"
#include "bundler/patch/patch_reader.h"
#include "registry/base/disk_file_system.h"
#include "tests/support/patch_samples.h"

namespace {

using namespace muster;

bool write(FileSystem& folder, const std::string& path, Bytes bytes) {
  const auto written = folder.write(AssetPath::parse(path).value(), bytes);
  if (!written) std::fprintf(stderr, "%s: %s\n", path.c_str(), written.error().message.c_str());
  std::printf("%6zu bytes  %s\n", bytes.size(), path.c_str());
  return written.has_value();
}

bool write_build(FileSystem& folder, const std::string& name, const MemoryFileSystem& build) {
  bool is_written = folder.remove(AssetPath::parse(name).value()).has_value();
  for (const auto& [path, bytes] : build.files()) {
    is_written = is_written && write(folder, name + "/" + path.text(), bytes);
  }
  return is_written;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_patch_goldens TESTS_FOLDER\n");
    return 2;
  }
  auto folder = DiskFileSystem::open(argv[1]);
  if (!folder) return 2;
  Random random(3);
  samples::BuildModel model = samples::BuildModel::random(random);
  const MemoryFileSystem before = model.files();
  for (int i = 0; i < 6; ++i) model.edit(random);
  const MemoryFileSystem after = model.files();
  bool is_written = write_build(folder.value(), "golden/patch/old", before) &&
                    write_build(folder.value(), "golden/patch/new", after);
  for (const bool is_portable : {false, true}) {
    const MadePatch made =
        create_patch(before, after, {.is_portable = is_portable, .stop = {}}).value();
    const std::string name = is_portable ? "portable" : "sample";
    is_written =
        is_written && write(folder.value(), "golden/patch/" + name + ".mpatch", made.bytes);
    // The fuzz target's input is the length of the bundles' program, the program, and the data.
    const Patch patch = read_patch(made.bytes).value();
    ByteWriter bare;
    bare.u16(static_cast<std::uint16_t>(patch.program.size() - patch.bundles_at));
    bare.bytes(Bytes(patch.program).subspan(patch.bundles_at));
    std::uint64_t frames = 0;
    for (const PatchFile& file : patch.files) frames += file.frame_bytes;
    bare.bytes(patch.data.subspan(static_cast<std::size_t>(frames)));
    is_written = is_written && write(folder.value(), "fuzz/corpus/patch/" + name, bare.view()) &&
                 write(folder.value(), "fuzz/corpus/patch/" + name + "-whole", made.bytes);
  }
  return is_written ? 0 : 1;
}
