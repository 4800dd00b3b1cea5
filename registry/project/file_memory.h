// What reading a project's files has shown, kept from one build to the next: a file that has not
// changed since is then not opened.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "registry/base/asset_path.h"
#include "registry/base/guid.h"
#include "registry/yaml/scanner.h"

namespace muster {

/// What a sidecar says of its asset.
struct SidecarFacts {
  Guid guid{};
  bool is_folder = false;
  bool has_mentions = false;  ///< Whether it refers to anything.
  friend bool operator==(const SidecarFacts&, const SidecarFacts&) = default;
};

/// One guid that a file mentions in one way, however often; `offset_bytes` is of the first time.
struct FileMention {
  Guid guid{};
  yaml::MentionKind kind = yaml::MentionKind::strong;
  std::uint64_t offset_bytes = 0;
  std::uint32_t times = 1;
  friend bool operator==(const FileMention&, const FileMention&) = default;
};

/// Remembers files of which nothing odd is to be told: the others are read each time. What it
/// answers is what the file would say; asking counts as a look at it. Safe to use from several
/// threads.
class FileMemory {
 public:
  virtual ~FileMemory() = default;

  /// Nothing when it is not known, or may have changed.
  virtual std::optional<SidecarFacts> find_sidecar(const AssetPath& path) = 0;
  /// What an asset's file or a sidecar mentions, in order of appearance; null when it is not known,
  /// or may have changed. Lives as long as the memory.
  virtual const std::vector<FileMention>* find_mentions(const AssetPath& path) = 0;

  virtual void note_sidecar(const AssetPath& path, const SidecarFacts& facts) = 0;
  virtual void note_mentions(const AssetPath& path, std::vector<FileMention> mentions) = 0;
};

}  // namespace muster
