#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "bundler/cli/session.h"
#include "bundler/cli/usage.h"

namespace muster::cli {

namespace {

// The options of every command.
void add_common_options(CLI::App& command, Session& session) {
  command.add_flag_callback(
      "--no-progress", [&session] { session.reporter.switch_off(); }, "Print no progress");
  command.add_flag_callback(
      "-q,--quiet",
      [&session] {
        session.is_quiet = true;
        session.reporter.switch_off();
      },
      "Print no progress and no remarks");
  constexpr std::array<std::string_view, 3> kTalkative = {"build", "validate", "watch"};
  const bool counts = std::ranges::find(kTalkative, command.get_name()) != kTalkative.end();
  command.add_flag(
      "-v,--verbose", session.is_verbose,
      counts ? "Print more of what is done, and why"
             : "Accepted by every command, but only 'build', 'watch' and 'validate' print more");
}

void add_common_options_below(CLI::App& app, Session& session) {
  for (CLI::App* command : app.get_subcommands({})) {
    add_common_options(*command, session);
    add_common_options_below(*command, session);
  }
}

int run_command(int argc, char** argv, Session& session) {
  try {
    CLI::App app(
        "Walks the registries of a game project, checks them, and packs one compressed bundle per\n"
        "prefab for client and for server.");
    app.name("muster");
    app.set_version_flag("--version", std::string("muster ") + MUSTER_VERSION);
    app.require_subcommand(1);
    app.footer(
        "Exit codes: 0 success, 1 findings or failed verification, 2 usage, unreadable input or\n"
        "unwritable output, 3 internal error. If a program such as head closes the standard\n"
        "output early, the exit code stays the same.\n\n"
        "Example:\n  muster validate my-game && muster build my-game --out build/game");
    add_audit(app, session);
    add_build(app, session);
    add_completion(app, session);
    add_list(app, session);
    add_prepare(app, session);
    add_preview(app, session);
    add_schema(app, session);
    add_train(app, session);
    add_validate(app, session);
    add_watch(app, session);
    add_why(app, session);
    add_output_commands(app, session);
    add_diff(app, session);
    add_keygen(app, session);
    add_patch(app, session);
    add_report(app, session);
    add_common_options_below(app, session);
    refuse_empty_values(app);
    const std::vector<std::string> arguments(argv + 1, argv + std::max(argc, 1));
    if (const std::string misread = misread_argument(app, arguments); !misread.empty()) {
      refuse(session, misread);
      return kUsage;
    }
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& problem) {
      const bool is_help = problem.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
      if (const std::string unknown = unknown_argument(app, arguments);
          !is_help && !unknown.empty()) {
        refuse(session, unknown);
        return kUsage;
      }
      return app.exit(problem, session.out, session.err) == 0 ? kSuccess : kUsage;
    }
    return session.exit_code;
  } catch (const std::bad_alloc&) {
    // The exception has ended all work, and the output of a build is unchanged.
    session.err << "muster: out of memory; unfinished work was discarded. Use fewer '--jobs', or "
                   "more memory\n";
    return kInternal;
  } catch (const std::exception& problem) {
    session.err << "muster: internal error: " << problem.what()
                << "\nThis is a bug in muster; please report it with the command line.\n";
    return kInternal;
  }
}

}  // namespace

int run(int argc, char** argv, Session& session) {
  const int code = run_command(argc, argv, session);
  session.out.flush();
  const int error = session.out.error();
  // A program that reads only the first lines may close the pipe, which is not an error.
  if (error == 0 || error == EPIPE) return code;
  session.err << "muster: the output could not be written: " << std::strerror(error) << "\n";
  return code == kInternal ? kInternal : kUsage;
}

}  // namespace muster::cli
