// Reads golden files, and stores output that differs from a golden file.
#pragma once

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace muster {

/// Returns the content of a file below tests/golden.
inline std::string read_golden(const std::string& name) {
  std::ifstream file(MUSTER_SOURCE_DIR "/tests/golden/" + name, std::ios::binary);
  if (!file) throw std::runtime_error("there is no tests/golden/" + name);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Writes a file into the build folder, for a manual comparison.
inline void leave_for_comparison(const std::string& name, const std::string& text) {
  std::ofstream(MUSTER_BINARY_DIR "/" + name, std::ios::binary) << text;
}

}  // namespace muster
