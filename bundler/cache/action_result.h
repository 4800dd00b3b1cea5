// The value that a cache stores for a key: not the result itself, but its hash.
#pragma once

#include <cstdint>
#include <optional>

#include "bundler/cache/sha256.h"

namespace muster {

/// Contains the hash of the only file that an action made. On the wire it is the `ActionResult` of
/// Bazel's remote execution API (protobuf, one `output_files` with path and digest), because
/// servers may require one: https://github.com/bazelbuild/remote-apis,
/// build/bazel/remote/execution/v2.
struct ActionResult {
  Sha256 content;
  std::uint64_t content_bytes = 0;
};

/// A longer one was not written by us.
inline constexpr std::uint64_t kActionResultBytesMax = 4096;

ByteVector encode(const ActionResult& result);
/// Parses untrusted bytes. Fields that we do not write are skipped. Nothing if it does not contain
/// exactly one file.
std::optional<ActionResult> parse_action_result(Bytes bytes);

}  // namespace muster
