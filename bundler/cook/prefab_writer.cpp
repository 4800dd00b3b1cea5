// Collects the types first, because components refer to a type by its index in the sorted list.
#include "bundler/cook/prefab_writer.h"

#include <map>
#include <span>
#include <string_view>

#include "runtime/bundle/bundle_layout.h"

namespace muster {

using namespace layout::prefab;  // NOLINT(google-build-using-namespace): uses the whole layout

namespace {

struct Description {
  ContentHash hash;
  std::size_t size_bytes = 0;
  std::uint32_t index = 0;
};

class PrefabBuilder {
 public:
  explicit PrefabBuilder(const PrefabData& prefab) : prefab_(prefab) {}

  Result<ByteVector> build() {
    if (Result<void> done = check_order(); !done) return fail(done.error());
    if (Result<void> done = collect_types(); !done) return fail(done.error());
    for (std::uint32_t i = 0; i < prefab_.entities.size(); ++i) add_entity(i);
    for (const PrefabEntity& entity : prefab_.entities) {
      for (const PrefabComponent& component : entity.components) add_component(component);
    }
    for (const auto& [name, description] : descriptions_) {
      hashes_.bytes(std::as_bytes(std::span(description.hash.bytes)));
      data_sizes_.u32(static_cast<std::uint32_t>(description.size_bytes));
      add_text(name);
    }
    for (const auto& [name, index] : other_types_) add_text(name);
    if (is_text_too_long_) {
      return fail(ErrorCode::limit_exceeded, "a name in the prefab is longer than 65535 bytes");
    }
    return assemble();
  }

 private:
  Result<void> check_order() {
    const std::vector<PrefabEntity>& entities = prefab_.entities;
    if (entities.empty() || entities.size() > kMaxEntities) {
      return fail(ErrorCode::limit_exceeded,
                  "a prefab has 1 to 1048576 entities, not " + std::to_string(entities.size()));
    }
    std::vector<std::uint32_t> chain;  // The indices of the previous entity and its ancestors.
    for (std::uint32_t i = 0; i < entities.size(); ++i) {
      const std::optional<std::uint32_t> parent = entities[i].parent;
      while (!chain.empty() && (!parent || chain.back() != *parent)) chain.pop_back();
      if (parent.has_value() && chain.empty()) {
        return fail(ErrorCode::invalid_argument, "entity " + std::to_string(i) + " ('" +
                                                     entities[i].name +
                                                     "') does not follow its parent depth first");
      }
      chain.push_back(i);
      component_count_ += entities[i].components.size();
    }
    if (component_count_ > kMaxComponents) {
      return fail(ErrorCode::limit_exceeded, "a prefab has at most 4194304 components, not " +
                                                 std::to_string(component_count_));
    }
    return {};
  }

  Result<void> collect_types() {
    for (const PrefabEntity& entity : prefab_.entities) {
      for (const PrefabComponent& component : entity.components) {
        if (!component.cooked) {
          other_types_.try_emplace(component.type);
          continue;
        }
        const Description now{component.cooked->description_hash, component.cooked->data.size()};
        const auto [it, is_new] = descriptions_.try_emplace(component.type, now);
        const Description& first = it->second;
        if (first.hash != now.hash || first.size_bytes != now.size_bytes) {
          return fail(ErrorCode::invalid_argument,
                      "component '" + component.type + "' is cooked by two descriptions");
        }
        if (now.size_bytes > layout::prefab::kMaxDescribedBytes) {
          return fail(ErrorCode::limit_exceeded,
                      "component '" + component.type + "' is larger than 64 KiB");
        }
      }
    }
    if (descriptions_.size() + other_types_.size() > kMaxTypes) {
      return fail(ErrorCode::limit_exceeded, "a prefab has components of at most 65536 types");
    }
    std::uint32_t next = 0;
    for (auto& [name, description] : descriptions_) description.index = next++;
    for (auto& [name, index] : other_types_) index = next++;
    return {};
  }

  void add_text(std::string_view text) {
    if (text.size() > kMaxTextBytes) is_text_too_long_ = true;
    text_.bytes(as_bytes(text));
    text_ends_.u32(static_cast<std::uint32_t>(text_.size()));
  }

  void add_entity(std::uint32_t index) {
    const PrefabEntity& entity = prefab_.entities[index];
    component_end_ += static_cast<std::uint32_t>(entity.components.size());
    source_ids_.i64(entity.source_id);
    parents_.u32(entity.parent ? index - *entity.parent : 0);
    component_ends_.u32(component_end_);
    flags_.u8(entity.is_active ? kIsActive : 0);
    add_text(entity.name);
  }

  void add_component(const PrefabComponent& component) {
    types_.u32(component.cooked ? descriptions_.at(component.type).index
                                : other_types_.at(component.type));
    documents_.u32(component.document.value_or(layout::kNone));
    if (component.cooked) {
      data_.align(kDataAlignment);
      data_.bytes(component.cooked->data);
    }
    if (!descriptions_.empty()) data_ends_.u32(static_cast<std::uint32_t>(data_.size()));
  }

  Result<ByteVector> assemble() {
    ByteWriter columns;
    for (const ByteWriter* column :
         {&source_ids_, &hashes_, &parents_, &component_ends_, &text_ends_, &types_, &documents_,
          &data_ends_, &data_sizes_, &flags_, &text_}) {
      columns.bytes(column->view());
    }
    static_assert(header::kBytes % kDataAlignment == 0);
    columns.align(kDataAlignment);
    const std::size_t total = header::kBytes + columns.size() + data_.size();
    if (total > 0xFFFFFFFFU) {
      return fail(ErrorCode::limit_exceeded, "the flattened prefab is larger than 4 GiB");
    }
    ByteWriter out;
    out.bytes(std::as_bytes(std::span(kMagic)));
    out.u16(kVersion);
    out.u16(0);
    for (const std::size_t field :
         {prefab_.entities.size(), component_count_, descriptions_.size() + other_types_.size(),
          descriptions_.size(), text_.size(), data_.size(), total, std::size_t{0}}) {
      out.u32(static_cast<std::uint32_t>(field));
    }
    out.bytes(columns.view());
    out.bytes(data_.view());
    return out.release();
  }

  const PrefabData& prefab_;
  std::map<std::string, Description, std::less<>> descriptions_;
  // The index of each type, by name.
  std::map<std::string, std::uint32_t, std::less<>> other_types_;
  std::size_t component_count_ = 0;
  std::uint32_t component_end_ = 0;
  bool is_text_too_long_ = false;
  // The columns.
  ByteWriter source_ids_;
  ByteWriter hashes_;
  ByteWriter parents_;
  ByteWriter component_ends_;
  ByteWriter text_ends_;
  ByteWriter types_;
  ByteWriter documents_;
  ByteWriter data_ends_;
  ByteWriter data_sizes_;
  ByteWriter flags_;
  ByteWriter text_;
  ByteWriter data_;
};

}  // namespace

Result<ByteVector> encode_prefab(const PrefabData& prefab) { return PrefabBuilder(prefab).build(); }

}  // namespace muster
