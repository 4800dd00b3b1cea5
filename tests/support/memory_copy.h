// Copies folders of the disk into memory.
#pragma once

#include <string>

#include "registry/base/disk_file_system.h"
#include "registry/base/memory_file_system.h"

namespace muster::testing {

inline void copy_folder(const FileReader& from, const AssetPath& folder, MemoryFileSystem& to) {
  const auto entries = from.list(folder);
  if (!entries) return;
  for (const DirectoryEntry& entry : entries.value()) {
    const AssetPath path = folder.child(entry.name);
    if (entry.kind == FileKind::folder) copy_folder(from, path, to);
    if (entry.kind != FileKind::file) continue;
    ByteVector buffer;
    const auto bytes = read_whole(from, path, 1ULL << 30, buffer);
    to.add(path.text(), as_text(bytes.value()));
  }
}

/// Copies every file below a folder. Requires: the folder can be read.
inline MemoryFileSystem copy_to_memory(const std::string& folder) {
  const DiskFileSystem files = DiskFileSystem::open(folder).value();
  MemoryFileSystem copy;
  copy_folder(files, AssetPath(), copy);
  return copy;
}

}  // namespace muster::testing
