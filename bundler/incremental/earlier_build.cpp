// A bundle can be kept if it would contain the same assets, if the settings of packing are the
// same, and if every question that cooking asked has the same answer. Nothing else affects the
// bytes of a bundle.
#include "bundler/incremental/earlier_build.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>

#include "bundler/plan/output_names.h"
#include "registry/base/parallel.h"
#include "registry/model/stripping.h"
#include "runtime/bundle/bundle_reader.h"
#include "runtime/bundle/dictionary.h"

namespace muster {
namespace {

constexpr std::uint64_t kBundleBytesMax = 8ULL * 1024 * 1024 * 1024;

std::vector<Guid> members_of(const Project& project, const PlannedBundle& planned) {
  std::vector<Guid> members;
  members.reserve(planned.assets.size());
  for (const AssetNumber asset : planned.assets) members.push_back(project.index().at(asset).guid);
  std::ranges::sort(members);
  return members;
}

// The guid that identifies a bundle together with its members: the guid of a prefab, or the name of
// a variant; null for a shared bundle.
Guid subject_of(const BundleName& name) {
  if (name.kind == BundleKind::shared) return {};
  return Guid::from_bytes(std::as_bytes(std::span<const std::uint8_t>(name.bytes)));
}

std::string_view name_of(Layout layout) {
  return layout == Layout::shared ? "shared" : "self-contained";
}

// Whether two lists have the same dictionaries. Ignores the recorded sizes, because they do not
// affect packing.
bool are_same(const std::vector<StateDictionary>& a, const std::vector<StateDictionary>& b) {
  return std::ranges::equal(a, b, [](const StateDictionary& one, const StateDictionary& other) {
    return one.kind == other.kind && one.hash == other.hash;
  });
}

void tidy(std::vector<BuildReason>& reasons) {
  std::ranges::sort(reasons);
  reasons.erase(std::unique(reasons.begin(), reasons.end()), reasons.end());
}

}  // namespace

EarlierBuild::EarlierBuild(BuildState state, const FileReader& files, const FileStamps& stamps,
                           const CookAnswers& answers, unsigned jobs)
    : state_(std::move(state)), files_(files), stamps_(stamps) {
  // For each fact, one bit per target (as in `Target`): whether the fact is unchanged for the
  // target. Both bits are computed, because a target may now need a fact that only the other target
  // needed before.
  std::vector<std::uint8_t> unchanged(state_.facts.size(), 0);
  parallel_for(unchanged.size(), jobs, {}, [&](std::size_t i, unsigned) {
    const CookFact& fact = state_.facts[i];
    const bool for_client = answers.answer(fact.question, Target::client) == fact.answer;
    const bool for_server = depends_on_target(fact.question.kind)
                                ? answers.answer(fact.question, Target::server) == fact.answer
                                : for_client;
    unchanged[i] = static_cast<std::uint8_t>((for_client ? 1U : 0U) | (for_server ? 2U : 0U));
  });
  for (const std::uint8_t bits : unchanged) {
    unchanged_[0].push_back((bits & 1U) != 0);
    unchanged_[1].push_back((bits & 2U) != 0);
  }
  for (const StateTarget& target : state_.targets) {
    for (const StateBundle& bundle : target.bundles) {
      const EarlierBundle earlier{&target, &bundle};
      const Members members = members_of(bundle);
      const Guid subject = subject_of(bundle.name);
      by_members_[{subject, members}].push_back(earlier);
      if (!subject.is_null()) {
        by_subject_[{target.target, subject}] = earlier;
      } else {
        for (const Guid& asset : members) shared_by_asset_[{target.target, asset}] = earlier;
      }
    }
  }
}

EarlierBuild::Members EarlierBuild::members_of(const StateBundle& bundle) const {
  Members members;
  for (const StateAsset& asset : bundle.assets) members.push_back(state_.assets[asset.asset].guid);
  std::ranges::sort(members);
  return members;
}

// The earlier bundles with this subject and these members. Bundles of `target` come first, and
// bundles of the other target follow.
std::vector<EarlierBuild::EarlierBundle> EarlierBuild::find_bundles(Target target,
                                                                    const Guid& subject,
                                                                    const Members& members) const {
  const auto found = by_members_.find({subject, members});
  if (found == by_members_.end()) return {};
  std::vector<EarlierBundle> bundles = found->second;
  std::stable_partition(bundles.begin(), bundles.end(), [&](const EarlierBundle& earlier) {
    return earlier.target->target == target;
  });
  return bundles;
}

// The earlier bundle of the same prefab or variant. For a shared bundle, this is the earlier shared
// bundle that contained the first asset of the planned bundle.
EarlierBuild::EarlierBundle EarlierBuild::resembling(Target target, const Guid& subject,
                                                     const Members& members) const {
  if (!subject.is_null()) {
    const auto found = by_subject_.find({target, subject});
    return found == by_subject_.end() ? EarlierBundle{} : found->second;
  }
  for (const Guid& asset : members) {
    const auto found = shared_by_asset_.find({target, asset});
    if (found != shared_by_asset_.end()) return found->second;
  }
  return {};
}

std::string EarlierBuild::path_of(const Project& project, const Guid& guid) const {
  const AssetNumber asset = project.index().find(guid);
  if (asset != kNoAsset) return project.index().at(asset).path.text();
  const auto known = std::ranges::lower_bound(state_.assets, guid, {}, &StateName::guid);
  return known != state_.assets.end() && known->guid == guid ? known->path : guid.to_string();
}

std::vector<BuildReason> EarlierBuild::reasons_of_terms(const StateTarget& target,
                                                        const PackingTerms& terms) const {
  std::vector<BuildReason> reasons;
  if (state_.tool != terms.tool) {
    reasons.push_back({"muster version", state_.tool + " -> " + terms.tool});
  }
  if (target.level != terms.level) {
    reasons.push_back({"option", "--level " + std::to_string(target.level) + " -> " +
                                     std::to_string(terms.level)});
  }
  if (target.compression != terms.compression) {
    const auto in_braces = [](const std::string& text) { return "{" + text + "}"; };
    reasons.push_back({"option", "compression of kinds " + in_braces(target.compression) + " -> " +
                                     in_braces(terms.compression)});
  }
  if (!are_same(target.dictionaries, terms.dictionaries)) {
    for (const BuildReason& why : terms.dictionary_reasons) {
      reasons.push_back(
          {"dictionary", std::string(why.what) + (why.detail.empty() ? "" : ": ") + why.detail});
    }
    if (terms.dictionary_reasons.empty()) reasons.push_back({"dictionary", ""});
  }
  return reasons;
}

// The facts of a bundle contain the hash of a file's name or extension. This hash shows whether the
// file had the recorded name when the bundle was packed.
EarlierBuild::ExtensionThen EarlierBuild::extensions_in(const StateTarget& target,
                                                        const StateBundle& bundle) const {
  std::map<Guid, const CookFact*> facts_by_guid;
  for (const std::uint32_t index : bundle.facts) {
    const CookQuestionKind kind = state_.facts[index].question.kind;
    if (target.is_current ||
        (kind != CookQuestionKind::extension && kind != CookQuestionKind::name))
      continue;
    facts_by_guid.emplace(state_.facts[index].question.guid, &state_.facts[index]);
  }
  return [this, is_current = target.is_current, facts_by_guid = std::move(facts_by_guid)](
             const Guid& guid) -> std::optional<std::string> {
    const auto name = std::ranges::lower_bound(state_.assets, guid, {}, &StateName::guid);
    const bool is_named = name != state_.assets.end() && name->guid == guid;
    const auto path = AssetPath::parse(is_named ? name->path : std::string());
    if (!path) return std::nullopt;
    if (!is_current) {
      const auto fact = facts_by_guid.find(guid);
      const bool is_as_then =
          fact != facts_by_guid.end() &&
          answer_for_path(fact->second->question.kind, path.value()) == fact->second->answer;
      if (!is_as_then) return std::nullopt;
    }
    return std::string(path.value().extension());
  };
}

bool EarlierBuild::are_unchanged(const std::vector<std::uint32_t>& facts) const {
  return std::ranges::all_of(facts, [this](std::uint32_t fact) { return unchanged_[0][fact]; });
}

std::optional<ByteVector> EarlierBuild::read_dictionary(const ContentHash& hash) const {
  for (const StateTarget& target : state_.targets) {
    const auto path =
        AssetPath::parse(std::string(folder_of(target.target)) + "/" + dictionary_path(hash));
    ByteVector buffer;
    const auto bytes = read_whole(files_, path.value(), layout::dictionary::kMaxBytes, buffer);
    if (!bytes || hash_bytes(bytes.value()) != hash || !Dictionary::open(bytes.value())) continue;
    return ByteVector(bytes.value().begin(), bytes.value().end());
  }
  return std::nullopt;
}

void EarlierBuild::explain_facts(const Project& project, Target target,
                                 const std::vector<std::uint32_t>& facts,
                                 std::vector<BuildReason>& reasons) const {
  for (const std::uint32_t index : facts) {
    if (unchanged_[target_index(target)][index]) continue;
    const CookQuestion& question = state_.facts[index].question;
    switch (question.kind) {
      case CookQuestionKind::content:
        reasons.push_back({"content", path_of(project, question.guid)});
        break;
      case CookQuestionKind::sidecar:
        reasons.push_back({"import settings", path_of(project, question.guid) + ".meta"});
        break;
      case CookQuestionKind::extension:
      case CookQuestionKind::name:
      case CookQuestionKind::packed_guid:
        reasons.push_back({"name", path_of(project, question.guid)});
        break;
      case CookQuestionKind::script:
        reasons.push_back({"class of script", path_of(project, question.guid)});
        break;
      case CookQuestionKind::component:
        reasons.push_back({"description of component", question.text});
        break;
      case CookQuestionKind::factory:
        reasons.push_back({"base classes", question.text});
        break;
      case CookQuestionKind::stripping:
      case CookQuestionKind::script_stripping:
        reasons.push_back({"stripping of component", question.text});
        break;
    }
  }
}

// Whether the file of a bundle is undamaged. If the file's stamp differs from the recorded stamp,
// the content is checked, because outputs may be copied or restored.
bool EarlierBuild::is_whole(const EarlierBundle& earlier, const AssetPath& path) const {
  const auto& outputs = earlier.target->outputs;
  const auto known = std::ranges::lower_bound(outputs, path.text(), {}, &StateOutput::path);
  const FileStamp now = stamp_of(stamps_, path);
  if (!now.exists || now.size_bytes != earlier.bundle->file_bytes) return false;
  if (known != outputs.end() && known->path == path.text() &&
      now.modified_ns == known->modified_ns && now.identity == known->identity) {
    return true;
  }
  ByteVector buffer;
  const auto bytes = read_whole(files_, path, kBundleBytesMax, buffer);
  if (!bytes) return false;
  const auto bundle = BundleReader::open(bytes.value());
  return bundle && bundle.value().bundle_hash() == earlier.bundle->hash &&
         bundle.value().compute_hash() == earlier.bundle->hash;
}

EarlierBuild::Match EarlierBuild::find(const Project& project, Target target,
                                       const PackingTerms& terms,
                                       const PlannedBundle& planned) const {
  const std::optional<BundleName> name = muster::name_of(project, planned);
  const BundleKind kind = name ? name->kind : BundleKind::shared;
  const Guid subject = name ? subject_of(*name) : Guid();
  const Members members = muster::members_of(project, planned);
  Match match;
  const auto add_choice = [&](const EarlierBundle& earlier) {
    if (earlier.target->variants == terms.variants) return;
    match.reasons.push_back(
        {"option", "--variant '" + earlier.target->variants + "' -> '" + terms.variants + "'"});
  };
  for (const EarlierBundle& earlier : find_bundles(target, subject, members)) {
    std::vector<BuildReason> reasons = reasons_of_terms(*earlier.target, terms);
    explain_facts(project, target, earlier.bundle->facts, reasons);
    match.path = AssetPath()
                     .child(folder_of(earlier.target->target))
                     .child(kBundleFolders[static_cast<std::size_t>(kind)])
                     .child(earlier.bundle->name.to_string() + ".mbundle");
    if (reasons.empty() && is_whole(earlier, match.path)) {
      match.bundle = earlier.bundle;
      match.reasons.clear();
      return match;
    }
    if (reasons.empty()) reasons.push_back({"output", match.path.text()});
    if (!match.reasons.empty()) continue;
    match.reasons = std::move(reasons);
    add_choice(earlier);
  }
  if (match.reasons.empty()) {
    const EarlierBundle old = resembling(target, subject, members);
    if (old.bundle == nullptr) {
      const Guid named = kind == BundleKind::prefab ? subject : members.front();
      const bool is_shared = kind == BundleKind::shared;
      match.reasons.push_back({"new", is_shared ? "" : path_of(project, named)});
      return match;
    }
    match.reasons = reasons_of_terms(*old.target, terms);
    if (old.target->layout != terms.layout) {
      match.reasons.push_back({"option", "--layout " + std::string(name_of(old.target->layout)) +
                                             " -> " + std::string(name_of(terms.layout))});
    }
    const Members before = members_of(*old.bundle);
    Members news;
    Members gone;
    std::ranges::set_difference(members, before, std::back_inserter(news));
    std::ranges::set_difference(before, members, std::back_inserter(gone));
    for (const Guid& guid : news) match.reasons.push_back({"asset added", path_of(project, guid)});
    for (const Guid& guid : gone) {
      const AssetNumber asset = project.index().find(guid);
      const bool is_stripped =
          asset != kNoAsset && project.stripping(target).find(asset) != nullptr;
      match.reasons.push_back(
          {is_stripped ? "asset stripped" : "asset left", path_of(project, guid)});
    }
    explain_facts(project, target, old.bundle->facts, match.reasons);
    add_choice(old);
  }
  tidy(match.reasons);
  return match;
}

std::vector<BuildReason> EarlierBuild::gone_from(const Project& project, Target target,
                                                 const BundlePlan& plan) const {
  std::vector<BuildReason> gone;
  const StateTarget* const old = state_.find(target);
  if (old == nullptr) return gone;
  std::set<Guid> planned;
  for (const PlannedBundle& bundle : plan.bundles) {
    if (bundle.prefab != kNoAsset) planned.insert(project.index().at(bundle.prefab).guid);
  }
  for (const StateBundle& bundle : old->bundles) {
    if (bundle.prefab.is_null() || planned.contains(bundle.prefab)) continue;
    const bool is_here = project.index().find(bundle.prefab) != kNoAsset;
    const auto name = std::ranges::lower_bound(state_.assets, bundle.prefab, {}, &StateName::guid);
    const bool is_named = name != state_.assets.end() && name->guid == bundle.prefab;
    gone.push_back({is_here ? "removed from the registry" : "removed",
                    is_named ? name->path : bundle.prefab.to_string()});
  }
  std::ranges::sort(gone);
  return gone;
}

}  // namespace muster
