// The arguments of `build` and `watch`.
#pragma once

#include <string>
#include <vector>

#include "bundler/cli/session.h"
#include "bundler/pack/compressor.h"

namespace muster::cli {

struct BuildArguments {
  std::string project;
  std::string out;
  std::string target = "all";
  std::string layout = "shared";
  std::string format = "text";
  std::string sign = {};  ///< A file with a secret key, or empty.
  int level = 0;          ///< 0: the project's level.
  unsigned jobs = 0;
  std::string previous = {};  ///< Another output whose unchanged content is reused, or empty.
  std::vector<std::string> caches = {};  ///< Folders and addresses.
  std::string cache_size = "10 GiB";
  std::string cache_token = {};            ///< A file with a bearer token, or empty.
  std::string cache_ca = {};               ///< A file with certificates, or empty.
  std::vector<std::string> variants = {};  ///< As in "platform=linux".
  bool is_cache_read_only = false;
  bool is_forced = false;
  bool fails_over_budget = true;  ///< Otherwise exceeded budgets are only reported.
  bool allows_empty = false;      ///< An empty build is not an error.
  bool explains = false;
  bool is_dry_run = false;  ///< Checks and plans without writing.
  bool is_strict = false;   ///< As `fail_on` with `warning`.
  std::string fail_on = "error";
  unsigned wait_seconds = 0;  ///< Waits for another build in the output.
  bool verifies_determinism = false;
  bool verifies_incremental = false;
};

/// Adds the options for these arguments.
void add_build_options(CLI::App& command, BuildArguments& arguments);

/// Builds once, and prints the summary. Returns the exit code.
int build(const BuildArguments& arguments, Session& session);

}  // namespace muster::cli
