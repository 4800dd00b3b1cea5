// Builds whenever the project changes. The runtime that loads the output detects the new build
// after publication (`is_another_build`), is notified when to check, and updates existing objects.
#include <algorithm>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "bundler/cli/build_arguments.h"
#include "bundler/cli/edges.h"
#include "bundler/cli/folder_watch.h"
#include "bundler/cli/watch_socket.h"
#include "registry/base/counted.h"
#include "registry/project/compression.h"
#include "registry/project/packages.h"

namespace muster::cli {
namespace {

// Without the socket, games poll for new builds.
void open_socket(const std::string& out, std::optional<WatchSocket>& socket, Session& session) {
  auto opened = WatchSocket::open(out);
  if (opened) {
    socket.emplace(std::move(opened.value()));
  } else {
    tell(session, "games are not notified of builds: " + opened.error().message);
  }
}

std::string nearest_folder(std::string folder) {
  while (folder.size() > 1 && !open_folder(folder)) {
    folder.resize(std::max<std::size_t>(folder.rfind('/'), 1));
  }
  return folder;
}

// Watches the project's outside folders: local packages, `folders` of its settings. A build reads
// the existing ones; the creation of a missing one starts a build as well.
Result<void> watch_elsewhere(const std::string& project, const FileReader& files,
                             FolderWatch& watch) {
  for (const OutsideFolder& outside : outside_folders(files)) {
    if (files.stat(outside.at)) continue;  // an embedded package takes precedence
    const auto place =
        resolved(outside.place.starts_with('/') ? outside.place : project + "/" + outside.place);
    if (!place) return fail(place.error());
    const auto folder = open_folder(place.value());
    const auto added = folder ? watch.add_tree(*folder.value(), place.value())
                              : watch.add_missing(place.value(), nearest_folder(place.value()));
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
    // Starts before the build, so that a change that the build just missed starts the next one.
    const auto config = load_config(*files.value());
    const CompressionRules rules = config ? compression_of(config.value()) : CompressionRules();
    auto folders = FolderWatch::open(*files.value(), root.value(), out.value(),
                                     rules.dictionaries.value_or(AssetPath()));
    if (!folders) return report_error(session, folders.error());
    if (auto added = watch_elsewhere(root.value(), *files.value(), folders.value()); !added) {
      return report_error(session, added.error());
    }
    const int code = build(arguments, session);
    session.writing = false;
    if (session.stop.stop_requested()) return code;
    // An error in the arguments does not go away.
    if (is_first && code == kUsage) return code;
    session.out.flush();
    // A build may be published despite findings, because games check for it themselves.
    if (!socket && code == kSuccess) open_socket(arguments.out, socket, session);
    if (socket) socket->tell_built();
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
  arguments->fails_over_budget = false;  // a build that is too large can be examined
  command->footer(
      "Errors are reported, and the last good build stays until they are fixed.\n"
      "Example:\n  muster watch my-game --out build/game --level 1");
  command->callback([arguments, &session] { session.exit_code = watch(*arguments, session); });
}

}  // namespace muster::cli
