// Dictionaries that a project keeps, beside its content: trained when somebody says so.
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

/// The file of a kind in the folder: `object.mdict`, for one.
AssetPath committed_dictionary_path(const AssetPath& folder, EntryKind kind);

/// A file of the folder that cannot be used: it is no dictionary, or what another kind has.
struct UnusableDictionary {
  EntryKind kind = EntryKind::object;
  AssetPath path;
  ErrorCode code = ErrorCode::malformed;
  std::string reason;
  /// Names the file, and says what to do.
  Error error() const;
};

/// Reads what is in the folder that the rules name: of a kind without a file there is none. Nothing
/// when they name no folder. Fails with `malformed` when that is a file, or as the disk fails. What
/// cannot be used is in `unusable`, sorted by kind.
Result<std::optional<CommittedDictionaries>> look_at_committed(
    const FileReader& files, const CompressionRules& rules,
    std::vector<UnusableDictionary>& unusable);
/// The same for a build. Fails also for the first that cannot be used: with `malformed`,
/// `limit_exceeded` or `already_exists`.
Result<std::optional<CommittedDictionaries>> load_committed(const FileReader& files,
                                                            const CompressionRules& rules);

/// Adds an `unusable-dictionary` for each file that no build takes, and `missing-dictionaries` when
/// the folder is not there: a `FurtherCheck` of `validate`.
void check_committed(const Project& project, Findings& findings);

/// Another dictionary has to make all entries of its kind, itself included, smaller by one part in
/// so many. Every one of them changes with it, and each player loads it again.
inline constexpr std::uint64_t kRetrainingShare = 20;

enum class Retraining : std::uint8_t { keep, write, remove };

/// With fewer samples nothing is said of a dictionary that is there.
inline constexpr std::size_t kJudgedSamplesMin = 24;

/// What is to be done about one kind. Bytes are estimates for all entries of the kind at the level
/// that dictionaries are trained with, the dictionary's own included.
struct RetrainingPlan {
  EntryKind kind = EntryKind::object;
  Retraining what = Retraining::keep;
  std::uint64_t entries = 0;
  bool is_stored = false;                     ///< By the rules: a dictionary is of no use.
  bool has_few_samples = false;               ///< Below `kJudgedSamplesMin`.
  std::uint64_t bytes_without = 0;            ///< With no dictionary at all.
  std::optional<std::uint64_t> bytes_now{};   ///< With the present one, where there is one.
  std::optional<std::uint64_t> bytes_then{};  ///< With a new one, where one pays.
  ByteVector fresh{};                         ///< What to write.
};

/// The decision alone: `now` for the present dictionary, `then` for a new one, none where there is
/// none. Without a present one a new one is written, since it was found to pay.
Retraining choose_retraining(std::uint64_t bytes_without, std::optional<std::uint64_t> now,
                             std::optional<std::uint64_t> then, bool is_forced);

/// Assets that are looked at: up to 1,023 of each sort; a project decides by itself whether so few
/// are worth it.
SamplingRules committed_sampling();

/// What there is, and how it is judged.
struct RetrainingWish {
  CommittedDictionaries present;
  std::vector<UnusableDictionary> unusable{};  ///< Replaced, or removed where none pays.
  bool is_forced = false;                      ///< Whatever is smaller pays.
};

/// Tries the present dictionaries and new ones on samples of the project. Fails with `malformed`
/// when a sample cannot be cooked: of such a project nothing can be said.
Result<std::vector<RetrainingPlan>> plan_retraining(
    const Project& project, const std::vector<ComponentDescription>& components,
    const RetrainingWish& wish, unsigned jobs, const std::stop_token& stop);

std::string_view to_string(Retraining what);

}  // namespace muster
