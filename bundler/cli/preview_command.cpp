#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bundler/cli/named_asset.h"
#include "bundler/cli/session.h"
#include "bundler/cli/usage.h"
#include "bundler/preview/prefab_text.h"
#include "registry/base/escaped_text.h"
#include "registry/base/parallel.h"

namespace muster::cli {
namespace {

struct PreviewOptions {
  std::string project;
  std::string asset;
  std::string target = "client";
};

int preview(const PreviewOptions& options, Session& session) {
  PatientReporter reporter(session.reporter, session.clock);
  const Progress progress = progress_of(reporter);
  const auto open = open_project(options.project, session, processor_count(), progress);
  if (!open) return report_error(session, open.error());
  const Project& project = *open.value().project;
  const auto asset = find_named_asset(project, options.project, options.asset);
  if (!asset) return report_error(session, asset.error());
  const auto components = load_components(project.files(), project.config());
  if (!components) return report_error(session, components.error());
  progress.begin("cooking", 0);
  const Target target = options.target == "client" ? Target::client : Target::server;
  const Asset& named = project.index().at(asset.value());
  const auto text = prefab_text(project, target, components.value(), named.guid);
  reporter.finish();
  if (!text) return report_error(session, text.error());
  return write_report(session,
                      fmt::format("{}  {} ({})\n{}", named.guid.to_string(),
                                  escaped_text(named.path.text()), options.target, text.value()),
                      {});
}

}  // namespace

void add_preview(CLI::App& app, Session& session) {
  auto options = std::make_shared<PreviewOptions>();
  CLI::App* command =
      app.add_subcommand("preview", "Show a prefab as the game would get it, without a build");
  add_project_and_asset(*command, options->project, options->asset);
  command->add_option("--target", options->target, "client or server")
      ->check(one_of({"client", "server"}))
      ->capture_default_str();
  command->footer(
      "Nothing is written: the prefab is cooked from the project's files as they are now.\n\n"
      "Example:\n  muster preview my-game Assets/Prefabs/Door.prefab --target server");
  command->callback([options, &session] { session.exit_code = preview(*options, session); });
}

}  // namespace muster::cli
