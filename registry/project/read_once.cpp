#include "registry/project/read_once.h"

#include <utility>

namespace muster {

std::optional<SidecarFacts> ReadOnce::find_sidecar(const AssetPath& path) {
  const std::lock_guard lock(mutex_);
  const auto found = sidecars_.find(path.text());
  return found == sidecars_.end() ? std::nullopt : std::optional(found->second);
}

const std::vector<FileMention>* ReadOnce::find_mentions(const AssetPath& path) {
  const std::lock_guard lock(mutex_);
  const auto found = mentions_.find(path.text());
  return found == mentions_.end() ? nullptr : &found->second;
}

void ReadOnce::note_sidecar(const AssetPath& path, const SidecarFacts& facts) {
  const std::lock_guard lock(mutex_);
  sidecars_[path.text()] = facts;
}

void ReadOnce::note_mentions(const AssetPath& path, std::vector<FileMention> mentions) {
  const std::lock_guard lock(mutex_);
  // Does not replace an entry that a caller may use.
  mentions_.try_emplace(path.text(), std::move(mentions));
}

}  // namespace muster
