// Each path is opened relative to the root's descriptor, so the project's folder may be moved while
// it is read. A link is resolved by reading the real path of the opened descriptor from the kernel.
// A comparison of path texts would not detect a link inside a linked folder.
#include "registry/base/disk_file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <utility>

#include "registry/base/disk_file.h"

namespace muster {
namespace {

// A name and its open folder. A link in the path cannot redirect an operation that uses the open
// folder and the name. If the folder cannot be opened, `folder()` is -1 and `errno` is set.
class Spot {
 public:
  Spot(int root, const AssetPath& path)
      : root_(root),
        name_(path.empty() ? "." : path.name()),
        is_below_(!path.parent().empty()),
        parent_(is_below_ ? open_inside(root, path.parent().text().c_str(),
                                        O_PATH | O_DIRECTORY | O_CLOEXEC)
                          : Descriptor()) {}

  int folder() const { return is_below_ ? parent_.get() : root_; }
  bool valid() const { return folder() >= 0; }
  const char* name() const { return name_.c_str(); }

 private:
  int root_;
  std::string name_;
  bool is_below_;
  Descriptor parent_;
};

tl::unexpected<Error> fail_beneath(int error, const std::string& what) {
  if (error != EXDEV) return fail_errno(error, what);
  return fail(ErrorCode::permission_denied,
              what + ": a link in the path leads out of the folder and is not followed");
}

Result<void> write_all(int descriptor, Bytes bytes, const std::string& what) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail_errno(errno, what);
    done += static_cast<std::size_t>(written);
  }
  return {};
}

// Removes the content of a folder. Removes links without following them. The maximum length of a
// path limits the depth.
Result<void> remove_contents(int parent, const char* name, const std::string& what) {
  const int folder = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return fail_errno(errno, what);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(folder), &::closedir);
  if (!stream) {
    ::close(folder);
    return fail_errno(errno, what);
  }
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view child = entry->d_name;
    if (child == "." || child == "..") continue;
    if (::unlinkat(folder, entry->d_name, 0) == 0) continue;
    if (errno != EISDIR && errno != EPERM) return fail_errno(errno, what);
    if (auto inner = remove_contents(folder, entry->d_name, what); !inner) return inner;
    if (::unlinkat(folder, entry->d_name, AT_REMOVEDIR) != 0) return fail_errno(errno, what);
  }
  return {};
}

}  // namespace

Result<DiskFileSystem> DiskFileSystem::open(const std::string& root) {
  Descriptor descriptor(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.valid()) return fail_errno(errno, "cannot open folder '" + root + "'");
  std::string real = real_path_of(descriptor.get());
  return DiskFileSystem(descriptor.release(), std::move(real));
}

Result<DiskFileSystem> DiskFileSystem::open_or_create(const std::string& root,
                                                      std::vector<std::string>* created) {
  for (std::size_t end = root.find('/', 1);; end = root.find('/', end + 1)) {
    const std::string part = root.substr(0, end);
    if (::mkdir(part.c_str(), 0777) == 0) {
      if (created != nullptr) created->push_back(part);
    } else if (errno != EEXIST && errno != EISDIR) {
      return fail_errno(errno, "cannot create folder '" + part + "'");
    }
    if (end == std::string::npos) break;
  }
  return open(root);
}

DiskFileSystem::DiskFileSystem(int descriptor, std::string root)
    : root_descriptor_(descriptor), root_(std::move(root)) {}

DiskFileSystem::DiskFileSystem(DiskFileSystem&& other) noexcept
    : root_descriptor_(std::exchange(other.root_descriptor_, -1)), root_(std::move(other.root_)) {}

DiskFileSystem& DiskFileSystem::operator=(DiskFileSystem&& other) noexcept {
  std::swap(root_descriptor_, other.root_descriptor_);
  std::swap(root_, other.root_);
  return *this;
}

DiskFileSystem::~DiskFileSystem() {
  if (root_descriptor_ >= 0) ::close(root_descriptor_);
}

// The kind of a link's target. If the target is a file, also its path.
FileInfo DiskFileSystem::behind_link(const char* name) const {
  FileInfo found{.kind = FileKind::broken_link, .is_link = true};
  const Descriptor target(::openat(root_descriptor_, name, O_PATH | O_CLOEXEC));
  struct stat info {};
  if (!target.valid() || ::fstat(target.get(), &info) != 0) return found;
  const std::string real = real_path_of(target.get());
  const std::string root = real_path_of(root_descriptor_);
  found.kind = is_inside(real, root) ? kind_of_mode(info.st_mode) : FileKind::outside_link;
  if (found.kind != FileKind::file) return found;
  const std::size_t begin = root.ends_with('/') ? root.size() : root.size() + 1;
  if (const auto path = AssetPath::parse(real.substr(begin))) found.target = path.value();
  return found;
}

