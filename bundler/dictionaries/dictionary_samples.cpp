#include "bundler/dictionaries/dictionary_samples.h"

#include <algorithm>

#include "registry/base/parallel.h"
#include "registry/project/reference_graph.h"
#include "registry/rules/validate.h"

namespace muster {
namespace {

std::uint64_t leading_hash_bits(const Guid& guid) {
  const ContentHash hash = hash_bytes(guid.bytes());
  std::uint64_t hash_bits = 0;
  for (std::size_t i = 0; i < sizeof hash_bits; ++i) hash_bits = hash_bits << 8U | hash.bytes[i];
  return hash_bits;
}

struct Candidate {
  std::uint64_t hash_bits = 0;
  AssetNumber asset = kNoAsset;
};

// Chooses the candidates for which the hash of the guid begins with `share` zero bits.
std::vector<AssetNumber> choose(std::vector<Candidate> candidates, const SamplingRules& rules,
                                unsigned& share) {
  if (candidates.size() < rules.assets_min) return {};
  share = rules.share_min;
  while (candidates.size() >> share >= 2 * rules.samples_wanted) ++share;
  std::erase_if(candidates, [&](const Candidate& one) {
    return share > 0 && one.hash_bits >> (64 - share) != 0;
  });
  std::ranges::sort(candidates, {}, &Candidate::hash_bits);
  std::vector<AssetNumber> assets;
  for (const Candidate& candidate : candidates) assets.push_back(candidate.asset);
  return assets;
}

}  // namespace

DictionarySamples choose_samples(const Project& project, const SamplingRules& rules) {
  std::vector<Candidate> text;
  std::vector<Candidate> settings;
  // Uses the assets of both targets, also if only one target is built, because both targets have
  // the same dictionaries.
  for (const AssetNumber number : built_assets(project, TargetSet::both())) {
    const Asset& asset = project.index().at(number);
    if (asset.is_folder) continue;
    auto& candidates = holds_references(asset.path) ? text : settings;
    candidates.push_back({leading_hash_bits(asset.guid), number});
  }
  DictionarySamples samples;
  samples.text = choose(std::move(text), rules, samples.text_share);
  samples.settings = choose(std::move(settings), rules, samples.settings_share);
  return samples;
}

std::vector<Bytes> CookedSamples::of(EntryKind kind) const {
  std::vector<Bytes> samples;
  for (const CookedAsset& asset : kind == EntryKind::import_settings ? settings : text) {
    if (!asset.problems.empty()) continue;
    for (const CookedEntry& entry : asset.entries) {
      if (entry.kind == kind && !entry.plain.empty()) samples.emplace_back(entry.plain);
    }
  }
  return samples;
}

std::uint64_t CookedSamples::estimated_entries(EntryKind kind) const {
  return std::uint64_t{of(kind).size()}
         << (kind == EntryKind::import_settings ? settings_share : text_share);
}

CookedSamples cook_samples(const Project& project,
                           const std::vector<ComponentDescription>& components,
                           const DictionarySamples& samples, unsigned jobs,
                           const std::stop_token& stop) {
  const AssetCooker cooker(project, components);
  CookedSamples cooked;
  cooked.text_share = samples.text_share;
  cooked.settings_share = samples.settings_share;
  cooked.text.resize(samples.text.size());
  cooked.settings.resize(samples.settings.size());
  parallel_for(samples.text.size(), jobs, stop, [&](std::size_t i, unsigned) {
    cooked.text[i] = cooker.cook_text_sample(samples.text[i]);
  });
  parallel_for(samples.settings.size(), jobs, stop, [&](std::size_t i, unsigned) {
    cooked.settings[i] = cooker.cook_settings(samples.settings[i]);
  });
  return cooked;
}

}  // namespace muster
