// What an output remembers of the build that made it, so that the next one does the least work. The
// format is bundler/incremental/STATE_FORMAT.md.
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

/// A path that the build looked at.
struct StateInput {
  std::string name;  ///< In its folder; empty for the project's own folder.
  FileStamp stamp;
  InputUse use = InputUse::looked;
  bool is_settled = false;
  ContentHash hash{};  ///< Of what was looked at whole.
};

struct StateFolder {
  AssetPath path;
  std::vector<StateInput> inputs;  ///< Sorted by name.
};

/// A file of the output. The times of names and rights do not count: publishing changes them.
struct StateOutput {
  std::string path;  ///< Relative to the output.
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;
  std::uint64_t identity = 0;
  friend bool operator==(const StateOutput&, const StateOutput&) = default;
};

/// What the summary of a build tells of a target.
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

/// A dictionary, and what made it worth while.
struct StateDictionary {
  EntryKind kind = EntryKind::object;
  ContentHash hash{};
  std::uint64_t sample_bytes = 0;
  std::uint64_t saved_bytes = 0;
};

/// What the dictionaries of the last build came from.
struct StateDictionaries {
  ContentHash key{};                   ///< Of samples and rules.
  std::vector<StateDictionary> all;    ///< Sorted by kind.
  std::vector<std::uint32_t> samples;  ///< Indices into `BuildState::assets`, sorted.
  std::vector<std::uint32_t> facts;    ///< Indices into `BuildState::facts`, sorted.
};

struct StateTarget {
  Target target = Target::client;
  Layout layout = Layout::shared;
  int level = 0;
  /// Levels of kinds, as `CompressionRules::text` has them.
  std::string compression{};
  /// Whether the inputs are those that this target was built from: not when another target was
  /// built since from others.
  bool is_current = true;
  /// Whether some blocks may be those of another release of the compressor: a build from nothing
  /// would hold the same content in other bytes.
  bool has_old_blocks = false;
  /// Of the key that it was signed with; all zero for none.
  std::array<std::byte, 32> signer{};
  std::string variants;  ///< What it was built for, as `to_text` has it.
  BuildTotals totals;
  std::vector<StateDictionary> dictionaries;  ///< Sorted by kind.
  std::vector<StateOutput> outputs;           ///< Sorted by path.
  std::vector<StateBundle> bundles;           ///< Sorted by name. Part of the body.
};

/// Who was named by which path; for telling what changed.
struct StateName {
  Guid guid{};
  std::string path;
};

/// What a sidecar said. Files are named by their numbers among all inputs (`InputNumbers`).
struct StateSidecar {
  std::uint32_t input = 0;
  SidecarFacts facts;
};

/// What a file mentions.
struct StateMentions {
  std::uint32_t input = 0;
  std::vector<FileMention> mentions;  ///< In order of appearance.
};

/// What was known of an asset.
struct StateKnown {
  std::uint32_t asset = 0;  ///< Index into `BuildState::assets`.
  ContentHash key{};        ///< Of all that the facts follow from, besides `known_terms`.
  AssetFacts facts;
};

struct BuildState {
  std::string tool;                  ///< Of which version, and build, of muster.
  std::string compressor;            ///< Which release of zstd it used.
  std::vector<StateFolder> folders;  ///< Sorted by path.
  StateOutput report;                ///< `build.json`.
  std::vector<StateTarget> targets;  ///< At most one each, client first.
  // The body: needed when something has changed.
  std::vector<StateName> assets;  ///< Sorted by guid.
  std::vector<CookFact> facts;    ///< Sorted.
  StateDictionaries dictionaries;
  std::vector<StateSidecar> sidecars;   ///< Sorted by input.
  std::vector<StateMentions> mentions;  ///< Sorted by input.
  ContentHash known_terms{};            ///< What the facts of all assets follow from.
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
  std::vector<std::uint32_t> first_;  // per folder; one more at the end
};

/// A larger one is not read: a project with a million files makes a tenth of it.
inline constexpr std::uint64_t kStateBytesMax = 1024ULL * 1024 * 1024;

/// Equal states give equal bytes. Requires: sorted as above.
ByteVector encode_state(const BuildState& state);

/// How many bytes of a file hold its head, by its first `kStateHeaderBytes`. Fails with
/// `malformed`, or `unsupported_version`.
inline constexpr std::size_t kStateHeaderBytes = 64;
Result<std::uint64_t> state_head_bytes(Bytes header);

/// Decodes what a look at the inputs needs, without bundles, assets and facts. `bytes` are at least
/// the head. Fails with `malformed`, `truncated`, `hash_mismatch` or `unsupported_version`.
Result<BuildState> decode_state_head(Bytes bytes);
/// Decodes all. Fails alike.
Result<BuildState> decode_state(Bytes bytes);

/// Reads the state of an output; nothing when there is none, or when it is none that can be used:
/// who asks builds everything then.
std::optional<BuildState> read_state_head(const FileReader& output);
std::optional<BuildState> read_state(const FileReader& output);

}  // namespace muster
