#include "registry/model/id_lock.h"

#include <algorithm>
#include <array>
#include <map>

#include "registry/yaml/reader.h"

namespace muster {
namespace {

constexpr std::uint64_t kMaxLockBytes = 16ULL * 1024 * 1024;
constexpr std::array<std::string_view, 4> kKnownKeys = {"version", "registry", "ids", "retired"};

class LockReader {
 public:
  LockReader(const yaml::Tree& tree, yaml::Position& fault)
      : tree_(tree), root_(tree.documents.front().root), fault_(fault) {}

  Result<IdLock> read() {
    const std::string_view version = tree_.scalar_at(root_, "version");
    if (version != "1" && version != "2") {
      return fail(ErrorCode::unsupported_version, "expected 'version: 1' or 'version: 2'");
    }
    if (auto known = check_keys(); !known) return fail(known.error());
    IdLock lock;
    if (const yaml::NodeIndex node = tree_.find(root_, "registry"); node != yaml::kNoNode) {
      const auto guid = Guid::parse(tree_.scalar(node));
      if (!guid) return refuse(tree_.at(node).position, guid.error().message);
      lock.registry = guid.value();
    } else if (version == "2") {
      return refuse({1, 1}, "expected 'registry' with the guid of the registry");
    }
    if (auto good = read_ids(lock); !good) return fail(good.error());
    if (auto good = read_retired(lock); !good) return fail(good.error());
    std::ranges::sort(lock.ids, {}, &IdLock::Row::id);
    std::ranges::sort(lock.retired);
    return lock;
  }

 private:
  tl::unexpected<Error> refuse(const yaml::Position& at, const std::string& why) {
    fault_ = at;
    return fail(ErrorCode::malformed, why);
  }

  Result<yaml::NodeIndex> list_at(std::string_view key) {
    const yaml::NodeIndex list = tree_.find(root_, key);
    if (list == yaml::kNoNode) return list;
    const yaml::Node& node = tree_.at(list);
    const bool is_empty = node.kind == yaml::NodeKind::scalar && node.text.empty();
    if (node.kind == yaml::NodeKind::sequence || is_empty) return list;
    return refuse(node.position, "'" + std::string(key) + "' is not a list");
  }

  Result<void> check_keys() {
    for (const yaml::NodeIndex child : yaml::Children(tree_, root_)) {
      const yaml::Node& node = tree_.at(child);
      if (std::ranges::find(kKnownKeys, node.key) != kKnownKeys.end()) continue;
      return refuse(node.key_position, "unknown key '" + std::string(node.key) + "'");
    }
    return {};
  }

  Result<void> read_ids(IdLock& lock) {
    const auto ids = list_at("ids");
    if (!ids) return fail(ids.error());
    std::map<Guid, TypeId> known;
    for (const yaml::NodeIndex item : yaml::Children(tree_, ids.value())) {
      const auto id = type_id_at(tree_.find(item, "id"));
      const auto guid = Guid::parse(tree_.scalar_at(item, "guid"));
      if (!id || !guid || tree_.at(item).child_count != 2) {
        return refuse(tree_.at(item).position, "expected {id, guid}");
      }
      const auto [first, is_fresh] = known.try_emplace(guid.value(), *id);
      if (!is_fresh && !guid.value().is_null() && first->second == *id) {
        return refuse(tree_.at(item).position,
                      guid.value().to_string() + " is listed twice; remove one of the rows");
      }
      if (!is_fresh && !guid.value().is_null()) {
        return refuse(tree_.at(item).position,
                      guid.value().to_string() + " has id " + std::to_string(id->value()) +
                          " here and " + std::to_string(first->second.value()) +
                          " above; keep the one that the game knows, and retire the other");
      }
      lock.ids.push_back({*id, guid.value()});
    }
    return {};
  }

  Result<void> read_retired(IdLock& lock) {
    const auto retired = list_at("retired");
    if (!retired) return fail(retired.error());
    for (const yaml::NodeIndex item : yaml::Children(tree_, retired.value())) {
      const auto id = type_id_at(item);
      if (!id) return refuse(tree_.at(item).position, "expected a type id");
      lock.retired.push_back(*id);
    }
    return {};
  }

  std::optional<TypeId> type_id_at(yaml::NodeIndex node) const {
    const auto id = tree_.integer(node);
    if (!id || id.value() < 0 || id.value() > TypeId::kMax) return std::nullopt;
    return TypeId(static_cast<std::uint32_t>(id.value()));
  }

