#include "bundler/cli/edges.h"

#include <link.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <new>
#include <utility>

#include <sodium.h>

#include "registry/base/mounted_file_system.h"
#include "registry/project/config.h"
#include "registry/project/packages.h"

namespace muster::cli {
namespace {

// Splits a path into folder and name: "a/b" into ("a/", "b"), and "b" into (".", "b").
std::pair<std::string, std::string> split_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {path.substr(0, slash + 1), path.substr(slash + 1)};
}

Result<std::unique_ptr<FileSystem>> owned(Result<DiskFileSystem> files) {
  if (!files) return fail(files.error());
  return std::make_unique<DiskFileSystem>(std::move(files).value());
}

Result<FileInFolder> file_in_folder(const std::string& folder, const std::string& name) {
  const auto parsed = AssetPath::parse(name);
  if (!parsed) return fail(parsed.error());
  auto files = owned(DiskFileSystem::open(folder));
  if (!files) return fail(files.error());
  return FileInFolder{std::move(files).value(), parsed.value()};
}

// Adds the path of the folder to an error.
tl::unexpected<Error> fail_in(const std::string& path, const Error& error) {
  return fail(error.code, "'" + path + "': " + error.message);
}

}  // namespace

Result<std::unique_ptr<FileSystem>> open_folder(const std::string& path) {
  return owned(DiskFileSystem::open(path));
}

Result<std::unique_ptr<FileSystem>> open_or_create_folder(const std::string& path) {
  return owned(DiskFileSystem::open_or_create(path));
}

Result<StampedFolder> open_stamped_folder(const std::string& path) {
  auto opened = DiskFileSystem::open(path);
  if (!opened) return fail(opened.error());
  auto files = std::make_unique<DiskFileSystem>(std::move(opened).value());
  const FileStamps* const stamps = files.get();
  return StampedFolder{std::move(files), stamps};
}

Result<StampedFolder> open_project_folder(const std::string& path) {
  auto base = open_stamped_folder(path);
  if (!base) return fail(base.error());
  std::vector<MountedFileSystem::Part> mounts;
  for (const OutsideFolder& outside : outside_folders(*base.value().files)) {
    // An embedded package takes precedence over a package in the manifest.
    if (base.value().files->stat(outside.at)) continue;
    auto opened = open_stamped_folder(
        outside.disk_path.starts_with('/') ? outside.disk_path : path + "/" + outside.disk_path);
    if (!opened) continue;
    FileSystem* const writer = opened.value().files.get();
    mounts.push_back({outside.at, std::move(opened.value().files), opened.value().stamps, writer});
  }
  if (mounts.empty()) return std::move(base).value();
  FileSystem* const writer = base.value().files.get();
  auto files = std::make_unique<MountedFileSystem>(
      MountedFileSystem::Part{AssetPath(), std::move(base.value().files), base.value().stamps,
                              writer},
      std::move(mounts));
  const FileStamps* const stamps = files.get();
  return StampedFolder{std::move(files), stamps};
}

bool is_project_folder(const std::string& path) {
  const auto files = open_folder(path);
  return files && (files.value()->stat(AssetPath().child(ProjectConfig::kFileName)) ||
                   files.value()->stat(AssetPath().child("Assets")));
}

std::string project_above(const std::string& path) {
  constexpr std::size_t kLevelsMax = 64;
  std::string up = path;
  std::string likely = path;
  bool has_likely = false;
  for (std::size_t level = 0; level < kLevelsMax; ++level) {
    const auto files = open_folder(up);
    if (!files) break;
    const auto has_folder = [&](const char* name) {
      const auto info = files.value()->stat(AssetPath().child(name));
      return info && info.value().kind == FileKind::folder;
    };
    const bool has_assets = has_folder("Assets");
    if (files.value()->stat(AssetPath().child(ProjectConfig::kFileName)) ||
        (has_assets && has_folder("ProjectSettings"))) {
      return up;
    }
    if (has_assets && !has_likely) likely = up;
    has_likely = has_likely || has_assets;
    up = up == "." ? ".." : up + "/..";
  }
  return likely;
}

// Hashes only the loaded code and constants, which do not depend on the load address. The file of
// the program may be ten times larger, because it may contain debug information.
ContentHash program_hash() {
  ContentHasher hasher;
  const auto add = [](dl_phdr_info* program, std::size_t, void* data) {
    for (unsigned i = 0; i < program->dlpi_phnum; ++i) {
      const auto& segment = program->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
#if defined(__SANITIZE_ADDRESS__)
      // With AddressSanitizer, only executable segments are certain to be readable.
      if ((segment.p_flags & PF_X) == 0) continue;
#endif
      const auto address = program->dlpi_addr + segment.p_vaddr;
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives an integer
      const auto* const bytes = reinterpret_cast<const std::byte*>(address);
      static_cast<ContentHasher*>(data)->update({bytes, segment.p_filesz});
    }
    return 1;  // Stops after the first object, which is the program itself.
  };
  ::dl_iterate_phdr(add, &hasher);
  return hasher.finish();
}

