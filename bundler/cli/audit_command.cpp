#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bundler/cli/edges.h"
#include "bundler/cli/session.h"
#include "bundler/cli/usage.h"
#include "bundler/report/strip_audit.h"
#include "registry/base/counted.h"
#include "registry/base/parallel.h"
#include "registry/model/unread.h"

namespace muster::cli {
namespace {

struct AuditArguments {
  std::string project;
  std::string target = "server";
  std::string format = "text";
  std::string bytes_max;  ///< The maximum number of remaining bytes; empty for no limit.
};

int audit(const AuditArguments& arguments, Session& session) {
  const auto targets = targets_from(arguments.target);
  if (!targets) return report_error(session, targets.error());
  const auto bytes_max = size_from(arguments.bytes_max.empty() ? "0" : arguments.bytes_max);
  if (!bytes_max)
    return report_error(session,
                        {bytes_max.error().code, "--max-bytes " + bytes_max.error().message});
  PatientReporter reporter(session.reporter, session.clock);
  const auto open =
      open_project(arguments.project, session, processor_count(), progress_of(reporter));
  if (!open) return report_error(session, open.error());
  const Project& project = *open.value().project;
  reporter.begin("following references", 0);
  std::vector<StripAudit> audits;
  for (const Target target : {Target::client, Target::server}) {
    if (targets.value().has(target)) audits.push_back(audit_stripping(project, target));
  }
  reporter.finish();
  if (const std::string none = no_registries_note(project); !none.empty())
    print_note(session, none);
  int code = write_report(
      session,
      arguments.format == "json" ? audit_json(project, audits) : audit_text(project, audits), {});
  if (code != kSuccess || arguments.bytes_max.empty()) return code;
  for (const StripAudit& one : audits) {
    if (one.remaining_bytes <= bytes_max.value()) continue;
    refuse(session, fmt::format("{} of presentation remain for the {}, {} more than allowed",
                                counted(one.remaining_bytes, "source byte"),
                                one.target == Target::client ? "client" : "server",
                                one.remaining_bytes - bytes_max.value()));
    code = kFindings;
  }
  return code;
}

}  // namespace

void add_audit(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<AuditArguments>();
  CLI::App* command = app.add_subcommand(
      "audit", "List the presentation assets that bundles do not contain, and those that remain");
  add_project(*command, arguments->project);
  command->add_option("--target", arguments->target, "client, server or all")
      ->check(one_of({"client", "server", "all"}))
      ->capture_default_str();
  command->add_option(
      "--max-bytes", arguments->bytes_max,
      "Report a finding if more source bytes of presentation remain, for example 4 MiB");
  command->add_option("--format", arguments->format, "text or json")
      ->check(one_of({"text", "json"}))
      ->capture_default_str();
  command->footer(
      "'strip' in muster.yaml determines what is left out.\n\n"
      "Example:\n  muster audit my-game --target server --max-bytes 20MiB");
  command->callback([arguments, &session] { session.exit_code = audit(*arguments, session); });
}

}  // namespace muster::cli
