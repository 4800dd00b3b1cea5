// Provides facts about a project from the state of an earlier build, so that unchanged files are
// neither opened nor parsed.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bundler/incremental/build_state.h"
#include "bundler/incremental/input_hashes.h"
#include "registry/components/component.h"
#include "registry/model/asset_fact_cache.h"

namespace muster {

/// The facts about an asset, and the hash of everything that the facts depend on.
struct KnownAsset {
  AssetNumber asset = kNoAsset;
  ContentHash key{};
  const AssetFacts* facts = nullptr;
};

/// Provides facts about files while a project is opened, and facts about assets while the project
/// is checked. Also collects the facts for the state of the next build. This object must outlive
/// the project:
///
///     BuildFactCache facts(recorded, read_state(output), tool);
///     auto project = Project::open(recorded, jobs, stop, progress, wishes, &facts);
///     facts.know_assets(*project, components, jobs);
class BuildFactCache final : public FileFactCache {
 public:
  /// `inputs` is the recorder through which the project is read. If another version of the program
  /// wrote the earlier state, only the state's facts about the content of files are used.
  BuildFactCache(const RecordedFiles& inputs, std::optional<BuildState> earlier, std::string tool);

  /// Determines which facts are still valid, on `jobs` threads, and passes them to the project.
  /// Call it once.
  void know_assets(Project& project, const std::vector<ComponentDescription>& components,
                   unsigned jobs);

  std::optional<SidecarFacts> find_sidecar(const AssetPath& path) override;
  const std::vector<FileMention>* find_mentions(const AssetPath& path) override;
  void note_sidecar(const AssetPath& path, const SidecarFacts& facts) override;
  void note_mentions(const AssetPath& path, std::vector<FileMention> mentions) override;

  /// The facts that are valid now, unordered. Requires: `know_assets` was called.
  std::vector<KnownAsset> known_assets(unsigned jobs) const;
  /// The hash of the dependencies that are common to the facts of all assets. The key of an asset
  /// does not include these dependencies.
  const ContentHash& terms() const { return terms_; }
  /// Adds the facts about files to a state. Requires: the state has its inputs, and has no facts
  /// about files yet.
  void write_files(BuildState& state) const;

 private:
  /// The input number of an unchanged file; no value if the file has changed. The call counts as a
  /// read of the file.
  std::optional<std::uint32_t> find_unchanged(const AssetPath& path);
  ContentHash key_of(AssetNumber asset, const AssetFacts& facts) const;
  void add_file(AssetNumber asset, ContentHasher& hasher) const;

  const RecordedFiles& inputs_;
  std::optional<BuildState> earlier_;
  std::string tool_;
  InputHashes hashes_;
  bool is_of_tool_ = false;
  std::optional<InputNumbers> numbers_;  // The input numbers of the earlier state.
  // The sidecar record of each input; null if the state has no such record.
  std::vector<const StateSidecar*> sidecars_;
  std::vector<const StateMentions*> mentions_;
  std::mutex mutex_;
  std::map<AssetPath, SidecarFacts> new_sidecars_;
  std::map<AssetPath, std::vector<FileMention>> new_mentions_;
  const Project* project_ = nullptr;
  std::optional<AssetFactCache> assets_;
  ContentHash terms_{};
};

}  // namespace muster
