// Dictionaries that a project commits beside its content; they are trained on request.
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

/// The path of a kind's file in the folder, such as `object.mdict`.
AssetPath committed_dictionary_path(const AssetPath& folder, EntryKind kind);

/// An unusable file in the folder: no dictionary, or that of another kind.
struct UnusableDictionary {
  EntryKind kind = EntryKind::object;
  AssetPath path;
  ErrorCode code = ErrorCode::malformed;
  std::string reason;
  /// An error with the file's name and the remedy.
  Error error() const;
};

/// Reads the dictionaries in the folder that the rules name; a kind without a file has none.
/// Nothing if they name no folder. Fails with `malformed` if that path is a file, or with disk
/// errors. Unusable files are added to `unusable`, sorted by kind.
Result<std::optional<CommittedDictionaries>> look_at_committed(
    const FileReader& files, const CompressionRules& rules,
    std::vector<UnusableDictionary>& unusable);
/// The same for a build. Also fails for the first unusable file: with `malformed`, `limit_exceeded`
/// or `already_exists`.
Result<std::optional<CommittedDictionaries>> load_committed(const FileReader& files,
                                                            const CompressionRules& rules);

/// Adds an `unusable-dictionary` for each file that builds cannot use, and `missing-dictionaries`
/// if the folder does not exist: a `FurtherCheck` of `validate`.
void check_committed(const Project& project, Findings& findings);

/// A new dictionary replaces the present one if it reduces the size of all entries of its kind,
/// including the dictionary itself, by more than 1 / `kRetrainingShare`. All these entries change
/// with the dictionary, and every player downloads them again.
inline constexpr std::uint64_t kRetrainingShare = 20;

enum class Retraining : std::uint8_t { keep, write, remove };

/// With fewer samples an existing dictionary is not judged.
inline constexpr std::size_t kJudgedSamplesMin = 24;

/// The plan for one kind. Bytes are estimates for all entries of the kind at the training level,
/// including the dictionary itself.
struct RetrainingPlan {
  EntryKind kind = EntryKind::object;
  Retraining what = Retraining::keep;
  std::uint64_t entries = 0;
  bool is_stored = false;           ///< The rules store the entries, so a dictionary has no effect.
  bool has_few_samples = false;     ///< Below `kJudgedSamplesMin`.
  std::uint64_t bytes_without = 0;  ///< Without a dictionary.
  std::optional<std::uint64_t> bytes_now{};   ///< With the present one, if any.
  std::optional<std::uint64_t> bytes_then{};  ///< With a new one, if it pays.
  ByteVector fresh{};                         ///< The bytes to write.
};

/// Decides by sizes only: `bytes_without` is the size without a dictionary, `now` the size with the
/// present dictionary, and `then` the size with a new one (nullopt if that dictionary is missing).
/// Without a present dictionary the new one is written, because training returns only a dictionary
/// that pays.
Retraining choose_retraining(std::uint64_t bytes_without, std::optional<std::uint64_t> now,
                             std::optional<std::uint64_t> then, bool is_forced);

/// The rules for samples: up to 1,023 of each sort, without a minimum of assets. In a small project
/// the user decides whether dictionaries are worthwhile.
SamplingRules committed_sampling();

/// The existing dictionaries, and how they are judged.
struct RetrainingWish {
  CommittedDictionaries present;
  std::vector<UnusableDictionary> unusable{};  ///< Replaced, or removed if none: too little gain.
  bool is_forced = false;                      ///< Any smaller result pays.
};

/// Tries the present dictionaries and new ones on samples of the project. Fails with `malformed` if
/// a sample cannot be cooked, because then no decision is possible.
Result<std::vector<RetrainingPlan>> plan_retraining(
    const Project& project, const std::vector<ComponentDescription>& components,
    const RetrainingWish& wish, unsigned jobs, const std::stop_token& stop);

std::string_view to_string(Retraining what);

}  // namespace muster
