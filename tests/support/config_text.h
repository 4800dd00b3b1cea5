// Parses project settings from the text of `muster.yaml` after its version.
#pragma once

#include <string>

#include "registry/base/memory_file_system.h"
#include "registry/project/config.h"

namespace muster::testing {

inline Result<ProjectConfig> config_with(const std::string& settings) {
  MemoryFileSystem files;
  files.add("Assets/a.txt", "");
  files.add("muster.yaml", "version: 1\n" + settings);
  return load_config(files);
}

}  // namespace muster::testing
