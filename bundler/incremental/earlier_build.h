// Compares the bundles of an earlier build with a plan. Finds the bundles that can be kept, and the
// reasons why other bundles must be packed.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bundler/cook/cook_answers.h"
#include "bundler/cook/cook_questions.h"
#include "bundler/incremental/build_state.h"
#include "bundler/plan/bundle_plan.h"

namespace muster {

/// The reason why a bundle was packed.
struct BuildReason {
  std::string_view what;  ///< One of the texts in bundler/report/README.md.
  std::string detail;     ///< The path, option or name that the reason is about; may be empty.
  friend auto operator<=>(const BuildReason&, const BuildReason&) = default;
};

/// The settings of packing. Bundles of an earlier build can be kept only if both builds have equal
/// settings.
struct PackingTerms {
  std::string tool;  ///< The program and the versions of its formats.
  Layout layout = Layout::shared;
  int level = 0;
  /// The choice of variants, as returned by `to_text`. The choice determines which files are read.
  std::string variants{};
  std::string compression{};  ///< The compression rules, as returned by `CompressionRules::text`.
  std::vector<StateDictionary> dictionaries{};  ///< The dictionaries, sorted by kind.
  /// The reasons why the dictionaries differ from the dictionaries of the earlier build.
  std::vector<BuildReason> dictionary_reasons{};
};

/// Compares the bundles of an earlier build with the bundles of a plan. After construction, several
/// threads may use it.
class EarlierBuild {
 public:
  /// Answers all questions of the earlier build again, on `jobs` threads. `files` contains the
  /// output of the earlier build. `files` and `stamps` must outlive this object.
  EarlierBuild(BuildState state, const FileReader& files, const FileStamps& stamps,
               const CookAnswers& answers, unsigned jobs);

  struct Match {
    const StateBundle* bundle = nullptr;  ///< The bundle to keep; null to pack the planned bundle.
    AssetPath path{};                     ///< The path of the bundle's file in the output.
    std::vector<BuildReason> reasons{};   ///< The reasons to pack the planned bundle, sorted. Never
                                          ///< empty if `bundle` is null.
  };
  /// Finds the earlier bundle for a planned bundle. Hashes the bundle's file if its stamp differs
  /// from the recorded stamp.
  Match find(const Project& project, Target target, const PackingTerms& terms,
             const PlannedBundle& planned) const;

  const BuildState& state() const { return state_; }
  const FileReader& files() const { return files_; }
  /// The fact with this index in a bundle.
  const CookFact& fact(std::uint32_t index) const { return state_.facts[index]; }
  /// Whether all these facts are unchanged.
  bool are_unchanged(const std::vector<std::uint32_t>& facts) const;
  /// Adds a reason for each changed fact.
  void explain_facts(const Project& project, Target target, const std::vector<std::uint32_t>& facts,
                     std::vector<BuildReason>& reasons) const;
  /// The path of an asset, or the recorded path if the asset no longer exists.
  std::string path_of(const Project& project, const Guid& guid) const;
  /// Returns the extension that an asset's file had when a bundle was packed; no value if it is
  /// unknown. The state has only the file names of the last build. If that build did not build the
  /// target, the bundle is older than these names. A name is then used only if the facts of the
  /// bundle confirm the name.
  using ExtensionThen = std::function<std::optional<std::string>(const Guid&)>;
  ExtensionThen extensions_in(const StateTarget& target, const StateBundle& bundle) const;
  /// A dictionary of the earlier build, from any target; no value if it is damaged.
  std::optional<ByteVector> read_dictionary(const ContentHash& hash) const;

  /// The prefabs that had a bundle in the earlier build and have none in the plan, with reasons.
  /// Sorted.
  std::vector<BuildReason> gone_from(const Project& project, Target target,
                                     const BundlePlan& plan) const;

 private:
  struct EarlierBundle {
    const StateTarget* target = nullptr;
    const StateBundle* bundle = nullptr;
  };
  using Members = std::vector<Guid>;  // Sorted.

  std::vector<BuildReason> reasons_of_terms(const StateTarget& target,
                                            const PackingTerms& terms) const;
  bool is_whole(const EarlierBundle& earlier, const AssetPath& path) const;
  Members members_of(const StateBundle& bundle) const;
  std::vector<EarlierBundle> find_bundles(Target target, const Guid& subject,
                                          const Members& members) const;
  EarlierBundle resembling(Target target, const Guid& subject, const Members& members) const;

  BuildState state_;
  const FileReader& files_;
  const FileStamps& stamps_;
  // For client and server, whether each fact is unchanged.
  std::array<std::vector<bool>, 2> unchanged_;
  std::map<std::pair<Guid, Members>, std::vector<EarlierBundle>> by_members_;
  std::map<std::pair<Target, Guid>, EarlierBundle> by_subject_;
  std::map<std::pair<Target, Guid>, EarlierBundle> shared_by_asset_;
};

}  // namespace muster
