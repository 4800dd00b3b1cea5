// What each node of a YAML tree becomes in the object form, and the tables that come of it.
// Internal to `encode_object`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "registry/vocabulary/guid.h"
#include "registry/yaml/tree.h"
#include "runtime/bundle/bundle_layout.h"

namespace muster {

/// Numbers keys in the order of their first appearance; `sort` then gives each its final index.
template <typename Key>
class InternTable {
 public:
  std::uint32_t add(const Key& key) {
    const auto [place, is_new] =
        numbers_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
    if (is_new) keys_.push_back(key);
    return place->second;
  }
  void sort() {
    std::vector<std::uint32_t> order(keys_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) { return keys_[a] < keys_[b]; });
    std::vector<Key> sorted;
    sorted.reserve(order.size());
    index_of_.resize(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      index_of_[order[i]] = i;
      sorted.push_back(keys_[order[i]]);
    }
    keys_ = std::move(sorted);
  }
  /// The final index of what `add` numbered. Requires: sorted.
  std::uint32_t index_of(std::uint32_t number) const { return index_of_[number]; }
  /// In final order once sorted.
  const std::vector<Key>& keys() const { return keys_; }

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const {
      if constexpr (requires { key.hash(); }) {
        return key.hash();
      } else {
        return std::hash<Key>{}(key);
      }
    }
  };
  std::unordered_map<Key, std::uint32_t, Hash> numbers_;
  std::vector<Key> keys_;
  std::vector<std::uint32_t> index_of_;
};

/// What makes a strong reference distinct.
struct ObjectReferenceKey {
  std::optional<Guid> guid;  ///< None within the file.
  std::int64_t file_id = 0;
  std::int32_t type = 0;

  std::size_t hash() const {
    const std::size_t of_guid = guid ? std::hash<Guid>{}(*guid) : 0;
    return of_guid ^ (std::hash<std::int64_t>{}(file_id)*31) ^ static_cast<std::uint32_t>(type);
  }
  friend bool operator==(const ObjectReferenceKey&, const ObjectReferenceKey&) = default;
  /// The format's order: guids sort as their indices do, none is greatest.
  friend bool operator<(const ObjectReferenceKey& a, const ObjectReferenceKey& b) {
    if (a.guid != b.guid) return a.guid && (!b.guid || *a.guid < *b.guid);
    return std::tuple(a.file_id, a.type) < std::tuple(b.file_id, b.type);
  }
};

/// What a node becomes. `payload` is an integer, the bits of a real, or a table number.
struct ObjectForm {
  ObjectKind kind = ObjectKind::null;
  std::uint64_t payload = 0;
};

/// The forms of all nodes below the documents' roots. Views the tree.
class ObjectForms {
 public:
  explicit ObjectForms(const yaml::Tree& tree);

  /// Classifies every node and sorts the tables. `type_names` as in `encode_object`. Returns false
  /// when a value nests deeper than the format allows.
  bool classify(std::span<const std::string_view> type_names);

  const ObjectForm& of(yaml::NodeIndex node) const { return forms_[node]; }
  /// The string index of the key of a mapping's child.
  std::uint32_t key_of(yaml::NodeIndex child) const {
    return strings_.index_of(key_numbers_[child]);
  }
  /// The string index of a document's type name.
  std::optional<std::uint32_t> type_name_of(std::size_t document) const;
  /// The table index that a text, reference or guid form means.
  std::uint32_t index_of(const ObjectForm& form) const;

  const std::vector<std::string_view>& strings() const { return strings_.keys(); }
  const std::vector<Guid>& guids() const { return guids_.keys(); }
  const std::vector<ObjectReferenceKey>& references() const { return references_.keys(); }

 private:
  bool classify_node(yaml::NodeIndex index, std::uint32_t depth);
  ObjectForm scalar_form(const yaml::Node& node);
  std::optional<ObjectForm> folded_form(yaml::NodeIndex index);
  std::optional<ObjectForm> reference_form(yaml::NodeIndex index);
  std::optional<ObjectForm> words_form(yaml::NodeIndex index);
  bool plain_scalars(yaml::NodeIndex index, std::span<const std::string_view> keys,
                     std::span<std::string_view> texts) const;
  void name_types(std::span<const std::string_view> type_names);

  const yaml::Tree& tree_;
  std::vector<ObjectForm> forms_;                           // By node.
  std::vector<std::uint32_t> key_numbers_;                  // By child node of a mapping.
  std::vector<std::optional<std::uint32_t>> type_numbers_;  // By document.
  InternTable<std::string_view> strings_;
  InternTable<Guid> guids_;
  InternTable<ObjectReferenceKey> references_;
};

}  // namespace muster
