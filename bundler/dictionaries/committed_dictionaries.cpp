// A build uses committed dictionaries unchanged. Only `muster train` checks whether new
// dictionaries would be better. `muster train` rarely replaces a dictionary, because a new
// dictionary changes every bundle.
#include "bundler/dictionaries/committed_dictionaries.h"

#include <algorithm>

#include "bundler/dictionaries/compression_plan.h"
#include "registry/base/parallel.h"
#include "runtime/bundle/bundle_layout.h"
#include "runtime/bundle/bundle_reader.h"
#include "runtime/bundle/dictionary.h"

namespace muster {
namespace {

constexpr std::size_t kCommittedSamplesWanted = 512;

// Estimates the compressed size of all entries of a kind from the samples that were compressed.
std::uint64_t scaled(const TriedSamples& tried, std::uint64_t entries) {
  return tried.count == 0 ? 0 : tried.packed_bytes * entries / tried.count;
}

bool pays(std::uint64_t then, std::uint64_t now, bool is_forced) {
  return is_forced ? then < now : then + now / kRetrainingShare < now;
}

template <typename Range>
auto* of_kind(Range& range, EntryKind kind) {
  const auto found = std::ranges::find_if(range, [&](const auto& one) { return one.kind == kind; });
  return found == range.end() ? nullptr : &*found;
}

RetrainingPlan plan_kind(EntryKind kind, const CookedSamples& cooked, const RetrainingWish& wish,
                         const std::vector<EntryKind>& useful) {
  const std::vector<Bytes> samples = cooked.of(kind);
  RetrainingPlan plan{.kind = kind, .entries = cooked.estimated_entries(kind)};
  const BuildDictionary* const present = of_kind(wish.present, kind);
  const bool is_unusable = of_kind(wish.unusable, kind) != nullptr;
  if (std::ranges::count(useful, kind) == 0) {
    plan.is_stored = true;
    plan.what = present != nullptr || is_unusable ? Retraining::remove : Retraining::keep;
    return plan;
  }
  plan.has_few_samples = samples.size() < kJudgedSamplesMin;
  plan.bytes_without = scaled(try_samples(samples, {}), plan.entries);
  auto trained = train_dictionary(samples, plan.entries);
  if (trained) {
    plan.bytes_then =
        scaled(try_samples(samples, trained->bytes), plan.entries) + trained->bytes.size();
  }
  if (present != nullptr) {
    plan.bytes_now =
        scaled(try_samples(samples, present->bytes), plan.entries) + present->bytes.size();
  }
  if (is_unusable) {
    plan.what = trained ? Retraining::write : Retraining::remove;
  } else if (!plan.has_few_samples) {
    plan.what =
        choose_retraining(plan.bytes_without, plan.bytes_now, plan.bytes_then, wish.is_forced);
  }
  if (plan.what == Retraining::write) plan.fresh = std::move(trained->bytes);
  return plan;
}

std::optional<Error> first_problem(const CookedSamples& cooked) {
  for (const std::vector<CookedAsset>* some : {&cooked.text, &cooked.settings}) {
    for (const CookedAsset& asset : *some) {
      if (asset.problems.empty()) continue;
      const CookProblem& problem = asset.problems.front();
      return Error{ErrorCode::malformed,
                   problem.location.path.text() + ":" +
                       std::to_string(problem.location.position.line) + ": " + problem.message +
                       "; dictionaries are trained on content that can be built ('muster "
                       "validate' lists all)"};
    }
  }
  return std::nullopt;
}

}  // namespace

AssetPath committed_dictionary_path(const AssetPath& folder, EntryKind kind) {
  return folder.child(std::string(to_string(kind)) + ".mdict");
}

Error UnusableDictionary::error() const {
  return {code, path.text() + ": " + reason + "; 'muster train --force' replaces or removes it"};
}

Result<std::optional<CommittedDictionaries>> read_committed(
    const FileReader& files, const CompressionRules& rules,
    std::vector<UnusableDictionary>& unusable) {
  if (!rules.dictionaries) return std::nullopt;
  const auto folder = files.stat(*rules.dictionaries);
  if (folder && folder.value().kind != FileKind::folder) {
    return fail(ErrorCode::malformed, "'dictionaries' in muster.yaml names '" +
                                          rules.dictionaries->text() + "', which is not a folder");
  }
  CommittedDictionaries found;
  DictionarySet distinct;
  for (const EntryKind kind : kDictionaryKinds) {
    const AssetPath path = committed_dictionary_path(*rules.dictionaries, kind);
    const auto refuse = [&](ErrorCode code, const std::string& why) {
      unusable.push_back({kind, path, code, why});
    };
    ByteVector buffer;
    const auto bytes = read_whole(files, path, layout::dictionary::kMaxBytes, buffer);
    if (!bytes && bytes.error().code == ErrorCode::not_found) continue;
    if (!bytes && bytes.error().code == ErrorCode::limit_exceeded) {
      refuse(ErrorCode::limit_exceeded, "it is too large for a dictionary");
      continue;
    }
    if (!bytes) return fail(bytes.error());
    const ContentHash hash = hash_bytes(bytes.value());
    const bool is_other_kinds = std::ranges::any_of(
        found, [&](const BuildDictionary& other) { return other.hash() == hash; });
    if (const auto good = distinct.add(hash, bytes.value()); !good) {
      refuse(good.error().code, good.error().message);
    } else if (is_other_kinds) {
      refuse(ErrorCode::already_exists, "another kind has the same dictionary");
    } else if (!CompressionDictionary::is_usable(bytes.value())) {
      refuse(ErrorCode::malformed, "the tables of the dictionary are damaged");
    } else {
      found.push_back({kind, ByteVector(bytes.value().begin(), bytes.value().end()), 0, 0});
    }
  }
  return found;
}

Result<std::optional<CommittedDictionaries>> load_committed(const FileReader& files,
                                                            const CompressionRules& rules) {
  std::vector<UnusableDictionary> unusable;
  auto found = read_committed(files, rules, unusable);
  if (found && !unusable.empty()) return fail(unusable.front().error());
  return found;
}

void check_committed(const Project& project, Findings& findings) {
  const CompressionRules& rules = project.config().compression;
  if (!rules.dictionaries) return;
  const Location named{AssetPath().child(std::string(ProjectConfig::kFileName)),
                       rules.dictionaries_at};
  std::vector<UnusableDictionary> unusable;
  const auto found = read_committed(project.files(), rules, unusable);
  if (!found) findings.add("unusable-dictionary", named, found.error().message).blocks_build = true;
  for (UnusableDictionary& one : unusable) {
    findings.add("unusable-dictionary", {std::move(one.path), {}}, std::move(one.reason))
        .blocks_build = true;
  }
  const auto folder = project.files().stat(*rules.dictionaries);
  if (!folder && folder.error().code == ErrorCode::not_found) {
    findings.add("missing-dictionaries", named,
                 "'" + rules.dictionaries->text() +
                     "', the folder for dictionaries, does not exist: builds have none");
  }
}

Retraining choose_retraining(std::uint64_t bytes_without, std::optional<std::uint64_t> now,
                             std::optional<std::uint64_t> then, bool is_forced) {
  if (!now) return then ? Retraining::write : Retraining::keep;
  const bool is_new_best = then && *then <= bytes_without;
  if (is_new_best && pays(*then, *now, is_forced)) return Retraining::write;
  return pays(bytes_without, *now, is_forced) ? Retraining::remove : Retraining::keep;
}

SamplingRules committed_sampling() {
  return {.assets_min = 1, .samples_wanted = kCommittedSamplesWanted, .share_min = 0};
}

Result<std::vector<RetrainingPlan>> plan_retraining(
    const Project& project, const std::vector<ComponentDescription>& components,
    const RetrainingWish& wish, unsigned jobs, const std::stop_token& stop) {
  const CookedSamples cooked =
      cook_samples(project, components, choose_samples(project, committed_sampling()), jobs, stop);
  if (auto problem = first_problem(cooked)) return fail(std::move(*problem));
  const CompressionRules& rules = project.config().compression;
  const auto useful = kinds_with_dictionaries(rules.level.value_or(kDefaultLevel), rules);
  std::vector<RetrainingPlan> plans(kDictionaryKinds.size());
  parallel_for(plans.size(), jobs, stop, [&](std::size_t i, unsigned) {
    plans[i] = plan_kind(kDictionaryKinds[i], cooked, wish, useful);
  });
  return plans;
}

std::string_view to_string(Retraining what) {
  switch (what) {
    case Retraining::keep:
      return "keep";
    case Retraining::write:
      return "write";
    case Retraining::remove:
      return "remove";
  }
  return "keep";
}

}  // namespace muster
