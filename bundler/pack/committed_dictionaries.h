// Dictionaries that a project keeps, beside its content: trained when somebody says so.
#pragma once

#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "bundler/pack/build_dictionaries.h"
#include "registry/project/compression.h"
#include "registry/vocabulary/file_system.h"

namespace muster {

/// The file of a kind in the folder: `object.mdict`, for one.
AssetPath committed_dictionary_path(const AssetPath& folder, EntryKind kind);

/// Reads what is in the folder that the rules name: of a kind without a file there is none. Nothing
/// when they name no folder. Fails with `malformed` or `limit_exceeded` for a file that is no
/// dictionary, with `already_exists` when two have one id, or as the disk fails.
Result<std::optional<CommittedDictionaries>> load_committed(const FileSystem& files,
                                                            const CompressionRules& rules);

/// Another dictionary has to make all entries of its kind, itself included, smaller by one part in
/// so many. Every one of them changes with it, and each player loads it again.
inline constexpr std::uint64_t kRetrainingShare = 20;

enum class Retraining : std::uint8_t { keep, write, remove };

/// What is to be done about one kind. Bytes are estimates for all entries of the kind at the level
/// that dictionaries are trained with, the dictionary's own included.
struct RetrainingPlan {
  EntryKind kind = EntryKind::object;
  Retraining what = Retraining::keep;
  std::uint64_t entries = 0;
  std::uint64_t bytes_without = 0;            ///< With no dictionary at all.
  std::optional<std::uint64_t> bytes_now{};   ///< With the present one, where there is one.
  std::optional<std::uint64_t> bytes_then{};  ///< With a new one, where one pays.
  ByteVector fresh{};                         ///< What to write.
  std::uint64_t present_bytes = 0;            ///< Of the present dictionary's file.
};

/// The decision alone: `now` for the present dictionary, `then` for a new one, none where there is
/// none. Without a present one a new one is written, since it was found to pay.
Retraining choose_retraining(std::uint64_t bytes_without, std::optional<std::uint64_t> now,
                             std::optional<std::uint64_t> then, bool is_forced);

/// Assets that are looked at: up to 1,023 of each sort; a project decides by itself whether so few
/// are worth it.
SamplingRules committed_sampling();

/// Tries the present dictionaries and new ones on samples of the project. `is_forced`: whatever is
/// smaller pays.
std::vector<RetrainingPlan> plan_retraining(const Project& project,
                                            const std::vector<ComponentDescription>& components,
                                            const CommittedDictionaries& present, bool is_forced,
                                            unsigned jobs, const std::stop_token& stop);

std::string_view to_string(Retraining what);

}  // namespace muster
