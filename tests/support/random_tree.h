// Random YAML trees for round-trip tests. Equal seeds give equal trees.
#pragma once

#include <span>
#include <string_view>

#include "registry/base/seed.h"
#include "registry/yaml/tree.h"

namespace muster::testing {

/// The texts of random trees. The texts must outlive the trees.
struct TreeParts {
  std::span<const std::string_view> plain_texts;   ///< Scalars that are valid without quotes.
  std::span<const std::string_view> quoted_texts;  ///< Scalars with any text.
  std::span<const std::string_view> keys;          ///< Distinct keys that are valid without quotes.
  std::uint64_t depth_max = 5;
};

/// Adds `node` and random descendants. `node` may have a key.
inline yaml::NodeIndex add_random_node(yaml::Tree& tree, const TreeParts& parts, Random& random,
                                       yaml::Node node, std::uint64_t depth) {
  const std::uint64_t choice = depth >= parts.depth_max ? 0 : random.below(6);
  if (choice < 3) {
    node.style = static_cast<yaml::ScalarStyle>(random.below(3));
    const auto texts =
        node.style == yaml::ScalarStyle::plain ? parts.plain_texts : parts.quoted_texts;
    node.text = texts[random.below(texts.size())];
    return tree.add(node);
  }
  node.kind = choice < 5 ? yaml::NodeKind::mapping : yaml::NodeKind::sequence;
  const yaml::NodeIndex parent = tree.add(node);
  const std::uint64_t first_key = random.below(parts.keys.size());
  const std::uint64_t count = random.below(parts.keys.size() + 1);
  yaml::NodeIndex last = yaml::kNoNode;
  for (std::uint64_t i = 0; i < count; ++i) {
    yaml::Node child;
    if (choice < 5) child.key = parts.keys[(first_key + i) % parts.keys.size()];
    const yaml::NodeIndex now = add_random_node(tree, parts, random, child, depth + 1);
    tree.append_child(parent, last, now);
    last = now;
  }
  return parent;
}

}  // namespace muster::testing
