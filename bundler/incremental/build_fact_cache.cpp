// A fact about a file is valid while the content of the file is unchanged. The stamp of the file
// shows whether its content has changed. Facts about an asset depend on several files and on the
// classes of scripts. The facts list these dependencies, and a hash covers all of them. The facts
// are valid if a newly computed hash is equal.
#include "bundler/incremental/build_fact_cache.h"

#include <algorithm>

#include "bundler/cook/cook_questions.h"
#include "registry/base/parallel.h"
#include "registry/model/plain_components.h"

namespace muster {
namespace {

AssetPath meta_beside(const AssetPath& path) {
  return path.parent().child(std::string(path.name()) + ".meta");
}

void add_hash(ContentHasher& hasher, const ContentHash& hash) {
  hasher.update(std::as_bytes(std::span(hash.bytes)));
}

// Whether an asset is the first or only asset with its guid. No facts are stored for the other
// assets with the same guid.
bool owns_guid(const Project& project, AssetNumber asset) {
  return project.index().find(project.index().at(asset).guid) == asset;
}

}  // namespace

BuildFactCache::BuildFactCache(const RecordedFiles& inputs, std::optional<BuildState> earlier,
                               std::string tool)
    : inputs_(inputs),
      earlier_(std::move(earlier)),
      tool_(std::move(tool)),
      hashes_(inputs, earlier_ ? &*earlier_ : nullptr) {
  if (!earlier_ || earlier_->tool != tool_) return;
  is_of_tool_ = true;
  numbers_.emplace(*earlier_);
  sidecars_.resize(numbers_->count(), nullptr);
  mentions_.resize(numbers_->count(), nullptr);
  for (const StateSidecar& one : earlier_->sidecars) sidecars_[one.input] = &one;
  for (const StateMentions& one : earlier_->mentions) mentions_[one.input] = &one;
}

std::optional<std::uint32_t> BuildFactCache::find_unchanged(const AssetPath& path) {
  if (!is_of_tool_) return std::nullopt;
  const StateInput* const known = hashes_.find_unchanged(path, inputs_.record_stamp(path));
  if (known == nullptr) return std::nullopt;
  inputs_.assume(path, known->hash);
  return numbers_->of(path);
}

std::optional<SidecarFacts> BuildFactCache::find_sidecar(const AssetPath& path) {
  const auto number = find_unchanged(path);
  if (!number || sidecars_[*number] == nullptr) return std::nullopt;
  return sidecars_[*number]->facts;
}

const std::vector<FileMention>* BuildFactCache::find_mentions(const AssetPath& path) {
  const auto number = find_unchanged(path);
  if (!number || mentions_[*number] == nullptr) return nullptr;
  return &mentions_[*number]->mentions;
}

void BuildFactCache::note_sidecar(const AssetPath& path, const SidecarFacts& facts) {
  const std::lock_guard lock(mutex_);
  new_sidecars_[path] = facts;
}

void BuildFactCache::note_mentions(const AssetPath& path, std::vector<FileMention> mentions) {
  const std::lock_guard lock(mutex_);
  new_mentions_[path] = std::move(mentions);
}

void BuildFactCache::write_files(BuildState& state) const {
  const InputNumbers numbers(state);
  for (std::size_t i = 0; i < sidecars_.size(); ++i) {
    if (sidecars_[i] == nullptr && mentions_[i] == nullptr) continue;
    // Keeps the earlier facts about unchanged files that this build has not read.
    const AssetPath path = numbers_->path_of(static_cast<std::uint32_t>(i));
    const auto number = numbers.of(path);
    if (!number || inputs_.hash_of(path) != numbers_->at(static_cast<std::uint32_t>(i)).hash) {
      continue;
    }
    if (sidecars_[i] != nullptr && !new_sidecars_.contains(path)) {
      state.sidecars.push_back({*number, sidecars_[i]->facts});
    }
    if (mentions_[i] != nullptr && !new_mentions_.contains(path)) {
      state.mentions.push_back({*number, mentions_[i]->mentions});
    }
  }
  for (const auto& [path, facts] : new_sidecars_) {
    if (const auto number = numbers.of(path)) state.sidecars.push_back({*number, facts});
  }
  for (const auto& [path, mentions] : new_mentions_) {
    if (const auto number = numbers.of(path)) state.mentions.push_back({*number, mentions});
  }
  std::ranges::sort(state.sidecars, {}, &StateSidecar::input);
  std::ranges::sort(state.mentions, {}, &StateMentions::input);
}

void BuildFactCache::add_file(AssetNumber asset, ContentHasher& hasher) const {
  const AssetPath& path = project_->index().at(asset).path;
  hasher.update_text(path.text());
  // Facts do not depend on the content of a model.
  add_hash(hasher, is_model_path(path) ? ContentHash() : hashes_.hash_of(path));
  add_hash(hasher, hashes_.hash_of(meta_beside(path)));
}

ContentHash BuildFactCache::key_of(AssetNumber asset, const AssetFacts& facts) const {
  ContentHasher hasher;
  add_file(asset, hasher);
  add_hash(hasher, hashes_.hash_of(project_->index().at(asset).path));
  for (const Guid& guid : facts.sources) {
    const AssetNumber source = project_->index().find(guid);
    hasher.update_text(source == kNoAsset ? "missing" : "source");
    hasher.update(guid.bytes());
    if (source != kNoAsset) add_file(source, hasher);
  }
  for (const Guid& guid : facts.scripts) {
    hasher.update_text("script");
    hasher.update(guid.bytes());
    hasher.update_text(project_->scripts().class_of(guid));
  }
  if (!facts.class_name.empty()) {
    const bool is_factory = project_->scripts().derives_from(facts.class_name, kFactoryClass);
    hasher.update_text(is_factory ? "factory" : "class");
    hasher.update_text(facts.class_name);
  }
  return hasher.finish();
}

void BuildFactCache::know_assets(Project& project,
                                 const std::vector<ComponentDescription>& components,
                                 unsigned jobs) {
  project_ = &project;
  ContentHasher terms;
  terms.update_text(tool_);
  add_hash(terms, hashes_.hash_of(AssetPath().child(ProjectConfig::kFileName)));
  for (const ComponentDescription& component : components) {
    terms.update_text(component.name);
    add_hash(terms, component.hash());
    terms.update(component.default_value);
  }
  terms_ = terms.finish();
  assets_.emplace(project.index().assets().size());
  project.remember_in(*assets_);
  if (!is_of_tool_ || earlier_->known_terms != terms_) return;
  std::vector<StateKnown>& known = earlier_->known;
  parallel_for(known.size(), jobs, {}, [&](std::size_t i, unsigned) {
    const AssetNumber asset = project.index().find(earlier_->assets[known[i].asset].guid);
    if (asset == kNoAsset || key_of(asset, known[i].facts) != known[i].key) return;
    assets_->set(asset, std::move(known[i].facts));
  });
}

std::vector<KnownAsset> BuildFactCache::known_assets(unsigned jobs) const {
  std::vector<KnownAsset> known;
  for (AssetNumber asset = 0; asset < project_->index().assets().size(); ++asset) {
    const AssetFacts* const facts = assets_->find(asset);
    if (facts == nullptr || !owns_guid(*project_, asset)) continue;
    known.push_back({asset, {}, facts});
  }
  parallel_for(known.size(), jobs, {}, [&](std::size_t i, unsigned) {
    known[i].key = key_of(known[i].asset, *known[i].facts);
  });
  return known;
}

}  // namespace muster
