// The state that an output keeps of its build, so that the next build does as little as possible.
// The format is bundler/incremental/STATE_FORMAT.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bundler/cook/cook_questions.h"
#include "bundler/incremental/recorded_files.h"
#include "bundler/plan/bundle_plan.h"
#include "registry/base/bytes.h"
#include "registry/model/asset_memory.h"
#include "registry/project/build_output.h"
#include "registry/project/file_memory.h"
#include "runtime/bundle/bundle_layout.h"
#include "runtime/bundle/bundle_name.h"

namespace muster {

/// A path that the build read or checked.
struct StateInput {
  std::string name;  ///< The name in its folder; empty for the project's own folder.
  FileStamp stamp;
  InputUse use = InputUse::looked;
  bool is_settled = false;
  ContentHash hash{};  ///< For files and folders that were read whole.
};

struct StateFolder {
  AssetPath path;
  std::vector<StateInput> inputs;  ///< Sorted by name.
};

/// A file of the output. The times of names and rights are ignored, because publishing changes
/// them.
struct StateOutput {
  std::string path;  ///< Relative to the output.
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;
  std::uint64_t identity = 0;
  friend bool operator==(const StateOutput&, const StateOutput&) = default;
};

/// The totals of a target in a build's summary.
struct BuildTotals {
  std::uint64_t prefab_bundles = 0;
  std::uint64_t shared_bundles = 0;
  std::uint64_t source_bytes = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t duplicate_bytes_avoided = 0;
  ContentHash fingerprint{};
};

struct StateAsset {
  std::uint32_t asset = 0;  ///< Index into `BuildState::assets`.
  std::uint64_t plain_bytes = 0;
};

struct StateBundle {
  BundleName name{};
  Guid prefab{};  ///< Null for a shared bundle.
  ContentHash hash{};
  std::uint64_t file_bytes = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t source_bytes = 0;
  std::vector<StateAsset> assets;    ///< Sorted.
  std::vector<std::uint32_t> facts;  ///< Indices into `BuildState::facts`, sorted.
};

/// A dictionary, and the numbers that justified it.
struct StateDictionary {
  EntryKind kind = EntryKind::object;
  ContentHash hash{};
  std::uint64_t sample_bytes = 0;
  std::uint64_t saved_bytes = 0;
};

/// The sources of the last build's dictionaries.
struct StateDictionaries {
  ContentHash key{};                   ///< The hash of samples and rules.
  std::vector<StateDictionary> all;    ///< Sorted by kind.
  std::vector<std::uint32_t> samples;  ///< Indices into `BuildState::assets`, sorted.
  std::vector<std::uint32_t> facts;    ///< Indices into `BuildState::facts`, sorted.
};

struct StateTarget {
  Target target = Target::client;
  Layout layout = Layout::shared;
  int level = 0;
  /// Levels of kinds, as returned by `CompressionRules::text`.
  std::string compression{};
  /// Whether this target was built from the inputs in this state. False if another target has been
  /// built from other inputs since then.
  bool is_current = true;
  /// Whether some blocks may come from another release of the compressor; a build from nothing
  /// would have the same content in other bytes.
  bool has_old_blocks = false;
  /// The key that signed it; all zero for none.
  std::array<std::byte, 32> signer{};
  std::string variants;  ///< The choice that it was built for, as returned by `to_text`.
  BuildTotals totals;
  std::vector<StateDictionary> dictionaries;  ///< Sorted by kind.
  std::vector<StateOutput> outputs;           ///< Sorted by path.
  std::vector<StateBundle> bundles;           ///< Sorted by name. Part of the body.
};

/// The path of each guid; for reports on changes.
struct StateName {
  Guid guid{};
  std::string path;
};

/// The content of a sidecar. Files are referred to by their numbers among all inputs
/// (`InputNumbers`).
struct StateSidecar {
  std::uint32_t input = 0;
  SidecarFacts facts;
};

/// The mentions in a file.
struct StateMentions {
  std::uint32_t input = 0;
  std::vector<FileMention> mentions;  ///< In order of appearance.
};

/// The facts about an asset.
struct StateKnown {
  std::uint32_t asset = 0;  ///< Index into `BuildState::assets`.
  ContentHash key{};        ///< Covers all dependencies besides `known_terms`.
  AssetFacts facts;
};

struct BuildState {
  std::string tool;                  ///< The version, and build, of muster.
  std::string compressor;            ///< The release of zstd.
  std::vector<StateFolder> folders;  ///< Sorted by path.
  StateOutput report;                ///< `build.json`.
  std::vector<StateTarget> targets;  ///< At most one each, client first.
  // The body, needed if an input has changed.
  std::vector<StateName> assets;  ///< Sorted by guid.
  std::vector<CookFact> facts;    ///< Sorted.
  StateDictionaries dictionaries;
  std::vector<StateSidecar> sidecars;   ///< Sorted by input.
  std::vector<StateMentions> mentions;  ///< Sorted by input.
  ContentHash known_terms{};            ///< The dependencies of the facts of all assets.
  std::vector<StateKnown> known;        ///< Sorted by asset.

  const StateTarget* find(Target target) const;
  /// The input at a path, or null.
  const StateInput* find(const AssetPath& path) const;
};

/// The inputs of a state, numbered from 0 in its order. Refers to the state.
class InputNumbers {
 public:
  explicit InputNumbers(const BuildState& state);

  std::uint32_t count() const { return first_.back(); }
  std::optional<std::uint32_t> of(const AssetPath& path) const;
  /// Requires: below `count()`.
  const StateInput& at(std::uint32_t number) const;
  AssetPath path_of(std::uint32_t number) const;

 private:
  std::size_t folder_of(std::uint32_t number) const;
  const BuildState& state_;
  std::vector<std::uint32_t> first_;  // one per folder; one more at the end
};

/// The maximum size of a state's head and of its body. A project with a million files needs a tenth
/// of this.
inline constexpr std::uint64_t kStateBytesMax = 1024ULL * 1024 * 1024;

/// Equal states give equal bytes. Requires: sorted as above.
ByteVector encode_state(const BuildState& state);

/// The number of bytes of the head, from the first `kStateHeaderBytes` of a file. Fails with
/// `malformed`, or `unsupported_version`.
inline constexpr std::size_t kStateHeaderBytes = 64;
Result<std::uint64_t> state_head_bytes(Bytes header);

/// Decodes the part that a check of the inputs needs, without bundles, assets and facts. `bytes`
/// contain at least the head. Fails with `malformed`, `truncated`, `hash_mismatch` or
/// `unsupported_version`.
Result<BuildState> decode_state_head(Bytes bytes);
/// Decodes everything. Fails with the same codes.
Result<BuildState> decode_state(Bytes bytes);

/// Reads the state of an output. Nothing if it is missing or unusable; then the caller builds
/// everything.
std::optional<BuildState> read_state_head(const FileReader& output);
std::optional<BuildState> read_state(const FileReader& output);

}  // namespace muster
