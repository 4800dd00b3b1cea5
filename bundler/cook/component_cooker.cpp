#include "bundler/cook/component_cooker.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "bundler/cook/list_extents.h"
#include "bundler/cook/scalar_text.h"
#include "registry/components/field_rules.h"
#include "registry/components/lanes.h"
#include "registry/model/plain_components.h"

namespace muster {
namespace {

constexpr std::array<std::string_view, 4> kAxes = {"x", "y", "z", "w"};

std::size_t axis_count(FieldType type) {
  switch (type) {
    case FieldType::vec2:
      return 2;
    case FieldType::vec3:
      return 3;
    case FieldType::quaternion:
      return 4;
    default:
      return 0;
  }
}

bool is_integer(FieldType type) { return type <= FieldType::uint64; }

class ComponentCook {
 public:
  ComponentCook(const ComponentDescription& description, const SourceComponent& component,
                std::vector<CookProblem>& problems)
      : description_(description),
        component_(component),
        problems_(problems),
        extents_(component) {}

  ByteVector run() {
    check_layers();
    data_ = description_.default_value;
    for (const FieldDescription& field : description_.fields) {
      const std::string path = locate(source_path(field.name));
      if (path.empty()) continue;
      const ValueReach reach = extents_.reach(path);
      if (!reach.exists) continue;
      const SourceComponent::FieldNode found =
          reach.is_in_layers ? component_.find(path) : SourceComponent::FieldNode{};
      std::byte* const bytes = data_.data() + field.offset_bytes;
      if (field.count == 1) {
        store(field, {path, found, reach.first_override}, bytes);
      } else {
        store_list(field, {path, found, reach.first_override}, reach, bytes);
      }
    }
    check_struct_lists();
    return std::move(data_);
  }

 private:
  void check_layers() {
    for (const ComponentLayer& layer : component_.layers) {
      if (layer.fields == yaml::kNoNode) continue;
      const yaml::Node& at = layer.source->tree.at(layer.fields);
      std::string message = message_for_fieldless(description_.name, at);
      if (!message.empty())
        problems_.push_back({{layer.source->path, at.position}, std::move(message)});
    }
  }

  // A value: its path in overrides, its position in the layers (if a layer contains the value), and
  // the first override that applies.
  struct Item {
    std::string path;
    SourceComponent::FieldNode value;
    std::size_t first_override = 0;

    bool exists() const { return value.source != nullptr && value.node != yaml::kNoNode; }
    const yaml::Node& node() const { return value.source->tree.at(value.node); }
    bool is_null() const {
      return exists() && node().kind == yaml::NodeKind::scalar && node().text.empty() &&
             node().style == yaml::ScalarStyle::plain;
    }
  };

  // The path of a field in overrides. For example, the field `slots[2].ammo` has the path
  // `slots.Array.data[2].ammo`.
  static std::string source_path(std::string_view field) {
    std::string path;
    for (const char c : field) {
      if (c == '[') path += ".Array.data";
      path += c;
    }
    return path;
  }

  // The number of the outermost layer that has a value at a path; the innermost layer is 1. The
  // result is 0 if only overrides have a value, and -1 if there is no value.
  int layer_of(const std::string& path) const {
    for (std::size_t i = component_.layers.size(); i > 0; --i) {
      const ComponentLayer& layer = component_.layers[i - 1];
      if (layer.source->tree.find_path(layer.fields, path) != yaml::kNoNode) {
        return static_cast<int>(i);
      }
    }
    const bool is_overridden =
        std::ranges::any_of(component_.overrides, [&](const PropertyOverride& change) {
          return change.path == path ||
                 (change.path.starts_with(path) && change.path.size() > path.size() &&
                  change.path[path.size()] == '.');
        });
    return is_overridden ? 0 : -1;
  }

  // The path of a field in the source; empty if the source does not have the field. If a plain
  // prefab overrides a Unity prefab, the two files have different paths for the field. In this
  // case, the result is the path in the outer layer.
  std::string locate(const std::string& name) const {
    std::vector<std::string> paths;
    if (component_.class_name == "Transform" || component_.class_name == "RectTransform") {
      if (name == "position") paths.emplace_back("m_LocalPosition");
      if (name == "rotation") paths.emplace_back("m_LocalRotation");
      if (name == "scale") paths.emplace_back("m_LocalScale");
    }
    for (const char* prefix : {"", "m_SerializedData.", "Value."}) paths.push_back(prefix + name);
    std::string best;
    int best_layer = -1;
    for (std::string& path : paths) {
      const int layer = layer_of(path);
      if (layer <= best_layer) continue;
      best_layer = layer;
      best = std::move(path);
    }
    return best;
  }

