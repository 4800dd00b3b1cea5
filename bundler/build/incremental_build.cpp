#include "bundler/build/incremental_build.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <set>

#include "bundler/build/build_report.h"
#include "bundler/build/state_writer.h"
#include "bundler/dictionaries/committed_dictionaries.h"
#include "bundler/incremental/input_hashes.h"
#include "bundler/plan/output_names.h"

namespace muster {
namespace {

constexpr std::uint64_t kCatalogBytesMax = 8ULL * 1024 * 1024 * 1024;

// Stages the signature of a target's catalog, if there is a key.
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

// Stages the report. The report describes the targets of this build, and the targets that only an
// earlier build has built.
Result<void> stage_report(const BuildRun& run, const std::vector<TargetBuild>& builds) {
  const AssetPath path = AssetPath().child(OutputFolder::kReportName);
  ByteVector buffer;
  const auto previous = run.output.read(path, OutputFolder::kReportBytesMax, buffer);
  if (!previous && previous.error().code != ErrorCode::not_found) return fail(previous.error());
  const std::string text =
      build_report_json(run.project, builds, run.options, run.version,
                        previous ? as_text(previous.value()) : std::string_view("{}"));
  auto staged =
      run.output.stage(path, as_bytes(run.key ? signed_report(*run.key, path.text(), text) : text));
  if (!staged) return staged;
  return run.output.stage(AssetPath().child(OutputFolder::kTimesName),
                          as_bytes(build_times_json(run.project, builds)));
}

// Copies a target that is not built now into the new output. Links in the target are replaced by
// the files to which they lead.
Result<void> keep_target(const BuildRun& run, Target target) {
  const FileReader& files = run.output.files();
  std::vector<AssetPath> folders{AssetPath().child(folder_of(target))};
  std::vector<std::vector<std::string>> names;
  AssetPath outside;
  bool has_links = false;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const AssetPath folder = folders[i];
    names.emplace_back();
    const auto entries = files.list(folder);
    if (!entries && entries.error().code == ErrorCode::not_found) continue;
    if (!entries) return fail(entries.error());
    for (const DirectoryEntry& entry : entries.value()) {
      if (entry.kind == FileKind::outside_link || entry.kind == FileKind::broken_link) {
        outside = folder.child(entry.name);
      }
      if (entry.kind != FileKind::file && entry.kind != FileKind::folder) continue;
      has_links |= entry.is_link;
      if (entry.kind == FileKind::file) {
        names[i].push_back(entry.name);
      } else if (i == 0) {  // A target has no deeper folders.
        folders.push_back(folder.child(entry.name));
      }
    }
  }
  if (has_links && !outside.empty()) {
    return fail(ErrorCode::permission_denied,
                "'" + outside.text() +
                    "' is a link that leads out of the output or to nothing; also build '" +
                    std::string(folder_of(target)) + "', which replaces the link");
  }
  for (std::size_t i = 0; has_links && i < folders.size(); ++i) {
    auto carried = run.output.carry_over(files, folders[i], folders[i], names[i]);
    if (!carried) return carried;
  }
  return {};
}

// Stages a copy of the target that is not built now, if the target contains links. Tools that save
// space replace equal files by links, and such a link may lead into the folder of a target that
// this build replaces.
Result<void> keep_left(const BuildRun& run) {
  const std::array targets = {Target::client, Target::server};
  const auto target =
      std::ranges::find_if_not(targets, [&](Target one) { return run.options.targets.has(one); });
  return target == targets.end() ? Result<void>() : keep_target(run, *target);
}

// Returns how the entries of a catalog's bundles were packed. The level of an entry depends on the
// name that the entry's file had when the entry was packed.
HowPacked how_packed_by(const CatalogReader& catalog, const CompressionPlan& plan) {
  return [&](const BundleEntry& entry) -> std::optional<PackedHow> {
    const std::optional<CatalogAsset> asset = catalog.find_asset(entry.guid);
    const auto path = AssetPath::parse(asset ? asset->path : std::string_view());
    if (!path) return std::nullopt;
    return plan.how_packed(entry, path.value().extension());
  };
}

// Adds the blocks of an output without a state to `bundles`, with the levels in the report of that
// output.
void remember_blocks(const FileReader& files, const BuildRun& run, const CompressionPlan& plan,
                     StagedBundles& bundles) {
  ByteVector buffer;
  const auto report = read_whole(files, AssetPath().child(OutputFolder::kReportName),
                                 OutputFolder::kReportBytesMax, buffer);
  if (!report) return;
  for (const Target target : {Target::client, Target::server}) {
    const auto packed = packing_in_report(as_text(report.value()), target);
    if (!packed || packed->level != run.options.level ||
        packed->compression != run.project.config().compression.text()) {
      continue;
    }
    const AssetPath target_folder = AssetPath().child(folder_of(target));
    ByteVector catalog_buffer;
    const auto bytes =
        read_whole(files, target_folder.child(kCatalogName), kCatalogBytesMax, catalog_buffer);
    const auto catalog = bytes ? CatalogReader::open(bytes.value()) : fail(bytes.error());
    if (!catalog) continue;
    const HowPacked how_packed = how_packed_by(catalog.value(), plan);
    for (const std::string_view kind : kBundleFolders) {
      const AssetPath folder = target_folder.child(kind);
      const auto entries = files.list(folder);
      if (!entries) continue;
      for (const DirectoryEntry& entry : entries.value()) {
        bundles.remember_earlier(files, folder.child(entry.name), how_packed);
      }
    }
  }
}

// Whether the earlier build has blocks of another compressor. One target with old blocks is enough,
// because client and server reuse each other's bundles.
bool has_old_blocks(const BuildState* earlier) {
  return earlier != nullptr && std::ranges::any_of(earlier->targets, &StateTarget::has_old_blocks);
}

// Whether builds of this project on other machines would pack the same bytes. Blocks of another
// compressor are kept, so that players need not download them again. A build with such blocks does
// not use the cache, because builds on other machines would pack different bytes.
bool earlier_packs_like_everybody(const BuildRun& run, const BuildState* earlier) {
  return earlier == nullptr || (earlier->tool == run.tool && !has_old_blocks(earlier));
}

// Whether reused blocks in a target may come from another compressor.
bool may_have_old_blocks(const TargetBuild& built, const BuildDictionaries& dictionaries,
                         const BuildState* earlier) {
  if (has_old_blocks(earlier)) return true;
  const bool is_same_compressor = earlier != nullptr && earlier->compressor == compressor_version();
  const bool is_trained_elsewhere = dictionaries.is_kept && !dictionaries.all.empty();
  return (built.reused_blocks > 0 || is_trained_elsewhere) && !is_same_compressor;
}

// Makes the dictionaries. If an earlier build trained a dictionary with another release of zstd,
// this dictionary is kept.
Result<BuildDictionaries> dictionaries_for(const BuildRun& run, const EarlierBuild* earlier,
                                           const CookAnswers* answers, BuildCache* cache) {
  const CompressionRules& rules = run.project.config().compression;
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
                            .clock = &run.clock,
                            .committed = committed.value() ? &*committed.value() : nullptr});
}

