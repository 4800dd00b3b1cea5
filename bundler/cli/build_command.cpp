#include <algorithm>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "bundler/cli/build_arguments.h"
#include "bundler/cli/edges.h"
#include "bundler/cli/key_files.h"
#include "bundler/cli/session.h"
#include "bundler/cook/value_check.h"
#include "bundler/report/build_report.h"
#include "registry/registries/prepare.h"
#include "registry/registries/unread.h"
#include "registry/rules/sinks.h"
#include "registry/rules/validate.h"
#include "registry/vocabulary/counted.h"
#include "registry/vocabulary/parallel.h"
#include "registry/vocabulary/shown_text.h"

namespace muster::cli {
namespace {

constexpr std::uint64_t kCatalogBytesMax = 8ULL * 1024 * 1024 * 1024;

// Not everything that is wrong is at a line.
std::string place_of(const Location& location) {
  const auto& [line, column] = location.position;
  if (line == 0) return location.path.text();
  return location.path.text() + ":" + std::to_string(line) + ":" + std::to_string(column);
}

// An output among the content would be content of the next build.
Result<void> check_place(const Project& project, const BuildArguments& arguments) {
  const auto place = resolved(arguments.out);
  if (!place) return fail(place.error());
  for (const AssetPath& folder : project.config().folders) {
    const auto walked = resolved(arguments.project + "/" + folder.text());
    if (!walked) return fail(walked.error());
    const std::string inside =
        walked.value().ends_with('/') ? walked.value() : walked.value() + "/";
    if (place.value() != walked.value() && !place.value().starts_with(inside)) continue;
    return fail(ErrorCode::invalid_argument,
                "'" + arguments.out + "' is inside '" + folder.text() +
                    "', which is content of the project; build to another place");
  }
  return {};
}

// The registries should be up to date. What cannot be prepared can be built all the same.
void tell_preparation(const Project& project, Session& session) {
  const auto plan = plan_prepare(project);
  if (!plan) {
    tell(session, "whether the registries are up to date cannot be told: " + plan.error().message);
    return;
  }
  std::size_t changes = 0;
  for (const RegistryPlan& registry : plan.value().registries) changes += registry.changes.size();
  // Assets that say something wrong of themselves: those writes say what changes.
  changes += static_cast<std::size_t>(std::ranges::count_if(
      plan.value().writes, [](const FileWrite& write) { return !write.what.empty(); }));
  if (changes == 0) return;
  session.err << "muster: the registries are not up to date (" << counted(changes, "change")
              << "); 'muster prepare' brings them there\n";
}

// The registries as they are must be buildable.
int check_before(const Project& project, const std::vector<ComponentDescription>& components,
                 TargetSet targets, unsigned jobs, Session& session) {
  session.reporter.begin("checking", 0);
  const auto check = [&](const Project&, const std::set<AssetNumber>& built, Findings& findings) {
    check_values(project, components, built, jobs, findings);
  };
  std::vector<Finding> blocking =
      validate(project, {.targets = targets, .jobs = jobs, .further = check});
  const auto others = static_cast<std::size_t>(std::ranges::count_if(blocking, [](const auto& one) {
    return !one.blocks_build && one.severity != Severity::note;
  }));
  std::erase_if(blocking, [](const Finding& finding) { return !finding.blocks_build; });
  session.reporter.finish();
  if (!blocking.empty()) session.err << format_findings(blocking, FindingFormat::text, {});
  const std::string hidden = hidden_roots_note(project);
  if (!hidden.empty()) tell(session, hidden);
  if (const std::string none = no_registries_note(project); !none.empty()) tell(session, none);
  tell_preparation(project, session);
  if (!blocking.empty()) {
    session.err << "muster: nothing was built\n";
    return kFindings;
  }
  if (others > 0) {
    session.err << "muster: " << counted(others, "finding") << (others == 1 ? " does" : " do")
                << " not block the build; see 'muster validate'\n";
  }
  return kSuccess;
}

// What was staged for a target gets its signature beside it.
Result<void> sign_catalog(OutputFolder& output, Target target, const SigningKey& key) {
  const AssetPath folder = AssetPath().child(folder_of(target));
  const AssetPath catalog = folder.child(kCatalogName);
  ByteVector buffer;
  const auto bytes = output.read_staged(catalog, 0, kCatalogBytesMax, buffer);
  if (!bytes) return fail(bytes.error());
  return output.stage(folder.child(kCatalogSignatureFile),
                      sign_file(key, catalog.text(), bytes.value()));
}

// Tells of what was built now, and of the targets that an earlier build left.
Result<void> stage_report(OutputFolder& output, const Project& project,
                          const std::vector<TargetBuild>& builds, const BuildOptions& options,
                          const std::optional<SigningKey>& key) {
  const AssetPath path = AssetPath().child(OutputFolder::kReportName);
  ByteVector buffer;
  const auto previous = output.read(path, OutputFolder::kReportBytesMax, buffer);
  if (!previous && previous.error().code != ErrorCode::not_found) return fail(previous.error());
  const std::string text =
      build_report_json(project, builds, options, MUSTER_VERSION,
                        previous ? as_text(previous.value()) : std::string_view("{}"));
  return output.stage(path, as_bytes(key ? signed_report(*key, path.text(), text) : text));
}

int run_build(const BuildArguments& arguments, TargetSet targets, Session& session) {
  const Time start = session.clock.now();
  const unsigned jobs = arguments.jobs == 0 ? processor_count() : arguments.jobs;
  const auto key = read_signing_key(arguments.sign);
  if (!key) return report_error(session, key.error());
  const auto open = open_project(arguments.project, session, jobs, progress_of(session.reporter));
  if (!open) return report_error(session, open.error());
  const Project& project = *open.value().project;
  const auto components = load_components(project.files(), project.config());
  if (!components) return report_error(session, components.error());
  if (auto fits = check_place(project, arguments); !fits) {
    return report_error(session, fits.error());
  }
  if (const int found = check_before(project, components.value(), targets, jobs, session);
      found != kSuccess) {
    return found;
  }

  session.writing = true;
  const auto locked = LockedOutput::open(arguments.out);
  if (!locked) return report_error(session, locked.error());
  OutputFolder& output = locked.value()->folder();
  const BuildOptions options{
      .targets = targets,
      .layout = arguments.layout == "shared" ? Layout::shared : Layout::self_contained,
      .level = arguments.level,
      .jobs = jobs};
  StagedBundles staged_bundles(output);
  const BuildEdges edges{staged_bundles, session.reporter, session.clock, session.stop};
  std::vector<TargetBuild> builds;
  for (const Target target : {Target::client, Target::server}) {
    if (!targets.has(target)) continue;
    std::vector<CookProblem> problems;
    auto built = build_target(project, target, components.value(), options, edges, problems);
    for (const CookProblem& problem : problems) {
      session.err << shown_text(place_of(problem.location))
                  << ": error: " << shown_text(problem.message) << "\n";
    }
    if (!built) {
      const int code = report_error(session, built.error());
      return problems.empty() ? code : kFindings;
    }
    if (key.value()) {
      if (auto done = sign_catalog(output, target, *key.value()); !done) {
        return report_error(session, done.error());
      }
    }
    builds.push_back(std::move(built).value());
  }
  if (auto staged = stage_report(output, project, builds, options, key.value()); !staged) {
    return report_error(session, staged.error());
  }
  if (session.stop.stop_requested()) {
    return report_error(session, {ErrorCode::cancelled, "stopped; the output is as it was before"});
  }
  session.reporter.begin("publishing", 0);
  if (auto published = output.publish(); !published) {
    return report_error(session, published.error());
  }
  session.reporter.finish();
  const Duration elapsed = session.clock.now() - start;
  return write_report(session,
                      arguments.format == "json" ? build_summary_json(project, builds, elapsed)
                                                 : build_summary_text(project, builds, elapsed),
                      {});
}

}  // namespace

int build(const BuildArguments& arguments, Session& session) {
  const auto targets = targets_from(arguments.target);
  if (!targets) return report_error(session, targets.error());
  return run_build(arguments, targets.value(), session);
}

void add_build_options(CLI::App& command, BuildArguments& arguments) {
  command.add_option("PROJECT", arguments.project, "The project's folder")->required();
  command.add_option("--out", arguments.out, "Where to: an empty folder, or an earlier build")
      ->required();
  command.add_option("--target", arguments.target, "client, server or all")->capture_default_str();
  command.add_option("--level", arguments.level, "Compression, 1 (fast) to 19 (small)")
      ->check(CLI::Range(kMinLevel, kMaxLevel))
      ->capture_default_str();
  command.add_option("--jobs", arguments.jobs, "Threads (0: one per processor)")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
  command.add_option("--layout", arguments.layout, "shared or self-contained")
      ->check(CLI::IsMember({"shared", "self-contained"}))
      ->capture_default_str();
  command.add_option("--sign", arguments.sign, "A secret key of 'muster keygen': sign the build");
  command.add_option("--format", arguments.format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

void add_build(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<BuildArguments>();
  CLI::App* command =
      app.add_subcommand("build", "Pack one compressed bundle per prefab, for client and server");
  add_build_options(*command, *arguments);
  command->footer("Example:\n  muster build my-game --out build/game --level 19");
  command->callback([arguments, &session] { session.exit_code = build(*arguments, session); });
}

}  // namespace muster::cli
