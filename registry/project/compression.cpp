#include "registry/project/compression.h"

#include <charconv>

#include "registry/base/asset_path.h"
#include "registry/project/config_keys.h"

namespace muster {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::NodeIndex;

Result<int> read_level(const yaml::Tree& tree, NodeIndex node) {
  const std::string_view text = tree.scalar(node);
  const bool is_scalar = tree.at(node).kind == yaml::NodeKind::scalar;
  if (is_scalar && text == "store") return 0;
  int level = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
  const bool is_number = is_scalar && error == std::errc() && end == text.data() + text.size();
  if (is_number && level >= 1 && level <= CompressionRules::kLevelMax) return level;
  return refuse_config(tree.at(node).position,
                       "a level must be a number from 1 (fast) to 19 (small), or 'store'");
}

Result<void> read_kinds(const yaml::Tree& tree, NodeIndex kinds, CompressionRules& rules) {
  if (tree.at(kinds).kind != yaml::NodeKind::mapping) {
    return refuse_config(tree.at(kinds).position,
                         "'kinds' must be a mapping, such as {object: 19, wav: store}");
  }
  for (const NodeIndex child : Children(tree, kinds)) {
    const std::string kind = lower_ascii(tree.at(child).key);
    if (kind.empty() || kind.find_first_of("./*") != std::string::npos) {
      return refuse_config(
          tree.at(child).key_position,
          "a kind must be object, prefab, raw, import_settings, text, or the extension "
          "of a file, such as 'png'");
    }
    const auto level = read_level(tree, child);
    if (!level) return fail(level.error());
    if (!rules.kinds.emplace(kind, level.value()).second) {
      return refuse_config(tree.at(child).key_position, "'" + kind + "' has a level already");
    }
  }
  return {};
}

}  // namespace

std::string CompressionRules::text() const {
  std::string all;
  for (const auto& [kind, kind_level] : kinds) {
    all += (all.empty() ? "" : ", ") + kind + ": ";
    all += kind_level == 0 ? "store" : std::to_string(kind_level);
  }
  return all;
}

Result<CompressionRules> read_compression(const yaml::Tree& tree, NodeIndex section) {
  CompressionRules rules;
  const yaml::Node& node = tree.at(section);
  const bool is_null = node.kind == yaml::NodeKind::scalar && tree.scalar(section).empty();
  if (is_null) return rules;  // All keys are commented out.
  if (node.kind != yaml::NodeKind::mapping) {
    return refuse_config(
        node.position,
        "'compression' must be a mapping, such as {default: 9, kinds: {wav: store}}");
  }
  if (auto good = check_config_keys(tree, section, ConfigPart::compression); !good) {
    return fail(good.error());
  }
  if (const NodeIndex level = tree.find(section, "default"); level != kNoNode) {
    const auto read = read_level(tree, level);
    if (!read) return fail(read.error());
    if (read.value() == 0) {
      return refuse_config(tree.at(level).position,
                           "'default' must be a number from 1 to 19; 'store' is only for kinds");
    }
    rules.level = read.value();
  }
  if (const NodeIndex kinds = tree.find(section, "kinds"); kinds != kNoNode) {
    if (auto good = read_kinds(tree, kinds, rules); !good) return fail(good.error());
  }
  if (const NodeIndex folder = tree.find(section, "dictionaries"); folder != kNoNode) {
    auto path = AssetPath::parse(tree.scalar(folder));
    const bool is_scalar = tree.at(folder).kind == yaml::NodeKind::scalar;
    if (!is_scalar || !path || path.value().empty()) {
      return refuse_config(
          tree.at(folder).position,
          "'dictionaries' must be a folder of the project, such as 'Dictionaries~'");
    }
    rules.dictionaries = std::move(path).value();
    rules.dictionaries_at = tree.at(folder).position;
  }
  return rules;
}

}  // namespace muster
