#include "registry/rules/sink_text.h"

#include "registry/base/json_text.h"

namespace muster {

// Uses the JSON library, which replaces invalid bytes.
std::string valid_utf8(std::string_view text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace))
      .get<std::string>();
}

std::string prefixed(std::string_view prefix, const AssetPath& path) {
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  while (prefix.starts_with("./")) prefix.remove_prefix(2);
  if (prefix.empty() || prefix == ".") return path.text();
  return std::string(prefix) + "/" + path.text();
}

}  // namespace muster
