// What a range does not refuse in a program's options.
#pragma once

#include <cmath>
#include <cstdlib>
#include <string>

namespace muster {

/// For `CLI::Option::check`, what is wrong or nothing: "nan" is within every range.
inline std::string no_nan(const std::string& text) {
  return std::isnan(std::strtod(text.c_str(), nullptr)) ? "'" + text + "' is no number" : "";
}

/// The same: numbers without a sign wrap.
inline std::string not_below_zero(const std::string& text) {
  return text.find('-') != std::string::npos ? "'" + text + "' is below 0" : "";
}

}  // namespace muster
