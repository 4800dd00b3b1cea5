// The state of a build. The state is a file in the output, and makes the next build faster.
// bundler/incremental/STATE_FORMAT.md defines the format.
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
#include "registry/model/asset_fact_cache.h"
#include "registry/project/build_output.h"
#include "registry/project/file_fact_cache.h"
#include "runtime/bundle/bundle_layout.h"
#include "runtime/bundle/bundle_name.h"

namespace muster {

/// A path that the build read or checked.
struct StateInput {
  std::string name;  ///< The name in its folder; empty for the folder of the project itself.
  FileStamp stamp;
  InputUse use = InputUse::stat;
  bool is_settled = false;
  ContentHash hash{};  ///< The hash of a file or folder that was read completely.
};

struct StateFolder {
  AssetPath path;
  std::vector<StateInput> inputs;  ///< The inputs, sorted by name.
};

/// A file of the output. The time of the last change of its name and rights is not stored, because
/// publishing changes this time.
struct StateOutput {
  std::string path;  ///< The path relative to the output.
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
  std::uint32_t asset = 0;  ///< The index in `BuildState::assets`.
  std::uint64_t plain_bytes = 0;
};

struct StateBundle {
  BundleName name{};
  Guid prefab{};  ///< The guid of the prefab; null for a shared bundle.
  ContentHash hash{};
  std::uint64_t file_bytes = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t source_bytes = 0;
  std::vector<StateAsset> assets;    ///< The assets, sorted.
  std::vector<std::uint32_t> facts;  ///< The indices in `BuildState::facts`, sorted.
};

/// A dictionary, and the two sizes that show that it is useful.
struct StateDictionary {
  EntryKind kind = EntryKind::object;
  ContentHash hash{};
  std::uint64_t sample_bytes = 0;
  std::uint64_t saved_bytes = 0;
};

/// The data on which the dictionaries of the last build depend.
struct StateDictionaries {
  ContentHash key{};                   ///< The hash of the samples and the rules.
  std::vector<StateDictionary> all;    ///< The dictionaries, sorted by kind.
  std::vector<std::uint32_t> samples;  ///< Indices in `BuildState::assets`, sorted.
  std::vector<std::uint32_t> facts;    ///< The indices in `BuildState::facts`, sorted.
};

struct StateTarget {
  Target target = Target::client;
  Layout layout = Layout::shared;
  int level = 0;
  /// The compression rules, as returned by `CompressionRules::text`.
  std::string compression{};
  /// Whether this target was built from the inputs in this state. False if another target was built
  /// later from other inputs.
  bool is_current = true;
  /// Whether some blocks may come from another release of the compressor. A full build would then
  /// have the same content in different bytes.
  bool has_old_blocks = false;
  /// The public key of the signature; all zero if the target is not signed.
  std::array<std::byte, 32> signer{};
  std::string variants;  ///< The choice of variants for which the target was built, as returned by
                         ///< `to_text`.
  BuildTotals totals;
  std::vector<StateDictionary> dictionaries;  ///< The dictionaries, sorted by kind.
  std::vector<StateOutput> outputs;           ///< The files of the target, sorted by path.
  /// The bundles, sorted by name. The body of the state contains the bundles.
  std::vector<StateBundle> bundles;
};

/// The path of the asset with a guid, for reports on changes.
struct StateName {
  Guid guid{};
  std::string path;
};

/// The content of a sidecar. `input` is the number of the sidecar's file (`InputNumbers`).
struct StateSidecar {
  std::uint32_t input = 0;
  SidecarFacts facts;
};

/// The mentions of guids in a file. `input` is the number of the file.
struct StateMentions {
  std::uint32_t input = 0;
  std::vector<FileMention> mentions;  ///< The mentions in the order of the file.
};

/// The facts about an asset.
struct StateKnown {
  std::uint32_t asset = 0;  ///< The index in `BuildState::assets`.
  ContentHash key{};        ///< The hash of all dependencies of the facts except `known_terms`.
  AssetFacts facts;
};

struct BuildState {
  std::string tool;                  ///< The version and the build of muster.
  std::string compressor;            ///< The release of zstd.
  std::vector<StateFolder> folders;  ///< The folders, sorted by path.
  StateOutput report;                ///< `build.json`.
  std::vector<StateTarget> targets;  ///< The targets, each at most once, the client first.
  // The body, which is needed only if an input has changed.
  std::vector<StateName> assets;  ///< The assets, sorted by guid.
  std::vector<CookFact> facts;    ///< The facts, sorted.
  StateDictionaries dictionaries;
  std::vector<StateSidecar> sidecars;   ///< The records, sorted by input.
  std::vector<StateMentions> mentions;  ///< The records, sorted by input.
  ContentHash
      known_terms{};  ///< The hash of the dependencies that the facts of all assets have in common.
  std::vector<StateKnown> known;  ///< The facts, sorted by asset.

  const StateTarget* find(Target target) const;
  /// The input at a path, or null.
  const StateInput* find(const AssetPath& path) const;
};

/// Numbers the inputs of a state from 0, in the order of the state. The state must outlive this
/// object.
class InputNumbers {
 public:
  explicit InputNumbers(const BuildState& state);

  std::uint32_t count() const { return first_.back(); }
  std::optional<std::uint32_t> of(const AssetPath& path) const;
  /// Requires: `number < count()`.
  const StateInput& at(std::uint32_t number) const;
  AssetPath path_of(std::uint32_t number) const;

 private:
  std::size_t folder_of(std::uint32_t number) const;
  const BuildState& state_;
  // The first number of each folder, and then the count of all inputs.
  std::vector<std::uint32_t> first_;
};

/// The maximum size of the head of a state and of its body, in bytes. A project with a million
/// files needs one tenth of this size.
inline constexpr std::uint64_t kStateBytesMax = 1024ULL * 1024 * 1024;

/// Encodes a state. Equal states give equal bytes. Requires: all lists are sorted as documented.
ByteVector encode_state(const BuildState& state);

/// The size of the header of a state in bytes. `state_head_bytes` reads the size of the head from
/// the header. `state_head_bytes` fails with `malformed` or `unsupported_version`.
inline constexpr std::size_t kStateHeaderBytes = 64;
Result<std::uint64_t> state_head_bytes(Bytes header);

/// Decodes only the head, without bundles, assets and facts. A check of the inputs needs only the
/// head. Fails with `malformed`, `truncated`, `hash_mismatch` or `unsupported_version`. Requires:
/// `bytes` contains at least the head.
Result<BuildState> decode_state_head(Bytes bytes);
/// Decodes the whole state. Fails with the same codes as `decode_state_head`.
Result<BuildState> decode_state(Bytes bytes);

/// The first function reads the head of an output's state, and the second function reads the whole
/// state. Both return no value if the state is missing or unusable; the caller then builds
/// everything.
std::optional<BuildState> read_state_head(const FileReader& output);
std::optional<BuildState> read_state(const FileReader& output);

}  // namespace muster
