// The error messages of file readers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "registry/base/result.h"

namespace muster {

/// The position of an error in an encoding, for example `{"bundle", "entry 3: local_id", 80}`.
struct FormatLocation {
  std::string_view encoding;
  std::string_view field;
  std::uint64_t offset_bytes = 0;
};

/// An error whose message has the field, its offset, the expected value and the found value.
tl::unexpected<Error> format_error(ErrorCode code, const FormatLocation& location,
                                   std::string_view expected, std::string_view found);
tl::unexpected<Error> format_error(ErrorCode code, const FormatLocation& location,
                                   std::string_view expected, std::uint64_t found);

/// The error for an asset whose cooked form cannot be opened. `asset` is the name of the asset in
/// the message.
tl::unexpected<Error> fail_asset(const std::string& asset, const Error& error);

}  // namespace muster
