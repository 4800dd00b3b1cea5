// Reads and trains the dictionaries that are committed in a project. Only `muster train` trains
// committed dictionaries.
#pragma once

#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "bundler/dictionaries/build_dictionaries.h"
#include "registry/base/file_system.h"
#include "registry/project/compression.h"
#include "registry/rules/finding.h"

namespace muster {

/// The path of the dictionary of a kind in `folder`, for example `object.mdict`.
AssetPath committed_dictionary_path(const AssetPath& folder, EntryKind kind);

/// A file in the folder that builds cannot use.
struct UnusableDictionary {
  EntryKind kind = EntryKind::object;
  AssetPath path;
  ErrorCode code = ErrorCode::malformed;
  std::string reason;
  /// The error for this file. Its message has the file's name and the remedy.
  Error error() const;
};

/// Reads the dictionaries in the folder that the rules name. A kind without a file has no
/// dictionary. Returns no value if the rules name no folder. Adds files that cannot be used to
/// `unusable`, sorted by kind. Fails with `malformed` if the path of the folder is a file. If a
/// file cannot be read, fails with the code of that failure.
Result<std::optional<CommittedDictionaries>> read_committed(
    const FileReader& files, const CompressionRules& rules,
    std::vector<UnusableDictionary>& unusable);
/// Like `read_committed`, for a build. Also fails for the first file that cannot be used, with
/// `malformed`, `limit_exceeded` or `already_exists`.
Result<std::optional<CommittedDictionaries>> load_committed(const FileReader& files,
                                                            const CompressionRules& rules);

/// Adds a finding `unusable-dictionary` for each file that builds cannot use, and
/// `missing-dictionaries` if the folder does not exist. The function is a `FurtherCheck` of
/// `validate`.
void check_committed(const Project& project, Findings& findings);

/// A new dictionary replaces the current dictionary if it reduces the total size of the dictionary
/// and all entries of its kind by more than 1 / `kRetrainingShare`. Smaller gains are ignored,
/// because a new dictionary changes all these entries, and every player must download them again.
inline constexpr std::uint64_t kRetrainingShare = 20;

enum class Retraining : std::uint8_t { keep, write, remove };

/// The minimum number of samples for deciding about an existing dictionary.
inline constexpr std::size_t kJudgedSamplesMin = 24;

/// The plan for one kind. The sizes are estimates for all entries of the kind at the training
/// level, including the dictionary.
struct RetrainingPlan {
  EntryKind kind = EntryKind::object;
  Retraining what = Retraining::keep;
  std::uint64_t entries = 0;
  /// True if the rules store the entries, so that a dictionary has no effect.
  bool is_stored = false;
  bool has_few_samples = false;     ///< True if there are fewer than `kJudgedSamplesMin` samples.
  std::uint64_t bytes_without = 0;  ///< The size without a dictionary.
  /// The size with the current dictionary, if there is one.
  std::optional<std::uint64_t> bytes_now{};
  /// The size with a new dictionary, if training returns one.
  std::optional<std::uint64_t> bytes_then{};
  ByteVector fresh{};  ///< The bytes of the new dictionary.
};

/// Decides what to do with the dictionary of one kind. Only sizes are compared. `bytes_without` is
/// the size without a dictionary, `now` the size with the current dictionary, and `then` the size
/// with a new dictionary. `now` or `then` has no value if there is no such dictionary. If there is
/// no current dictionary, the new dictionary is always written, because training returns only
/// dictionaries that save bytes.
Retraining choose_retraining(std::uint64_t bytes_without, std::optional<std::uint64_t> now,
                             std::optional<std::uint64_t> then, bool is_forced);

/// The rules for samples: up to 1,023 samples of each sort (text assets, and assets with import
/// settings), without a minimum number of assets. So dictionaries can also be trained for a small
/// project.
SamplingRules committed_sampling();

/// The existing dictionaries, and the options of training.
struct RetrainingWish {
  CommittedDictionaries present;
  /// The files that cannot be used. Training replaces these files by new dictionaries, or removes
  /// them if no new dictionary would save enough.
  std::vector<UnusableDictionary> unusable{};
  bool is_forced = false;  ///< True if a new dictionary is written even if it saves only a few
                           ///< bytes.
};

/// Tries the current dictionaries and new dictionaries on samples of the project. Fails with
/// `malformed` if a sample cannot be cooked, because then no decision is possible.
Result<std::vector<RetrainingPlan>> plan_retraining(
    const Project& project, const std::vector<ComponentDescription>& components,
    const RetrainingWish& wish, unsigned jobs, const std::stop_token& stop);

std::string_view to_string(Retraining what);

}  // namespace muster
