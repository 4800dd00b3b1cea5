// `openat2` of the kernel ensures that a path stays inside its folder; a comparison of path texts
// cannot ensure this. `openat2` refuses all absolute links, and needs kernel 5.6. For an absolute
// link, or on an older kernel, a slower method is used: it resolves the path without opening the
// target, and opens the target if it is inside the folder.
#include "registry/base/disk_file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

namespace muster {
namespace {

// With O_NONBLOCK, opening a pipe does not wait for a writer.
constexpr int kReadFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;

Descriptor open_resolving(int folder, const char* path, int flags, std::uint64_t resolve) {
  open_how how{};
  how.flags = static_cast<unsigned>(flags);
  how.mode = (flags & O_CREAT) != 0 ? 0666 : 0;
  how.resolve = resolve;
  return Descriptor(static_cast<int>(::syscall(SYS_openat2, folder, path, &how, sizeof how)));
}

// Opens `path` below `folder` for reading. `full_path` is the whole path, for messages.
Result<Descriptor> open_below(const std::string& folder, const AssetPath& path,
                              const std::string& full_path) {
  Descriptor file;
  if (!folder.empty()) {  // An empty text would become the root `/`.
    file = open_resolving(AT_FDCWD, full_path.c_str(), kReadFlags, RESOLVE_NO_SYMLINKS);
    if (file.valid()) return file;
    // Makes no second attempt for a missing file, because files are often missing.
    if (errno == ENOENT) return fail_errno(errno, "cannot open '" + full_path + "'");
  }
  const Descriptor root(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return fail_errno(errno, "cannot open folder '" + folder + "'");
  file = open_inside(root.get(), path.empty() ? "." : path.text().c_str(), kReadFlags);
  if (file.valid()) return file;
  if (errno == EXDEV) {
    return fail(
        ErrorCode::permission_denied,
        "'" + full_path + "' is a link that leads out of its folder: put the file itself there");
  }
  return fail_errno(errno, "cannot open '" + full_path + "'");
}

}  // namespace

Descriptor::~Descriptor() {
  if (value_ >= 0) ::close(value_);
}

tl::unexpected<Error> fail_errno(int error, const std::string& what) {
  ErrorCode code = ErrorCode::io;
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      code = ErrorCode::not_found;
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      code = ErrorCode::permission_denied;
      break;
    case ENOSPC:
    case EDQUOT:
      code = ErrorCode::no_space;
      break;
    case EEXIST:
    case ENOTEMPTY:
      code = ErrorCode::already_exists;
      break;
    case EBUSY:
    case EWOULDBLOCK:
      code = ErrorCode::busy;
      break;
    default:
      break;
  }
  std::array<char, 128> text{};
  return fail(code, what + ": " + strerror_r(error, text.data(), text.size()));
}

std::string real_path_of(int descriptor) {
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  std::array<char, PATH_MAX> target{};
  const ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
  return length < 0 ? std::string() : std::string(target.data(), static_cast<std::size_t>(length));
}

bool is_inside(const std::string& path, const std::string& folder) {
  return path == folder || (path.starts_with(folder) && path.size() > folder.size() &&
                            (folder.ends_with('/') || path[folder.size()] == '/'));
}

const char* relative(const AssetPath& path) { return path.empty() ? "." : path.text().c_str(); }

FileKind kind_of_mode(std::uint32_t mode) {
  if (S_ISREG(mode)) return FileKind::file;
  if (S_ISDIR(mode)) return FileKind::folder;
  return FileKind::other;
}

Descriptor open_inside(int folder, const char* path, int flags) {
  Descriptor direct = open_resolving(folder, path, flags, RESOLVE_BENEATH);
  // EAGAIN means that the kernel could not check a `..` because of a concurrent rename.
  if (direct.valid() || (errno != EXDEV && errno != ENOSYS && errno != EAGAIN)) return direct;
  const bool is_old_kernel = errno == ENOSYS;
  const Descriptor target(::openat(folder, path, O_PATH | O_CLOEXEC));
  if (target.valid() && is_inside(real_path_of(target.get()), real_path_of(folder))) {
    // Opens the file through the resolved descriptor, so that no other process can replace the file
    // in the meantime.
    const std::string again = "/proc/self/fd/" + std::to_string(target.get());
    return Descriptor(::open(again.c_str(), flags & ~O_CREAT));
  }
  if (!target.valid() && errno == ENOENT && is_old_kernel && (flags & O_CREAT) != 0) {
    return Descriptor(::openat(folder, path, flags | O_NOFOLLOW, 0666));
  }
  if (target.valid()) errno = EXDEV;
  return Descriptor();
}

Result<DiskFile> DiskFile::open(const std::string& folder, const AssetPath& path) {
  std::string full_path = folder + "/" + path.text();
  Result<Descriptor> file = open_below(folder, path, full_path);
  if (!file) return fail(file.error());
  return adopt(std::move(file.value()), std::move(full_path));
}

Result<std::size_t> DiskFile::read_at_once(const std::string& folder, const AssetPath& path,
                                           std::span<std::byte> target) {
  const std::string full_path = folder + "/" + path.text();
  const Result<Descriptor> file = open_below(folder, path, full_path);
  if (!file) return fail(file.error());
  ssize_t got = 0;
  do {
    got = ::pread(file.value().get(), target.data(), target.size(), 0);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return fail_errno(errno, "cannot read '" + full_path + "'");
  return static_cast<std::size_t>(got);
}

Result<DiskFile> DiskFile::open(const std::string& path) {
  return adopt(Descriptor(::open(path.c_str(), kReadFlags)), path);
}

// Requires: if the descriptor is invalid, `errno` has the error of the failed open.
Result<DiskFile> DiskFile::adopt(Descriptor descriptor, std::string full_path) {
  if (!descriptor.valid()) return fail_errno(errno, "cannot open '" + full_path + "'");
  struct stat info {};
  if (::fstat(descriptor.get(), &info) != 0)
    return fail_errno(errno, "cannot stat '" + full_path + "'");
  if (!S_ISREG(info.st_mode)) {
    return fail(ErrorCode::invalid_argument, "cannot read '" + full_path + "': not a file");
  }
  DiskFile file;
  file.descriptor_ = std::move(descriptor);
  file.size_bytes_ = static_cast<std::uint64_t>(info.st_size);
  file.full_path_ = std::move(full_path);
  return file;
}

Result<void> DiskFile::read(std::span<std::byte> target) const {
  std::size_t done = 0;
  while (done < target.size()) {
    const ssize_t got = ::pread(descriptor_.get(), target.data() + done, target.size() - done,
                                static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, "cannot read '" + full_path_ + "'");
    if (got == 0) {
      return fail(ErrorCode::truncated, "'" + full_path_ + "' was truncated while it was read");
    }
    done += static_cast<std::size_t>(got);
  }
  return {};
}

}  // namespace muster
