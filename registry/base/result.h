// The type for all expected failures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace muster {

/// The reason why an operation on data or on the disk failed.
enum class ErrorCode : std::uint8_t {
  invalid_argument,  ///< The caller's input is not valid.
  not_found,         ///< A file, entry or id does not exist.
  already_exists,    ///< The path or name of a new item is in use.
  /// The operating system or the root of a file system does not allow the access.
  permission_denied,
  no_space,             ///< The disk or a quota is full.
  io,                   ///< Any other failure of the disk.
  malformed,            ///< Bytes that do not follow their format.
  truncated,            ///< Bytes that end too early.
  unsupported_version,  ///< A format version that this build does not read.
  limit_exceeded,       ///< A limit of Muster was reached; the message names the limit.
  hash_mismatch,        ///< Content does not match its hash.
  busy,                 ///< Another process uses the resource.
  cancelled,            ///< The user asked to stop.
  timed_out,            ///< The deadline has passed.
  unsupported,          ///< This system, or this build of Muster, does not support the operation.
};

/// Returns the code's name, for messages and tests.
std::string_view to_string(ErrorCode code);

/// An expected failure. `code` is for program logic. `message` is for users and names the object
/// and the remedy.
struct Error {
  ErrorCode code = ErrorCode::io;
  std::string message;
};

/// A value or an error; must not be ignored. Test a result before reading it with `value()`. `*`
/// and `->` are deleted, because they do not check whether the value exists.
template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using Base = tl::expected<T, Error>;
  using Base::Base;
  void operator*() const = delete;
  void operator->() const = delete;
};

/// Creates an error result: `return fail(ErrorCode::truncated, "...")`.
inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

/// Converts an error to a `Result` of any type.
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace muster
