// The type for all expected failures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace muster {

/// Why an operation on data or on the disk failed. The set is closed: callers branch on the code
/// and show the message.
enum class ErrorCode : std::uint8_t {
  invalid_argument,     ///< The caller's input cannot mean anything.
  not_found,            ///< A file, entry or id does not exist.
  already_exists,       ///< The path or name of a new item is in use.
  permission_denied,    ///< The operating system refused.
  no_space,             ///< The disk or a quota is full.
  io,                   ///< Any other failure of the disk.
  malformed,            ///< Bytes that do not follow their format.
  truncated,            ///< Bytes that end too early.
  unsupported_version,  ///< A format version that this build does not read.
  limit_exceeded,       ///< A limit of Muster was reached; the message names it.
  hash_mismatch,        ///< Content does not match its hash.
  busy,                 ///< Another process uses the resource.
  cancelled,            ///< The user asked to stop.
  timed_out,            ///< The deadline has passed.
  unsupported,          ///< This system, or this build of Muster, cannot do it.
};

/// Returns the code's name, for messages and tests.
std::string_view to_string(ErrorCode code);

/// An expected failure: a code to branch on, and a message for users that names the object and the
/// remedy.
struct Error {
  ErrorCode code = ErrorCode::io;
  std::string message;
};

/// A value, or an error. Must not be ignored. Test it, then read it with `value()`: `*` and `->`
/// are deleted, because they would read an empty result silently.
template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using Base = tl::expected<T, Error>;
  using Base::Base;
  void operator*() const = delete;
  void operator->() const = delete;
};

/// Makes an error result: `return fail(ErrorCode::truncated, "...")`.
inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

/// Passes an error on as a `Result` of another type.
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace muster
