// Golden files of the tests, and where a test leaves what did not fit one.
#pragma once

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace muster {

/// A file below tests/golden, whole.
inline std::string read_golden(const std::string& name) {
  std::ifstream file(MUSTER_SOURCE_DIR "/tests/golden/" + name, std::ios::binary);
  if (!file) throw std::runtime_error("there is no tests/golden/" + name);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Writes a file of this name into the build folder, for a person to look at.
inline void leave_for_comparison(const std::string& name, const std::string& text) {
  std::ofstream(MUSTER_BINARY_DIR "/" + name, std::ios::binary) << text;
}

}  // namespace muster