  void store_list(const FieldDescription& field, const Item& list, const ValueReach& reach,
                  std::byte* to) {
    std::vector<yaml::NodeIndex> nodes;
    if (list.exists() && list.node().kind == yaml::NodeKind::sequence) {
      for (const yaml::NodeIndex child : yaml::Children(list.value.source->tree, list.value.node)) {
        nodes.push_back(child);
      }
    } else if (list.exists() && !list.is_null()) {
      const bool is_text = list.node().kind == yaml::NodeKind::scalar;
      if (!is_text || !store_packed(field, list, to)) note(field, list);
    }
    const ListLength length = extents_.length(list.path, reach, field.element_bytes);
    if (length.set_by != nullptr && *length.items > field.count) note(field, *length.set_by);
    if (length.set_by == nullptr && nodes.size() > field.count) note(field, list);
    nodes.resize(std::max<std::size_t>(nodes.size(), field.count), yaml::kNoNode);
    for (std::uint32_t i = 0; i < field.count; ++i) {
      // Unity writes the path of an array item as `name.Array.data[i]`.
      Item item{list.path + ".Array.data[" + std::to_string(i) + "]",
                {list.value.source, nodes[i]}};
      const ValueReach own = extents_.reach(item.path, field.element_bytes);
      const std::size_t offset = std::size_t{i} * field.element_bytes;
      if (!own.is_in_layers) {
        item.value = {};
        // The packed text has already stored a value here, so the default is restored.
        const auto at = static_cast<std::ptrdiff_t>(field.offset_bytes + offset);
        std::copy_n(description_.default_value.begin() + at, field.element_bytes, to + offset);
      }
      item.first_override = own.first_override;
      if (own.exists) store(field, item, to + offset);
    }
  }

  // Checks that each list of structs has the number of items in the description.
  void check_struct_lists() {
    std::map<std::string, std::size_t> counts;
    for (const FieldDescription& field : description_.fields) {
      for (std::size_t at = field.name.find('['); at != std::string::npos;
           at = field.name.find('[', at + 1)) {
        std::size_t index = 0;
        std::from_chars(&field.name[at] + 1, field.name.data() + field.name.size(), index);
        std::size_t& count = counts[field.name.substr(0, at)];
        count = std::max(count, index + 1);
      }
    }
    for (const auto& [list, count] : counts) check_struct_list(list, count);
    for (const PropertyOverride& change : component_.overrides) {
      if (!change.path.ends_with(".Array.size") || list_size_in(change)) continue;
      problems_.push_back({{change.source->path, change.position},
                           "'" + std::string(change.value) + "' is not the length of a list"});
    }
  }

  void check_struct_list(const std::string& list, std::size_t count) {
    const std::string path = locate(source_path(list));
    const ValueReach reach = extents_.reach(path);
    if (path.empty() || !reach.exists) return;
    const ListLength length = extents_.length(path, reach);
    if (length.items.value_or(0) <= count) return;
    Location location;
    if (length.set_by != nullptr) {
      location = {length.set_by->source->path, length.set_by->position};
    } else {
      const SourceComponent::FieldNode found = component_.find(path);
      location = {found.source->path, found.source->tree.at(found.node).position};
    }
    problems_.push_back(
        {std::move(location), fmt::format("{} items are more than the {} of {}.{}", *length.items,
                                          count, description_.name, list)});
  }

  // Unity writes a list of integers as the hex digits of its little-endian bytes.
  static bool store_packed(const FieldDescription& field, const Item& list, std::byte* to) {
    const std::string_view text = list.value.source->tree.scalar(list.value.node);
    const std::size_t size = text.size() / 2;
    if (!is_integer(field.type) || text.size() % 2 != 0 || size % field.element_bytes != 0 ||
        size > std::size_t{field.count} * field.element_bytes) {
      return false;
    }
    ByteVector bytes;
    for (std::size_t i = 0; i < size; ++i) {
      std::uint8_t value = 0;
      const char* const digits = text.data() + 2 * i;
      const auto [end, error] = std::from_chars(digits, digits + 2, value, 16);
      if (error != std::errc() || end != digits + 2) return false;
      if (field.type == FieldType::boolean && value > 1) return false;
      bytes.push_back(static_cast<std::byte>(value));
    }
    for (std::size_t at = 0; at < size; at += field.element_bytes) {
      if (!is_allowed(field, bytes.data() + at)) return false;
    }
    std::ranges::copy(bytes, to);
    return true;
  }

