// Stores facts about a project's files for the next build, so that the next build does not open
// unchanged files.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "registry/base/asset_path.h"
#include "registry/base/guid.h"
#include "registry/yaml/scanner.h"

namespace muster {

/// The content of a sidecar.
struct SidecarFacts {
  Guid guid{};
  bool is_folder = false;
  bool has_mentions = false;  ///< Whether the sidecar refers to any asset.
  friend bool operator==(const SidecarFacts&, const SidecarFacts&) = default;
};

/// All mentions of one guid in a file that have the same kind. `offset_bytes` is the offset of the
/// first mention.
struct FileMention {
  Guid guid{};
  yaml::MentionKind kind = yaml::MentionKind::strong;
  std::uint64_t offset_bytes = 0;
  std::uint32_t times = 1;
  friend bool operator==(const FileMention&, const FileMention&) = default;
};

/// Stores facts about files that have no problems. (Files with problems are read in each build.) A
/// result is always valid for the file's current content. A query counts as a read of the file.
/// Safe to use from several threads.
class FileFactCache {
 public:
  virtual ~FileFactCache() = default;

  /// The facts of a sidecar; nullopt if the file is unknown or may have changed.
  virtual std::optional<SidecarFacts> find_sidecar(const AssetPath& path) = 0;
  /// The mentions in an asset's file or a sidecar, in order of their first offsets. The result is
  /// null if the file is unknown or may have changed. The result lives as long as this object.
  virtual const std::vector<FileMention>* find_mentions(const AssetPath& path) = 0;

  virtual void note_sidecar(const AssetPath& path, const SidecarFacts& facts) = 0;
  virtual void note_mentions(const AssetPath& path, std::vector<FileMention> mentions) = 0;
};

}  // namespace muster