Result<FileInFolder> open_folder_of(const std::string& path) {
  const auto [folder, name] = split_path(path);
  const auto parsed = AssetPath::parse(name);
  if (!parsed || parsed.value().empty()) {
    return fail(ErrorCode::invalid_argument, "'" + path + "' names no file");
  }
  const auto found = find_target(path);
  if (found && found.value().kind == FileKind::file) {
    const auto [real_folder, real_name] = split_path(found.value().real_path);
    return file_in_folder(real_folder, real_name);
  }
  return file_in_folder(folder, name);
}

Result<void> write_named_file(const std::string& path, Bytes bytes) {
  const auto file = open_folder_of(path);
  if (!file) return fail(file.error());
  const auto found = find_target(path);
  if (found && found.value().kind != FileKind::file) return write_through(path, bytes);
  return write_atomically(*file.value().folder, file.value().name, bytes);
}

// Resolves the path from left to right, like the kernel: the links before a `..` are resolved
// before the `..` is applied. So the result does not change when missing folders are created.
Result<std::string> resolved(const std::string& path) {
  if (path.empty()) return fail(ErrorCode::invalid_argument, "an empty path names no folder");
  const auto start = find_target(path.starts_with('/') ? "/" : ".");
  if (!start) return fail(start.error());
  std::string real = start.value().real_path;
  if (!real.starts_with('/'))
    return fail(ErrorCode::not_found, "the current folder no longer exists");
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      real.resize(std::max<std::size_t>(real.rfind('/'), 1));
      continue;
    }
    if (!real.ends_with('/')) real += '/';
    real += part;
    const auto found = find_target(real);
    if (!found && found.error().code != ErrorCode::not_found) return fail(found.error());
    if (found) real = found.value().real_path;
  }
  return real;
}

std::array<std::byte, 32> random_seed() {
  std::array<std::byte, 32> seed{};
  randombytes_buf(seed.data(), seed.size());
  return seed;
}

Result<MappedFile> map_file(const std::string& path) { return MappedFile::open(path); }

Result<void> recover_output(const std::string& path) {
  auto files = DiskFileSystem::open(path);
  if (!files) {
    const Error& error = files.error();
    if (error.code != ErrorCode::not_found) return fail(error);
    return fail(error.code, error.message + " (an output is a folder that 'muster build' writes)");
  }
  const auto needed = OutputFolder::needs_recovery(files.value());
  if (!needed) return fail_in(path, needed.error());
  // A complete output needs no lock, so it can be read without write permission.
  if (!needed.value()) return {};
  const auto lock = FolderLock::acquire(path, std::string(OutputFolder::kLockName));
  if (!lock) return fail(lock.error());
  if (auto whole = OutputFolder::recover(files.value()); !whole) {
    return fail_in(path, whole.error());
  }
  return {};
}

Result<std::unique_ptr<FileSystem>> open_output(const std::string& path) {
  if (auto whole = recover_output(path); !whole) return fail(whole.error());
  return open_folder(path);
}

Result<std::unique_ptr<LockedOutput>> LockedOutput::open(const std::string& path, Duration patience,
                                                         const std::stop_token& stop) {
  const auto real = resolved(path);
  if (!real) return fail(real.error());
  std::unique_ptr<LockedOutput> output(new LockedOutput(path));
  auto files = DiskFileSystem::open_or_create(real.value(), &output->created_);
  if (!files) return fail(files.error());
  output->files_.emplace(std::move(files).value());
  constexpr Duration kStep = std::chrono::milliseconds(100);
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any never;
  Result<void> opened = output->lock_and_open();
  for (Duration waited{}; !opened && opened.error().code == ErrorCode::busy && waited < patience &&
                          !stop.stop_requested();
       waited += kStep) {
    never.wait_for(lock, stop, kStep, [] { return false; });
    opened = output->lock_and_open();
  }
  if (!opened) return fail(opened.error());
  return output;
}

Result<void> LockedOutput::lock_and_open() {
  if (auto usable = OutputFolder::check_usable(*files_); !usable) {
    return fail_in(path_, usable.error());
  }
  auto lock = FolderLock::acquire(files_->root(), std::string(OutputFolder::kLockName));
  if (!lock) return fail(lock.error());
  lock_ = std::move(lock).value();
  auto folder = OutputFolder::open_for_build(*files_);
  if (!folder) return fail_in(path_, folder.error());
  folder_.emplace(std::move(folder).value());
  folder_->use_links(*files_);
  return {};
}

LockedOutput::~LockedOutput() {
  folder_.reset();
  try {
    remove_lock_if_alone();
  } catch (const std::bad_alloc&) {  // The lock file remains empty, and the next build reuses it.
  }
  // Keeps a folder that is not empty, because the folder contains a build or a file of another
  // process.
  while (!created_.empty() && remove_empty_folder(created_.back())) created_.pop_back();
}

void LockedOutput::remove_lock_if_alone() {
  // Without the lock, the lock file may belong to another process.
  if (!lock_ || created_.empty()) return;
  const auto entries = files_->list(AssetPath());
  if (!entries || !std::ranges::all_of(entries.value(), [](const DirectoryEntry& entry) {
        return entry.name == OutputFolder::kLockName;
      })) {
    return;
  }
  (void)files_->remove(AssetPath().child(OutputFolder::kLockName)).has_value();
}

}  // namespace muster::cli
