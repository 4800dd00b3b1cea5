#include "registry/project/variant_axes.h"

#include <algorithm>

#include "registry/project/config_keys.h"

namespace muster {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::NodeIndex;
using yaml::NodeKind;

// Names of axes and values are parts of file names, so they must not contain `@`, `=`, `,` or a
// dot.
bool is_variant_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

constexpr std::string_view kVariantNameRule = " of letters, digits, '-' and '_'";

std::string names_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string names_of(std::span<const VariantAxis> axes) {
  std::vector<std::string> names;
  for (const VariantAxis& axis : axes) names.push_back(axis.name);
  return names_of(names);
}

Result<void> read_values(const yaml::Tree& tree, NodeIndex list, VariantAxis& axis) {
  const yaml::Position& at = tree.at(list).position;
  if (tree.at(list).kind != NodeKind::sequence || tree.at(list).child_count == 0) {
    return refuse_config(at, "'values' must be a list, such as [low, high]");
  }
  for (const NodeIndex item : Children(tree, list)) {
    const std::string_view name = tree.scalar(item);
    if (!is_variant_name(name)) {
      return refuse_config(
          tree.at(item).position,
          "a value must be a name" + std::string(kVariantNameRule) + ", at most 64 of them");
    }
    if (find_value(axis, name)) {
      return refuse_config(tree.at(item).position, "'" + std::string(name) + "' is listed twice");
    }
    axis.values.emplace_back(name);
  }
  return {};
}

Result<VariantAxis> read_axis(const yaml::Tree& tree, NodeIndex node) {
  VariantAxis axis;
  axis.name = std::string(tree.at(node).key);
  const yaml::Position& at = tree.at(node).position;
  if (!is_variant_name(axis.name)) {
    return refuse_config(
        at, "an axis must have a name" + std::string(kVariantNameRule) + ", at most 64 of them");
  }
  if (tree.at(node).kind != NodeKind::mapping) {
    return refuse_config(at,
                         "an axis must be a mapping, such as {values: [low, high], default: high}");
  }
  if (auto good = check_config_keys(tree, node, ConfigPart::variant_axis); !good) {
    return fail(good.error());
  }
  const NodeIndex values = tree.find(node, "values");
  if (values == kNoNode) return refuse_config(at, "an axis needs the key 'values'");
  if (auto good = read_values(tree, values, axis); !good) return fail(good.error());
  if (const NodeIndex choose = tree.find(node, "choose"); choose != kNoNode) {
    const std::string_view when = tree.scalar(choose);
    if (when != "build" && when != "runtime") {
      return refuse_config(tree.at(choose).position, "'choose' must be 'build' or 'runtime'");
    }
    axis.is_chosen_at_build = when == "build";
  }
  if (const NodeIndex value = tree.find(node, "default"); value != kNoNode) {
    axis.default_value = find_value(axis, tree.scalar(value));
    if (!axis.default_value) {
      return refuse_config(tree.at(value).position,
                           "'default' must be one of the values: " + names_of(axis.values));
    }
  }
  return axis;
}

}  // namespace

Result<std::vector<VariantAxis>> read_variant_axes(const yaml::Tree& tree, NodeIndex mapping) {
  std::vector<VariantAxis> axes;
  const yaml::Node& node = tree.at(mapping);
  // All axes are commented out.
  if (node.kind == NodeKind::scalar && tree.scalar(mapping).empty()) return axes;
  if (node.kind != NodeKind::mapping) {
    return refuse_config(node.position, "'variants' must be a mapping from axes to their values");
  }
  std::size_t values = 0;
  for (const NodeIndex child : Children(tree, mapping)) {
    auto axis = read_axis(tree, child);
    if (!axis) return fail(axis.error());
    values += axis.value().values.size();
    axes.push_back(std::move(axis).value());
  }
  if (axes.size() > kVariantAxesMax || values > kVariantValuesMax) {
    return refuse_config(node.position,
                         "there can be at most 8 axes, and 256 values of all axes together");
  }
  return axes;
}

std::optional<std::uint16_t> find_axis(std::span<const VariantAxis> axes, std::string_view name) {
  const auto found = std::ranges::find(axes, name, &VariantAxis::name);
  if (found == axes.end()) return std::nullopt;
  return static_cast<std::uint16_t>(found - axes.begin());
}

std::optional<std::uint16_t> find_value(const VariantAxis& axis, std::string_view name) {
  const auto found = std::ranges::find(axis.values, name);
  if (found == axis.values.end()) return std::nullopt;
  return static_cast<std::uint16_t>(found - axis.values.begin());
}

Result<VariantKeys> choose_for_build(std::span<const VariantAxis> axes,
                                     std::span<const VariantWish> wishes) {
  VariantKeys keys;
  for (const VariantWish& wish : wishes) {
    const auto axis = find_axis(axes, wish.axis);
    if (!axis) {
      return fail(
          ErrorCode::invalid_argument,
          axes.empty()
              ? "muster.yaml declares no 'variants', so there is no '" + wish.axis + "' to choose"
              : "there is no axis '" + wish.axis + "'; muster.yaml declares " + names_of(axes));
    }
    const auto value = find_value(axes[*axis], wish.value);
    if (!value) {
      return fail(ErrorCode::invalid_argument, "'" + wish.axis + "' has no value '" + wish.value +
                                                   "'; it has " + names_of(axes[*axis].values));
    }
    if (std::ranges::count(keys, *axis, &VariantKey::axis) > 0) {
      return fail(ErrorCode::invalid_argument, "'" + wish.axis + "' is chosen twice");
    }
    keys.push_back({*axis, *value});
  }
  for (std::uint16_t i = 0; i < axes.size(); ++i) {
    const VariantAxis& axis = axes[i];
    if (!axis.is_chosen_at_build || std::ranges::count(keys, i, &VariantKey::axis) > 0) continue;
    if (!axis.default_value) {
      return fail(ErrorCode::invalid_argument,
                  "'" + axis.name + "' is chosen at build and has no default: use '--variant " +
                      axis.name + "=" + axis.values.front() + "', or another of " +
                      names_of(axis.values));
    }
    keys.push_back({i, *axis.default_value});
  }
  std::ranges::sort(keys);
  return keys;
}

std::string to_text(std::span<const VariantAxis> axes, std::span<const VariantKey> keys) {
  std::string text;
  for (const VariantKey& key : keys) {
    const VariantAxis& axis = axes[key.axis];
    text += (text.empty() ? "" : ",") + axis.name + "=" + axis.values[key.value];
  }
  return text;
}

Result<VariantWish> read_variant_wish(std::string_view text) {
  const std::size_t at = text.find('=');
  if (at == std::string_view::npos || at == 0 || at + 1 == text.size()) {
    return fail(ErrorCode::invalid_argument,
                "'" + std::string(text) + "' is not a choice; write it like 'quality=low'");
  }
  return VariantWish{std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
}

}  // namespace muster