PackingTerms terms_of(const BuildRun& run, const CompressionPlan& plan) {
  return {run.tool,
          run.options.layout,
          run.options.level,
          to_text(run.project.config().axes, run.project.choice()),
          run.project.config().compression.text(),
          plan.dictionaries().all_of_state(),
          plan.dictionaries().reasons};
}

}  // namespace

Result<std::vector<TargetBuild>> build_project(const BuildRun& run,
                                               std::vector<CookProblem>& problems) {
  const bool leaves_state = run.inputs != nullptr && run.output_stamps != nullptr;
  const FileReader& old_files = run.previous ? run.previous->files : run.output.files();
  const auto state = leaves_state && !run.is_forced ? read_state(old_files) : std::nullopt;
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
  const CompressionPlan plan(run.options.level, run.project.config().compression,
                             std::move(dictionaries).value());
  const PackingTerms terms = terms_of(run, plan);
  if (leaves_state && !run.is_forced && !state) {
    remember_blocks(old_files, run, plan, bundles);
  }
  std::optional<CachedBundles> cached;
  if (shares && !(known == nullptr && bundles.remembers_earlier())) {
    cached.emplace(*run.cache, run.project, *answers, terms, run.is_forced);
  }
  RaceExperience cache_experience;
  const BuildEdges edges{.output = bundles,
                         .reporter = run.reporter,
                         .clock = run.clock,
                         .stop = run.stop,
                         .earlier = earlier ? &*earlier : nullptr,
                         .packing = &plan,
                         .terms = &terms,
                         .answers = answers ? &*answers : nullptr,
                         .cache = cached ? &*cached : nullptr,
                         .cache_experience = &cache_experience,
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
  if (auto kept = keep_left(run); !kept) return fail(kept.error());
  if (leaves_state) {
    auto staged =
        run.output.stage(AssetPath().child(kStateName),
                         state_of_build(run, known, *hashes, plan.dictionaries(), builds));
    if (!staged) return fail(staged.error());
  }
  // If the project changed during the build, the bundles do not match any state of the project.
  const std::vector<AssetPath> torn =
      run.inputs == nullptr ? std::vector<AssetPath>() : run.inputs->torn();
  if (!torn.empty()) {
    return fail(ErrorCode::busy, "'" + torn.front().text() + "' changed while it was built");
  }
  return builds;
}

namespace {

// The choice of variants for these wishes; no value if it cannot be determined.
std::optional<std::string> choice_for(const FileReader& project, const BuildWish& wish) {
  const auto config = load_config(project);
  if (!config) return std::nullopt;
  const auto choice = choose_for_build(config.value().axes, wish.variants);
  if (!choice) return std::nullopt;
  return to_text(config.value().axes, choice.value());
}

}  // namespace

std::optional<UpToDate> find_up_to_date(const FileReader& output, const FileStamps& output_stamps,
                                        const FileReader& project, const FileStamps& project_stamps,
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

Result<void> refresh_state(OutputFolder& output, const BuildState& checked_state) {
  auto state = read_state(output.files());
  // If another build has published an output in the meantime, the report is another file.
  if (!state || state->report != checked_state.report) return {};
  state->folders = checked_state.folders;
  auto staged = output.stage(AssetPath().child(kStateName), encode_state(*state));
  return staged ? output.publish() : staged;
}

}  // namespace muster
