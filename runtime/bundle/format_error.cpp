#include "runtime/bundle/format_error.h"

#include <string>

namespace muster {

tl::unexpected<Error> format_error(ErrorCode code, const FormatLocation& location,
                                   std::string_view expected, std::string_view found) {
  std::string message(location.encoding);
  message.append(", ").append(location.field).append(" at byte ");
  message.append(std::to_string(location.offset_bytes));
  message.append(": expected ").append(expected).append(", found ").append(found);
  return fail(code, std::move(message));
}

tl::unexpected<Error> format_error(ErrorCode code, const FormatLocation& location,
                                   std::string_view expected, std::uint64_t found) {
  return format_error(code, location, expected, std::to_string(found));
}

tl::unexpected<Error> fail_asset(const std::string& asset, const Error& error) {
  const bool is_other = error.code == ErrorCode::unsupported_version;
  return fail(error.code, asset +
                              (is_other ? " was built by another version of muster, build again: "
                                        : " is damaged: ") +
                              error.message);
}

}  // namespace muster
