#include "bundler/cli/folder_watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <utility>
#include <vector>

#include "registry/project/asset_index.h"

namespace muster::cli {
namespace {

constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                                  IN_MOVED_TO | IN_ONLYDIR | IN_EXCL_UNLINK;
constexpr int kSettleMilliseconds = 150;
// After a change, `wait` waits again as long as more changes follow, but at most this number of
// times. The number is limited, because another program may write all the time.
constexpr int kSettleWaitsMax = 40;
// The maximum number of folders. With more folders, the file system probably contains a cycle.
constexpr std::size_t kMaxFolders = 1'000'000;

std::string disk_path(const std::string& root, const AssetPath& folder) {
  return folder.empty() ? root : root + "/" + folder.text();
}

}  // namespace

Result<FolderWatch> FolderWatch::open(const FileReader& files, const std::string& root,
                                      const std::string& except, const AssetPath& named) {
  FolderWatch watch(Descriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)), except);
  if (!watch.queue_.valid()) return fail_errno(errno, "cannot watch folders");
  if (auto added = watch.add_tree(files, root); !added) return fail(added.error());
  if (named.empty()) return watch;
  if (auto added = watch.add_named(files, root, named); !added) return fail(added.error());
  return watch;
}

Result<void> FolderWatch::add_tree(const FileReader& files, const std::string& root) {
  std::set<std::uint64_t> seen;
  std::vector<AssetPath> waiting{AssetPath()};
  while (!waiting.empty() && folder_count_ < kMaxFolders) {
    const AssetPath folder = std::move(waiting.back());
    waiting.pop_back();
    const auto info = files.stat(folder);
    if (!info || !seen.insert(info.value().identity).second) continue;
    if (auto added = add(disk_path(root, folder)); !added) return added;
    // Ignores a folder that cannot be listed, because the build reports it.
    const auto entries = files.list(folder);
    if (!entries) continue;
    for (const DirectoryEntry& entry : entries.value()) {
      const AssetPath path = folder.child(entry.name);
      if (entry.kind != FileKind::folder || is_ignored_name(entry.name) || is_unity_output(path) ||
          disk_path(root, path) == except_) {
        continue;
      }
      waiting.push_back(path);
    }
  }
  return {};
}

Result<void> FolderWatch::add_missing(const std::string& folder, const std::string& nearest) {
  named_.push_back(folder);
  if (is_watched(nearest)) return {};
  awaiting_.insert(nearest);
  return add(nearest);
}

bool FolderWatch::is_watched(const std::string& folder) const {
  return std::ranges::any_of(folder_of_, [&](const auto& known) { return known.second == folder; });
}

// Watches a named folder. If the folder does not exist yet, watches the nearest existing folder
// above it.
Result<void> FolderWatch::add_named(const FileReader& files, const std::string& root,
                                    const AssetPath& named) {
  named_.push_back(disk_path(root, named));
  const auto is_folder = [&](const AssetPath& path) {
    const auto info = files.stat(path);
    return info && info.value().kind == FileKind::folder;
  };
  AssetPath nearest = named;
  while (!nearest.empty() && !is_folder(nearest)) nearest = nearest.parent();
  const std::string nearest_path = disk_path(root, nearest);
  if (is_watched(nearest_path)) return {};
  if (nearest != named) awaiting_.insert(nearest_path);
  return add(nearest_path);
}

Result<void> FolderWatch::add(const std::string& folder) {
  const int watch = ::inotify_add_watch(queue_.get(), folder.c_str(), kEvents);
  if (watch >= 0) {
    folder_of_[watch] = folder;
    ++folder_count_;
    return {};
  }
  // The folder was removed meanwhile, or is not accessible.
  if (errno == ENOENT || errno == EACCES || errno == ENOTDIR) return {};
  if (errno == ENOSPC) {
    return fail(ErrorCode::limit_exceeded,
                "the system allows no more than " + std::to_string(folder_count_) +
                    " folders to be watched; raise fs.inotify.max_user_watches");
  }
  return fail_errno(errno, "cannot watch '" + folder + "'");
}

Result<void> FolderWatch::wait() {
  pollfd poll{queue_.get(), POLLIN, 0};
  bool has_changed = false;
  for (int settle_waits = 0; settle_waits < kSettleWaitsMax;) {
    const int ready = ::poll(&poll, 1, has_changed ? kSettleMilliseconds : -1);
    if (ready < 0 && errno != EINTR) return fail_errno(errno, "cannot wait for changes");
    if (ready == 0) return {};
    const auto counts = drain_events();
    if (!counts) return fail(counts.error());
    has_changed = has_changed || counts.value();
    if (has_changed) ++settle_waits;
  }
  return {};
}

Result<bool> FolderWatch::drain_events() const {
  alignas(inotify_event) std::array<char, 16UL * 1024> buffer{};
  bool has_changed = false;
  for (;;) {
    const ssize_t got = ::read(queue_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return has_changed;
    if (got <= 0) return fail_errno(errno, "cannot read what has changed");
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      const auto* const event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      at += sizeof(inotify_event) + event->len;
      // If the queue has overflowed, events were lost, so any file may have changed.
      const bool is_lost = (event->mask & IN_Q_OVERFLOW) != 0;
      has_changed = has_changed || is_lost || (event->len > 0 && counts(event->wd, event->name));
    }
  }
}

bool FolderWatch::counts(int watch, std::string_view name) const {
  const auto folder = folder_of_.find(watch);
  const bool is_known = folder != folder_of_.end();
  const std::string path = is_known ? folder->second + "/" + std::string(name) : std::string();
  const bool leads_to_named = std::ranges::any_of(named_, [&](const std::string& named) {
    return path == named || named.starts_with(path + "/");
  });
  if (is_ignored_name(name) && !is_lock_name(name)) return is_known && leads_to_named;
  if (!is_known) return true;
  if (awaiting_.contains(folder->second)) return leads_to_named;
  return except_ != path && !except_.starts_with(path + "/");
}

}  // namespace muster::cli
