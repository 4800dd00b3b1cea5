// Checks program options for errors that a range check does not find.
#pragma once

#include <cmath>
#include <cstdlib>
#include <string>

namespace muster {

/// A function for `CLI::Option::check` that refuses "nan", which passes every range check. Returns
/// the error, or an empty text.
inline std::string no_nan(const std::string& text) {
  return std::isnan(std::strtod(text.c_str(), nullptr)) ? "'" + text + "' is not a number" : "";
}

/// A function for `CLI::Option::check` that refuses negative numbers, which would wrap.
inline std::string not_below_zero(const std::string& text) {
  return text.find('-') != std::string::npos ? "'" + text + "' is below 0" : "";
}

}  // namespace muster
