#include "bundler/cli/session.h"

#include "bundler/cli/edges.h"

namespace muster::cli {

Result<OpenProject> open_project(const std::string& path, const Session& session, unsigned jobs,
                                 const Progress& progress) {
  auto files = open_folder(path);
  if (!files) return fail(files.error());
  OpenProject open;
  open.files = std::move(files).value();
  auto project = Project::open(*open.files, jobs, session.stop, progress);
  if (!project) return fail(project.error().code, "'" + path + "': " + project.error().message);
  open.project = std::move(project).value();
  return open;
}

int report_error(Session& session, const Error& error) {
  session.reporter.finish();
  session.err << "muster: " << error.message << "\n";
  return kUsage;
}

Result<TargetSet> targets_from(const std::string& name) {
  if (name == "client") return TargetSet(Target::client);
  if (name == "server") return TargetSet(Target::server);
  if (name == "all") return TargetSet::both();
  return fail(ErrorCode::invalid_argument,
              "'" + name + "' is no target; use client, server or all");
}

int write_report(Session& session, const std::string& text, const std::string& path) {
  // The names that people give to standard output.
  if (path.empty() || path == "-" || path == "/dev/stdout") {
    session.out << text;
    return kSuccess;  // `run` checks at its end that all of it was written
  }
  const auto place = open_folder_of(path);
  if (!place) return report_error(session, place.error());
  const auto written = write_atomically(*place.value().folder, place.value().name, as_bytes(text));
  return written ? kSuccess : report_error(session, written.error());
}

}  // namespace muster::cli
