// An output as its readers see it.
#pragma once

#include <map>

#include "registry/base/memory_file_system.h"

namespace muster::testing {

/// Everything but our own dot files.
inline std::map<AssetPath, ByteVector> visible(const MemoryFileSystem& output) {
  auto files = output.files();
  std::erase_if(files, [](const auto& file) { return file.first.text().starts_with('.'); });
  return files;
}

}  // namespace muster::testing
