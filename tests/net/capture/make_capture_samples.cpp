// Writes captures for tests that run programs:
//     make_capture_samples golden FILE      the golden file
//     make_capture_samples live FILE        a server's packets of a simulated minute
//     make_capture_samples recording FILE   the golden recording of a world
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "net/capture/appended_file.h"
#include "tests/support/capture_samples.h"
#include "tests/support/recording_sample.h"

int main(int argc, char** argv) {
  const std::string_view what = argc == 3 ? argv[1] : "";
  std::vector<std::byte> bytes;
  if (what == "golden") bytes = muster::samples::sample_capture();
  if (what == "live") bytes = muster::samples::live_capture(1).server;
  if (what == "recording") bytes = muster::samples::sample_recording();
  if (bytes.empty()) {
    std::fprintf(stderr, "usage: make_capture_samples golden|live|recording FILE\n");
    return 2;
  }
  std::string problem = "it cannot be written";
  auto file = muster::AppendedFile::create(argv[2], problem);
  if (!file.has_value() || !file->append(bytes) || !file->finish()) {
    std::fprintf(stderr, "%s: %s\n", argv[2], problem.c_str());
    return 1;
  }
  return 0;
}
