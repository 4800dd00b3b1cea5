// How readers say what is wrong with a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "registry/base/result.h"

namespace muster {

/// Where in an encoding something is wrong: `{"bundle", "entry 3: local_id", 80}`.
struct FormatPlace {
  std::string_view encoding;
  std::string_view field;
  std::uint64_t offset_bytes = 0;
};

/// A failure that names the field, where it stands, what was expected and what was found.
tl::unexpected<Error> format_error(ErrorCode code, const FormatPlace& place,
                                   std::string_view expected, std::string_view found);
tl::unexpected<Error> format_error(ErrorCode code, const FormatPlace& place,
                                   std::string_view expected, std::uint64_t found);

/// The error of an asset whose cooked form cannot be opened; `asset` is what people call it.
tl::unexpected<Error> fail_asset(const std::string& asset, const Error& error);

}  // namespace muster
