// A build takes committed dictionaries as they are: it is `muster train` that asks whether others
// would be better, and answers as seldom as it can, because the answer changes every bundle.
#include "bundler/pack/committed_dictionaries.h"

#include <algorithm>

#include "registry/vocabulary/parallel.h"
#include "runtime/bundle/bundle_layout.h"
#include "runtime/bundle/bundle_reader.h"
#include "runtime/bundle/dictionary.h"

namespace muster {
namespace {

constexpr std::size_t kCommittedSamplesWanted = 512;

// All entries of a kind, from the few that were tried.
std::uint64_t scaled(const TriedSamples& tried, std::uint64_t entries) {
  return tried.count == 0 ? 0 : tried.packed_bytes * entries / tried.count;
}

bool pays(std::uint64_t then, std::uint64_t now, bool is_forced) {
  return is_forced ? then < now : then + now / kRetrainingShare < now;
}

RetrainingPlan plan_kind(EntryKind kind, const CookedSamples& cooked,
                         const BuildDictionary* present, bool is_forced) {
  const std::vector<Bytes> samples = cooked.of(kind);
  RetrainingPlan plan{.kind = kind, .entries = cooked.estimated_entries(kind)};
  plan.bytes_without = scaled(try_samples(samples, {}), plan.entries);
  auto trained = train_dictionary(samples, plan.entries);
  if (trained) {
    plan.bytes_then =
        scaled(try_samples(samples, trained->bytes), plan.entries) + trained->bytes.size();
  }
  if (present != nullptr) {
    plan.present_bytes = present->bytes.size();
    plan.bytes_now =
        scaled(try_samples(samples, present->bytes), plan.entries) + present->bytes.size();
  }
  plan.what = choose_retraining(plan.bytes_without, plan.bytes_now, plan.bytes_then, is_forced);
  if (plan.what == Retraining::write) plan.fresh = std::move(trained->bytes);
  return plan;
}

}  // namespace

AssetPath committed_dictionary_path(const AssetPath& folder, EntryKind kind) {
  return folder.child(std::string(to_string(kind)) + ".mdict");
}

Result<std::optional<CommittedDictionaries>> load_committed(const FileSystem& files,
                                                            const CompressionRules& rules) {
  if (!rules.dictionaries) return std::nullopt;
  CommittedDictionaries found;
  DictionarySet distinct;
  for (const EntryKind kind : kDictionaryKinds) {
    const AssetPath path = committed_dictionary_path(*rules.dictionaries, kind);
    ByteVector buffer;
    const auto bytes = read_whole(files, path, layout::dictionary::kMaxBytes, buffer);
    if (!bytes && bytes.error().code == ErrorCode::not_found) continue;
    if (!bytes) return fail(bytes.error());
    if (auto good = distinct.add(hash_bytes(bytes.value()), bytes.value()); !good) {
      return fail(good.error().code, path.text() + ": " + good.error().message +
                                         "; 'muster train --force' makes another one");
    }
    found.push_back({kind, ByteVector(bytes.value().begin(), bytes.value().end()), 0, 0});
  }
  return found;
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

std::vector<RetrainingPlan> plan_retraining(const Project& project,
                                            const std::vector<ComponentDescription>& components,
                                            const CommittedDictionaries& present, bool is_forced,
                                            unsigned jobs, const std::stop_token& stop) {
  const CookedSamples cooked =
      cook_samples(project, components, choose_samples(project, committed_sampling()), jobs, stop);
  std::vector<RetrainingPlan> plans(kDictionaryKinds.size());
  parallel_for(plans.size(), jobs, stop, [&](std::size_t i, unsigned) {
    const auto now = std::ranges::find(present, kDictionaryKinds[i], &BuildDictionary::kind);
    plans[i] =
        plan_kind(kDictionaryKinds[i], cooked, now == present.end() ? nullptr : &*now, is_forced);
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
