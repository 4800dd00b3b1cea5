// The hash of an input is the one that was seen while the project was read; or, of a file that has
// rested since the earlier build, the one that was seen then; else it is read once more.
#include "bundler/pack/incremental_build.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <set>

#include "bundler/pack/committed_dictionaries.h"
#include "bundler/report/build_report.h"

namespace muster {
namespace {

constexpr std::uint64_t kCatalogBytesMax = 8ULL * 1024 * 1024 * 1024;

std::array<std::byte, 32> signer_of(const std::optional<SigningKey>& key) {
  return key ? verify_key_of(*key) : std::array<std::byte, 32>{};
}

class InputHashes {
 public:
  InputHashes(const RecordedFiles& inputs, const BuildState* earlier)
      : inputs_(inputs), earlier_(earlier) {}

  ContentHash hash_of(const AssetPath& path) const {
    if (const auto seen = inputs_.hash_of(path)) return *seen;
    const FileStamp stamp = inputs_.look_at(path);
    if (!stamp.exists || stamp.kind != FileKind::file) return {};
    if (const StateInput* known = rested(path, stamp)) {
      inputs_.assume(path, known->hash);  // Whoever reads something else notices.
      return known->hash;
    }
    ByteVector buffer;
    const auto bytes = inputs_.read(path, 0, std::numeric_limits<std::uint64_t>::max(), buffer);
    return bytes ? hash_bytes(bytes.value()) : ContentHash();
  }

  /// What the earlier build saw of a file that has not changed since; null when it may have.
  const StateInput* rested(const AssetPath& path, const FileStamp& stamp) const {
    const StateInput* known = earlier_ == nullptr ? nullptr : earlier_->find(path);
    const bool is_same = known != nullptr && known->use == InputUse::whole && known->is_settled &&
                         known->stamp == stamp && stamp.kind == FileKind::file;
    return is_same ? known : nullptr;
  }

 private:
  const RecordedFiles& inputs_;
  const BuildState* earlier_;
};

// Gathers the state while the parts of the output are staged.
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
        // Of which inputs it was made cannot be told any more.
        add_left(*old);
      }
    }
    number_facts();
    add_dictionaries();
    for (const auto& [guid, path] : names_) state_.assets.push_back({guid, path});
    number_assets();
    number_samples();
    const std::string_view report = OutputFolder::kReportName;
    state_.report = stamped(AssetPath(), {report}).front();
    return encode_state(state_);
  }

 private:
  // Facts and assets get their numbers when all are known.
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
        if (const StateInput* known = hashes_.rested(seen.path, seen.stamp)) {
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
    target.compression = compression_of(run_.project.config()).text();
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
      const auto asset = std::ranges::lower_bound(state_.assets, guid, {}, &StateName::guid);
      state_.dictionaries.samples.push_back(
          static_cast<std::uint32_t>(asset - state_.assets.begin()));
    }
  }

  std::uint32_t number_of(const CookFact& fact) const {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(state_.facts, fact) -
                                      state_.facts.begin());
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
          const auto asset = std::ranges::lower_bound(state_.assets, guid, {}, &StateName::guid);
          bundle.assets.push_back(
              {static_cast<std::uint32_t>(asset - state_.assets.begin()), plain_bytes});
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
    const auto add = [&](const AssetPath& place, const std::vector<std::string>& files) {
      auto outputs = stamped(place, {files.begin(), files.end()});
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
  std::vector<Pending> pending_;  // per bundle, in the order of targets and bundles
  std::map<Guid, std::string> names_;
};

// What was staged for a target gets its signature beside it, where there is a key.
Result<void> sign_catalog(const BuildRun& run, Target target) {
  if (!run.key) return {};
  OutputFolder& output = run.output;
  const AssetPath folder = AssetPath().child(folder_of(target));
  const AssetPath catalog = folder.child(kCatalogName);
  ByteVector buffer;
  const auto bytes = output.read_staged(catalog, 0, kCatalogBytesMax, buffer);
  if (!bytes) return fail(bytes.error());
  return output.stage(folder.child(kCatalogSignatureFile),
                      sign_file(*run.key, catalog.text(), bytes.value()));
}

// Tells of what was built now, and of the targets that an earlier build left.
Result<void> stage_report(const BuildRun& run, const std::vector<TargetBuild>& builds) {
  const AssetPath path = AssetPath().child(OutputFolder::kReportName);
  ByteVector buffer;
  const auto previous = run.output.read(path, OutputFolder::kReportBytesMax, buffer);
  if (!previous && previous.error().code != ErrorCode::not_found) return fail(previous.error());
  const std::string text =
      build_report_json(run.project, builds, run.options, run.version,
                        previous ? as_text(previous.value()) : std::string_view("{}"));
  return run.output.stage(path,
                          as_bytes(run.key ? signed_report(*run.key, path.text(), text) : text));
}

