// The state refers to facts, assets and files by numbers. The numbers are assigned when all facts,
// assets and files are known.
#include "bundler/build/state_writer.h"

#include <algorithm>
#include <map>

#include "bundler/build/build_report.h"
#include "bundler/incremental/build_fact_cache.h"
#include "bundler/plan/output_names.h"

namespace muster {
namespace {

// Collects the state while the parts of the output are staged.
class StateWriter {
 public:
  StateWriter(const BuildRun& run, const BuildState* earlier, const InputHashes& hashes,
              const BuildDictionaries& dictionaries)
      : run_(run), earlier_(earlier), hashes_(hashes), dictionaries_(dictionaries) {
    for (const Guid& guid : dictionaries.samples) {
      const Asset& asset = run.project.index().at(run.project.index().find(guid));
      names_.try_emplace(guid, asset.path.text());
    }
    state_.tool = run.tool;
    state_.compressor = compressor_version();
  }

  ByteVector write(const std::vector<TargetBuild>& builds) {
    add_inputs();
    for (const Target target : {Target::client, Target::server}) {
      const auto built = std::ranges::find(builds, target, &TargetBuild::target);
      const StateTarget* old = earlier_ == nullptr ? nullptr : earlier_->find(target);
      if (built != builds.end()) {
        add_built(*built);
      } else if (old != nullptr && !run_.previous) {
        // The new state does not have the inputs from which this target was built.
        add_left(*old);
      }
    }
    number_facts();
    add_dictionaries();
    const std::vector<KnownAsset> known = known_assets();
    for (const auto& [guid, path] : names_) state_.assets.push_back({guid, path});
    number_assets();
    number_samples();
    add_known_facts(known);
    const std::string_view report = OutputFolder::kReportName;
    state_.report = stamped(AssetPath(), {report}).front();
    return encode_state(state_);
  }

 private:
  // The facts and assets of a bundle, before they get their numbers.
  struct Pending {
    std::vector<CookFact> facts;
    std::vector<std::pair<Guid, std::uint64_t>> assets;
  };

  void add_inputs() {
    std::map<AssetPath, std::vector<StateInput>> folders;
    for (const RecordedInput& seen : run_.inputs->inputs()) {
      StateInput input{.name = std::string(seen.path.empty() ? "" : seen.path.name()),
                       .stamp = seen.stamp,
                       .use = seen.use,
                       .is_settled = is_settled(seen.stamp, run_.inputs->started_ns()),
                       .hash = seen.hash};
      if (input.use != InputUse::whole) {
        if (const StateInput* known = hashes_.find_unchanged(seen.path, seen.stamp)) {
          input.use = InputUse::whole;
          input.hash = known->hash;
        }
      }
      folders[seen.path.parent()].push_back(std::move(input));
    }
    for (auto& [path, inputs] : folders) {
      std::ranges::sort(inputs, {}, &StateInput::name);
      state_.folders.push_back({path, std::move(inputs)});
    }
  }

  void add_built(const TargetBuild& build) {
    StateTarget target;
    target.target = build.target;
    target.layout = run_.options.layout;
    target.level = run_.options.level;
    target.compression = run_.project.config().compression.text();
    target.signer = signer_of(run_.key);
    target.variants = to_text(run_.project.config().axes, run_.project.choice());
    target.has_old_blocks = build.has_old_blocks;
    target.totals = totals_of(build);
    target.dictionaries = dictionaries_.all_of_state();
    std::vector<const BuiltBundle*> sorted;
    for (const BuiltBundle& bundle : build.bundles) sorted.push_back(&bundle);
    std::ranges::sort(sorted, {}, [](const BuiltBundle* bundle) { return bundle->name; });
    for (const BuiltBundle* bundle : sorted) add_bundle(build, *bundle, target);
    add_outputs(build, target);
    state_.targets.push_back(std::move(target));
  }

  void add_dictionaries() {
    state_.dictionaries.key = dictionaries_.key;
    state_.dictionaries.all = dictionaries_.all_of_state();
    for (const CookFact& fact : dictionaries_.facts) {
      state_.dictionaries.facts.push_back(number_of(fact));
    }
  }

  void number_samples() {
    for (const Guid& guid : dictionaries_.samples) {
      state_.dictionaries.samples.push_back(number_of(guid));
    }
  }

  std::uint32_t number_of(const CookFact& fact) const {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(state_.facts, fact) -
                                      state_.facts.begin());
  }

  std::uint32_t number_of(const Guid& guid) const {
    const auto asset = std::ranges::lower_bound(state_.assets, guid, {}, &StateName::guid);
    return static_cast<std::uint32_t>(asset - state_.assets.begin());
  }

  std::vector<KnownAsset> known_assets() {
    if (run_.fact_cache == nullptr) return {};
    std::vector<KnownAsset> known = run_.fact_cache->known_assets(run_.options.jobs);
    for (const KnownAsset& one : known) {
      const Asset& asset = run_.project.index().at(one.asset);
      names_[asset.guid] = asset.path.text();
    }
    return known;
  }

  void add_known_facts(const std::vector<KnownAsset>& known) {
    if (run_.fact_cache == nullptr) return;
    run_.fact_cache->write_files(state_);
    state_.known_terms = run_.fact_cache->terms();
    for (const KnownAsset& one : known) {
      const Guid& guid = run_.project.index().at(one.asset).guid;
      state_.known.push_back({number_of(guid), one.key, *one.facts});
    }
    std::ranges::sort(state_.known, {}, &StateKnown::asset);
  }

