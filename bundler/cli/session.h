// The environment of every `muster` command: streams, clock, exit codes and shared functions.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <ostream>
#include <stop_token>
#include <string>
#include <string_view>

#include "bundler/cli/output_stream.h"
#include "bundler/incremental/build_fact_cache.h"
#include "bundler/report/reporter.h"
#include "registry/model/project.h"

namespace CLI {
class App;
}

namespace muster::cli {

// Exit codes of every command.
inline constexpr int kSuccess = 0;
/// There are findings of severity error, or a verification failed.
inline constexpr int kFindings = 1;
/// The arguments are wrong, or an input or output cannot be read or written.
inline constexpr int kUsage = 2;
inline constexpr int kInternal = 3;  ///< The program has a bug.

/// The connections of the program to its environment, which `main` constructs.
struct Session {
  OutputStream& out;
  std::ostream& err;
  bool color = false;
  SwitchedReporter& reporter;
  const Clock& clock;
  std::stop_token stop;
  /// True while a command writes data that an interruption must not leave incomplete. While this
  /// value is false, Ctrl-C ends the program at once. `begin_writing` sets the value to true.
  std::atomic<bool>& writing;
  int exit_code = kSuccess;
  bool is_quiet = false;  ///< True with `--quiet`: errors and findings are printed, but no remarks.
  bool is_verbose = false;  ///< True with `--verbose`: a command prints more details.
};

/// A project on disk, and the objects to which the project refers.
struct OpenProject {
  std::unique_ptr<FileSystem> files;
  std::unique_ptr<RecordedFiles> recorded;  ///< The recorder; null if accesses are not recorded.
  std::unique_ptr<BuildFactCache>
      fact_cache;  ///< The known facts; null if accesses are not recorded.
  std::unique_ptr<Project> project;
};
Result<OpenProject> open_project(const std::string& path, const Session& session, unsigned jobs,
                                 const Progress& progress = {});
/// Like `open_project`, for a build with `variants` as wishes (`Project::open`). Records the
/// accessed files. The state of an `earlier` build by the same `tool` makes opening faster.
Result<OpenProject> open_recorded_project(const std::string& path, const Session& session,
                                          unsigned jobs, const std::vector<VariantWish>& variants,
                                          std::optional<BuildState> earlier,
                                          const std::string& tool, const Progress& progress = {});

/// Sets `writing`. Fails with `cancelled` if Ctrl-C was pressed before; the caller must then write
/// nothing and return.
Result<void> begin_writing(Session& session);

/// Prints a remark for the user, unless the session is quiet. The message may contain names and
/// text of files, because it is escaped.
void print_note(Session& session, std::string_view message);

/// Prints the reason why the command fails, also in a quiet session. Use it for a reason that is
/// not an `Error`.
void refuse(Session& session, std::string_view message);

/// Prints an error and returns the exit code for this error.
int report_error(Session& session, const Error& error);

/// Parses `client`, `server` or `all`.
Result<TargetSet> targets_from(const std::string& name);

/// Parses a number of bytes in an argument. The text has the form that muster.yaml uses (for
/// example "1048576", "512 KiB" or "300 MB"), or ends with one letter for a power of 1,024 (for
/// example "500M" or "10G").
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
