// The overrides of a component are in the order of their files, the innermost file first. If one
// file removes an item, it is removed for all outer files. If an outer file makes the list longer
// again, the item at the same index is a new item.
#include "bundler/cook/list_extents.h"

#include <charconv>

namespace muster {
namespace {

constexpr std::string_view kItem = ".Array.data[";
constexpr std::string_view kSize = ".Array.size";

std::optional<std::size_t> number_in(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::size_t> list_size_in(const PropertyOverride& change) {
  return number_in(change.value);
}

std::size_t ListExtents::group_end(std::size_t begin) const {
  const auto& overrides = component_.overrides;
  std::size_t end = begin;
  while (end < overrides.size() && overrides[end].source == overrides[begin].source) ++end;
  return end;
}

const PropertyOverride* ListExtents::size_in(std::string_view list, std::size_t begin,
                                             std::size_t end) const {
  for (std::size_t i = end; i > begin; --i) {
    const PropertyOverride& change = component_.overrides[i - 1];
    const bool is_size = change.path.size() == list.size() + kSize.size() &&
                         change.path.starts_with(list) && change.path.ends_with(kSize);
    if (is_size && list_size_in(change)) return &change;
  }
  return nullptr;
}

std::optional<std::size_t> ListExtents::layer_length(std::string_view list,
                                                     std::size_t element_bytes) const {
  const SourceComponent::FieldNode found = component_.find(list);
  if (found.source == nullptr) return std::nullopt;
  const yaml::Node& node = found.source->tree.at(found.node);
  if (node.kind == yaml::NodeKind::sequence) return node.child_count;
  const bool is_packed = node.kind == yaml::NodeKind::scalar && !node.text.empty();
  if (is_packed && element_bytes > 0) return node.text.size() / 2 / element_bytes;
  return std::nullopt;
}

ListLength ListExtents::length(std::string_view list, const ValueReach& reach,
                               std::size_t element_bytes) const {
  ListLength length;
  if (reach.is_in_layers) length.items = layer_length(list, element_bytes);
  length.set_by = size_in(list, reach.first_override, component_.overrides.size());
  if (length.set_by != nullptr) length.items = list_size_in(*length.set_by);
  return length;
}

void ListExtents::step_into(std::string_view list, std::size_t index, std::size_t element_bytes,
                            ValueReach& reach) const {
  std::optional<std::size_t> items;
  if (reach.is_in_layers) items = layer_length(list, element_bytes);
  const auto is_outside = [&] { return items && index >= *items; };
  if (is_outside()) reach.is_in_layers = false;
  for (std::size_t begin = reach.first_override; begin < component_.overrides.size();) {
    const std::size_t end = group_end(begin);
    const PropertyOverride* const size = size_in(list, begin, end);
    if (size != nullptr) items = list_size_in(*size);
    if (is_outside()) {
      reach.is_in_layers = false;
      reach.first_override = end;
    }
    begin = end;
  }
  if (is_outside()) reach.exists = false;
}

ValueReach ListExtents::reach(std::string_view path, std::size_t element_bytes) const {
  ValueReach reach;
  for (std::size_t at = path.find(kItem); at != path.npos && reach.exists;
       at = path.find(kItem, at + 1)) {
    const std::size_t begin = at + kItem.size();
    const std::size_t close = path.find(']', begin);
    if (close == path.npos) break;
    const auto index = number_in(path.substr(begin, close - begin));
    if (!index) break;
    step_into(path.substr(0, at), *index, element_bytes, reach);
  }
  return reach;
}

}  // namespace muster
