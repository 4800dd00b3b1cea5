// Writes the golden files and fuzz corpora of the bundle formats:
//     make_bundle_goldens tests
#include <cstdio>

#include "registry/base/disk_file_system.h"
#include "tests/support/bundle_samples.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_bundle_goldens TESTS_FOLDER\n");
    return 2;
  }
  auto folder = muster::DiskFileSystem::open(argv[1]);
  if (!folder) {
    std::fprintf(stderr, "%s\n", folder.error().message.c_str());
    return 2;
  }
  for (const muster::samples::SampleFile& file : muster::samples::files()) {
    const auto path = muster::AssetPath::parse(file.path);
    const auto written = folder.value().write(path.value(), file.bytes);
    if (!written) {
      std::fprintf(stderr, "%s: %s\n", file.path.c_str(), written.error().message.c_str());
      return 1;
    }
    std::printf("%6zu bytes  %s\n", file.bytes.size(), file.path.c_str());
  }
  return 0;
}
