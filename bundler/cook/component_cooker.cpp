#include "bundler/cook/component_cooker.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace muster {
namespace {

constexpr std::array<std::string_view, 4> kAxes = {"x", "y", "z", "w"};

std::optional<double> parse_real(std::string_view text) {
  if (text == "Infinity" || text == ".inf") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity" || text == "-.inf") return -std::numeric_limits<double>::infinity();
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <typename Integer>
bool store_integer(std::string_view text, std::byte* place) {
  if (text == "true") text = "1";
  if (text == "false") text = "0";
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  std::memcpy(place, &value, sizeof value);
  return true;
}

template <typename Real>
bool store_real(std::string_view text, std::byte* place) {
  const auto value = parse_real(text);
  if (!value) return false;
  const Real narrowed = static_cast<Real>(*value);
  std::memcpy(place, &narrowed, sizeof narrowed);
  return true;
}

bool store_scalar(FieldType type, std::string_view text, std::byte* place) {
  switch (type) {
    case FieldType::boolean: {
      std::uint8_t value = 0;
      if (!store_integer<std::uint8_t>(text, reinterpret_cast<std::byte*>(&value)) || value > 1) {
        return false;
      }
      std::memcpy(place, &value, 1);
      return true;
    }
    case FieldType::int8:
      return store_integer<std::int8_t>(text, place);
    case FieldType::uint8:
      return store_integer<std::uint8_t>(text, place);
    case FieldType::int16:
      return store_integer<std::int16_t>(text, place);
    case FieldType::uint16:
      return store_integer<std::uint16_t>(text, place);
    case FieldType::entity:
    case FieldType::int32:
      return store_integer<std::int32_t>(text, place);
    case FieldType::uint32:
      return store_integer<std::uint32_t>(text, place);
    case FieldType::int64:
      return store_integer<std::int64_t>(text, place);
    case FieldType::uint64:
      return store_integer<std::uint64_t>(text, place);
    case FieldType::float32:
      return store_real<float>(text, place);
    case FieldType::float64:
      return store_real<double>(text, place);
    default:
      return false;
  }
}

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

class ComponentCook {
 public:
  ComponentCook(const ComponentDescription& description, const SourceComponent& component,
                std::vector<CookProblem>& problems)
      : description_(description), component_(component), problems_(problems) {}

  ByteVector run() {
    data_ = description_.default_value;
    for (const FieldDescription& field : description_.fields) {
      const std::string path = locate(field.name);
      if (path.empty()) continue;
      for (std::uint32_t i = 0; i < field.count; ++i) {
        // Unity writes changes to array items as `name.Array.data[i]`.
        const std::string item =
            field.count == 1 ? path : path + ".Array.data[" + std::to_string(i) + "]";
        const auto place = field.offset_bytes + std::size_t{i} * field.element_bytes;
        store(field, path, item, i, data_.data() + place);
      }
    }
    return std::move(data_);
  }

 private:
  bool exists(const std::string& path) const {
    if (component_.find(path).source != nullptr) return true;
    return std::ranges::any_of(component_.overrides, [&](const PropertyOverride& change) {
      return change.path == path ||
             (change.path.starts_with(path) && change.path.size() > path.size() &&
              change.path[path.size()] == '.');
    });
  }

  // Where the source keeps a field; empty when it has none.
  std::string locate(const std::string& name) const {
    if (component_.class_name == "Transform" || component_.class_name == "RectTransform") {
      constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kNames = {
          {{"position", "m_LocalPosition"},
           {"rotation", "m_LocalRotation"},
           {"scale", "m_LocalScale"}}};
      for (const auto& [own, unity] : kNames) {
        if (name == own && exists(std::string(unity))) return std::string(unity);
      }
    }
    for (const std::string_view prefix : {"", "m_SerializedData.", "Value."}) {
      std::string path = std::string(prefix) + name;
      if (exists(path)) return path;
    }
    return {};
  }

  std::optional<std::string_view> scalar_of(const std::string& path, const std::string& item,
                                            std::uint32_t index, std::string_view axis) const {
    const std::string suffix = axis.empty() ? "" : "." + std::string(axis);
    for (auto change = component_.overrides.rbegin(); change != component_.overrides.rend();
         ++change) {
      if (change->path == item + suffix) return change->value;
    }
    const SourceComponent::Place place = component_.find(path);
    if (place.source == nullptr) return std::nullopt;
    const yaml::Tree& tree = place.source->tree;
    yaml::NodeIndex node = place.node;
    if (path != item) {
      std::uint32_t at = 0;
      node = yaml::kNoNode;
      for (const yaml::NodeIndex child : yaml::Children(tree, place.node)) {
        if (at++ == index) node = child;
      }
    }
    if (!axis.empty()) node = axis_node(tree, node, axis);
    if (node == yaml::kNoNode) return std::nullopt;
    return tree.scalar(node);
  }

  // `{x: 1, y: 2}` or `[1, 2]`.
  static yaml::NodeIndex axis_node(const yaml::Tree& tree, yaml::NodeIndex node,
                                   std::string_view axis) {
    if (node == yaml::kNoNode || tree.at(node).kind != yaml::NodeKind::sequence) {
      return tree.find(node, axis);
    }
    std::size_t at = 0;
    for (const yaml::NodeIndex child : yaml::Children(tree, node)) {
      if (kAxes[std::min(at++, kAxes.size() - 1)] == axis) return child;
    }
    return yaml::kNoNode;
  }

  void store(const FieldDescription& field, const std::string& path, const std::string& item,
             std::uint32_t index, std::byte* place) {
    if (const std::size_t axes = axis_count(field.type); axes > 0) {
      for (std::size_t axis = 0; axis < axes; ++axis) {
        const auto text = scalar_of(path, item, index, kAxes[axis]);
        if (text && !store_real<float>(*text, place + axis * sizeof(float)))
          note(field, path, *text);
      }
      return;
    }
    if (field.type == FieldType::asset) {
      store_asset(field, path, place);
      return;
    }
    const auto text = scalar_of(path, item, index, {});
    if (!text) return;
    if (field.type == FieldType::text) {
      if (text->size() > field.element_bytes) {
        note(field, path, *text);
        return;
      }
      std::memset(place, 0, field.element_bytes);
      std::memcpy(place, text->data(), text->size());
      return;
    }
    if (!store_scalar(field.type, *text, place)) note(field, path, *text);
  }

  void store_asset(const FieldDescription& field, const std::string& path, std::byte* place) {
    Guid guid;
    bool found = false;
    for (const PropertyOverride& change : component_.overrides) {
      if (change.path == path) {
        guid = change.object.guid;
        found = true;
      }
    }
    if (!found) {
      const auto weak = component_.weak_reference(path);
      if (!weak) {
        note(field, path, component_.scalar(path).value_or(""));
        return;
      }
      guid = *weak;
    }
    const Bytes bytes = guid.bytes();
    std::memcpy(place, bytes.data(), bytes.size());
  }

  void note(const FieldDescription& field, const std::string& path, std::string_view text) {
    const SourceComponent::Place place = component_.find(path);
    Location location;
    if (place.source != nullptr) {
      location = {place.source->path, place.source->tree.at(place.node).position};
    }
    problems_.push_back({std::move(location), "'" + std::string(text) + "' is no " +
                                                  std::string(to_string(field.type)) + " for " +
                                                  description_.name + "." + field.name});
  }

  const ComponentDescription& description_;
  const SourceComponent& component_;
  std::vector<CookProblem>& problems_;
  ByteVector data_;
};

}  // namespace

ByteVector cook_component(const ComponentDescription& description, const SourceComponent& component,
                          std::vector<CookProblem>& problems) {
  return ComponentCook(description, component, problems).run();
}

}  // namespace muster
