#include "registry/base/overlay_file_system.h"

#include <algorithm>

namespace muster {

bool OverlayFileSystem::is_removed(const AssetPath& path) const {
  return std::ranges::any_of(removed_, [&](const AssetPath& gone) { return path.is_within(gone); });
}

Result<FileInfo> OverlayFileSystem::stat(const AssetPath& path) const {
  if (const auto found = written_.find(path); found != written_.end()) {
    FileInfo info;
    info.size_bytes = found->second.size();
    return info;
  }
  const bool is_new_folder =
      std::ranges::any_of(written_, [&](const auto& file) { return file.first.is_within(path); });
  auto info = is_removed(path)
                  ? Result<FileInfo>(fail(ErrorCode::not_found, "no file '" + path.text() + "'"))
                  : beneath_.stat(path);
  if (info || !is_new_folder) return info;
  FileInfo folder;
  folder.kind = FileKind::folder;
  return folder;
}

Result<std::vector<DirectoryEntry>> OverlayFileSystem::list(const AssetPath& folder) const {
  std::map<std::string, DirectoryEntry> entries;
  auto below = is_removed(folder) ? Result<std::vector<DirectoryEntry>>(fail(
                                        ErrorCode::not_found, "no folder '" + folder.text() + "'"))
                                  : beneath_.list(folder);
  if (below) {
    for (DirectoryEntry& entry : below.value()) {
      if (!is_removed(folder.child(entry.name))) entries.emplace(entry.name, entry);
    }
  }
  for (const auto& [path, bytes] : written_) {
    if (path == folder || !path.is_within(folder)) continue;
    const std::string_view tail =
        std::string_view(path.text()).substr(folder.empty() ? 0 : folder.text().size() + 1);
    const std::size_t slash = tail.find('/');
    const std::string name(tail.substr(0, slash));
    const bool is_file = slash == std::string_view::npos;
    entries.try_emplace(name,
                        DirectoryEntry{name, is_file ? FileKind::file : FileKind::folder, false});
  }
  if (!below && entries.empty()) return below;
  std::vector<DirectoryEntry> sorted;
  sorted.reserve(entries.size());
  for (auto& [name, entry] : entries) sorted.push_back(std::move(entry));
  return sorted;
}

Result<Bytes> OverlayFileSystem::read(const AssetPath& path, std::uint64_t offset,
                                      std::uint64_t max_bytes, ByteVector& buffer) const {
  const auto found = written_.find(path);
  if (found == written_.end()) {
    if (is_removed(path)) return fail(ErrorCode::not_found, "no file '" + path.text() + "'");
    return beneath_.read(path, offset, max_bytes, buffer);
  }
  const Bytes all = found->second;
  const auto begin = static_cast<std::size_t>(std::min<std::uint64_t>(offset, all.size()));
  const Bytes part = all.subspan(
      begin, static_cast<std::size_t>(std::min<std::uint64_t>(max_bytes, all.size() - begin)));
  if (buffer.size() < part.size()) buffer.resize(part.size());
  std::ranges::copy(part, buffer.begin());
  return Bytes(buffer).first(part.size());
}

Result<void> OverlayFileSystem::write(const AssetPath& path, Bytes bytes) {
  written_[path] = ByteVector(bytes.begin(), bytes.end());
  return {};
}

Result<void> OverlayFileSystem::commit(std::span<const Move> moves) {
  for (const auto& [from, to] : moves) {
    const auto info = stat(from);
    if (!info) return fail(info.error());
    if (info.value().kind != FileKind::file) {
      return fail(ErrorCode::invalid_argument, "'" + from.text() + "' is not a file");
    }
    ByteVector buffer;
    const auto bytes = read(from, 0, info.value().size_bytes, buffer);
    if (!bytes) return fail(bytes.error());
    if (auto put = write(to, bytes.value()); !put) return put;
    if (auto gone = remove(from); !gone) return gone;
  }
  return {};
}

Result<void> OverlayFileSystem::remove(const AssetPath& path) {
  std::erase_if(written_, [&](const auto& file) { return file.first.is_within(path); });
  removed_.insert(path);
  return {};
}

}  // namespace muster
