// The value that a cache stores for a key: the hash of the result, and the result itself if it is
// small.
#pragma once

#include <cstdint>
#include <optional>

#include "bundler/cache/sha256.h"

namespace muster {

/// The result of an action, which is always a single file. The encoding is the protobuf message
/// `ActionResult` of Bazel's remote execution API, because servers can require this form. The
/// message has one `output_files` with a path and a digest. For a small file, `output_files` also
/// has the contents. See https://github.com/bazelbuild/remote-apis,
/// build/bazel/remote/execution/v2.
struct ActionResult {
  Sha256 content;
  std::uint64_t content_bytes = 0;
  /// The bytes of a small file. A larger file is stored separately, by its hash.
  std::optional<ByteVector> inlined{};
};

/// The maximum size of an inlined file in bytes. Inlining saves a request, but a large value would
/// be sent again for every action with the same result.
inline constexpr std::uint64_t kInlinedBytesMax = 16 * 1024;
/// The maximum size of an encoded `ActionResult` in bytes. Muster never writes a longer value.
inline constexpr std::uint64_t kActionResultBytesMax = kInlinedBytesMax + 4096;

/// Returns the value for a result.
ActionResult name_result(Bytes result);
ByteVector encode(const ActionResult& result);
/// Parses untrusted bytes. Skips fields that Muster does not write. Returns no value if the bytes
/// do not contain exactly one file.
std::optional<ActionResult> parse_action_result(Bytes bytes);

}  // namespace muster
