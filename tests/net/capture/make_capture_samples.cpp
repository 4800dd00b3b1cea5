// Writes captures for tests that run programs:
//     make_capture_samples golden FILE      the golden file
//     make_capture_samples live FILE        what a server saw of a simulated minute
#include <cstdio>
#include <string>
#include <string_view>

#include "net/capture/capture_file.h"
#include "tests/support/capture_samples.h"

int main(int argc, char** argv) {
  const std::string_view what = argc == 3 ? argv[1] : "";
  if (what != "golden" && what != "live") {
    std::fprintf(stderr, "usage: make_capture_samples golden|live FILE\n");
    return 2;
  }
  const std::vector<std::byte> bytes = what == "golden" ? muster::samples::sample_capture()
                                                        : muster::samples::live_capture(1).server;
  std::string problem = "it cannot be written";
  auto file = muster::AppendedFile::create(argv[2], problem);
  if (!file.has_value() || !file->append(bytes) || !file->finish()) {
    std::fprintf(stderr, "%s: %s\n", argv[2], problem.c_str());
    return 1;
  }
  return 0;
}
