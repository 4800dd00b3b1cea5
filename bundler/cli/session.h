// The arguments of every `muster` command.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <ostream>
#include <stop_token>
#include <string>
#include <string_view>

#include "bundler/cli/output_stream.h"
#include "bundler/incremental/build_memory.h"
#include "bundler/report/reporter.h"
#include "registry/model/registry_model.h"

namespace CLI {
class App;
}

namespace muster::cli {

// Exit codes of every command.
inline constexpr int kSuccess = 0;
inline constexpr int kFindings = 1;  ///< Findings of severity error, or a failed verification.
inline constexpr int kUsage = 2;     ///< Wrong usage, unreadable input or output.
inline constexpr int kInternal = 3;  ///< A bug of ours.

/// The edges of the program, constructed in `main`.
struct Session {
  OutputStream& out;
  std::ostream& err;
  bool color = false;
  SwitchedReporter& reporter;
  const Clock& clock;
  std::stop_token stop;
  /// Set while a command writes data that an interruption must not leave incomplete. Otherwise
  /// Ctrl-C ends the program at once. Set by `begin_writing`.
  std::atomic<bool>& writing;
  int exit_code = kSuccess;
  bool is_quiet = false;    ///< `--quiet`: no remarks; errors and findings are printed.
  bool is_verbose = false;  ///< `--verbose`: more details of a command's work.
};

/// A project on disk. Must not be moved: the project refers to the file system.
struct OpenProject {
  std::unique_ptr<FileSystem> files;
  std::unique_ptr<RecordedFiles> recorded;  ///< Null without recording.
  std::unique_ptr<BuildMemory> memory;      ///< Likewise.
  std::unique_ptr<Project> project;
};
Result<OpenProject> open_project(const std::string& path, const Session& session, unsigned jobs,
                                 const Progress& progress = {});
/// The same for a build, with wishes (`Project::open`); records the accessed files. The state of an
/// `earlier` build by the same `tool` reduces the work.
Result<OpenProject> open_recorded_project(const std::string& path, const Session& session,
                                          unsigned jobs, const std::vector<VariantWish>& variants,
                                          std::optional<BuildState> earlier,
                                          const std::string& tool, const Progress& progress = {});

/// Sets `writing`. Fails with `cancelled` if Ctrl-C came just before: then the caller writes
/// nothing, and the program ends.
Result<void> begin_writing(Session& session);

/// Prints a remark for the user, unless the session is quiet. The message may contain text from
/// files and their names.
void tell(Session& session, std::string_view message);

/// Prints why the command fails, also in a quiet session. For a reason without an `Error`.
void refuse(Session& session, std::string_view message);

/// Prints an error and returns its exit code.
int report_error(Session& session, const Error& error);

/// Parses `client`, `server` or `all`.
Result<TargetSet> targets_from(const std::string& name);

/// Parses a number of bytes as an argument: as in muster.yaml ("1048576", "512 KiB", "300 MB"), or
/// with one letter, "500M" and "10G", for powers of 1,024.
Result<std::uint64_t> size_from(std::string_view text);

/// Writes a report to a file, or to standard output if `path` is empty.
int write_report(Session& session, const std::string& text, const std::string& path);

/// Each function adds one command to the program.
void add_build(CLI::App& app, Session& session);
void add_completion(CLI::App& app, Session& session);
void add_diff(CLI::App& app, Session& session);
void add_keygen(CLI::App& app, Session& session);
void add_list(CLI::App& app, Session& session);
void add_output_commands(CLI::App& app, Session& session);
void add_patch(CLI::App& app, Session& session);
void add_prepare(CLI::App& app, Session& session);
void add_preview(CLI::App& app, Session& session);
void add_report(CLI::App& app, Session& session);
void add_schema(CLI::App& app, Session& session);
void add_train(CLI::App& app, Session& session);
void add_validate(CLI::App& app, Session& session);
void add_watch(CLI::App& app, Session& session);
void add_audit(CLI::App& app, Session& session);
void add_why(CLI::App& app, Session& session);

/// Runs the whole program.
int run(int argc, char** argv, Session& session);

}  // namespace muster::cli
