#include "bundler/cache/disk_blobs.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <tuple>
#include <vector>

namespace muster {
namespace {

constexpr std::string_view kUnfinished = "unfinished-";
constexpr std::int64_t kUnfinishedSeconds = 3600;
// The umask of the user limits this mode. A group can share a cache.
constexpr mode_t kFileMode = 0666;
constexpr mode_t kFolderMode = 0777;

std::string shelf_of(const BlobKey& key) {
  return std::string(folder_of(key.space)) + "/" + key.hash.to_string().substr(0, 2);
}

std::string path_of(const BlobKey& key) { return shelf_of(key) + "/" + key.hash.to_string(); }

Result<void> make_folder(int base, const std::string& path) {
  if (::mkdirat(base, path.c_str(), kFolderMode) == 0 || errno == EEXIST) return {};
  return fail_errno(errno, "cannot create '" + path + "' for the cache");
}

Result<void> make_folders(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos;
       end = path.find('/', end + 1)) {
    if (auto made = make_folder(AT_FDCWD, path.substr(0, end)); !made) return made;
  }
  return make_folder(AT_FDCWD, path);
}

Result<void> write_all(int file, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail_errno(errno, "cannot write to the cache");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

// Reads until the end or until `bytes` is full.
Result<std::size_t> read_all(int file, std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(file, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, "cannot read from the cache");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

struct KeptFile {
  std::int64_t used_ns = 0;
  std::uint64_t bytes = 0;
  std::string path;
  bool is_unfinished = false;
};

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// Calls `visit` with every name in a folder. Does nothing if the folder does not exist.
template <typename Visit>
void for_each_name(int base, const std::string& path, const Visit& visit) {
  const int opened = ::openat(base, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  const std::unique_ptr<DIR, CloseFolder> folder(::fdopendir(opened));
  if (!folder) {
    ::close(opened);
    return;
  }
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") visit(name);
  }
}

std::vector<KeptFile> kept_files(int base) {
  std::vector<KeptFile> files;
  for (const BlobSpace space : {BlobSpace::actions, BlobSpace::content}) {
    const std::string folder(folder_of(space));
    for_each_name(base, folder, [&](std::string_view shelf) {
      const std::string shelf_path = folder + "/" + std::string(shelf);
      for_each_name(base, shelf_path, [&](std::string_view name) {
        struct stat info {};
        std::string path = shelf_path + "/" + std::string(name);
        if (::fstatat(base, path.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return;
        if (!S_ISREG(info.st_mode)) return;
        const bool is_unfinished = name.starts_with(kUnfinished);
        // The file does not belong to the cache.
        if (!is_unfinished && !Sha256::parse(name)) return;
        files.push_back({.used_ns = info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec,
                         .bytes = static_cast<std::uint64_t>(info.st_size),
                         .path = std::move(path),
                         .is_unfinished = is_unfinished});
      });
    });
  }
  return files;
}

// A part of a file name. The text is different for each call and for each process.
std::string own_number() {
  static std::atomic<std::uint64_t> last_number = 0;
  return std::to_string(::getpid()) + "-" + std::to_string(++last_number);
}

// The current time by the clock of the disk. A network disk has its own clock, and the times of its
// files must be compared with that clock.
Result<std::int64_t> time_of_disk(int base) {
  const std::string path = std::string(kUnfinished) + "now-" + own_number();
  // Removes a file that may remain from a process that was killed.
  ::unlinkat(base, path.c_str(), 0);
  const int flags = O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC;
  const Descriptor file(::openat(base, path.c_str(), flags, kFileMode));
  struct stat info {};
  if (!file.valid() || ::futimens(file.get(), nullptr) != 0 || ::fstat(file.get(), &info) != 0) {
    return fail_errno(errno, "cannot write to the cache");
  }
  ::unlinkat(base, path.c_str(), 0);
  return info.st_mtim.tv_sec;
}

}  // namespace

Result<std::unique_ptr<DiskBlobs>> DiskBlobs::open(const std::string& path) {
  if (auto made = make_folders(path); !made) return fail(made.error());
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return fail_errno(errno, "cannot open the cache '" + path + "'");
  for (const BlobSpace space : {BlobSpace::actions, BlobSpace::content}) {
    if (auto made = make_folder(folder.get(), std::string(folder_of(space))); !made) {
      return fail(made.error());
    }
  }
  return std::unique_ptr<DiskBlobs>(new DiskBlobs(std::move(folder)));
}

Result<std::optional<ByteVector>> DiskBlobs::get(const BlobKey& key, std::uint64_t max_bytes,
                                                 const std::stop_token&) {
  // The open call must not block on a pipe.
  const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const Descriptor file(::openat(folder_.get(), path_of(key).c_str(), flags));
  if (!file.valid() && errno == ENOENT) return std::optional<ByteVector>();
  struct stat info {};
  if (!file.valid() || ::fstat(file.get(), &info) != 0) {
    return fail_errno(errno, "cannot read '" + path_of(key) + "' of the cache");
  }
  if (!S_ISREG(info.st_mode)) {
    return fail(ErrorCode::io, "'" + path_of(key) + "' of the cache is not a file");
  }
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (size > max_bytes) {
    return fail(ErrorCode::limit_exceeded,
                "'" + path_of(key) + "' of the cache has " + std::to_string(size) + " bytes");
  }
  std::optional<ByteVector> bytes(std::in_place, static_cast<std::size_t>(size));
  const auto read = read_all(file.get(), *bytes);
  if (!read) return fail(read.error());
  bytes->resize(read.value());
  ::futimens(file.get(),
             nullptr);  // Marking the file as used may fail if the file belongs to another user.
                        // The file is read anyway.
  return bytes;
}

Result<void> DiskBlobs::put(const BlobKey& key, Bytes bytes) {
  if (auto made = make_folder(folder_.get(), shelf_of(key)); !made) return made;
  const std::string unfinished =
      shelf_of(key) + "/" + std::string(kUnfinished) + own_number() + "-" + key.hash.to_string();
  const int flags = O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW;
  const Descriptor file(::openat(folder_.get(), unfinished.c_str(), flags, kFileMode));
  // Another machine writes the same file, or has died while writing. `trim` removes such a file
  // later.
  if (!file.valid() && errno == EEXIST) return {};
  if (!file.valid()) return fail_errno(errno, "cannot write to the cache");
  Result<void> written = write_all(file.get(), bytes);
  if (written &&
      ::renameat(folder_.get(), unfinished.c_str(), folder_.get(), path_of(key).c_str()) != 0) {
    written = fail_errno(errno, "cannot write to the cache");
  }
  if (!written) ::unlinkat(folder_.get(), unfinished.c_str(), 0);
  return written;
}

void DiskBlobs::remove(const BlobKey& key) { ::unlinkat(folder_.get(), path_of(key).c_str(), 0); }

Result<DiskBlobs::Content> DiskBlobs::trim(std::uint64_t max_bytes) {
  const auto now = time_of_disk(folder_.get());
  if (!now) return fail(now.error());
  std::vector<KeptFile> files = kept_files(folder_.get());
  std::ranges::sort(files, {},
                    [](const KeptFile& file) { return std::tie(file.used_ns, file.path); });
  Content left;
  for (const KeptFile& file : files) left.bytes += file.bytes;
  left.files = files.size();
  for (const KeptFile& file : files) {
    const std::int64_t age_seconds = now.value() - file.used_ns / 1'000'000'000;
    const bool is_abandoned = file.is_unfinished && age_seconds > kUnfinishedSeconds;
    if (!is_abandoned && (file.is_unfinished || left.bytes <= max_bytes)) continue;
    if (::unlinkat(folder_.get(), file.path.c_str(), 0) != 0 && errno != ENOENT) continue;
    left.bytes -= file.bytes;
    --left.files;
  }
  return left;
}

}  // namespace muster