// Blocks of an output that does not remember how it was made: its report says the levels.
void remember_blocks(const FileSystem& files, const BuildRun& run, const HowPacked& how_packed,
                     StagedBundles& bundles) {
  ByteVector buffer;
  const auto report = read_whole(files, AssetPath().child(OutputFolder::kReportName),
                                 OutputFolder::kReportBytesMax, buffer);
  if (!report) return;
  for (const Target target : {Target::client, Target::server}) {
    const auto packed = packing_in_report(as_text(report.value()), target);
    if (!packed || packed->level != run.options.level ||
        packed->compression != compression_of(run.project.config()).text()) {
      continue;
    }
    for (const std::string_view kind : kBundleFolders) {
      const AssetPath folder = AssetPath().child(folder_of(target)).child(kind);
      const auto entries = files.list(folder);
      if (!entries) continue;
      for (const DirectoryEntry& entry : entries.value()) {
        bundles.remember_earlier(files, folder.child(entry.name), how_packed);
      }
    }
  }
}

// Client and server take bundles over from each other.
bool has_old_blocks(const BuildState* earlier) {
  return earlier != nullptr && std::ranges::any_of(earlier->targets, &StateTarget::has_old_blocks);
}

// Blocks of another compressor stay for the players' sake: others would pack something else, and
// are neither asked for it nor given it.
bool earlier_packs_like_everybody(const BuildRun& run, const BuildState* earlier) {
  return earlier == nullptr || (earlier->tool == run.tool && !has_old_blocks(earlier));
}

// Whether blocks that were used again may be of another compressor.
bool may_have_old_blocks(const TargetBuild& built, const BuildDictionaries& dictionaries,
                         const BuildState* earlier) {
  if (has_old_blocks(earlier)) return true;
  const bool is_same = earlier != nullptr && earlier->compressor == compressor_version();
  const bool is_trained_elsewhere = dictionaries.is_kept && !dictionaries.all.empty();
  return (built.reused_blocks > 0 || is_trained_elsewhere) && !is_same;
}

// A dictionary that earlier builds trained with another release stays with that one.
Result<BuildDictionaries> dictionaries_for(const BuildRun& run, const EarlierBuild* earlier,
                                           const CookAnswers* answers, BuildCache* cache) {
  const CompressionRules rules = compression_of(run.project.config());
  const auto committed = load_committed(run.project.files(), rules);
  if (!committed) return fail(committed.error());
  return make_dictionaries({.project = run.project,
                            .components = run.components,
                            .kinds = kinds_with_dictionaries(run.options.level, rules),
                            .rules = run.options.sampling,
                            .tool = run.tool,
                            .jobs = run.options.jobs,
                            .stop = run.stop,
                            .earlier = earlier,
                            .answers = answers,
                            .cache = cache,
                            .only_stores = run.is_forced,
                            .committed = committed.value() ? &*committed.value() : nullptr});
}

PackingTerms terms_of(const BuildRun& run, const CompressionPlan& plan) {
  return {run.tool,
          run.options.layout,
          run.options.level,
          to_text(run.project.config().axes, run.project.choice()),
          compression_of(run.project.config()).text(),
          plan.dictionaries().all_of_state(),
          plan.dictionaries().reasons};
}

}  // namespace

