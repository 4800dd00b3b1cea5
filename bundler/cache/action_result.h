// The value that a cache stores for a key: the hash of the result, and a small result itself.
#pragma once

#include <cstdint>
#include <optional>

#include "bundler/cache/sha256.h"

namespace muster {

/// Contains the hash of the only file that an action made. It is encoded as the `ActionResult` of
/// Bazel's remote execution API, because servers can require this form: protobuf, with one
/// `output_files` that has path, digest and, for a small file, contents. See
/// https://github.com/bazelbuild/remote-apis, build/bazel/remote/execution/v2.
struct ActionResult {
  Sha256 content;
  std::uint64_t content_bytes = 0;
  std::optional<ByteVector> inlined{};  ///< The file; otherwise it is stored by its hash.
};

/// A larger file is not inlined. Inlining saves a request, and a large value would be sent again
/// for every action with the same result.
inline constexpr std::uint64_t kInlinedBytesMax = 16 * 1024;
/// The maximum size of an encoded `ActionResult`. A longer value was not written by Muster.
inline constexpr std::uint64_t kActionResultBytesMax = kInlinedBytesMax + 4096;

/// The value for a result.
ActionResult name_result(Bytes result);
ByteVector encode(const ActionResult& result);
/// Parses untrusted bytes. Fields that we do not write are skipped. Nothing if it does not contain
/// exactly one file.
std::optional<ActionResult> parse_action_result(Bytes bytes);

}  // namespace muster
