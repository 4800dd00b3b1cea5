#include "bundler/cli/edges.h"

#include <algorithm>
#include <utility>

namespace muster::cli {
namespace {

// "a/b" is ("a/", "b"); "b" is (".", "b").
std::pair<std::string, std::string> split_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {path.substr(0, slash + 1), path.substr(slash + 1)};
}

std::string without_end_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

Result<std::unique_ptr<FileSystem>> owned(Result<DiskFileSystem> files) {
  if (!files) return fail(files.error());
  return std::make_unique<DiskFileSystem>(std::move(files).value());
}

// Which folder it was is known here only.
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

Result<FilePlace> open_folder_of(const std::string& path) {
  const auto [folder, name] = split_path(path);
  const auto parsed = AssetPath::parse(name);
  if (!parsed || parsed.value().empty()) {
    return fail(ErrorCode::invalid_argument, "'" + path + "' names no file");
  }
  auto files = open_folder(folder);
  if (!files) return fail(files.error());
  return FilePlace{std::move(files).value(), parsed.value()};
}

std::string resolved(std::string path) {
  std::string missing;
  for (;;) {
    path = without_end_slashes(std::move(path));
    const auto folder = DiskFileSystem::open(path);
    if (folder) return folder.value().root() + missing;
    const std::size_t slash = path.rfind('/');
    missing.insert(0, "/" + path.substr(slash == std::string::npos ? 0 : slash + 1));
    if (slash == std::string::npos || path.size() == 1) break;
    path.resize(std::max<std::size_t>(slash, 1));
  }
  const auto here = DiskFileSystem::open(".");
  return (here ? here.value().root() : std::string()) + missing;
}

Result<MappedFile> map_file(const std::string& path) { return MappedFile::open(path); }

Result<void> recover_output(const std::string& path) {
  auto files = DiskFileSystem::open(path);
  if (!files) return fail(files.error());
  const auto needed = OutputFolder::needs_recovery(files.value());
  if (!needed) return fail_in(path, needed.error());
  // Readers of a whole output need no right to write.
  if (!needed.value()) return {};
  const auto lock = FolderLock::acquire(path, std::string(OutputFolder::kLockName));
  if (!lock) return fail(lock.error());
  if (auto whole = OutputFolder::recover(files.value()); !whole) {
    return fail_in(path, whole.error());
  }
  return {};
}

Result<std::unique_ptr<LockedOutput>> LockedOutput::open(const std::string& path) {
  const bool is_new = !DiskFileSystem::open(path).has_value();
  auto files = DiskFileSystem::open_or_create(path);
  if (!files) return fail(files.error());
  std::unique_ptr<LockedOutput> output(new LockedOutput(path, is_new, std::move(files).value()));
  if (auto opened = output->lock_and_open(); !opened) return fail(opened.error());
  return output;
}

Result<void> LockedOutput::lock_and_open() {
  if (auto usable = OutputFolder::check_usable(files_); !usable) {
    return fail_in(path_, usable.error());
  }
  auto lock = FolderLock::acquire(path_, std::string(OutputFolder::kLockName));
  if (!lock) return fail(lock.error());
  lock_ = std::move(lock).value();
  auto folder = OutputFolder::open_for_build(files_);
  if (!folder) return fail_in(path_, folder.error());
  folder_.emplace(std::move(folder).value());
  return {};
}

LockedOutput::~LockedOutput() {
  folder_.reset();
  // Without the lock, the folder may be one that a rival has just created, too.
  if (!is_new_ || !lock_) return;
  const auto entries = files_.list(AssetPath());
  if (!entries || !std::ranges::all_of(entries.value(), [](const DirectoryEntry& entry) {
        return entry.name == OutputFolder::kLockName;
      })) {
    return;
  }
  const auto [parent, name] = split_path(without_end_slashes(path_));
  auto above = DiskFileSystem::open(parent);
  const auto target = AssetPath::parse(name);
  if (above && target && !target.value().empty()) {
    (void)above.value().remove(target.value()).has_value();
  }
}

}  // namespace muster::cli