  const PropertyOverride* override_of(const std::string& path, std::size_t first) const {
    for (std::size_t i = component_.overrides.size(); i > first; --i) {
      if (component_.overrides[i - 1].path == path) return &component_.overrides[i - 1];
    }
    return nullptr;
  }

  void store(const FieldDescription& field, const Item& item, std::byte* to) {
    if (axis_count(field.type) > 0) {
      store_axes(field, item, to);
    } else if (field.type == FieldType::asset) {
      store_asset(field, item, to);
    } else if (const PropertyOverride* changed = override_of(item.path, item.first_override)) {
      if (!store_text(field, changed->value, to)) return note(field, *changed);
      if (!is_allowed(field, to)) note_beyond(field, *changed);
    } else if (item.exists()) {
      if (item.node().kind != yaml::NodeKind::scalar || is_quoted_number(field, item) ||
          !store_text(field, item.node().text, to)) {
        return note(field, item);
      }
      if (!is_allowed(field, to)) note_beyond(field, item);
    }
  }

  // In plain files, a quoted value is a text, even if it consists of digits.
  static bool is_quoted_number(const FieldDescription& field, const Item& item) {
    return item.value.source->dialect == yaml::Dialect::plain && field.type != FieldType::text &&
           item.node().style != yaml::ScalarStyle::plain &&
           std::ranges::find(field.names, item.node().text) == field.names.end();
  }

  // Whether the description allows a number, or each number of a vector.
  static bool is_allowed(const FieldDescription& field, const std::byte* value) {
    return with_lane_type(lane_type(field.type), [&]<typename T>(T) {
      return muster::is_allowed(load_lane<T>(value), field.minimum, field.maximum,
                                field.names.size());
    });
  }

  static bool store_text(const FieldDescription& field, std::string_view text, std::byte* to) {
    if (field.type != FieldType::text) {
      const auto named = std::ranges::find(field.names, text);
      if (named == field.names.end()) return store_scalar(field.type, text, to);
      return store_scalar(field.type, std::to_string(named - field.names.begin()), to);
    }
    if (text.size() > field.element_bytes) return false;
    std::memset(to, 0, field.element_bytes);
    std::memcpy(to, text.data(), text.size());
    return true;
  }

  // Stores a vector, which is written as `{x: 1, y: 2}` or `[1, 2]`. Missing numbers keep their
  // default.
  void store_axes(const FieldDescription& field, const Item& item, std::byte* to) {
    const std::size_t axes = axis_count(field.type);
    std::vector<yaml::NodeIndex> nodes(axes, yaml::kNoNode);
    if (item.exists() && item.node().kind == yaml::NodeKind::scalar) {
      if (!item.is_null()) note(field, item);
    } else if (item.exists()) {
      const yaml::Tree& tree = item.value.source->tree;
      const bool is_list = item.node().kind == yaml::NodeKind::sequence;
      if (is_list && item.node().child_count > axes) note(field, item);
      yaml::NodeIndex next = item.node().first_child;
      for (std::size_t axis = 0; axis < axes; ++axis) {
        nodes[axis] = is_list ? next : tree.find(item.value.node, kAxes[axis]);
        if (is_list && next != yaml::kNoNode) next = tree.at(next).next_sibling;
      }
    }
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const Item part{item.path + "." + std::string(kAxes[axis]),
                      {item.value.source, nodes[axis]},
                      item.first_override};
      std::byte* const at = to + axis * sizeof(float);
      if (const PropertyOverride* changed = override_of(part.path, part.first_override)) {
        if (!store_float(changed->value, at)) {
          note(field, *changed);
        } else if (!is_allowed(field, at)) {
          note_beyond(field, *changed);
        }
      } else if (part.exists()) {
        if (is_quoted_number(field, part) || !store_float(part.node().text, at)) {
          note(field, part);
        } else if (!is_allowed(field, at)) {
          note_beyond(field, part);
        }
      }
    }
  }

