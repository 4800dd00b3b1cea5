// Writes JSON with keys in insertion order, an indentation of two spaces, and a line feed at the
// end. Replaces invalid UTF-8, so that an unusual file name cannot make a report fail.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace muster {

using Json = nlohmann::ordered_json;

inline std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace muster
