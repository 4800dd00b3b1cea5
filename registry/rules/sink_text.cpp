#include "registry/rules/sink_text.h"

#include <nlohmann/json.hpp>

namespace muster {

// The JSON library knows how to mend it.
std::string valid_utf8(std::string_view text) {
  using Json = nlohmann::json;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace))
      .get<std::string>();
}

}  // namespace muster
