// Uses `statx`, one folder at a time. Requests only the needed fields, because other fields are
// slow on some file systems.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <string>

#include "registry/base/disk_file.h"
#include "registry/base/disk_file_system.h"

namespace muster {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::int64_t nanoseconds(const struct statx_timestamp& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::optional<struct statx> read_statx(int folder, const char* name, int flags) {
  constexpr unsigned kFields = STATX_TYPE | STATX_SIZE | STATX_MTIME | STATX_CTIME | STATX_INO;
  struct statx info {};
  if (::statx(folder, name, flags | AT_NO_AUTOMOUNT, kFields, &info) != 0) return std::nullopt;
  return info;
}

FileStamp stamp_from(const struct statx& info) {
  const std::uint64_t device = makedev(info.stx_dev_major, info.stx_dev_minor);
  return {.exists = true,
          .kind = kind_of_mode(info.stx_mode),
          .size_bytes = info.stx_size,
          .modified_ns = nanoseconds(info.stx_mtime),
          .changed_ns = nanoseconds(info.stx_ctime),
          .identity = (device << 48U) ^ info.stx_ino};
}

}  // namespace

// The stamp of a link has the later of the link's time and the target's time. So a change of the
// link or of its target changes the stamp.
FileStamp DiskFileSystem::stamp_at(int parent, const char* name, const AssetPath& folder,
                                   std::string_view child) const {
  const auto info = read_statx(parent, name, AT_SYMLINK_NOFOLLOW);
  if (!info) return {};
  FileStamp stamp = stamp_from(*info);
  if (!S_ISLNK(info->stx_mode)) return stamp;
  stamp.kind = behind_link(relative(child.empty() ? folder : folder.child(child))).kind;
  if (stamp.kind == FileKind::broken_link || stamp.kind == FileKind::outside_link) return stamp;
  const auto behind = read_statx(parent, name, 0);
  if (!behind) return stamp;
  const FileStamp target = stamp_from(*behind);
  stamp.size_bytes = target.size_bytes;
  stamp.modified_ns = std::max(stamp.modified_ns, target.modified_ns);
  stamp.changed_ns = std::max(stamp.changed_ns, target.changed_ns);
  stamp.identity = (stamp.identity * 31) ^ target.identity;
  return stamp;
}

// Opens the folder once for all names, because resolving its path would be a large part of each
// `statx`. Does not check links in the path, because only `read` reads content.
void DiskFileSystem::stamps_in(const AssetPath& folder, std::span<const std::string_view> names,
                               std::span<FileStamp> stamps) const {
  assert(names.size() == stamps.size());
  if (names.size() == 1) {
    const AssetPath path = names[0].empty() ? folder : folder.child(names[0]);
    stamps[0] = stamp_at(root_descriptor_, relative(path), folder, names[0]);
    return;
  }
  const Descriptor parent(
      ::openat(root_descriptor_, relative(folder), O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::string name;
  for (std::size_t i = 0; i < names.size(); ++i) {
    name = names[i].empty() ? std::string_view(".") : names[i];
    stamps[i] =
        parent.valid() ? stamp_at(parent.get(), name.c_str(), folder, names[i]) : FileStamp();
  }
}

// The kernel uses this clock for the times of files.
std::int64_t DiskFileSystem::now_ns() const {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return nanoseconds(now);
}

}  // namespace muster