  const yaml::Tree& tree_;
  yaml::NodeIndex root_;
  yaml::Position& fault_;
};

Result<IdLock> load(const FileReader& files, const AssetPath& path, yaml::Position& fault) {
  ByteVector buffer;
  const auto bytes = read_whole(files, path, kMaxLockBytes, buffer);
  if (!bytes) return fail(bytes.error());
  return parse_id_lock(as_text(bytes.value()), fault);
}

AssetPath registry_beside(const AssetPath& lock) {
  std::string_view name = lock.name();
  name.remove_prefix(kLockPrefix.size());
  name.remove_suffix(kLockSuffix.size());
  return lock.parent().child(name);
}

AssetPath copy_path_of(const AssetPath& lock, const Guid& registry) {
  return lock_path_of(lock.parent().child(registry.to_string() + ".moving"));
}

}  // namespace

bool is_kept_copy(const LockFile& file) {
  return !file.lock.registry.is_null() && file.path == copy_path_of(file.path, file.lock.registry);
}

Result<IdLock> parse_id_lock(std::string_view text, yaml::Position& fault) {
  fault = {1, 1};
  auto read = yaml::read_plain(text);
  if (!read.good()) {
    fault = read.error().position;
    return fail(ErrorCode::malformed, read.error().message);
  }
  if (read.tree().documents.size() != 1) return fail(ErrorCode::malformed, "expected one document");
  return LockReader(read.tree(), fault).read();
}

std::string format_id_lock(const IdLock& lock) {
  std::string text =
      "# Type ids of the registry beside this file, kept by `muster prepare`. Commit it.\n"
      "version: 2\nregistry: " +
      lock.registry.to_string() + "\nids:\n";
  for (const IdLock::Row& row : lock.ids) {
    text += "- {id: " + std::to_string(row.id.value()) + ", guid: " + row.guid.to_string() + "}\n";
  }
  text += "retired: [";
  for (std::size_t i = 0; i < lock.retired.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(lock.retired[i].value());
  }
  return text + "]\n";
}

AssetPath lock_path_of(const AssetPath& registry) {
  return registry.parent().child(std::string(kLockPrefix) + std::string(registry.name()) +
                                 std::string(kLockSuffix));
}

std::vector<LockFile> read_lock_files(const FileReader& files, const AssetIndex& index) {
  std::vector<LockFile> locks;
  for (const AssetPath& path : index.lock_paths()) {
    LockFile& file = locks.emplace_back();
    file.path = path;
    auto lock = load(files, path, file.fault);
    if (lock) {
      file.lock = std::move(lock).value();
    } else {
      file.error = lock.error();
    }
  }
  std::map<AssetNumber, LockFile*> owners;
  for (LockFile& file : locks) {
    const AssetNumber named = index.find(file.lock.registry);
    if (file.lock.registry.is_null() || named == kNoAsset) continue;
    LockFile*& owner = owners[named];
    // If a registry has two locks, the lock beside the registry is newer.
    const bool is_beside = file.path == lock_path_of(index.at(named).path);
    if (owner == nullptr || is_beside) owner = &file;
  }
  for (LockFile& file : locks) {
    const AssetNumber named = index.find(file.lock.registry);
    if (!file.lock.registry.is_null() && named != kNoAsset) continue;
    const AssetNumber beside = index.find(registry_beside(file.path));
    if (beside != kNoAsset) owners.try_emplace(beside, &file);
  }
  for (const auto& [asset, file] : owners) file->registry = asset;
  for (LockFile& file : locks) {
    const auto owner = owners.find(index.find(file.lock.registry));
    if (file.registry == kNoAsset && owner != owners.end()) file.other = owner->second->path;
  }
  return locks;
}

// The copy can have any name, because a lock belongs to the registry whose guid it contains.
Result<std::optional<AssetPath>> keep_other_lock(FileSystem& files, const AssetPath& path,
                                                 std::string_view next) {
  std::optional<AssetPath> copy;
  if (!is_lock_name(path.name())) return copy;
  ByteVector buffer;
  const auto bytes = read_whole(files, path, kMaxLockBytes, buffer);
  if (!bytes && bytes.error().code == ErrorCode::not_found) return copy;
  if (!bytes) return fail(bytes.error());
  yaml::Position fault;
  const auto present = parse_id_lock(as_text(bytes.value()), fault);
  const auto wanted = parse_id_lock(next, fault);
  if (!present || !wanted) return copy;
  const Guid& owner = present.value().registry;
  if (owner.is_null() || owner == wanted.value().registry) return copy;
  copy = copy_path_of(path, owner);
  auto written = write_atomically(files, *copy, bytes.value());
  if (!written) return fail(written.error());
  return copy;
}

}  // namespace muster
