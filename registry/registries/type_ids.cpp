#include "registry/registries/type_ids.h"

#include <algorithm>
#include <map>

#include "registry/yaml/reader.h"

namespace muster {
namespace {

constexpr std::uint64_t kMaxLockBytes = 16 * 1024 * 1024;

// Stored ids tell whether a project counts from zero or from one: the base that more of them fit.
std::uint32_t base_of(const Registry& registry) {
  std::size_t fits_zero = 0;
  std::size_t fits_one = 0;
  for (const RegistryEntry& entry : registry.entries) {
    if (!entry.stored_id) continue;
    const auto slot = static_cast<std::int64_t>(entry.slot);
    fits_zero += *entry.stored_id == slot ? 1U : 0U;
    fits_one += *entry.stored_id == slot + 1 ? 1U : 0U;
  }
  if (fits_zero == fits_one) return registry.declaration->first_id;
  return fits_one > fits_zero ? 1 : 0;
}

}  // namespace

Guid identity_of(const RegistryEntry& entry) {
  if (entry.is_free) return {};
  if (!entry.definition_guid.is_null()) return entry.definition_guid;
  for (const EntryReference& reference : entry.references) {
    if (!reference.guid.is_null()) return reference.guid;
  }
  return entry.own_guid;
}

AssetPath lock_path_of(const AssetPath& registry) {
  return registry.parent().child("." + std::string(registry.name()) + ".ids.yaml");
}

Result<IdLock> parse_id_lock(std::string_view text) {
  auto read = yaml::read_plain(text);
  if (!read.good()) {
    return fail(ErrorCode::malformed,
                "line " + std::to_string(read.error().position.line) + ": " + read.error().message);
  }
  const yaml::Tree& tree = read.tree();
  IdLock lock;
  if (tree.documents.size() != 1) return fail(ErrorCode::malformed, "expected one document");
  const yaml::NodeIndex root = tree.documents.front().root;
  if (tree.scalar_at(root, "version") != "1") {
    return fail(ErrorCode::unsupported_version, "expected 'version: 1'");
  }
  for (const yaml::NodeIndex item : yaml::Children(tree, tree.find(root, "ids"))) {
    const auto id = tree.integer(tree.find(item, "id"));
    const auto guid = Guid::parse(tree.scalar_at(item, "guid"));
    if (!id || !guid || id.value() < 0 || id.value() > TypeId::kMax) {
      return fail(ErrorCode::malformed,
                  "line " + std::to_string(tree.at(item).position.line) + ": expected {id, guid}");
    }
    lock.ids.push_back({TypeId(static_cast<std::uint32_t>(id.value())), guid.value()});
  }
  for (const yaml::NodeIndex item : yaml::Children(tree, tree.find(root, "retired"))) {
    const auto id = tree.integer(item);
    if (!id || id.value() < 0 || id.value() > TypeId::kMax) {
      return fail(ErrorCode::malformed,
                  "line " + std::to_string(tree.at(item).position.line) + ": expected a type id");
    }
    lock.retired.emplace_back(static_cast<std::uint32_t>(id.value()));
  }
  std::ranges::sort(lock.ids, {}, &IdLock::Row::id);
  std::ranges::sort(lock.retired);
  return lock;
}

std::string format_id_lock(const IdLock& lock) {
  std::string text =
      "# Type ids of the registry beside this file, kept by `muster prepare`. Commit it.\n"
      "version: 1\nids:\n";
  for (const IdLock::Row& row : lock.ids) {
    text += "- {id: " + std::to_string(row.id.value()) + ", guid: " + row.guid.to_string() + "}\n";
  }
  text += "retired: [";
  for (std::size_t i = 0; i < lock.retired.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(lock.retired[i].value());
  }
  return text + "]\n";
}

Result<IdLock> load_id_lock(const FileSystem& files, const AssetPath& registry) {
  ByteVector buffer;
  const AssetPath path = lock_path_of(registry);
  const auto bytes = read_whole(files, path, kMaxLockBytes, buffer);
  if (!bytes) {
    if (bytes.error().code == ErrorCode::not_found) return IdLock{};
    return fail(bytes.error());
  }
  auto lock = parse_id_lock(as_text(bytes.value()));
  if (!lock) return fail(lock.error().code, path.text() + ": " + lock.error().message);
  return lock;
}

void assign_type_ids(Registry& registry, const IdLock& lock) {
  const std::uint32_t base = base_of(registry);
  std::map<Guid, TypeId> locked;
  std::uint32_t next = 0;
  for (const IdLock::Row& row : lock.ids) {
    locked.emplace(row.guid, row.id);
    next = std::max(next, row.id.value() + 1);
  }
  for (const TypeId id : lock.retired) {
    registry.retired.emplace_back(id, Location{});
    next = std::max(next, id.value() + 1);
  }
  for (RegistryEntry& entry : registry.entries) {
    const auto by_place = TypeId(static_cast<std::uint32_t>(entry.slot) + base);
    if (entry.explicit_id) {
      entry.type_id = TypeId(*entry.explicit_id);
    } else if (lock.is_empty() || entry.is_free) {
      entry.type_id = by_place;
    } else if (const auto found = locked.find(identity_of(entry)); found != locked.end()) {
      entry.type_id = found->second;
    } else {
      // Not locked yet: what the next `prepare` would give it.
      entry.type_id = TypeId(next++);
    }
  }
}

}  // namespace muster
