// Reads a project from one text file. tests/golden/bad_content/README.md defines the format.
#pragma once

#include <string>

#include "registry/base/memory_file_system.h"

namespace muster::testing {

struct TextProject {
  MemoryFileSystem files;
  std::string expected;  ///< The section `expected`.
};

/// Requires: the file can be read and has the format.
TextProject read_text_project(const std::string& path);

}  // namespace muster::testing