  void add_bundle(const TargetBuild& build, const BuiltBundle& built, StateTarget& target) {
    const PlannedBundle& planned = build.plan.bundles[built.planned];
    const AssetIndex& index = run_.project.index();
    StateBundle bundle;
    bundle.name = built.name;
    if (planned.prefab != kNoAsset) bundle.prefab = index.at(planned.prefab).guid;
    bundle.hash = built.hash;
    bundle.file_bytes = built.file_bytes;
    bundle.plain_bytes = built.plain_bytes;
    bundle.source_bytes = built.source_bytes;
    Pending pending;
    pending.facts = built.facts;
    for (const AssetNumber asset : planned.assets) {
      names_[index.at(asset).guid] = index.at(asset).path.text();
      pending.assets.emplace_back(index.at(asset).guid, build.plain_bytes_of[asset]);
    }
    for (const CookFact& fact : built.facts) {
      const AssetNumber asset = index.find(fact.question.guid);
      if (asset != kNoAsset) names_[fact.question.guid] = index.at(asset).path.text();
    }
    pending_.push_back(std::move(pending));
    target.bundles.push_back(std::move(bundle));
  }

  void add_left(const StateTarget& old) {
    StateTarget target = old;
    target.is_current = false;
    for (const StateBundle& bundle : old.bundles) {
      Pending pending;
      for (const std::uint32_t fact : bundle.facts) pending.facts.push_back(earlier_->facts[fact]);
      for (const StateAsset& asset : bundle.assets) {
        const StateName& name = earlier_->assets[asset.asset];
        names_.try_emplace(name.guid, name.path);
        pending.assets.emplace_back(name.guid, asset.plain_bytes);
      }
      pending_.push_back(std::move(pending));
    }
    state_.targets.push_back(std::move(target));
  }

  void number_facts() {
    state_.facts = dictionaries_.facts;
    for (const Pending& pending : pending_) {
      state_.facts.insert(state_.facts.end(), pending.facts.begin(), pending.facts.end());
    }
    std::ranges::sort(state_.facts);
    state_.facts.erase(std::unique(state_.facts.begin(), state_.facts.end()), state_.facts.end());
  }

  void number_assets() {
    std::size_t next = 0;
    for (StateTarget& target : state_.targets) {
      for (StateBundle& bundle : target.bundles) {
        Pending& pending = pending_[next++];
        bundle.facts.clear();
        bundle.assets.clear();
        for (const CookFact& fact : pending.facts) {
          bundle.facts.push_back(number_of(fact));
        }
        std::ranges::sort(pending.assets);
        for (const auto& [guid, plain_bytes] : pending.assets) {
          bundle.assets.push_back({number_of(guid), plain_bytes});
        }
      }
    }
  }

  std::vector<StateOutput> stamped(const AssetPath& folder,
                                   const std::vector<std::string_view>& names) const {
    std::vector<FileStamp> stamps(names.size());
    run_.output.stamps_of_staged(*run_.output_stamps, folder, names, stamps);
    std::vector<StateOutput> outputs;
    for (std::size_t i = 0; i < names.size(); ++i) {
      outputs.push_back({folder.child(names[i]).text(), stamps[i].size_bytes, stamps[i].modified_ns,
                         stamps[i].identity});
    }
    return outputs;
  }

  void add_outputs(const TargetBuild& build, StateTarget& target) const {
    const AssetPath folder = AssetPath().child(folder_of(build.target));
    std::array<std::vector<std::string>, kBundleFolders.size()> names;
    for (const BuiltBundle& bundle : build.bundles) {
      names[static_cast<std::size_t>(bundle.name.kind)].push_back(bundle.name.to_string() +
                                                                  ".mbundle");
    }
    std::vector<std::string> own{std::string(kCatalogName)};
    if (run_.key) own.emplace_back(kCatalogSignatureFile);
    std::vector<std::string> dictionaries;
    for (const DictionaryData& one : build.dictionaries) {
      dictionaries.push_back(one.hash.to_string() + ".mdict");
    }
    const auto add = [&](const AssetPath& parent, const std::vector<std::string>& files) {
      auto outputs = stamped(parent, {files.begin(), files.end()});
      std::ranges::move(outputs, std::back_inserter(target.outputs));
    };
    add(folder, own);
    if (!dictionaries.empty()) add(folder.child("dictionaries"), dictionaries);
    for (std::size_t kind = 0; kind < names.size(); ++kind) {
      if (!names[kind].empty()) add(folder.child(kBundleFolders[kind]), names[kind]);
    }
    std::ranges::sort(target.outputs, {}, &StateOutput::path);
  }

  const BuildRun& run_;
  const BuildState* earlier_;
  const InputHashes& hashes_;
  const BuildDictionaries& dictionaries_;
  BuildState state_;
  std::vector<Pending> pending_;  // One element per bundle, in the order of targets and bundles.
  std::map<Guid, std::string> names_;
};

}  // namespace

std::array<std::byte, 32> signer_of(const std::optional<SigningKey>& key) {
  return key ? verify_key_of(*key) : std::array<std::byte, 32>{};
}

ByteVector state_of_build(const BuildRun& run, const BuildState* earlier, const InputHashes& hashes,
                          const BuildDictionaries& dictionaries,
                          const std::vector<TargetBuild>& builds) {
  return StateWriter(run, earlier, hashes, dictionaries).write(builds);
}

}  // namespace muster
