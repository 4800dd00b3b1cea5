// What the state of an earlier build tells of a project, so that what has not changed since is
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
#include "registry/model/asset_memory.h"

namespace muster {

/// The facts of an asset, and the hash of all that they follow from.
struct KnownAsset {
  AssetNumber asset = kNoAsset;
  ContentHash key{};
  const AssetFacts* facts = nullptr;
};

/// Knows files while a project is opened, then its assets while it is checked; and writes down what
/// was known or has been found out. Lives as long as the project:
///
///     BuildMemory memory(recorded, read_state(output), tool);
///     auto project = Project::open(recorded, jobs, stop, progress, wishes, &memory);
///     memory.know_assets(*project, components, jobs);
class BuildMemory final : public FileMemory {
 public:
  /// `inputs` is what the project is read through. A state that another program left tells nothing
  /// but the content of files.
  BuildMemory(const RecordedFiles& inputs, std::optional<BuildState> earlier, std::string tool);

  /// Looks which facts hold, on `jobs` threads, and gives them to the project. Call it once.
  void know_assets(Project& project, const std::vector<ComponentDescription>& components,
                   unsigned jobs);

  std::optional<SidecarFacts> find_sidecar(const AssetPath& path) override;
  const std::vector<FileMention>* find_mentions(const AssetPath& path) override;
  void note_sidecar(const AssetPath& path, const SidecarFacts& facts) override;
  void note_mentions(const AssetPath& path, std::vector<FileMention> mentions) override;

  /// What holds by now, in no order. Requires: `know_assets` was called.
  std::vector<KnownAsset> known_assets(unsigned jobs) const;
  /// What the facts of all assets follow from, besides what their keys tell.
  const ContentHash& terms() const { return terms_; }
  /// Adds what is known of files. Requires: the state has its inputs, and nothing of this.
  void write_files(BuildState& state) const;

 private:
  /// The number of a file that is as it was; counts as a look at it.
  std::optional<std::uint32_t> rested(const AssetPath& path);
  ContentHash key_of(AssetNumber asset, const AssetFacts& facts) const;
  void add_file(AssetNumber asset, ContentHasher& hasher) const;

  const RecordedFiles& inputs_;
  std::optional<BuildState> earlier_;
  std::string tool_;
  InputHashes hashes_;
  bool is_of_tool_ = false;
  std::optional<InputNumbers> numbers_;        // of the earlier state
  std::vector<const StateSidecar*> sidecars_;  // by the numbers of inputs; null for none
  std::vector<const StateMentions*> mentions_;
  std::mutex mutex_;
  std::map<AssetPath, SidecarFacts> new_sidecars_;
  std::map<AssetPath, std::vector<FileMention>> new_mentions_;
  const Project* project_ = nullptr;
  std::optional<AssetMemory> assets_;
  ContentHash terms_{};
};

}  // namespace muster
