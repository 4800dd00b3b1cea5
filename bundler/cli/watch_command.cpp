// Builds whenever the project changes. After each build, a socket notifies the games that load the
// output. A game then checks whether there is a new build (`is_another_build`) and updates existing
// objects.
#include <algorithm>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "bundler/cli/build_arguments.h"
#include "bundler/cli/edges.h"
#include "bundler/cli/folder_watch.h"
#include "bundler/cli/watch_socket.h"
#include "registry/base/counted.h"
#include "registry/project/packages.h"

namespace muster::cli {
namespace {

// Opens the socket for games. If that fails, games must check for new builds themselves.
void open_socket(const std::string& out, std::optional<WatchSocket>& socket, Session& session) {
  auto opened = WatchSocket::open(out);
  if (opened) {
    socket.emplace(std::move(opened.value()));
  } else {
    print_note(session, "games are not notified of builds: " + opened.error().message);
  }
}

std::string nearest_folder(std::string folder) {
  while (folder.size() > 1 && !open_folder(folder)) {
    folder.resize(std::max<std::size_t>(folder.rfind('/'), 1));
  }
  return folder;
}

// Watches the outside folders of a project: local packages, and `folders` of its settings. The
// creation of a missing outside folder also starts a build.
Result<void> watch_elsewhere(const std::string& project, const FileReader& files,
                             FolderWatch& watch) {
  for (const OutsideFolder& outside : outside_folders(files)) {
    if (files.stat(outside.at)) continue;  // An embedded package takes precedence over this folder.
    const auto resolved_path = resolved(
        outside.disk_path.starts_with('/') ? outside.disk_path : project + "/" + outside.disk_path);
    if (!resolved_path) return fail(resolved_path.error());
    const auto folder = open_folder(resolved_path.value());
    const auto added =
        folder ? watch.add_tree(*folder.value(), resolved_path.value())
               : watch.add_missing(resolved_path.value(), nearest_folder(resolved_path.value()));
    if (!added) return added;
  }
  return {};
}

int watch(const BuildArguments& arguments, Session& session) {
  std::optional<WatchSocket> socket;
  for (bool is_first = true;; is_first = false) {
    const auto files = open_folder(arguments.project);
    if (!files) return report_error(session, files.error());
    const auto root = resolved(arguments.project);
    if (!root) return report_error(session, root.error());
    const auto out = resolved(arguments.out);
    if (!out) return report_error(session, out.error());
    // Starts to watch before the build, so that a change during the build starts the next build.
    const auto config = load_config(*files.value());
    const CompressionRules rules = config ? config.value().compression : CompressionRules();
    auto folders = FolderWatch::open(*files.value(), root.value(), out.value(),
                                     rules.dictionaries.value_or(AssetPath()));
    if (!folders) return report_error(session, folders.error());
    if (auto added = watch_elsewhere(root.value(), *files.value(), folders.value()); !added) {
      return report_error(session, added.error());
    }
    const int code = build(arguments, session);
    session.writing = false;
    if (session.stop.stop_requested()) return code;
    // The arguments do not change while the command runs, so wrong arguments end the command.
    if (is_first && code == kUsage) return code;
    session.out.flush();
    // Notifies games even after a build with findings, because the build may have been published.
    // Games check whether a new build was published.
    if (!socket && code == kSuccess) open_socket(arguments.out, socket, session);
    if (socket) socket->notify_built();
    session.err << "muster: watching " << counted(folders.value().folder_count(), "folder")
                << "; Ctrl-C ends it" << std::endl;
    if (auto waited = folders.value().wait(); !waited) return report_error(session, waited.error());
  }
}

}  // namespace

void add_watch(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<BuildArguments>();
  CLI::App* command =
      app.add_subcommand("watch", "Build, and build again whenever the project changes");
  add_build_options(*command, *arguments);
  // While users edit content, a build that exceeds its budgets is also useful.
  arguments->fails_over_budget = false;
  command->footer(
      "Errors are reported, and the last good build stays until they are fixed.\n"
      "Example:\n  muster watch my-game --out build/game --level 1");
  command->callback([arguments, &session] { session.exit_code = watch(*arguments, session); });
}

}  // namespace muster::cli
