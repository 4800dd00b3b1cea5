// Descriptions are collected first, because components refer to them by their sorted index; texts
// are appended while the records that name them are written, which puts them in the order that the
// format wants.
#include "bundler/cook/prefab_writer.h"

#include <map>
#include <span>
#include <string_view>

#include "runtime/bundle/bundle_layout.h"

namespace muster {

using namespace layout::prefab;  // NOLINT(google-build-using-namespace): this file is that layout

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
    if (Result<void> done = collect_descriptions(); !done) return fail(done.error());
    for (const PrefabEntity& entity : prefab_.entities) add_entity(entity);
    for (const PrefabEntity& entity : prefab_.entities) {
      for (const PrefabComponent& component : entity.components) add_component(component);
    }
    for (const auto& [name, description] : descriptions_) add_description(name, description);
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
    std::vector<std::uint32_t> chain;  // The ancestors of the entity before, itself included.
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

  Result<void> collect_descriptions() {
    for (const PrefabEntity& entity : prefab_.entities) {
      for (const PrefabComponent& component : entity.components) {
        if (!component.cooked) continue;
        const Description now{component.cooked->description_hash, component.cooked->data.size()};
        const auto [place, is_new] = descriptions_.try_emplace(component.type, now);
        const Description& first = place->second;
        if (first.hash != now.hash || first.size_bytes != now.size_bytes) {
          return fail(ErrorCode::invalid_argument,
                      "component '" + component.type + "' is cooked by two descriptions");
        }
        if (now.size_bytes > kMaxComponentBytes) {
          return fail(ErrorCode::limit_exceeded,
                      "component '" + component.type + "' is larger than 64 KiB");
        }
      }
    }
    if (descriptions_.size() > kMaxDescriptions) {
      return fail(ErrorCode::limit_exceeded, "a prefab uses at most 65536 described components");
    }
    std::uint32_t index = 0;
    for (auto& [name, description] : descriptions_) description.index = index++;
    return {};
  }

  void add_text(ByteWriter& record, std::string_view text) {
    if (text.size() > kMaxTextBytes) is_text_too_long_ = true;
    record.u32(static_cast<std::uint32_t>(text_.size()));
    record.u32(static_cast<std::uint32_t>(text.size()));
    text_.bytes(as_bytes(text));
  }

  void add_entity(const PrefabEntity& entity) {
    const auto count = static_cast<std::uint32_t>(entity.components.size());
    entities_.i64(entity.source_id);
    entities_.u32(entity.parent.value_or(layout::kNone));
    entities_.u32(next_component_);
    entities_.u32(count);
    add_text(entities_, entity.name);
    entities_.u32(entity.is_active ? entity::kIsActive : 0);
    next_component_ += count;
  }

  void add_component(const PrefabComponent& component) {
    components_.i64(component.source_id);
    components_.u32(component.cooked ? descriptions_.at(component.type).index : layout::kNone);
    components_.u32(component.document.value_or(layout::kNone));
    if (component.cooked) {
      data_.align(kDataAlignment);
      components_.u32(static_cast<std::uint32_t>(data_.size()));
      components_.u32(static_cast<std::uint32_t>(component.cooked->data.size()));
      data_.bytes(component.cooked->data);
    } else {
      components_.u64(0);
    }
    add_text(components_, component.cooked ? std::string_view() : component.type);
  }

  void add_description(std::string_view name, const Description& description) {
    description_records_.bytes(std::as_bytes(std::span(description.hash.bytes)));
    add_text(description_records_, name);
    description_records_.u32(static_cast<std::uint32_t>(description.size_bytes));
    description_records_.u32(0);
  }

  Result<ByteVector> assemble() {
    ByteWriter tables;
    for (const ByteWriter* part : {&entities_, &components_, &description_records_, &text_}) {
      tables.bytes(part->view());
    }
    static_assert(header::kBytes % kDataAlignment == 0);
    tables.align(kDataAlignment);
    const std::size_t total = header::kBytes + tables.size() + data_.size();
    if (total > 0xFFFFFFFFU) {
      return fail(ErrorCode::limit_exceeded, "the flattened prefab is larger than 4 GiB");
    }
    ByteWriter out;
    out.bytes(std::as_bytes(std::span(kMagic)));
    out.u16(kVersion);
    out.u16(0);
    out.u32(static_cast<std::uint32_t>(prefab_.entities.size()));
    out.u32(static_cast<std::uint32_t>(component_count_));
    out.u32(static_cast<std::uint32_t>(descriptions_.size()));
    out.u32(static_cast<std::uint32_t>(text_.size()));
    out.u32(static_cast<std::uint32_t>(data_.size()));
    out.u32(static_cast<std::uint32_t>(total));
    out.u64(0);
    out.u64(0);
    out.bytes(tables.view());
    out.bytes(data_.view());
    return out.take();
  }

  const PrefabData& prefab_;
  std::map<std::string, Description, std::less<>> descriptions_;
  std::size_t component_count_ = 0;
  std::uint32_t next_component_ = 0;
  bool is_text_too_long_ = false;
  ByteWriter entities_;
  ByteWriter components_;
  ByteWriter description_records_;
  ByteWriter text_;
  ByteWriter data_;
};

}  // namespace

Result<ByteVector> encode_prefab(const PrefabData& prefab) { return PrefabBuilder(prefab).build(); }

}  // namespace muster
