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
  std::string sign = {};  ///< The path of a file with a secret key; empty for no signature.
  int level = 0;          ///< The compression level; 0 means the project's level.
  unsigned jobs = 0;
  /// The path of another output whose unchanged content is reused; may be empty.
  std::string previous = {};
  std::vector<std::string> caches = {};  ///< The caches: folders and addresses of servers.
  std::string cache_size = "10 GiB";
  std::string cache_token = {};  ///< The path of a file with a bearer token; may be empty.
  std::string cache_ca = {};     ///< The path of a file with certificates; may be empty.
  std::vector<std::string> variants = {};  ///< The chosen variants, for example "platform=linux".
  bool is_cache_read_only = false;
  bool is_forced = false;
  bool fails_over_budget = true;  ///< If false, exceeded budgets are only reported.
  bool allows_empty = false;      ///< If true, an empty build is not an error.
  bool explains = false;
  bool is_dry_run = false;  ///< If true, the build checks and plans, but writes nothing.
  bool is_strict = false;   ///< If true, `fail_on` counts as `warning`.
  std::string fail_on = "error";
  unsigned wait_seconds = 0;  ///< The time to wait for another build in the same output.
  bool verifies_determinism = false;
  bool verifies_incremental = false;
};

/// Adds the options for these arguments.
void add_build_options(CLI::App& command, BuildArguments& arguments);

/// Builds once, and prints the summary. Returns the exit code.
int build(const BuildArguments& arguments, Session& session);

}  // namespace muster::cli
