// Reads and writes the JSON form of descriptions.
#include <algorithm>
#include <optional>
#include <set>

#include "registry/base/escaped_text.h"
#include "registry/base/hex.h"
#include "registry/base/json_reader.h"
#include "registry/base/near_name.h"
#include "registry/components/component.h"

namespace muster {
namespace {

constexpr std::array<std::string_view, 3> kReceivers = {"everyone", "owner", "all_but_owner"};
constexpr std::array<std::string_view, 4> kInterpolations = {"step", "linear", "shortest_arc",
                                                             "angle"};
constexpr std::array<std::string_view, 2> kRollbacks = {"reconcilable", "confirmed_only"};
constexpr std::array<std::string_view, 3> kSamplings = {"latest", "largest", "sum"};
constexpr std::array<std::string_view, 3> kMissing = {"repeat", "neutral", "latch"};

Json field_to_json(const FieldDescription& field) {
  Json json;
  json["name"] = field.name;
  json["type"] = to_string(field.type);
  json["offset"] = field.offset_bytes;
  json["count"] = field.count;
  json["element_bytes"] = field.element_bytes;
  json["unit"] = field.unit;
  json["minimum"] = field.minimum;
  json["maximum"] = field.maximum;
  json["resolution"] = field.resolution;
  json["tolerance"] = field.tolerance;
  json["receivers"] = kReceivers[static_cast<std::size_t>(field.receivers)];
  json["interpolation"] = kInterpolations[static_cast<std::size_t>(field.interpolation)];
  json["rollback"] = kRollbacks[static_cast<std::size_t>(field.rollback)];
  // Only fields of commands differ from these defaults.
  if (field.sampled != Sampling::latest) {
    json["sampled"] = kSamplings[static_cast<std::size_t>(field.sampled)];
  }
  if (field.when_missing != Missing::repeat) {
    json["when_missing"] = kMissing[static_cast<std::size_t>(field.when_missing)];
  }
  if (!field.names.empty()) json["names"] = field.names;
  return json;
}

const std::set<std::string>& document_keys() {
  static const std::set<std::string> kKeys = {"components", "messages"};
  return kKeys;
}
const std::set<std::string>& component_keys() {
  static const std::set<std::string> kKeys = {"name",    "size", "alignment",
                                              "default", "hash", "fields"};
  return kKeys;
}
const std::set<std::string>& field_keys() {
  static const std::set<std::string> kKeys = {
      "name",     "type",    "offset",       "count",     "element_bytes", "unit",
      "minimum",  "maximum", "resolution",   "tolerance", "receivers",     "interpolation",
      "rollback", "sampled", "when_missing", "names"};
  return kKeys;
}

// Returns the problem of an unknown key. The depth determines the known keys.
std::string unread_key(int depth, const std::string& key) {
  // At even depths the file must have lists. An object there is reported as a missing list.
  if (depth % 2 == 0) return {};
  const bool is_of_document = depth <= 1;
  const bool is_of_component = depth <= 3;
  const std::set<std::string>& known = is_of_document    ? document_keys()
                                       : is_of_component ? component_keys()
                                                         : field_keys();
  if (known.contains(key)) return {};
  const char* const owner = is_of_document    ? "the file"
                            : is_of_component ? "a component"
                                              : "a field";
  return "unknown key '" + escaped_text(key) + "' of " + owner + did_you_mean(key, known);
}

// Reads the members of a JSON object, and records the first missing or invalid member.
class Members {
 public:
  explicit Members(const Json& object) : object_(object) {
    if (!object.is_object()) fault_ = "expected an object in braces";
  }

  std::string text(const char* key, const std::optional<std::string>& otherwise = {}) {
    const Json* const found = find(key, otherwise.has_value());
    if (found == nullptr) return otherwise.value_or("");
    if (!found->is_string()) return refuse(key, "a text in quotes"), "";
    return found->get<std::string>();
  }
  std::uint32_t count(const char* key, std::optional<std::uint32_t> otherwise = {}) {
    const Json* const found = find(key, otherwise.has_value());
    if (found == nullptr) return otherwise.value_or(0);
    if (!found->is_number_unsigned() || found->get<std::uint64_t>() > UINT32_MAX) {
      return refuse(key, "a whole number from 0 to 4294967295"), 0;
    }
    return found->get<std::uint32_t>();
  }
  double number(const char* key) {
    const Json* const found = find(key, true);
    if (found == nullptr) return 0;
    if (!found->is_number()) return refuse(key, "a number"), 0;
    return found->get<double>();
  }
  template <typename Enum, std::size_t N>
  Enum word(const char* key, const std::array<std::string_view, N>& words) {
    const std::string name = text(key, std::string(words.front()));
    const auto* const found = std::ranges::find(words, name);
    if (found != words.end()) return static_cast<Enum>(found - words.begin());
    std::string due = "one of";
    for (const std::string_view one : words) due.append(" '").append(one).append("'");
    return refuse(key, due), Enum{};
  }
  std::vector<std::string> texts(const char* key) {
    std::vector<std::string> all;
    const Json* const found = find(key, true);
    if (found == nullptr) return all;
    for (const Json& item : *found) {
      if (found->is_array() && item.is_string()) all.push_back(item.get<std::string>());
    }
    if (!found->is_array() || all.size() != found->size()) refuse(key, "a list of texts");
    return all;
  }
  const Json& list(const char* key) {
    static const Json kEmpty = Json::array();
    const Json* const found = find(key, false);
    if (found == nullptr) return kEmpty;
    if (!found->is_array()) return refuse(key, "a list in brackets"), kEmpty;
    return *found;
  }
  /// The problem of the first invalid member; empty if all members were valid.
  const std::string& fault() const { return fault_; }
  void refuse(const char* key, const std::string& due) {
    if (fault_.empty()) fault_ = "'" + std::string(key) + "' must be " + due;
  }

