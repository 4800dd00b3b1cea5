// Checks that a build's output is complete and undamaged.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "registry/base/file_system.h"
#include "runtime/bundle/build_signature.h"

namespace muster {

struct OutputProblem {
  std::string path;  ///< The path relative to the output folder.
  ErrorCode code = ErrorCode::malformed;
  std::string message;
};

struct OutputCheck {
  std::size_t bundles = 0;
  std::size_t entries = 0;
  std::uint64_t bytes = 0;
  std::vector<OutputProblem> problems;  ///< The problems, sorted by path.
};

/// Checks each catalog against its fingerprint, each bundle against the size and hash in the
/// catalog, and each entry against its hash and form. Also checks that no file is missing or
/// unexpected, and that the catalogs of client and server have the same `agreement`. With a `key`,
/// also checks the signatures of the catalogs and the report. Fails only if the folder contains no
/// output, or with `cancelled`.
Result<OutputCheck> check_output(const FileReader& files, unsigned jobs,
                                 const std::stop_token& stop,
                                 const std::optional<VerifyKey>& key = {});

}  // namespace muster