  // Stores an asset reference. Overrides are applied one after another, because Unity writes the
  // four numbers of a weak reference as separate overrides.
  void store_asset(const FieldDescription& field, const Item& item, std::byte* to) {
    std::optional<Guid> guid;
    if (item.exists()) guid = guid_at(item);
    const PropertyOverride* refused = nullptr;
    bool is_changed = false;
    for (std::size_t i = item.first_override; i < component_.overrides.size(); ++i) {
      const PropertyOverride& change = component_.overrides[i];
      if (!change.path.starts_with(item.path)) continue;
      const std::string_view part = change.path.substr(item.path.size());
      if (!is_reference_part(part)) continue;
      is_changed = true;
      const auto changed = changed_guid(change, part, guid.value_or(Guid()));
      if (changed) guid = changed;
      refused = changed ? nullptr : &change;
    }
    if (refused != nullptr) {
      note(field, *refused);
    } else if (guid) {
      std::ranges::copy(guid->bytes(), to);
    } else if (item.exists() && !is_changed) {
      note(field, item);
    }
  }

  // `part` is the path after the name of a reference. True if `part` is empty (the whole
  // reference), is the guid, or is one of the integers `.val0` to `.val3`.
  static bool is_reference_part(std::string_view part) {
    return part.empty() || part == ".guid" ||
           (part.size() == 5 && part.starts_with(".val") && part[4] >= '0' && part[4] <= '3');
  }

  static std::optional<Guid> changed_guid(const PropertyOverride& change, std::string_view part,
                                          const Guid& before) {
    if (part.starts_with(".val")) {
      WeakReferenceWords words = words_from_guid(before);
      std::int32_t word = 0;
      if (!store_scalar(FieldType::int32, change.value, reinterpret_cast<std::byte*>(&word))) {
        return std::nullopt;
      }
      words[static_cast<std::size_t>(part[4] - '0')] = word;
      return guid_from_words(words);
    }
    if (part.empty() && (!change.object.is_null() || change.value.empty())) {
      return change.object.guid;
    }
    if (change.value.empty()) return Guid();
    const auto guid = Guid::parse_any_case(change.value);
    return guid ? std::optional(guid.value()) : std::nullopt;
  }

  static std::optional<Guid> guid_at(const Item& item) {
    const yaml::Tree& tree = item.value.source->tree;
    if (const auto strong = yaml::reference_at(tree, item.value.node)) return strong.value().guid;
    const auto weak = yaml::weak_reference_at(tree, item.value.node);
    return weak ? std::optional(weak.value()) : std::nullopt;
  }

  void note(const FieldDescription& field, const Item& item) {
    note(field, {item.value.source->path, item.node().position},
         item.value.source->tree.scalar(item.value.node));
  }

  void note(const FieldDescription& field, const PropertyOverride& change) {
    note(field, {change.source->path, change.position}, change.value);
  }

  void note_beyond(const FieldDescription& field, const Item& item) {
    note_beyond(field, {item.value.source->path, item.node().position},
                item.value.source->tree.scalar(item.value.node));
  }

  void note_beyond(const FieldDescription& field, const PropertyOverride& change) {
    note_beyond(field, {change.source->path, change.position}, change.value);
  }

  void note_beyond(const FieldDescription& field, Location location, std::string_view text) {
    const std::string what = "'" + std::string(text) + "' is ";
    const std::string of_field = " of " + description_.name + "." + field.name;
    std::string allowed;
    for (const std::string& name : field.names) allowed += (allowed.empty() ? "" : ", ") + name;
    problems_.push_back({std::move(location),
                         field.names.empty() ? fmt::format("{}outside {} to {}{}", what,
                                                           field.minimum, field.maximum, of_field)
                                             : what + "not a value" + of_field + ": " + allowed});
  }

  void note(const FieldDescription& field, Location location, std::string_view text) {
    if (!field.names.empty() && !text.empty()) {
      return note_beyond(field, std::move(location), text);
    }
    const std::string what = text.empty() ? "this" : "'" + std::string(text) + "'";
    problems_.push_back({std::move(location), what + " is not a valid " +
                                                  std::string(to_string(field.type)) +
                                                  (field.count > 1 ? ", or list of them," : "") +
                                                  " for " + description_.name + "." + field.name});
  }

  const ComponentDescription& description_;
  const SourceComponent& component_;
  std::vector<CookProblem>& problems_;
  ListExtents extents_;
  ByteVector data_;
};

}  // namespace

ByteVector cook_component(const ComponentDescription& description, const SourceComponent& component,
                          std::vector<CookProblem>& problems) {
  return ComponentCook(description, component, problems).run();
}

}  // namespace muster
