// What a cache keeps under a key: not the result itself, but by which hash it is found.
#pragma once

#include <cstdint>
#include <optional>

#include "bundler/cache/sha256.h"

namespace muster {

/// Names the one file that an action made. On the wire it is the `ActionResult` of Bazel's remote
/// execution API (protobuf, one `output_files` with path and digest), since servers may insist on
/// one: https://github.com/bazelbuild/remote-apis, build/bazel/remote/execution/v2.
struct ActionResult {
  Sha256 content;
  std::uint64_t content_bytes = 0;
};

/// A longer one is none of ours.
inline constexpr std::uint64_t kActionResultBytesMax = 4096;

ByteVector encode(const ActionResult& result);
/// Reads what an enemy may have made. Fields that we do not write are skipped; nothing when it does
/// not name exactly one file.
std::optional<ActionResult> parse_action_result(Bytes bytes);

}  // namespace muster
