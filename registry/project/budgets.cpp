#include "registry/project/budgets.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "registry/base/asset_path.h"
#include "registry/project/config_keys.h"

namespace muster {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::NodeIndex;

/// The maximum number of stars in a pattern. Each star can match at any position, so the time for a
/// match grows exponentially with the number of stars.
constexpr std::ptrdiff_t kStarsMax = 8;

struct Unit {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr std::array kUnits = {Unit{"", 1},
                               Unit{"B", 1},
                               Unit{"kB", 1000},
                               Unit{"KiB", 1ULL << 10U},
                               Unit{"MB", 1000000},
                               Unit{"MiB", 1ULL << 20U},
                               Unit{"GB", 1000000000},
                               Unit{"GiB", 1ULL << 30U}};

Result<void> read_kinds(const yaml::Tree& tree, NodeIndex node, Budget& budget) {
  const auto add = [&](NodeIndex at) -> Result<void> {
    const std::string_view kind = tree.scalar(at);
    if (tree.at(at).kind != yaml::NodeKind::scalar || kind.empty() ||
        kind.find_first_of("./*") != std::string_view::npos) {
      return refuse_config(tree, at, "a kind must be the extension of a file, such as 'png'");
    }
    budget.kinds.push_back(lower_ascii(kind));
    return {};
  };
  if (tree.at(node).kind != yaml::NodeKind::sequence) return add(node);
  if (tree.at(node).child_count == 0) return refuse_config(tree, node, "'kind' names no kind");
  for (const NodeIndex item : Children(tree, node)) {
    if (auto good = add(item); !good) return good;
  }
  return {};
}

Result<Budget> read_budget(const yaml::Tree& tree, NodeIndex item) {
  if (tree.at(item).kind != yaml::NodeKind::mapping) {
    return refuse_config(tree, item,
                         "a budget must be a mapping, such as {target: client, bytes: 300 MiB}");
  }
  Budget budget;
  budget.position = tree.at(item).position;
  if (auto good = check_config_keys(tree, item, ConfigPart::budget); !good) {
    return fail(good.error());
  }
  for (const NodeIndex child : Children(tree, item)) {
    const std::string_view key = tree.at(child).key;
    if (key != "kind" &&
        (tree.at(child).kind != yaml::NodeKind::scalar || tree.scalar(child).empty())) {
      return refuse_config(tree, child, "'" + std::string(key) + "' must be a single value");
    }
  }
  budget.bundle = tree.scalar_at(item, "bundle");
  if (const NodeIndex kind = tree.find(item, "kind"); kind != kNoNode) {
    if (auto good = read_kinds(tree, kind, budget); !good) return fail(good.error());
  }
  if (std::ranges::count(budget.bundle, '*') > kStarsMax) {
    return refuse_config(tree, item, "a pattern can have at most 8 stars");
  }
  if (!budget.bundle.empty() && !budget.kinds.empty()) {
    return refuse_config(tree, item, "a budget can have 'bundle' or 'kind', but not both");
  }
  if (const NodeIndex target = tree.find(item, "target"); target != kNoNode) {
    const std::string_view name = tree.scalar(target);
    if (name != "client" && name != "server") {
      return refuse_config(tree, target, "a target must be 'client' or 'server'");
    }
    budget.targets = name == "client" ? Target::client : Target::server;
  }
  const NodeIndex bytes = tree.find(item, "bytes");
  if (bytes == kNoNode) return refuse_config(tree, item, "a budget needs the key 'bytes'");
  const auto count = read_byte_count(tree.scalar(bytes));
  if (!count) return refuse_config(tree, bytes, count.error().message);
  budget.bytes = count.value();
  return budget;
}

}  // namespace

Result<std::vector<Budget>> read_budgets(const yaml::Tree& tree, NodeIndex list) {
  std::vector<Budget> budgets;
  const yaml::Node& node = tree.at(list);
  const bool is_null = node.kind == yaml::NodeKind::scalar && tree.scalar(list).empty();
  if (is_null) return budgets;  // All items are commented out.
  if (node.kind != yaml::NodeKind::sequence)
    return refuse_config(tree, list, "'budgets' must be a list");
  for (const NodeIndex item : Children(tree, list)) {
    auto budget = read_budget(tree, item);
    if (!budget) return fail(budget.error());
    budgets.push_back(std::move(budget).value());
  }
  return budgets;
}

Result<std::uint64_t> read_byte_count(std::string_view text) {
  const auto refuse_count = [&] {
    return fail(ErrorCode::malformed,
                "'" + std::string(text) + "' is not a number of bytes, such as 300 MiB or 4096");
  };
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc()) return refuse_count();
  std::string_view unit(read.ptr, static_cast<std::size_t>(end - read.ptr));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const auto* const found = std::ranges::find(kUnits, unit, &Unit::name);
  if (found == kUnits.end()) return refuse_count();
  if (number > std::numeric_limits<std::uint64_t>::max() / found->bytes) return refuse_count();
  return number * found->bytes;
}

bool fits_pattern(std::string_view path, std::string_view pattern) {
  while (!pattern.starts_with('*')) {
    if (path.empty() || pattern.empty()) return path.empty() && pattern.empty();
    if (path.front() != pattern.front()) return false;
    path.remove_prefix(1);
    pattern.remove_prefix(1);
  }
  const bool crosses = pattern.starts_with("**");
  pattern.remove_prefix(crosses ? 2 : 1);
  // `a/**/b` also matches `a/b`.
  if (crosses && pattern.starts_with('/') && fits_pattern(path, pattern.substr(1))) return true;
  while (!fits_pattern(path, pattern)) {
    if (path.empty() || (!crosses && path.front() == '/')) return false;
    path.remove_prefix(1);
  }
  return true;
}

}  // namespace muster
