#include "registry/base/memory_file_system.h"

#include <algorithm>
#include <cassert>

namespace muster {
namespace {

AssetPath moved(const AssetPath& path, const AssetPath& from, const AssetPath& to) {
  const std::string tail = path.text().substr(from.text().size());
  auto result = AssetPath::parse(to.text() + tail);
  assert(result.has_value());
  return result.value();
}

// Swaps the content of `from` and `to`.
template <typename Value>
std::map<AssetPath, Value> exchanged(std::map<AssetPath, Value> before, const AssetPath& from,
                                     const AssetPath& to) {
  std::map<AssetPath, Value> after;
  for (auto& [path, value] : before) {
    if (path.is_within(from)) {
      after[moved(path, from, to)] = std::move(value);
    } else if (path.is_within(to)) {
      after[moved(path, to, from)] = std::move(value);
    } else {
      after[path] = std::move(value);
    }
  }
  return after;
}

}  // namespace

void MemoryFileSystem::add(std::string_view path, std::string_view text) {
  const auto parsed = AssetPath::parse(path);
  assert(parsed.has_value());
  (void)write(parsed.value(), as_bytes(text)).has_value();
}

void MemoryFileSystem::identify(const AssetPath& path) {
  if (path.empty() || !identities_.try_emplace(path, last_identity_ + 1).second) return;
  ++last_identity_;
  identify(path.parent());
}

bool MemoryFileSystem::is_folder(const AssetPath& path) const {
  return path.empty() || std::ranges::any_of(files_, [&](const auto& file) {
           return file.first != path && file.first.is_within(path);
         });
}

Result<FileInfo> MemoryFileSystem::stat(const AssetPath& path) const {
  FileInfo info;
  if (const auto known = identities_.find(path); known != identities_.end()) {
    info.identity = known->second;
  }
  if (const auto found = files_.find(path); found != files_.end()) {
    info.size_bytes = found->second.size();
    return info;
  }
  if (!is_folder(path)) return fail(ErrorCode::not_found, "no file '" + path.text() + "'");
  info.kind = FileKind::folder;
  return info;
}

Result<std::vector<DirectoryEntry>> MemoryFileSystem::list(const AssetPath& folder) const {
  if (!is_folder(folder)) return fail(ErrorCode::not_found, "no folder '" + folder.text() + "'");
  std::map<std::string, FileKind> names;
  for (const auto& [path, bytes] : files_) {
    if (!path.is_within(folder) || path == folder) continue;
    const std::string_view tail =
        std::string_view(path.text()).substr(folder.empty() ? 0 : folder.text().size() + 1);
    const std::size_t slash = tail.find('/');
    names[std::string(tail.substr(0, slash))] =
        slash == std::string_view::npos ? FileKind::file : FileKind::folder;
  }
  std::vector<DirectoryEntry> entries;
  entries.reserve(names.size());
  for (const auto& [name, kind] : names) entries.push_back({name, kind, false});
  return entries;
}

Result<Bytes> MemoryFileSystem::read(const AssetPath& path, std::uint64_t offset,
                                     std::uint64_t max_bytes, ByteVector& buffer) const {
  const auto found = files_.find(path);
  if (found == files_.end()) return fail(ErrorCode::not_found, "no file '" + path.text() + "'");
  const Bytes all = found->second;
  const std::size_t begin = static_cast<std::size_t>(std::min<std::uint64_t>(offset, all.size()));
  const Bytes part = all.subspan(
      begin, static_cast<std::size_t>(std::min<std::uint64_t>(max_bytes, all.size() - begin)));
  if (buffer.size() < part.size()) buffer.resize(part.size());
  std::ranges::copy(part, buffer.begin());
  return Bytes(buffer).first(part.size());
}

// The stamp of a folder has the time of the last change of any name, because the times of folders
// are not recorded.
void MemoryFileSystem::stamps_in(const AssetPath& folder, std::span<const std::string_view> names,
                                 std::span<FileStamp> stamps) const {
  assert(names.size() == stamps.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const AssetPath path = names[i].empty() ? folder : folder.child(names[i]);
    stamps[i] = {};
    const auto info = stat(path);
    if (!info) continue;
    const auto changed = changed_ns_.find(path);
    const std::int64_t time = changed == changed_ns_.end() ? names_changed_ns_ : changed->second;
    stamps[i] = {.exists = true,
                 .kind = info.value().kind,
                 .size_bytes = info.value().size_bytes,
                 .modified_ns = time,
                 .changed_ns = time,
                 .identity = info.value().identity};
  }
}

std::vector<bool> MemoryFileSystem::link_all(const AssetPath& from, const AssetPath& to,
                                             std::span<const std::string> names) {
  std::vector<bool> linked(names.size(), false);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const AssetPath old_path = from.child(names[i]);
    const AssetPath path = to.child(names[i]);
    const auto found = files_.find(old_path);
    if (found == files_.end() || files_.contains(path)) continue;
    files_[path] = ByteVector(found->second);
    identities_[path] = identities_.at(old_path);
    identify(to);
    changed_ns_[path] = changed_ns_.at(old_path);
    change_names();
    linked[i] = true;
  }
  return linked;
}

void MemoryFileSystem::touch(const AssetPath& path) {
  assert(files_.contains(path));
  changed_ns_[path] = now_ns_;
  pass_time();
}

void MemoryFileSystem::change_names() {
  names_changed_ns_ = now_ns_;
  pass_time();
}

Result<void> MemoryFileSystem::write(const AssetPath& path, Bytes bytes) {
  if (!files_.contains(path)) change_names();
  files_[path] = ByteVector(bytes.begin(), bytes.end());
  identify(path);
  touch(path);
  return {};
}

Result<void> MemoryFileSystem::commit(std::span<const Move> moves) {
  for (const Move& move : moves) {
    if (auto done = commit_one(move); !done) return done;
  }
  return {};
}

Result<void> MemoryFileSystem::commit_one(const Move& move) {
  const auto& [from, to] = move;
  // A failed move must not change `to`.
  if (!stat(from)) {
    return fail(ErrorCode::not_found, "no file '" + from.text() + "'");
  }
  if (files_.erase(to) > 0) {
    identities_.erase(to);
    changed_ns_.erase(to);
  }
  files_ = exchanged(std::move(files_), from, to);
  identities_ = exchanged(std::move(identities_), from, to);
  changed_ns_ = exchanged(std::move(changed_ns_), from, to);
  change_names();
  identify(to);  // Also identifies new parent folders.
  return {};
}

Result<void> MemoryFileSystem::remove(const AssetPath& path) {
  std::erase_if(files_, [&](const auto& file) { return file.first.is_within(path); });
  std::erase_if(identities_, [&](const auto& known) { return known.first.is_within(path); });
  std::erase_if(changed_ns_, [&](const auto& known) { return known.first.is_within(path); });
  change_names();
  return {};
}

}  // namespace muster