 private:
  const Json* find(const char* key, bool is_optional) {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(key);
    if (found != object_.end()) return &*found;
    if (!is_optional && fault_.empty()) fault_ = "'" + std::string(key) + "' is missing";
    return nullptr;
  }

  const Json& object_;
  std::string fault_;
};

Result<FieldDescription> field_from_json(const Json& json) {
  Members members(json);
  FieldDescription field;
  field.name = members.text("name");
  const auto type = field_type_from(members.text("type"));
  if (!members.fault().empty()) return fail(ErrorCode::malformed, members.fault());
  if (!type) return fail(type.error());
  field.type = type.value();
  field.offset_bytes = members.count("offset");
  field.count = members.count("count", 1U);
  field.element_bytes = members.count("element_bytes", size_of(field.type));
  field.unit = members.text("unit", "");
  field.minimum = members.number("minimum");
  field.maximum = members.number("maximum");
  field.resolution = members.number("resolution");
  field.tolerance = members.number("tolerance");
  field.receivers = members.word<Receivers>("receivers", kReceivers);
  field.interpolation = members.word<Interpolation>("interpolation", kInterpolations);
  field.rollback = members.word<RollbackClass>("rollback", kRollbacks);
  field.sampled = members.word<Sampling>("sampled", kSamplings);
  field.when_missing = members.word<Missing>("when_missing", kMissing);
  field.names = members.texts("names");
  if (!members.fault().empty()) return fail(ErrorCode::malformed, members.fault());
  return field;
}

// The title of an item for messages: its name, or `component 3` if it has no name.
std::string title_of(const Json& json, std::string_view kind, std::size_t index) {
  const bool is_named = json.is_object() && json.contains("name") && json["name"].is_string();
  if (!is_named) return std::string(kind) + " " + std::to_string(index + 1);
  return std::string(kind) + " '" + json["name"].get<std::string>() + "'";
}

Result<ComponentDescription> component_from_json(const Json& json) {
  Members members(json);
  ComponentDescription component;
  component.name = members.text("name");
  component.size_bytes = members.count("size");
  component.alignment_bytes = members.count("alignment", 1U);
  const std::string digits = members.text("default");
  const Json& fields = members.list("fields");
  if (!members.fault().empty()) return fail(ErrorCode::malformed, members.fault());
  component.default_value.resize(digits.size() / 2);
  if (!parse_hex(digits, component.default_value)) {
    return fail(ErrorCode::malformed, "'default' is not two hexadecimal digits per byte");
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    auto field = field_from_json(fields[i]);
    if (!field) {
      return fail(ErrorCode::malformed,
                  title_of(fields[i], "field", i) + ": " + field.error().message);
    }
    component.fields.push_back(std::move(field).value());
  }
  return component;
}

Json list_to_json(std::span<const ComponentDescription> components) {
  std::vector<const ComponentDescription*> sorted;
  for (const ComponentDescription& component : components) sorted.push_back(&component);
  std::ranges::sort(sorted, {}, &ComponentDescription::name);
  Json list = Json::array();
  for (const ComponentDescription* component : sorted) {
    Json json;
    json["name"] = component->name;
    json["size"] = component->size_bytes;
    json["alignment"] = component->alignment_bytes;
    json["default"] = hex_text(component->default_value);
    json["hash"] = component->hash().to_string();
    json["fields"] = Json::array();
    for (const FieldDescription& field : component->fields) {
      json["fields"].push_back(field_to_json(field));
    }
    list.push_back(std::move(json));
  }
  return list;
}

/// Parses the list under `key`. `one` is the word for an item in messages.
Result<std::vector<ComponentDescription>> list_from_json(std::string_view text, const char* key,
                                                         std::string_view one) {
  const auto refuse = [](const std::string& why) {
    return fail(ErrorCode::malformed, why + "; let the game write its descriptions again");
  };
  const auto document = read_json(text, {.check_key = unread_key});
  if (!document) return refuse(document.error().message);
  std::vector<ComponentDescription> components;
  const bool is_optional = std::string_view(key) != "components";
  if (is_optional && document.value().is_object() && !document.value().contains(key)) {
    return components;
  }
  Members members(document.value());
  const Json& list = members.list(key);
  if (!members.fault().empty()) return refuse(members.fault());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string title = title_of(list[i], one, i);
    auto component = component_from_json(list[i]);
    if (!component) return refuse(title + ": " + component.error().message);
    if (auto good = check(component.value()); !good) return fail(good.error());
    if (std::ranges::find(components, component.value().name, &ComponentDescription::name) !=
        components.end()) {
      return refuse("two " + std::string(one) + "s are called '" + component.value().name + "'");
    }
    components.push_back(std::move(component).value());
  }
  return components;
}

}  // namespace

std::string components_to_json(std::span<const ComponentDescription> components,
                               std::span<const ComponentDescription> messages) {
  Json document{{"components", list_to_json(components)}};
  if (!messages.empty()) document["messages"] = list_to_json(messages);
  return document.dump(2) + "\n";
}

Result<std::vector<ComponentDescription>> components_from_json(std::string_view text) {
  return list_from_json(text, "components", "component");
}

Result<std::vector<ComponentDescription>> messages_from_json(std::string_view text) {
  return list_from_json(text, "messages", "message");
}

}  // namespace muster