Result<std::vector<TargetBuild>> build_project(const BuildRun& run,
                                               std::vector<CookProblem>& problems) {
  const bool leaves_state = run.inputs != nullptr && run.output_stamps != nullptr;
  const FileSystem& old_files = run.previous ? run.previous->files : run.output.files();
  std::optional<BuildState> state;
  if (leaves_state && !run.is_forced) state = read_state(old_files);
  const BuildState* const known = state ? &*state : nullptr;
  std::optional<InputHashes> hashes;
  std::optional<CookAnswers> answers;
  std::optional<EarlierBuild> earlier;
  if (run.inputs != nullptr) {
    hashes.emplace(*run.inputs, known);
    answers.emplace(run.project, run.components,
                    [&](const AssetPath& path) { return hashes->hash_of(path); });
    if (state) {
      earlier.emplace(*state, old_files, run.previous ? run.previous->stamps : *run.output_stamps,
                      *answers, run.options.jobs);
    }
  }
  StagedBundles bundles(run.output);
  const bool shares = run.cache != nullptr && answers && earlier_packs_like_everybody(run, known);
  auto dictionaries = dictionaries_for(run, earlier ? &*earlier : nullptr,
                                       answers ? &*answers : nullptr, shares ? run.cache : nullptr);
  if (!dictionaries) return fail(dictionaries.error());
  const CompressionPlan plan(run.options.level, compression_of(run.project.config()),
                             std::move(dictionaries).value());
  const PackingTerms terms = terms_of(run, plan);
  if (leaves_state && !run.is_forced && !state) {
    remember_blocks(old_files, run, plan.how_packed_in(run.project), bundles);
  }
  std::optional<CachedBundles> cached;
  if (shares && !(known == nullptr && bundles.remembers_earlier())) {
    cached.emplace(*run.cache, run.project, *answers, terms, run.is_forced);
  }
  const BuildEdges edges{.output = bundles,
                         .reporter = run.reporter,
                         .clock = run.clock,
                         .stop = run.stop,
                         .earlier = earlier ? &*earlier : nullptr,
                         .packing = &plan,
                         .terms = &terms,
                         .answers = answers ? &*answers : nullptr,
                         .cache = cached ? &*cached : nullptr,
                         .inputs = run.inputs,
                         .is_earlier_shared = run.previous.has_value(),
                         .tool = run.tool,
                         .reason = {run.is_forced ? "forced" : "first build", {}}};
  std::vector<TargetBuild> builds;
  for (const Target target : {Target::client, Target::server}) {
    if (!run.options.targets.has(target)) continue;
    auto built = build_target(run.project, target, run.components, run.options, edges, problems);
    if (!built) return fail(built.error());
    if (auto done = sign_catalog(run, target); !done) return fail(done.error());
    built.value().has_old_blocks = may_have_old_blocks(built.value(), plan.dictionaries(), known);
    builds.push_back(std::move(built).value());
  }
  if (auto staged = stage_report(run, builds); !staged) return fail(staged.error());
  if (leaves_state) {
    auto staged =
        run.output.stage(AssetPath().child(kStateName),
                         StateWriter(run, known, *hashes, plan.dictionaries()).write(builds));
    if (!staged) return fail(staged.error());
  }
  // Bundles of two states of a project belong to neither.
  const std::vector<AssetPath> torn =
      run.inputs == nullptr ? std::vector<AssetPath>() : run.inputs->torn();
  if (!torn.empty()) {
    return fail(ErrorCode::busy, "'" + torn.front().text() + "' changed while it was built");
  }
  return builds;
}

namespace {

// What a build for these wishes would be for; nothing when that cannot be told.
std::optional<std::string> choice_for(const FileSystem& project, const BuildWish& wish) {
  const auto config = load_config(project);
  if (!config) return std::nullopt;
  const auto choice = choose_for_build(config.value().axes, wish.variants);
  if (!choice) return std::nullopt;
  return to_text(config.value().axes, choice.value());
}

}  // namespace

std::optional<UpToDate> find_up_to_date(const FileSystem& output, const FileStamps& output_stamps,
                                        const FileSystem& project, const FileStamps& project_stamps,
                                        const BuildWish& wish, unsigned jobs) {
  const auto needs_recovery = OutputFolder::needs_recovery(output);
  if (!needs_recovery || needs_recovery.value()) return std::nullopt;
  auto state = read_state_head(output);
  if (!state || state->tool != wish.terms.tool) return std::nullopt;
  const bool has_choice =
      !wish.variants.empty() || std::ranges::any_of(state->targets, [](const StateTarget& target) {
        return !target.variants.empty();
      });
  const auto choice = has_choice ? choice_for(project, wish) : std::optional(std::string());
  if (!choice) return std::nullopt;
  for (const Target target : {Target::client, Target::server}) {
    if (!wish.targets.has(target)) continue;
    const StateTarget* built = state->find(target);
    if (built == nullptr || !built->is_current || built->layout != wish.terms.layout ||
        built->level != wish.terms.level || built->variants != *choice ||
        built->signer != signer_of(wish.key)) {
      return std::nullopt;
    }
  }
  if (!are_outputs_untouched(*state, wish.targets, output_stamps)) return std::nullopt;
  UpToDate found{std::move(*state), {}};
  found.check = check_inputs(found.state.folders, project, project_stamps, jobs);
  if (!found.check.changed.empty()) return std::nullopt;
  return found;
}

Result<void> refresh_state(OutputFolder& output, const BuildState& looked_at) {
  auto state = read_state(output.files());
  // Another build may have come in between: its report is another file.
  if (!state || state->report != looked_at.report) return {};
  state->folders = looked_at.folders;
  auto staged = output.stage(AssetPath().child(kStateName), encode_state(*state));
  return staged ? output.publish() : staged;
}

}  // namespace muster
