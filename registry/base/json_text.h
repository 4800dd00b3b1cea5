// JSON as this house writes it: keys in the order in which they were put there, two spaces, a line
// feed at the end, and whatever is no UTF-8 replaced, so that a file's odd name ends no report.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace muster {

using Json = nlohmann::ordered_json;

inline std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace muster
