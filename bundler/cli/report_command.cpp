#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bundler/cli/edges.h"
#include "bundler/cli/session.h"
#include "bundler/cli/usage.h"
#include "bundler/report/build_overview.h"
#include "bundler/report/report_page.h"
#include "registry/base/counted.h"

namespace muster::cli {
namespace {

struct ReportArguments {
  std::string out;
  std::string against;
  std::string html;
  std::string format = "text";
  std::vector<std::string> budgets;  ///< `BYTES` or `TARGET=BYTES`.
};

Result<Overview> read_build(const std::string& folder) {
  if (auto whole = recover_output(folder); !whole) return fail(whole.error());
  const auto files = open_folder(folder);
  if (!files) return fail(files.error());
  auto overview = read_overview(*files.value());
  if (!overview)
    return fail(overview.error().code, "'" + folder + "': " + overview.error().message);
  return overview;
}

Result<void> set_budget(const std::string& budget, Overview& overview) {
  const std::size_t sign = budget.find('=');
  const std::string target = sign == std::string::npos ? std::string() : budget.substr(0, sign);
  const auto bytes = size_from(sign == std::string::npos ? budget : budget.substr(sign + 1));
  if (!bytes || (sign != std::string::npos && !targets_from(target))) {
    return fail(
        ErrorCode::invalid_argument,
        "'" + budget +
            "' is not a budget; write SIZE, client=SIZE or server=SIZE, such as 'client=80 MiB'");
  }
  for (OverviewTarget& each : overview.targets) {
    if (target.empty() || target == "all" || each.name == target) each.budget_bytes = bytes.value();
  }
  return {};
}

int report(const ReportArguments& arguments, Session& session) {
  auto overview = read_build(arguments.out);
  if (!overview) return report_error(session, overview.error());
  for (const std::string& budget : arguments.budgets) {
    if (auto set = set_budget(budget, overview.value()); !set) {
      return report_error(session, set.error());
    }
  }
  if (!arguments.against.empty()) {
    const auto earlier = read_build(arguments.against);
    if (!earlier) return report_error(session, earlier.error());
    compare_with(earlier.value(), overview.value());
  }
  int code = kSuccess;
  if (!arguments.html.empty()) {
    code = write_report(session, report_page(overview.value()), arguments.html);
  } else {
    code = write_report(session,
                        arguments.format == "json" ? overview_json(overview.value())
                                                   : overview_text(overview.value()),
                        {});
  }
  if (code != kSuccess) return code;
  for (const OverviewTarget& target : overview.value().targets) {
    for (const OverviewBudget& budget : target.budgets) {
      if (!budget.is_exceeded()) continue;
      refuse(session, fmt::format("{}: {}, {} more than the budget of {}", budget.what,
                                  counted(budget.bytes, "byte"),
                                  counted(budget.bytes - budget.budget_bytes, "byte"),
                                  counted(budget.budget_bytes, "byte")));
      code = kFindings;
    }
    if (!target.budget_bytes || target.bytes <= *target.budget_bytes) continue;
    refuse(session, fmt::format("{} exceeds its budget of {} bytes by {}", target.name,
                                *target.budget_bytes, target.bytes - *target.budget_bytes));
    code = kFindings;
  }
  return code;
}

}  // namespace

void add_report(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command = app.add_subcommand(
      "report", "Show the sizes of a build's assets, and why each asset is in the build");
  command->add_option("OUT", arguments->out, "A build's output folder")->required();
  command->add_option("--html", arguments->html, "Write an HTML page to this file");
  command->add_option("--against", arguments->against, "Another build to compare the sizes with");
  command
      ->add_option(
          "--budget", arguments->budgets,
          "SIZE, client=SIZE or server=SIZE, such as '80 MiB'; if the bundles are larger, report a "
          "finding")
      ->allow_extra_args(false);
  command->add_option("--format", arguments->format, "text or json")
      ->check(one_of({"text", "json"}))
      ->capture_default_str();
  command->footer(
      "Example:\n  muster report build/game\n"
      "  muster report build/game --html report.html --against build/shipped --budget "
      "client=80000000");
  command->callback([arguments, &session] { session.exit_code = report(*arguments, session); });
}

}  // namespace muster::cli
