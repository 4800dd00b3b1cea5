// The bundles of an earlier build: which of them are what would be packed now, and why others not.
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

/// Why a bundle was packed.
struct BuildReason {
  std::string_view what;  ///< One of the texts in bundler/report/README.md.
  std::string detail;     ///< The path, option or name that it is about; may be empty.
  friend auto operator<=>(const BuildReason&, const BuildReason&) = default;
};

/// What is to be packed now, as far as it decides whether bundles can stay.
struct PackingTerms {
  std::string tool;  ///< The program and the versions of its formats.
  Layout layout = Layout::shared;
  int level = 0;
  std::string variants{};  ///< What was chosen, as `to_text` has it. Decides by what is read then.
  std::string compression{};                    ///< As `CompressionRules::text` has it.
  std::vector<StateDictionary> dictionaries{};  ///< Sorted by kind.
  /// Why they are others than those of the earlier build.
  std::vector<BuildReason> dictionary_reasons{};
};

/// Compares the bundles that a build has left with those that are planned now. Safe to use from
/// several threads once it is made.
class EarlierBuild {
 public:
  /// Asks everything anew that the earlier build was told, on `jobs` threads. `files` holds its
  /// output and lives longer, like `stamps`.
  EarlierBuild(BuildState state, const FileReader& files, const FileStamps& stamps,
               const CookAnswers& answers, unsigned jobs);

  struct Match {
    const StateBundle* bundle = nullptr;  ///< What can stay; null when it is to be packed.
    AssetPath path{};                     ///< Where its file is in the output.
    std::vector<BuildReason> reasons{};   ///< Why it is packed; sorted, never empty then.
  };
  /// Looks at the bundle's file when its stamp is not as recorded.
  Match find(const Project& project, Target target, const PackingTerms& terms,
             const PlannedBundle& planned) const;

  const BuildState& state() const { return state_; }
  const FileReader& files() const { return files_; }
  /// The fact that a bundle names by its index.
  const CookFact& fact(std::uint32_t index) const { return state_.facts[index]; }
  /// Whether all these facts are as they were.
  bool do_hold(const std::vector<std::uint32_t>& facts) const;
  /// Adds a reason for each that is not.
  void explain_facts(const Project& project, Target target, const std::vector<std::uint32_t>& facts,
                     std::vector<BuildReason>& reasons) const;
  /// The path of an asset, or of what was there under its guid.
  std::string path_of(const Project& project, const Guid& guid) const;
  /// Tells the extension that an asset's file had when a bundle was packed; nothing where nobody
  /// knows: the state has names of the last build, and a target that was not built then is older.
  using ExtensionThen = std::function<std::optional<std::string>(const Guid&)>;
  ExtensionThen extensions_in(const StateTarget& target, const StateBundle& bundle) const;
  /// A dictionary that the earlier build has left, from any target; nothing when it is not whole.
  std::optional<ByteVector> read_dictionary(const ContentHash& hash) const;

  /// The prefabs that had a bundle then and have none in a plan, with why. Sorted.
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
  std::array<std::vector<bool>, 2> holds_;  // for client and server, per fact
  std::map<std::pair<Guid, Members>, std::vector<Place>> by_members_;
  std::map<std::pair<Target, Guid>, Place> by_subject_;
  std::map<std::pair<Target, Guid>, Place> shared_by_asset_;
};

}  // namespace muster
