// Checks program options for errors that a range check does not find.
#pragma once

#include <cmath>
#include <cstdlib>
#include <string>

namespace muster {

/// For `CLI::Option::check`: returns the error, or an empty text. "nan" is inside every range.
inline std::string no_nan(const std::string& text) {
  return std::isnan(std::strtod(text.c_str(), nullptr)) ? "'" + text + "' is not a number" : "";
}

/// The same: unsigned numbers wrap.
inline std::string not_below_zero(const std::string& text) {
  return text.find('-') != std::string::npos ? "'" + text + "' is below 0" : "";
}

}  // namespace muster