Result<FileInfo> DiskFileSystem::stat(const AssetPath& path) const {
  const std::string what = "cannot stat '" + path.text() + "'";
  // Does not open the parent folders, because this call is made for each file of a project and
  // would take too long. A link in the path is harmless here, because only `read` reads content.
  struct stat info {};
  if (::fstatat(root_descriptor_, relative(path), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return fail_errno(errno, what);
  }
  FileInfo result;
  result.kind = kind_of_mode(info.st_mode);
  if (S_ISLNK(info.st_mode)) {
    result = behind_link(relative(path));
    const bool usable = result.kind == FileKind::file || result.kind == FileKind::folder;
    if (usable && ::fstatat(root_descriptor_, relative(path), &info, 0) != 0) {
      return fail_errno(errno, what);
    }
  }
  result.size_bytes = static_cast<std::uint64_t>(info.st_size);
  result.identity = (static_cast<std::uint64_t>(info.st_dev) << 48U) ^ info.st_ino;
  return result;
}

Result<std::vector<DirectoryEntry>> DiskFileSystem::list(const AssetPath& folder) const {
  const std::string what = "cannot list '" + folder.text() + "'";
  Descriptor descriptor =
      open_inside(root_descriptor_, relative(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (!descriptor.valid()) return fail_beneath(errno, what);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(descriptor.get()), &::closedir);
  if (!stream) return fail_errno(errno, what);
  (void)descriptor.release();  // The stream owns the descriptor.
  std::vector<DirectoryEntry> entries;
  errno = 0;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    DirectoryEntry& added = entries.emplace_back();
    added.name = name;
    switch (entry->d_type) {
      case DT_REG:
        added.kind = FileKind::file;
        break;
      case DT_DIR:
        added.kind = FileKind::folder;
        break;
      case DT_LNK:
      case DT_UNKNOWN: {
        const auto info = stat(folder.child(name));
        added.kind = info ? info.value().kind : FileKind::broken_link;
        added.is_link = info ? info.value().is_link : true;
        break;
      }
      default:
        added.kind = FileKind::other;
        break;
    }
    errno = 0;
  }
  if (errno != 0) return fail_errno(errno, what);
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  return entries;
}

Result<Bytes> DiskFileSystem::read(const AssetPath& path, std::uint64_t offset,
                                   std::uint64_t max_bytes, ByteVector& buffer) const {
  const std::string_view action = "cannot read '";
  // With O_NONBLOCK, opening a pipe in a project does not wait for a writer.
  const Descriptor file =
      open_inside(root_descriptor_, relative(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (!file.valid()) return fail_beneath(errno, std::string(action) + path.text() + "'");
  constexpr std::size_t kFirstBytes = 65536;
  // Reserves the size of the file and one more byte, so that the end of the file is detected.
  // Growing the buffer later would be slow.
  struct stat info {};
  const bool has_info = ::fstat(file.get(), &info) == 0;
  if (has_info && !S_ISREG(info.st_mode)) {
    return fail(ErrorCode::invalid_argument, std::string(action) + path.text() + "': not a file");
  }
  if (has_info && info.st_size > 0) {
    const auto rest = static_cast<std::uint64_t>(info.st_size) -
                      std::min(static_cast<std::uint64_t>(info.st_size), offset);
    const auto room = static_cast<std::size_t>(std::min(rest + 1, max_bytes));
    if (room > buffer.size()) {
      buffer.clear();
      buffer.resize(room);
    }
  }
  std::size_t done = 0;
  while (done < max_bytes) {
    if (done == buffer.size()) buffer.resize(std::max(kFirstBytes, buffer.size() * 2));
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size() - done, max_bytes - done));
    const ssize_t got =
        ::pread(file.get(), buffer.data() + done, wanted, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, std::string(action) + path.text() + "'");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return Bytes(buffer).first(done);
}

std::vector<bool> DiskFileSystem::link_all(const AssetPath& from, const AssetPath& to,
                                           std::span<const std::string> names) {
  std::vector<bool> linked(names.size(), false);
  if (names.empty() || !create_parents(to.child(names.front()))) return linked;
  const Spot source(root_descriptor_, from.child(names.front()));
  const Spot target(root_descriptor_, to.child(names.front()));
  for (std::size_t i = 0; source.valid() && target.valid() && i < names.size(); ++i) {
    const char* const name = names[i].c_str();
    // Follows links, because a copied link may have another target in the other folder.
    linked[i] = ::linkat(source.folder(), name, target.folder(), name, AT_SYMLINK_FOLLOW) == 0;
  }
  return linked;
}

Result<void> DiskFileSystem::create_parents(const AssetPath& path) {
  const AssetPath parent = path.parent();
  if (parent.empty()) return {};
  const auto present = stat(parent);
  if (present && present.value().kind == FileKind::folder) return {};
  if (present) {
    const bool leads_out = present.value().kind == FileKind::outside_link;
    return fail(leads_out ? ErrorCode::permission_denied : ErrorCode::already_exists,
                "'" + parent.text() + "' is not a folder inside '" + root_ + "'");
  }
  if (present.error().code != ErrorCode::not_found) return fail(present.error());
  if (auto above = create_parents(parent); !above) return above;
  const std::string what = "cannot create folder '" + parent.text() + "'";
  const Spot spot(root_descriptor_, parent);
  if (!spot.valid()) return fail_beneath(errno, what);
  if (::mkdirat(spot.folder(), spot.name(), 0777) == 0 || errno == EEXIST) return {};
  return fail_errno(errno, what);
}

Result<void> DiskFileSystem::write(const AssetPath& path, Bytes bytes) {
  const std::string what = "cannot write '" + path.text() + "'";
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  Descriptor file = open_inside(root_descriptor_, relative(path), kFlags);
  if (!file.valid() && errno == ENOENT) {
    if (auto made = create_parents(path); !made) return made;
    file = open_inside(root_descriptor_, relative(path), kFlags);
  }
  if (!file.valid()) return fail_beneath(errno, what);
  struct stat info {};
  const bool regular = ::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode);
  auto written = write_all(file.get(), bytes, what);
  // On a network file system, close() can report that data could not be stored.
  if (written && ::close(file.release()) != 0) written = fail_errno(errno, what);
  if (!written && regular) {
    const Spot spot(root_descriptor_, path);
    if (spot.valid()) ::unlinkat(spot.folder(), spot.name(), 0);
  }
  return written;
}

// Executes a move: replaces a file, or exchanges two folders. Returns 0, or -1 with `errno` set.
int DiskFileSystem::execute_move(const Move& move) const {
  const Spot from(root_descriptor_, move.from);
  if (!from.valid()) return -1;
  const Spot to(root_descriptor_, move.to);
  if (!to.valid()) return -1;
  struct stat old {};
  const bool exists = ::fstatat(to.folder(), to.name(), &old, AT_SYMLINK_NOFOLLOW) == 0;
  if (exists && S_ISREG(old.st_mode)) {
    ::fchmodat(from.folder(), from.name(), old.st_mode & 07777U, 0);
  }
  if (!exists || !S_ISDIR(old.st_mode)) {
    return ::renameat(from.folder(), from.name(), to.folder(), to.name());
  }
  const int exchanged =
      ::renameat2(from.folder(), from.name(), to.folder(), to.name(), RENAME_EXCHANGE);
  if (exchanged == 0 || (errno != EINVAL && errno != ENOSYS)) return exchanged;
  // Some network file systems cannot exchange folders, so three renames are used instead. If the
  // process ends after the first rename, `to` does not exist.
  const std::string aside = std::string(from.name()) + ".old";
  if (::renameat(to.folder(), to.name(), from.folder(), aside.c_str()) != 0 ||
      ::renameat(from.folder(), from.name(), to.folder(), to.name()) != 0) {
    return -1;
  }
  return ::renameat(from.folder(), aside.c_str(), from.folder(), from.name());
}

Result<void> DiskFileSystem::sync_folder(const AssetPath& folder) const {
  const Descriptor descriptor =
      open_inside(root_descriptor_, relative(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor.valid() && ::fsync(descriptor.get()) == 0) return {};
  return fail_beneath(errno, "cannot store the names in '" + folder.text() + "'");
}

Result<void> DiskFileSystem::commit(std::span<const Move> moves) {
  if (moves.empty()) return {};
  // `syncfs` is slow, so it runs before the renames and not between two of them.
  if (::syncfs(root_descriptor_) != 0) {
    return fail_errno(errno, "cannot store the files before moving them into place");
  }
  for (const Move& move : moves) {
    if (auto made = create_parents(move.to); !made) return made;
  }
  for (const Move& move : moves) {
    if (execute_move(move) == 0) continue;
    return fail_beneath(errno, "cannot put '" + move.to.text() + "' in place");
  }
  // Makes the renames durable, too.
  std::set<AssetPath> folders;
  for (const Move& move : moves) folders.insert(move.to.parent());
  for (const AssetPath& folder : folders) {
    if (auto stored = sync_folder(folder); !stored) return stored;
  }
  return {};
}

Result<void> DiskFileSystem::remove(const AssetPath& path) {
  if (path.empty()) return fail(ErrorCode::invalid_argument, "the root folder cannot be removed");
  const std::string what = "cannot remove '" + path.text() + "'";
  const Spot spot(root_descriptor_, path);
  if (!spot.valid() && (errno == ENOENT || errno == ENOTDIR)) return {};
  if (!spot.valid()) return fail_beneath(errno, what);
  if (::unlinkat(spot.folder(), spot.name(), 0) == 0 || errno == ENOENT) return {};
  if (errno != EISDIR && errno != EPERM) return fail_errno(errno, what);
  if (auto emptied = remove_contents(spot.folder(), spot.name(), what); !emptied) return emptied;
  if (::unlinkat(spot.folder(), spot.name(), AT_REMOVEDIR) != 0) return fail_errno(errno, what);
  return {};
}

Result<void> remove_empty_folder(const std::string& path) {
  if (::rmdir(path.c_str()) == 0) return {};
  return fail_errno(errno, "cannot remove folder '" + path + "'");
}

Result<PathTarget> find_target(const std::string& path) {
  const std::string what = "cannot find '" + path + "'";
  const Descriptor thing(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat info {};
  if (!thing.valid()) {
    const int error = errno;
    if (error != ENOENT || ::lstat(path.c_str(), &info) != 0) return fail_errno(error, what);
    return PathTarget{path, FileKind::broken_link};
  }
  if (::fstat(thing.get(), &info) != 0) return fail_errno(errno, what);
  PathTarget target{real_path_of(thing.get()), kind_of_mode(info.st_mode)};
  // The target of a link in /proc can have no path.
  struct stat named {};
  const bool is_named = ::stat(target.real_path.c_str(), &named) == 0 &&
                        named.st_dev == info.st_dev && named.st_ino == info.st_ino;
  if (!is_named) target = {path, FileKind::other};
  return target;
}

Result<void> write_through(const std::string& path, Bytes bytes) {
  const std::string what = "cannot write '" + path + "'";
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.valid()) return fail_errno(errno, what);
  if (auto written = write_all(file.get(), bytes, what); !written) return written;
  if (::close(file.release()) != 0) return fail_errno(errno, what);
  return {};
}

Result<void> create_secret_file(const std::string& path, Bytes bytes) {
  const std::string what = "cannot create '" + path + "'";
  constexpr mode_t kOwnerAlone = 0600;
  Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kOwnerAlone));
  const std::size_t slash = path.rfind('/');
  if (!file.valid() && errno == ENOENT && slash != std::string::npos) {
    return fail(ErrorCode::not_found, what + ": the folder '" + path.substr(0, slash) +
                                          "' does not exist; create it, or name another file");
  }
  if (!file.valid()) return fail_errno(errno, what);
  Result<void> written = write_all(file.get(), bytes, what);
  if (written && ::fsync(file.get()) != 0) written = fail_errno(errno, what);
  if (::close(file.release()) != 0 && written) written = fail_errno(errno, what);
  if (written) {
    // Makes the name durable, too. Some file systems cannot do this for a folder, and the folder
    // may be unreadable.
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    const Descriptor parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const bool is_synced = parent.valid() && ::fsync(parent.get()) == 0;
    if (!is_synced && errno == EIO) written = fail_errno(errno, what);
  }
  if (!written) ::unlink(path.c_str());
  return written;
}

Result<FolderLock> FolderLock::acquire(const std::string& folder, const std::string& file_name) {
  const std::string path = folder + "/" + file_name;
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!file.valid()) return fail_errno(errno, "cannot create '" + path + "'");
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return fail(ErrorCode::busy, "another process is working in '" + folder + "'");
    }
    return fail_errno(errno, "cannot lock '" + path + "'");
  }
  return FolderLock(file.release());
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}
FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}
FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace muster
