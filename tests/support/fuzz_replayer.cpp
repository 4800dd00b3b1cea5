// Runs a fuzz target without libFuzzer: first every corpus file, then mutations of the files until
// the time has passed. The same seed reproduces a crash.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/seed.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer gives the name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;

Input read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void mutate(Input& input, muster::Random& random) {
  const std::uint64_t steps = 1 + random.below(8);
  for (std::uint64_t i = 0; i < steps; ++i) {
    if (input.empty()) input.push_back(0);
    const std::size_t at = random.below(input.size());
    const auto offset = static_cast<std::ptrdiff_t>(at);
    switch (random.below(6)) {
      case 0:
        input[at] = static_cast<std::uint8_t>(input[at] ^ (1U << random.below(8)));
        break;
      case 1:
        input[at] = static_cast<std::uint8_t>(random.next());
        break;
      case 2:
        input.resize(at);
        break;
      case 3:
        input.erase(input.begin() + offset);
        break;
      case 4:
        input.insert(input.begin() + offset, static_cast<std::uint8_t>(random.next()));
        break;
      default: {
        const std::size_t length = std::min<std::size_t>(1 + random.below(32), input.size() - at);
        const Input piece(input.begin() + offset,
                          input.begin() + offset + static_cast<std::ptrdiff_t>(length));
        const auto to = static_cast<std::ptrdiff_t>(random.below(input.size()));
        input.insert(input.begin() + to, piece.begin(), piece.end());
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 1;
  std::uint64_t seed = 1;
  std::vector<std::filesystem::path> paths;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--seconds" && i + 1 < argc) {
      seconds = std::strtod(argv[++i], nullptr);
    } else if (argument == "--seed" && i + 1 < argc) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (std::filesystem::is_directory(argument)) {
      for (const auto& entry : std::filesystem::directory_iterator(argument)) {
        paths.push_back(entry.path());
      }
    } else {
      paths.emplace_back(argument);
    }
  }
  std::ranges::sort(paths);
  std::vector<Input> corpus;
  for (const auto& path : paths) corpus.push_back(read_file(path));
  if (corpus.empty()) {
    std::fprintf(stderr, "the corpus is empty: give files or a folder\n");
    return 2;
  }
  for (const Input& input : corpus) LLVMFuzzerTestOneInput(input.data(), input.size());

  muster::Random random(seed);
  std::uint64_t runs = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    Input input = corpus[random.below(corpus.size())];
    mutate(input, random);
    LLVMFuzzerTestOneInput(input.data(), input.size());
    ++runs;
  }
  std::printf("%zu corpus files, %llu mutations, seed %llu\n", corpus.size(),
              static_cast<unsigned long long>(runs), static_cast<unsigned long long>(seed));
  return 0;
}
