// Compares the bundles of an earlier build with a plan. Finds the bundles that can be kept, and the
// reasons why the others must be packed.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bundler/cook/cook_questions.h"
#include "bundler/incremental/build_state.h"
#include "bundler/plan/bundle_plan.h"

namespace muster {

/// The reason why a bundle was packed.
struct BuildReason {
  std::string_view what;  ///< One of the texts in bundler/report/README.md.
  std::string detail;     ///< The path, option or name concerned; may be empty.
  friend auto operator<=>(const BuildReason&, const BuildReason&) = default;
};

/// The settings of packing that decide whether bundles can be kept.
struct PackingTerms {
  std::string tool;  ///< The program and the versions of its formats.
  Layout layout = Layout::shared;
  int level = 0;
  /// The choice, as returned by `to_text`. It decides which files are read.
  std::string variants{};
  std::string compression{};                    ///< As returned by `CompressionRules::text`.
  std::vector<StateDictionary> dictionaries{};  ///< Sorted by kind.
  /// Why they differ from those of the earlier build.
  std::vector<BuildReason> dictionary_reasons{};
};

/// Compares the bundles of an earlier build with those that are planned now. Safe to use from
/// several threads after construction.
class EarlierBuild {
 public:
  /// Repeats all questions of the earlier build, on `jobs` threads. `files` contains its output.
  /// `files` and `stamps` must outlive this object.
  EarlierBuild(BuildState state, const FileReader& files, const FileStamps& stamps,
               const CookAnswers& answers, unsigned jobs);

  struct Match {
    const StateBundle* bundle = nullptr;  ///< The bundle to keep; null if it must be packed.
    AssetPath path{};                     ///< The path of its file in the output.
    std::vector<BuildReason> reasons{};   ///< Why it is packed; sorted, then never empty.
  };
  /// Hashes the bundle's file if its stamp differs from the recorded one.
  Match find(const Project& project, Target target, const PackingTerms& terms,
             const PlannedBundle& planned) const;

  const BuildState& state() const { return state_; }
  const FileReader& files() const { return files_; }
  /// The fact with this index in a bundle.
  const CookFact& fact(std::uint32_t index) const { return state_.facts[index]; }
  /// Whether all these facts are unchanged.
  bool do_hold(const std::vector<std::uint32_t>& facts) const;
  /// Adds a reason for each changed fact.
  void explain_facts(const Project& project, Target target, const std::vector<std::uint32_t>& facts,
                     std::vector<BuildReason>& reasons) const;
  /// The path of an asset, or its recorded path if it no longer exists.
  std::string path_of(const Project& project, const Guid& guid) const;
  /// Returns the extension of an asset's file at the time when a bundle was packed. Nothing if it
  /// is unknown. The state has the file names of the last build, which can be newer than the
  /// bundles of a target that this build did not build.
  using ExtensionThen = std::function<std::optional<std::string>(const Guid&)>;
  ExtensionThen extensions_in(const StateTarget& target, const StateBundle& bundle) const;
  /// A dictionary of the earlier build, from any target; nothing if it is damaged.
  std::optional<ByteVector> read_dictionary(const ContentHash& hash) const;

  /// The prefabs that had a bundle and have none in the plan, with reasons. Sorted.
  std::vector<BuildReason> gone_from(const Project& project, Target target,
                                     const BundlePlan& plan) const;

 private:
  struct Place {
    const StateTarget* target = nullptr;
    const StateBundle* bundle = nullptr;
  };
  using Members = std::vector<Guid>;  // sorted

  std::vector<BuildReason> reasons_of_terms(const StateTarget& target,
                                            const PackingTerms& terms) const;
  bool is_whole(const Place& place, const AssetPath& path) const;
  Members members_of(const StateBundle& bundle) const;
  std::vector<Place> places_of(Target target, const Guid& subject, const Members& members) const;
  Place resembling(Target target, const Guid& subject, const Members& members) const;

  BuildState state_;
  const FileReader& files_;
  const FileStamps& stamps_;
  std::array<std::vector<bool>, 2> holds_;  // for client and server, one per fact
  std::map<std::pair<Guid, Members>, std::vector<Place>> by_members_;
  std::map<std::pair<Target, Guid>, Place> by_subject_;
  std::map<std::pair<Target, Guid>, Place> shared_by_asset_;
};

}  // namespace muster
