#include <algorithm>
#include <memory>
#include <set>

#include <CLI/CLI.hpp>

#include "bundler/cli/against.h"
#include "bundler/cli/build_sizes.h"
#include "bundler/cli/checks.h"
#include "bundler/cli/edges.h"
#include "bundler/cli/fixes.h"
#include "bundler/cli/session.h"
#include "bundler/cli/usage.h"
#include "registry/base/counted.h"
#include "registry/base/near_name.h"
#include "registry/base/parallel.h"
#include "registry/model/unread.h"
#include "registry/rules/baseline.h"
#include "registry/rules/sinks.h"
#include "registry/rules/validate.h"

namespace muster::cli {
namespace {

struct ValidateArguments {
  std::string project;
  std::string target = "all";
  std::string format = "text";
  std::string output;
  std::string path_prefix;
  std::string baseline;
  std::string write_baseline;
  bool prune_baseline = false;
  std::string against;                     ///< A Git revision or a build; may be empty.
  std::string build;                       ///< An output to compare with the budgets; may be empty.
  std::vector<std::string> variants = {};  ///< The chosen variants, for example "platform=linux".
  std::string explain;
  bool strict = false;
  std::string fail_on = "error";
  bool fix = false;
  bool dry_run = false;  ///< True to print the fixes of `--fix` without making them.
  bool allow_loss = false;
};

constexpr std::uint64_t kMaxBaselineBytes = 64ULL * 1024 * 1024;

int explain(const std::string& id, Session& session) {
  if (id == "all") {
    for (const Rule& rule : all_rules()) session.out << explain_rule(rule) << "\n";
    return kSuccess;
  }
  const Rule* rule = find_rule(id);
  if (rule == nullptr) {
    std::set<std::string> ids;
    for (const Rule& known : all_rules()) ids.emplace(known.id);
    const std::string meant = did_you_mean(id, ids);
    return report_error(
        session, {ErrorCode::not_found,
                  "there is no rule '" + id + "'" +
                      (meant.empty() ? "; 'muster validate --explain all' lists them" : meant)});
  }
  session.out << explain_rule(*rule);
  return kSuccess;
}

Result<Baseline> load_baseline(const std::string& path) {
  const auto file = open_folder_of(path);
  if (!file) return fail(file.error());
  ByteVector buffer;
  const auto bytes = read_whole(*file.value().folder, file.value().name, kMaxBaselineBytes, buffer);
  if (!bytes) return fail(bytes.error());
  return Baseline::parse(as_text(bytes.value()));
}

// The data with which `validate` compares the project.
struct Comparisons {
  std::optional<Contract> shipped;
  std::vector<TargetSizes> sizes;
};

Result<Comparisons> load_comparisons(const ValidateArguments& arguments, TargetSet targets,
                                     const Project& project, Session& session) {
  Comparisons comparisons;
  const ProjectConfig& config = project.config();
  if (!arguments.against.empty()) {
    auto shipped = load_contract(project, arguments.project, arguments.against, targets, session);
    if (!shipped) return fail(shipped.error());
    comparisons.shipped = std::move(shipped).value();
  }
  if (!arguments.build.empty()) {
    if (config.budgets.empty())
      print_note(session, "muster.yaml has no 'budgets' to compare a build with");
    auto sizes = sizes_of_build(arguments.build, wants_kinds(config));
    if (!sizes) return fail(sizes.error());
    comparisons.sizes = std::move(sizes).value();
    std::erase_if(comparisons.sizes,
                  [&](const TargetSizes& one) { return !targets.has(one.target); });
  }
  return comparisons;
}

// Runs all checks. Component descriptions that cannot be read are reported as a finding.
Result<std::vector<Finding>> check_all(const Project& project, const Comparisons& comparisons,
                                       const std::vector<VariantWish>& wishes,
                                       const ValidateOptions& options, const Session& session) {
  const auto components = load_components(project.files(), project.config());
  const FurtherCheck packing =
      checks_of_packing(components ? &components.value() : nullptr, options.jobs);
  ValidateOptions as_it_lies = options;
  as_it_lies.further = [&](const Project&, const std::set<AssetNumber>& built, Findings& findings) {
    packing(project, built, findings);
    if (comparisons.shipped) {
      check_breaking(*comparisons.shipped, contract_of(project, options.targets), findings);
    }
    check_budgets(project.config(), comparisons.sizes, findings);
  };
  ValidateOptions as_chosen = options;
  as_chosen.further = packing;
  return with_findings_of_choices(project, wishes, as_chosen, validate(project, as_it_lies),
                                  session.stop);
}

std::vector<std::string> sorted(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  return texts;
}

std::string describe_run(const std::vector<std::string>& variants) {
  if (variants.empty()) return "a run without '--variant'";
  std::string text;
  for (const std::string& variant : variants) text += " --variant " + variant;
  return "a run with '" + text.substr(1) + "'";
}

// Marks findings that the baseline accepts. Accepted findings that no longer exist are removed from
// the baseline or reported. With '--strict', returns false for an outdated baseline, so that the
// command fails.
Result<bool> apply_baseline(const ValidateArguments& arguments, std::vector<Finding>& findings,
                            Session& session) {
  const auto baseline = load_baseline(arguments.baseline);
  if (!baseline) return fail(baseline.error());
  baseline.value().mark_known(findings);
  // A run for one target does not find the problems of the other target.
  if (arguments.target != "all") return true;
  const bool has_same_variants = baseline.value().variants() == sorted(arguments.variants);
  const std::string baseline_run = describe_run(baseline.value().variants());
  if (arguments.prune_baseline && !has_same_variants) {
    return fail(ErrorCode::invalid_argument, "'" + arguments.baseline + "' was written by " +
                                                 baseline_run + "; only such a run can prune it");
  }
  const Baseline pruned = baseline.value().pruned(findings, [&](std::string_view rule) {
    if (rule == kBudgetRule) return !arguments.build.empty();
    return !is_breaking_rule(rule) || !arguments.against.empty();
  });
  const std::size_t gone = baseline.value().total() - pruned.total();
  if (gone == 0) return true;
  if (!has_same_variants) {
    print_note(session, "'" + arguments.baseline + "' accepts " + counted(gone, "finding") +
                            " that this run does not find; " + baseline_run +
                            " shows whether they still exist");
    return true;
  }
  if (arguments.prune_baseline) {
    if (auto written = write_named_file(arguments.baseline, as_bytes(pruned.format())); !written) {
      return fail(written.error());
    }
    print_note(session,
               "removed " + counted(gone, "finding") + " from '" + arguments.baseline + "'");
    return true;
  }
  const std::string outdated = "'" + arguments.baseline + "' accepts " + counted(gone, "finding") +
                               " that no longer exist; '--prune-baseline' removes them";
  if (arguments.strict) {
    refuse(session, outdated);
  } else {
    print_note(session, outdated);
  }
  return !arguments.strict;
}

Result<void> check_arguments(const ValidateArguments& arguments) {
  const auto wrong = [](std::string why) {
    return fail(ErrorCode::invalid_argument, std::move(why));
  };
  if (arguments.prune_baseline && arguments.baseline.empty()) {
    return wrong("'--prune-baseline' requires '--baseline FILE'");
  }
  if (arguments.dry_run && !arguments.fix) return wrong("'--dry-run' requires '--fix'");
  if (arguments.allow_loss && !arguments.fix) return wrong("'--allow-loss' requires '--fix'");
  if ((arguments.prune_baseline || !arguments.write_baseline.empty()) &&
      arguments.target != "all") {
    return wrong("a baseline covers all targets; leave '--target' out");
  }
  return {};
}

int validate_project(const ValidateArguments& arguments, Session& session) {
  if (!arguments.explain.empty()) return explain(arguments.explain, session);
  if (auto good = check_arguments(arguments); !good) return report_error(session, good.error());
  const auto targets = targets_from(arguments.target);
  if (!targets) return report_error(session, targets.error());
  const auto format = finding_format_from(arguments.format);
  if (!format) return report_error(session, format.error());
  const auto wishes = read_variants(arguments.variants);
  if (!wishes) return report_error(session, wishes.error());
  if (arguments.fix) {
    const auto fixed = fix_config(arguments.project, arguments.dry_run, session);
    if (!fixed) return report_error(session, fixed.error());
    // The project can be read only after these fixes, so a dry run ends here.
    if (fixed.value() && arguments.dry_run) return kFindings;
  }
  PatientReporter reporter(session.reporter, session.clock);
  const Progress progress = progress_of(reporter);
  auto open = open_project(arguments.project, session, processor_count(), progress);
  if (!open) return report_error(session, open.error());
  if (!wishes.value().empty()) {
    const auto choice = choose_for_build(open.value().project->config().axes, wishes.value());
    if (!choice) return report_error(session, choice.error());
  }
  // `as_fixed` is declared before the project, because the project reads files from it.
  std::unique_ptr<FileSystem> as_fixed;
  if (arguments.fix) {
    const FixOptions fix{.is_dry_run = arguments.dry_run, .may_lose = arguments.allow_loss};
    const auto fixed = fix_project(open.value(), fix, as_fixed, session, progress);
    if (!fixed) return report_error(session, fixed.error());
  }
  const auto comparisons =
      load_comparisons(arguments, targets.value(), *open.value().project, session);
  if (!comparisons) return report_error(session, comparisons.error());
  auto checked = check_all(*open.value().project, comparisons.value(), wishes.value(),
                           {.targets = targets.value(),
                            .strict = arguments.strict,
                            .jobs = processor_count(),
                            .progress = progress},
                           session);
  if (!checked) return report_error(session, checked.error());
  std::vector<Finding> findings = std::move(checked).value();
  reporter.finish();
  const std::string none = no_registries_note(*open.value().project);
  if (!none.empty()) print_note(session, none);
  if (!arguments.write_baseline.empty()) {
    return write_report(session, Baseline::of(findings, arguments.variants).format(),
                        arguments.write_baseline);
  }
  bool is_baseline_fresh = true;
  if (!arguments.baseline.empty()) {
    const auto applied = apply_baseline(arguments, findings, session);
    if (!applied) return report_error(session, applied.error());
    is_baseline_fresh = applied.value();
  }
  const Severity failing = failing_severity(arguments.strict, arguments.fail_on);
  const SinkOptions sink{.color = session.color && arguments.output.empty(),
                         .failing = failing,
                         .lists_all = session.is_verbose || !arguments.output.empty(),
                         .project_name = arguments.project,
                         .version = MUSTER_VERSION,
                         .path_prefix = arguments.path_prefix,
                         .files = open.value().files.get(),
                         .has_baseline = !arguments.baseline.empty()};
  const int written =
      write_report(session, format_findings(findings, format.value(), sink), arguments.output);
  if (written != kSuccess) return written;
  const bool fails = std::ranges::any_of(findings, [&](const Finding& finding) {
    return !finding.is_known && finding.severity >= failing;
  });
  return fails || !is_baseline_fresh ? kFindings : kSuccess;
}

}  // namespace

void add_validate(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<ValidateArguments>();
  CLI::App* command = app.add_subcommand("validate", "Check a project against every rule");
  add_project(*command, arguments->project);
  command->add_option("--target", arguments->target, "client, server or all")
      ->check(one_of({"client", "server", "all"}))
      ->capture_default_str();
  command->add_option("--format", arguments->format, "text, json, sarif, junit or github")
      ->check(one_of({"text", "json", "sarif", "junit", "github"}))
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output, "Write the report to a file");
  command->add_option("--path-prefix", arguments->path_prefix,
                      "The project's folder in its repository, for sarif and github");
  command->add_option("--baseline", arguments->baseline,
                      "Leave out the findings that this file accepts");
  command->add_option("--write-baseline", arguments->write_baseline,
                      "Write all present findings to this file as accepted");
  command->add_flag("--prune-baseline", arguments->prune_baseline,
                    "Remove fixed findings from the baseline");
  command->add_flag("--strict", arguments->strict,
                    "Treat warnings as errors, and an outdated baseline as a failure");
  command
      ->add_option("--fail-on", arguments->fail_on,
                   "The minimum severity of findings for exit code 1: error, warning, note")
      ->check(one_of({"error", "warning", "note"}))
      ->capture_default_str();
  command->add_option(
      "--against", arguments->against,
      "Also report changes that break games shipped from this Git revision, build or catalog");
  command->add_option("--build", arguments->build,
                      "Also compare this build's output with the budgets of muster.yaml");
  command
      ->add_option(
          "--variant", arguments->variants,
          "AXIS=VALUE, once per axis: also check the build with these values, instead of one build "
          "for each variant's file")
      ->allow_extra_args(false);
  command->add_flag("--fix", arguments->fix,
                    "Fix mechanical problems: sidecars, registries, stored guids and ids");
  command->add_flag("--dry-run", arguments->dry_run,
                    "With '--fix': only print what would change, and what would remain");
  command->add_flag("--allow-loss", arguments->allow_loss,
                    "With '--fix': also remove entries and retire their ids");
  command->add_option("--explain", arguments->explain, "Explain a rule ('all' for every rule)");
  command->footer(
      "Examples:\n  muster validate my-game --format sarif --output findings.sarif\n"
      "  muster validate my-game --write-baseline known.json\n"
      "  muster validate my-game --baseline known.json --strict\n"
      "  muster validate my-game --fix --dry-run\n"
      "  muster validate my-game --against v1.2\n"
      "  muster validate --explain duplicate-guid");
  command->callback(
      [arguments, &session] { session.exit_code = validate_project(*arguments, session); });
}

}  // namespace muster::cli
