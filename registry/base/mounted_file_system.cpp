#include "registry/base/mounted_file_system.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace muster {
namespace {

// Converts a path to a path in the part that is mounted at `at`.
AssetPath inside(const AssetPath& path, const AssetPath& at) {
  if (at.empty()) return path;
  const std::size_t begin = std::min(at.text().size() + 1, path.text().size());
  return AssetPath::parse(path.text().substr(begin)).value();
}

AssetPath joined(const AssetPath& at, const AssetPath& path) {
  if (at.empty()) return path;
  if (path.empty()) return at;
  return AssetPath::parse(at.text() + "/" + path.text()).value();
}

tl::unexpected<Error> read_only(const AssetPath& path) {
  return fail(ErrorCode::permission_denied, "'" + path.text() + "' cannot be written");
}

}  // namespace

MountedFileSystem::MountedFileSystem(Part base, std::vector<Part> mounts)
    : base_(std::move(base)), mounts_(std::move(mounts)) {
  std::ranges::sort(mounts_, {}, &Part::at);
}

const MountedFileSystem::Part& MountedFileSystem::part_of(const AssetPath& path) const {
  const auto found =
      std::ranges::find_if(mounts_, [&](const Part& mount) { return path.is_within(mount.at); });
  return found == mounts_.end() ? base_ : *found;
}

bool MountedFileSystem::leads_to_mount(const AssetPath& folder) const {
  return std::ranges::any_of(
      mounts_, [&](const Part& mount) { return mount.at != folder && mount.at.is_within(folder); });
}

Result<FileInfo> MountedFileSystem::stat(const AssetPath& path) const {
  const Part& part = part_of(path);
  auto info = part.files->stat(inside(path, part.at));
  if (info && !info.value().target.empty()) {
    info.value().target = joined(part.at, info.value().target);
  }
  const bool is_missing = !info && info.error().code == ErrorCode::not_found;
  if (is_missing && &part == &base_ && leads_to_mount(path)) {
    FileInfo folder;
    folder.kind = FileKind::folder;
    return folder;
  }
  return info;
}

Result<std::vector<DirectoryEntry>> MountedFileSystem::list(const AssetPath& folder) const {
  const Part& part = part_of(folder);
  auto listed = part.files->list(inside(folder, part.at));
  if (&part != &base_ || !leads_to_mount(folder)) return listed;
  if (!listed && listed.error().code != ErrorCode::not_found) return listed;
  std::vector<DirectoryEntry> entries;
  if (listed) entries = std::move(listed).value();
  for (const Part& mount : mounts_) {
    if (!mount.at.is_within(folder)) continue;
    const std::string rest = inside(mount.at, folder).text();
    const std::string name = rest.substr(0, rest.find('/'));
    const auto known = std::ranges::find(entries, name, &DirectoryEntry::name);
    if (known == entries.end()) {
      entries.push_back({name, FileKind::folder, false});
    } else {
      *known = {name, FileKind::folder, false};
    }
  }
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  return entries;
}

Result<Bytes> MountedFileSystem::read(const AssetPath& path, std::uint64_t offset,
                                      std::uint64_t max_bytes, ByteVector& buffer) const {
  const Part& part = part_of(path);
  return part.files->read(inside(path, part.at), offset, max_bytes, buffer);
}

Result<void> MountedFileSystem::write(const AssetPath& path, Bytes bytes) {
  const Part& part = part_of(path);
  if (part.writer == nullptr) return read_only(path);
  return part.writer->write(inside(path, part.at), bytes);
}

Result<void> MountedFileSystem::commit(std::span<const Move> moves) {
  if (moves.empty()) return {};
  const Part& part = part_of(moves.front().to);
  std::vector<Move> within;
  for (const Move& move : moves) {
    if (&part_of(move.from) != &part || &part_of(move.to) != &part) {
      return fail(ErrorCode::invalid_argument,
                  "'" + move.to.text() + "' is in another folder than '" + moves.front().to.text() +
                      "', but one commit can only move files of one folder");
    }
    within.push_back({inside(move.from, part.at), inside(move.to, part.at)});
  }
  if (part.writer == nullptr) return read_only(moves.front().to);
  return part.writer->commit(within);
}

Result<void> MountedFileSystem::remove(const AssetPath& path) {
  const Part& part = part_of(path);
  if (part.writer == nullptr) return read_only(path);
  return part.writer->remove(inside(path, part.at));
}

void MountedFileSystem::stamps_in(const AssetPath& folder, std::span<const std::string_view> names,
                                  std::span<FileStamp> stamps) const {
  const Part& part = part_of(folder);
  if (part.stamps != nullptr) part.stamps->stamps_in(inside(folder, part.at), names, stamps);
  if (&part != &base_) return;
  // The stamp of a mount's folder is read from the mount.
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    const AssetPath path = folder.child(names[i]);
    const Part& mount = part_of(path);
    if (&mount == &base_ || mount.stamps == nullptr) continue;
    constexpr std::string_view kItself;
    mount.stamps->stamps_in(AssetPath(), {&kItself, 1}, stamps.subspan(i, 1));
  }
}

std::int64_t MountedFileSystem::now_ns() const {
  assert(base_.stamps != nullptr);
  return base_.stamps->now_ns();
}

}  // namespace muster
