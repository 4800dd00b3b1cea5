#include <algorithm>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "bundler/build/build_report.h"
#include "bundler/build/incremental_build.h"
#include "bundler/cli/build_arguments.h"
#include "bundler/cli/build_caches.h"
#include "bundler/cli/build_sizes.h"
#include "bundler/cli/build_verification.h"
#include "bundler/cli/checks.h"
#include "bundler/cli/dry_run.h"
#include "bundler/cli/edges.h"
#include "bundler/cli/key_files.h"
#include "bundler/cli/session.h"
#include "bundler/cli/usage.h"
#include "registry/base/counted.h"
#include "registry/base/escaped_text.h"
#include "registry/base/parallel.h"
#include "registry/model/prepare.h"
#include "registry/model/unread.h"
#include "registry/project/build_output.h"
#include "registry/rules/sinks.h"
#include "registry/rules/validate.h"

namespace muster::cli {
namespace {

// The path of a finding, with line and column if the finding has a position.
std::string location_text(const Location& location) {
  const auto& [line, column] = location.position;
  if (line == 0) return location.path.text();
  return location.path.text() + ":" + std::to_string(line) + ":" + std::to_string(column);
}

// Refuses an output or a cache inside the project's content, because the next build would treat it
// as content.
Result<void> check_outside_content(const Project& project, const BuildArguments& arguments,
                                   const std::string& folder_of_ours) {
  const auto resolved_path = resolved(folder_of_ours);
  if (!resolved_path) return fail(resolved_path.error());
  for (const AssetPath& folder : project.config().folders) {
    const auto walked = resolved(arguments.project + "/" + folder.text());
    if (!walked) return fail(walked.error());
    const std::string inside =
        walked.value().ends_with('/') ? walked.value() : walked.value() + "/";
    if (resolved_path.value() != walked.value() && !resolved_path.value().starts_with(inside))
      continue;
    const std::string inner =
        resolved_path.value().substr(std::min(resolved_path.value().size(), inside.size()));
    const auto path = AssetPath::parse(folder.text() + "/" + inner);
    if (path && may_hold_build(path.value()) && folder_of_ours == arguments.out) continue;
    return fail(ErrorCode::invalid_argument,
                "'" + folder_of_ours + "' is inside '" + folder.text() +
                    "', which is content of the project; use a folder outside it, or one in " +
                    "Assets/StreamingAssets");
  }
  return {};
}

// The folders into which a build writes.
std::vector<std::string> output_folders(const BuildArguments& arguments) {
  std::vector<std::string> folders{arguments.out};
  std::ranges::copy_if(arguments.caches, std::back_inserter(folders),
                       [](const std::string& cache) { return !is_address(cache); });
  return folders;
}

// Reports registries that are out of date. A project that cannot be prepared can still be built.
void report_preparation(const Project& project, Session& session) {
  const auto plan = plan_prepare(project);
  if (!plan) {
    print_note(session,
               "cannot check whether the registries are up to date: " + plan.error().message);
    return;
  }
  std::size_t changes = 0;
  for (const RegistryPlan& registry : plan.value().registries) changes += registry.changes.size();
  // Also counts writes that correct values in assets: the writes with a description (`what`).
  changes += static_cast<std::size_t>(std::ranges::count_if(
      plan.value().writes, [](const FileWrite& write) { return !write.what.empty(); }));
  if (changes == 0) return;
  session.err << "muster: the registries are not up to date (" << counted(changes, "change")
              << "); 'muster prepare' updates them\n";
}

// Whether a finding reports an unknown name of a key or class. A build with such a finding is
// valid, but does not contain the value of the key, or the registry of the class.
bool loses_data(const Finding& finding) {
  return finding.rule == "unknown-component" || finding.rule == "unknown-field" ||
         finding.rule == "unknown-class";
}

// Checks whether the project can be built, and prints the findings that block the build.
int check_before(const Project& project, const std::vector<ComponentDescription>& components,
                 const BuildArguments& arguments, TargetSet targets, unsigned jobs,
                 Session& session) {
  const Severity failing = failing_severity(arguments.is_strict, arguments.fail_on);
  const auto fails = [&](const Finding& finding) {
    if (finding.severity == Severity::error && finding.rule == "unknown-class") return true;
    return finding.blocks_build || (failing < Severity::error && finding.severity >= failing);
  };
  session.reporter.begin("checking", 0);
  std::vector<Finding> found = validate(project, {.targets = targets,
                                                  .jobs = jobs,
                                                  .with_sidecars = false,
                                                  .further = checks_of_packing(&components, jobs)});
  const auto others = static_cast<std::size_t>(std::ranges::count_if(found, [&](const auto& one) {
    return !fails(one) && !loses_data(one) && one.severity != Severity::note;
  }));
  std::erase_if(found,
                [&](const Finding& finding) { return !fails(finding) && !loses_data(finding); });
  const bool is_refused = std::ranges::any_of(found, fails);
  session.reporter.finish();
  if (!found.empty()) session.err << format_findings(found, FindingFormat::text, {});
  const std::string hidden = hidden_roots_note(project);
  if (!hidden.empty()) print_note(session, hidden);
  if (const std::string none = no_registries_note(project); !none.empty())
    print_note(session, none);
  report_preparation(project, session);
  if (is_refused) {
    session.err << "muster: nothing was built\n";
    return kFindings;
  }
  const bool is_refused_later = !arguments.allows_empty && !no_sidecars_note(project).empty();
  if (others > 0 && !is_refused_later) {
    session.err << "muster: " << counted(others, "finding") << (others == 1 ? " does" : " do")
                << " not block the build; see 'muster validate'\n";
  }
  return kSuccess;
}

// Returns the identity of the program, which the state of a build contains. A program with another
// identity cooks everything again.
std::string tool_name() {
  return std::string(MUSTER_VERSION) + " (" + program_hash().to_string().substr(0, 16) + ", zstd " +
         std::string(compressor_version()) + ")";
}

// The data of one build: the parsed arguments and the start time.
struct BuildJob {
  const BuildArguments& arguments;
  BuildWish wish;
  unsigned jobs = 1;
  Time start;
};

// Refuses an empty build, which is nearly always a mistake, for example a wrong folder or an
// undeclared class.
int check_any(const Project& project, const BuildJob& job, Session& session) {
  if (const std::string note = recognised_note(project); !note.empty()) print_note(session, note);
  if (job.arguments.allows_empty) return kSuccess;
  for (const Target target : kTargets) {
    if (!job.wish.targets.has(target)) continue;
    const bool has_any = std::ranges::any_of(project.model().assets_for(target), [&](Guid guid) {
      return project.index().find(guid) != kNoAsset;
    });
    if (has_any) return kSuccess;
  }
  if (const std::string note = no_sidecars_note(project); !note.empty()) {
    refuse(session, "nothing was built: " + note);
    return kFindings;
  }
  const std::vector<Registry>& registries = project.model().registries;
  if (!registries.empty()) {
    refuse(session, counted(registries.size(), "registry", "registries") +
                        (registries.size() == 1 ? " was" : " were") +
                        " found, and none of them has an entry for the targets of this build");
  } else if (session.is_quiet) {
    refuse(session,
           no_registries_note(project));  // Otherwise `check_before` has printed this note.
  }
  refuse(session, "nothing was built; '--allow-empty' allows an empty build");
  return kFindings;
}

// Reports exceeded budgets. The build is published anyway, so that the user can examine it.
int check_sizes(const ProjectConfig& config, const BuildJob& job, Session& session) {
  if (config.budgets.empty()) return kSuccess;
  auto sizes = sizes_of_build(job.arguments.out, wants_kinds(config));
  if (!sizes) return report_error(session, sizes.error());
  std::erase_if(sizes.value(),
                [&](const TargetSizes& one) { return !job.wish.targets.has(one.target); });
  Findings findings;
  check_budgets(config, sizes.value(), findings);
  const std::vector<Finding> found = findings.drain_sorted();
  if (found.empty()) return kSuccess;
  session.err << format_findings(found, FindingFormat::text, {});
  return job.arguments.fails_over_budget ? kFindings : kSuccess;
}

// If the output is up to date, reports that and returns the exit code. Otherwise returns no value.
std::optional<int> report_up_to_date(const BuildJob& job, Session& session) {
  const auto output = open_stamped_folder(job.arguments.out);
  const auto project = open_project_folder(job.arguments.project);
  if (!output || !project) return std::nullopt;
  auto found = find_up_to_date(*output.value().files, *output.value().stamps,
                               *project.value().files, *project.value().stamps, job.wish, job.jobs);
  if (!found) return std::nullopt;
  const bool may_write = !job.arguments.is_dry_run;
  if (may_write && found->check.has_new_stamps && begin_writing(session)) {
    // If locking or writing fails, the only cost is hashing these files again next time.
    const auto locked = LockedOutput::open(job.arguments.out);
    if (locked) {
      (void)refresh_state(locked.value()->folder(), found->state).has_value();
    }
  }
  session.writing = false;
  const Duration elapsed = session.clock.now() - job.start;
  const bool is_json = job.arguments.format == "json";
  const int written = write_report(session,
                                   is_json ? up_to_date_json(*found, job.wish.targets, elapsed)
                                           : up_to_date_text(*found, job.wish.targets, elapsed),
                                   {});
  const auto config = load_config(*project.value().files);
  if (written != kSuccess || !config) return written;
  return check_sizes(config.value(), job, session);
}

void print_problems(const std::vector<CookProblem>& problems, Session& session) {
  for (const CookProblem& problem : problems) {
    session.err << escaped_text(location_text(problem.location))
                << ": error: " << escaped_text(problem.message) << "\n";
  }
}

// Builds, stages and publishes. Returns no value if the project changed while it was read, because
// the staged files then do not match any state of the project.
std::optional<int> write_output(const BuildJob& job, const OpenProject& open,
                                const std::vector<ComponentDescription>& components,
                                Session& session) {
  if (auto may = begin_writing(session); !may) return report_error(session, may.error());
  const auto locked = LockedOutput::open(
      job.arguments.out, std::chrono::seconds(job.arguments.wait_seconds), session.stop);
  if (!locked) return report_error(session, locked.error());
  StampedFolder previous;
  if (!job.arguments.previous.empty() && !read_state_head(locked.value()->files())) {
    auto opened = open_stamped_folder(job.arguments.previous);
    if (!opened) return report_error(session, opened.error());
    previous = std::move(opened).value();
  }
  const auto caches = BuildCaches::open(job.arguments, session);
  if (!caches) return report_error(session, caches.error());
  OutputFolder& output = locked.value()->folder();
  const Project& project = *open.project;
  const BuildRun run{.project = project,
                     .components = components,
                     .options = {.targets = job.wish.targets,
                                 .layout = job.wish.terms.layout,
                                 .level = job.wish.terms.level,
                                 .jobs = job.jobs},
                     .version = MUSTER_VERSION,
                     .tool = job.wish.terms.tool,
                     .key = job.wish.key,
                     .output = output,
                     .reporter = session.reporter,
                     .clock = session.clock,
                     .stop = session.stop,
                     .inputs = open.recorded.get(),
                     .fact_cache = open.fact_cache.get(),
                     .output_stamps = &locked.value()->stamps(),
                     .is_forced = job.arguments.is_forced,
                     .previous = previous.files == nullptr
                                     ? std::optional<PreviousOutput>()
                                     : PreviousOutput{*previous.files, *previous.stamps},
                     .cache = caches.value()->cache()};
  std::vector<CookProblem> problems;
  const auto builds = build_project(run, problems);
  const bool is_complete = builds && !session.stop.stop_requested();
  if (is_complete) session.reporter.begin("publishing", 0);
  const Result<void> published = is_complete ? output.publish() : Result<void>();
  // Uploads continue while the output is published.
  caches.value()->finish(session, session.clock.now() - job.start);
  print_problems(problems, session);
  if (!builds && builds.error().code == ErrorCode::busy) {
    print_note(session, builds.error().message);
    return std::nullopt;
  }
  if (!builds) {
    const int code = report_error(session, builds.error());
    return problems.empty() ? code : kFindings;
  }
  if (!is_complete) {
    return report_error(session, {ErrorCode::cancelled, "stopped; the output is unchanged"});
  }
  if (!published) return report_error(session, published.error());
  session.reporter.finish();
  const Duration elapsed = session.clock.now() - job.start;
  const bool explains = job.arguments.explains || session.is_verbose;
  if (job.arguments.format == "json") {
    return write_report(session, build_summary_json(project, builds.value(), elapsed, explains),
                        {});
  }
  return write_report(session,
                      (explains ? explanation_text(project, builds.value()) : std::string()) +
                          build_summary_text(project, builds.value(), elapsed),
                      {});
}

// Checks the rules for variants on the project without wishes. With wishes, chosen variants replace
// their bases, so that these rules would find no variants.
int check_variants_before(const BuildJob& job, const OpenProject& open, Session& session) {
  if (open.project->config().axes.empty()) return kSuccess;
  const auto whole = Project::open(*open.recorded, job.jobs, session.stop, {}, std::nullopt,
                                   open.fact_cache.get());
  if (!whole) return report_error(session, whole.error());
  std::vector<Finding> blocking =
      validate(*whole.value(), {.targets = job.wish.targets, .jobs = job.jobs, .further = {}});
  std::erase_if(blocking, [](const Finding& finding) {
    return !finding.blocks_build || !finding.rule.starts_with("variant-");
  });
  if (blocking.empty()) return kSuccess;
  session.err << format_findings(blocking, FindingFormat::text, {})
              << "muster: nothing was built\n";
  return kFindings;
}

// The state of the last build in the output, or in the output whose bundles are reused. To check
// the output, the state is read again later, under the lock.
std::optional<BuildState> state_of(const BuildArguments& arguments) {
  for (const std::string& path : {arguments.out, arguments.previous}) {
    if (path.empty()) continue;
    const auto output = open_folder(path);
    if (!output) continue;
    if (auto state = read_state(*output.value())) return state;
  }
  return std::nullopt;
}

// Reads the project and builds it. Returns no value if the project changed meanwhile.
std::optional<int> build_once(const BuildJob& job, Session& session) {
  const auto open =
      open_recorded_project(job.arguments.project, session, job.jobs, job.wish.variants,
                            job.arguments.is_forced ? std::nullopt : state_of(job.arguments),
                            job.wish.terms.tool, progress_of(session.reporter));
  if (!open) return report_error(session, open.error());
  const Project& project = *open.value().project;
  const auto components = load_components(project.files(), project.config());
  if (!components) return report_error(session, components.error());
  open.value().fact_cache->know_assets(*open.value().project, components.value(), job.jobs);
  for (const std::string& folder : output_folders(job.arguments)) {
    if (auto fits = check_outside_content(project, job.arguments, folder); !fits) {
      return report_error(session, fits.error());
    }
  }
  if (const int found = check_variants_before(job, open.value(), session); found != kSuccess) {
    return found;
  }
  if (const int found = check_before(project, components.value(), job.arguments, job.wish.targets,
                                     job.jobs, session);
      found != kSuccess) {
    return found;
  }
  if (const int found = check_any(project, job, session); found != kSuccess) return found;
  if (job.arguments.is_dry_run) {
    return print_plan(project, job.arguments, job.wish.targets, job.wish.terms.layout, job.jobs,
                      session);
  }
  const auto written = write_output(job, open.value(), components.value(), session);
  if (!written || *written != kSuccess) return written;
  return check_sizes(project.config(), job, session);
}

// The requested level, or else the level in the settings of the project.
int level_of(const BuildArguments& arguments) {
  if (arguments.level > 0) return arguments.level;
  const auto project = open_project_folder(arguments.project);
  // Errors of the project are reported later, when the build reads it.
  if (!project) return kDefaultLevel;
  const auto config = load_config(*project.value().files);
  return config ? config.value().compression.level.value_or(kDefaultLevel) : kDefaultLevel;
}

// The job that the arguments describe.
Result<BuildJob> job_of(const BuildArguments& arguments, Time start) {
  const auto targets = targets_from(arguments.target);
  if (!targets) return fail(targets.error());
  if (arguments.is_dry_run) {
    if (auto can = check_dry_run(arguments); !can) return fail(can.error());
  }
  const auto key = read_signing_key(arguments.sign);
  if (!key) return fail(key.error());
  auto variants = read_variants(arguments.variants);
  if (!variants) return fail(variants.error());
  const Layout layout = arguments.layout == "shared" ? Layout::shared : Layout::self_contained;
  return BuildJob{
      .arguments = arguments,
      .wish = {.targets = targets.value(),
               .terms = {.tool = tool_name(), .layout = layout, .level = level_of(arguments)},
               .key = key.value(),
               .variants = std::move(variants).value()},
      .jobs = arguments.jobs == 0 ? processor_count() : arguments.jobs,
      .start = start};
}

}  // namespace

int build(const BuildArguments& arguments, Session& session) {
  const auto job = job_of(arguments, session.clock.now());
  if (!job) return report_error(session, job.error());
  std::optional<int> code;
  if (!arguments.is_forced) code = report_up_to_date(job.value(), session);
  constexpr int kAttempts = 3;
  for (int attempt = 0; attempt < kAttempts && !code; ++attempt) {
    code = build_once(job.value(), session);
    if (!code) session.writing = false;
  }
  if (!code) {
    return report_error(session,
                        {ErrorCode::busy, "the project keeps changing; nothing was built"});
  }
  if (*code != kSuccess || !(arguments.verifies_incremental || arguments.verifies_determinism)) {
    return *code;
  }
  return verify_build(arguments, job.value().wish, job.value().jobs, session);
}

void add_build_options(CLI::App& command, BuildArguments& arguments) {
  add_project(command, arguments.project);
  command
      .add_option("-o,--out", arguments.out, "The output folder: empty, or with an earlier build")
      ->required();
  command.add_option("--target", arguments.target, "client, server or all")
      ->check(one_of({"client", "server", "all"}))
      ->capture_default_str();
  command
      .add_option("--level", arguments.level,
                  "Compression level, 1 (fast) to 19 (small); default: as in muster.yaml, else 6")
      ->check(CLI::Range(kMinLevel, kMaxLevel));
  command.add_option("-j,--jobs", arguments.jobs, "Threads (0: one per processor)")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
  command.add_option("--layout", arguments.layout, "shared or self-contained")
      ->check(one_of({"shared", "self-contained"}))
      ->capture_default_str();
  command
      .add_option("--variant", arguments.variants,
                  "AXIS=VALUE of 'variants' in muster.yaml: pack only this value; once per axis")
      ->allow_extra_args(false);
  command.add_option("--sign", arguments.sign,
                     "Sign the build with this secret key of 'muster keygen'");
  command
      .add_option("--cache", arguments.caches,
                  "A shared cache of bundles: a folder, or a server's address; twice for both")
      ->allow_extra_args(false);
  command.add_option("--cache-size", arguments.cache_size, "The maximum size of the cache folder")
      ->capture_default_str();
  command.add_option("--cache-token", arguments.cache_token,
                     "A file with the bearer token for the cache server");
  command.add_option("--cache-ca", arguments.cache_ca,
                     "A file with the certificates to trust, instead of the system's");
  command.add_flag("--cache-read-only", arguments.is_cache_read_only,
                   "Read from the cache server, but store nothing there");
  command.add_flag("--explain", arguments.explains,
                   "Print for each bundle why it was packed, or that it was kept");
  command.add_flag("--dry-run", arguments.is_dry_run,
                   "Check the project and print what would be packed; write nothing");
  command.add_flag("--strict", arguments.is_strict, "Refuse to build if there are warnings");
  command
      .add_option("--fail-on", arguments.fail_on,
                  "Refuse to build if a finding has at least this severity: error, warning, note")
      ->check(one_of({"error", "warning", "note"}))
      ->capture_default_str();
  command
      .add_option("--wait", arguments.wait_seconds,
                  "Seconds to wait for another build in --out, instead of failing at once")
      ->check(CLI::Range(0, 86400));
  command.add_flag("--allow-empty", arguments.allows_empty,
                   "Build even if the registries are empty");
  command.add_flag("--force", arguments.is_forced, "Build everything, even if it is up to date");
  command.add_option("--previous", arguments.previous,
                     "An earlier build whose unchanged content is reused if --out has no build");
  command.add_flag("--verify-incremental", arguments.verifies_incremental,
                   "Build again from nothing, and compare with the output");
  command.add_flag(
      "--verify-determinism", arguments.verifies_determinism,
      "Build twice from nothing, with different orders and numbers of threads; compare");
  command.add_option("--format", arguments.format, "text or json")
      ->check(one_of({"text", "json"}))
      ->capture_default_str();
}

void add_build(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<BuildArguments>();
  CLI::App* command =
      app.add_subcommand("build", "Pack one compressed bundle per prefab, for client and server");
  add_build_options(*command, *arguments);
  command->footer(
      "If a budget of muster.yaml is exceeded, the exit code is 1; the build is still "
      "published.\n\n"
      "Example:\n  muster build my-game --out build/game --level 19");
  command->callback([arguments, &session] { session.exit_code = build(*arguments, session); });
}

}  // namespace muster::cli
