// Caches facts about files while one process opens a project several times.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>

#include "registry/project/file_fact_cache.h"

namespace muster {

/// Stores facts, and does not check whether files have changed. Use it only if the project is
/// opened several times within a short time. Uses about 100 bytes per file.
class ReadOnce final : public FileFactCache {
 public:
  std::optional<SidecarFacts> find_sidecar(const AssetPath& path) override;
  const std::vector<FileMention>* find_mentions(const AssetPath& path) override;
  void note_sidecar(const AssetPath& path, const SidecarFacts& facts) override;
  void note_mentions(const AssetPath& path, std::vector<FileMention> mentions) override;

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, SidecarFacts> sidecars_;
  std::unordered_map<std::string, std::vector<FileMention>> mentions_;
};

}  // namespace muster
