#include "bundler/cli/session.h"

namespace muster::cli {

Result<OpenProject> open_project(const std::string& path, const Session& session, unsigned jobs) {
  auto files = DiskFileSystem::open(path);
  if (!files) return fail(files.error());
  OpenProject open;
  open.files = std::make_unique<DiskFileSystem>(std::move(files).value());
  auto project = Project::open(*open.files, jobs, session.stop);
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
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const auto target = AssetPath::parse(name);
  if (!target || target.value().empty()) {
    return report_error(session, {ErrorCode::invalid_argument, "'" + path + "' names no file"});
  }
  auto files = DiskFileSystem::open(folder);
  if (!files) return report_error(session, files.error());
  const auto written = write_atomically(files.value(), target.value(), as_bytes(text));
  return written ? kSuccess : report_error(session, written.error());
}

}  // namespace muster::cli
