// The files of an output that its readers use.
#pragma once

#include <map>

#include "registry/base/memory_file_system.h"

namespace muster::testing {

/// Returns all files except muster's dot files.
inline std::map<AssetPath, ByteVector> visible(const MemoryFileSystem& output) {
  auto files = output.files();
  std::erase_if(files, [](const auto& file) { return file.first.text().starts_with('.'); });
  return files;
}

}  // namespace muster::testing
