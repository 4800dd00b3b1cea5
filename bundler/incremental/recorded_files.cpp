// The stamp of a file is taken before the file is read. If a file changes during a build, its stamp
// then differs or is not settled, and the next build checks the file again.
#include "bundler/incremental/recorded_files.h"

#include <algorithm>
#include <functional>

#include "registry/project/build_output.h"

namespace muster {

namespace {

bool is_of_editor(const AssetPath& path) { return path.is_within(AssetPath().child("Library")); }

}  // namespace

ContentHash hash_of_names(const std::vector<DirectoryEntry>& entries) {
  ContentHasher hasher;
  for (const DirectoryEntry& entry : entries) {
    hasher.update_text(entry.name);
    const std::array<std::byte, 2> kind = {static_cast<std::byte>(entry.kind),
                                           static_cast<std::byte>(entry.is_link)};
    hasher.update(kind);
  }
  return hasher.finish();
}

RecordedFiles::Shard& RecordedFiles::shard_of(const AssetPath& path) const {
  return shards_[std::hash<std::string>{}(path.text()) % shards_.size()];
}

FileStamp RecordedFiles::note(const AssetPath& path, InputUse use) const {
  Shard& shard = shard_of(path);
  {
    const std::lock_guard lock(shard.mutex);
    if (const auto found = shard.inputs.find(path.text()); found != shard.inputs.end()) {
      found->second.use = std::max(found->second.use, use);
      return found->second.stamp;
    }
  }
  const FileStamp stamp = stamp_of(stamps_, path);
  const std::lock_guard lock(shard.mutex);
  RecordedInput& input = shard.inputs.try_emplace(path.text()).first->second;
  if (input.path.empty()) {
    input.path = path;
    input.stamp = stamp;
  }
  input.use = std::max(input.use, use);
  return input.stamp;
}

void RecordedFiles::note_whole(const AssetPath& path, const ContentHash& hash) const {
  Shard& shard = shard_of(path);
  const std::lock_guard lock(shard.mutex);
  RecordedInput& input = shard.inputs.at(path.text());
  if (input.use == InputUse::whole && input.hash != hash) shard.torn.push_back(path);
  input.use = InputUse::whole;
  input.hash = hash;
}

void RecordedFiles::note_torn(const AssetPath& path) const {
  Shard& shard = shard_of(path);
  const std::lock_guard lock(shard.mutex);
  shard.torn.push_back(path);
}

FileStamp RecordedFiles::record_stamp(const AssetPath& path) const {
  return note(path, InputUse::stat);
}

// Does not record folders of the editor, because the editor changes these folders often and no
// build depends on them. The packages in these folders affect only the findings of checks.
Result<FileInfo> RecordedFiles::stat(const AssetPath& path) const {
  if (is_of_editor(path)) return inner_.stat(path);
  note(path, InputUse::stat);
  return inner_.stat(path);
}

Result<std::vector<DirectoryEntry>> RecordedFiles::list(const AssetPath& folder) const {
  if (is_of_editor(folder)) return inner_.list(folder);
  if (may_hold_build(folder)) {
    // An output folder inside the project is not recorded, because it changes with every build and
    // no build depends on it.
    auto entries = inner_.list(folder);
    if (entries && is_build_output(folder, entries.value())) return entries;
  }
  note(folder, InputUse::part);
  auto entries = inner_.list(folder);
  if (!entries) return entries;
  note_whole(folder, hash_of_names(entries.value()));
  // The target of a link can be added, removed or replaced by another kind without a change of the
  // folder. So the target of each link is also recorded, and the kind of the target is compared
  // with the kind in the folder's list.
  for (const DirectoryEntry& entry : entries.value()) {
    if (!entry.is_link) continue;
    const FileStamp stamp = note(folder.child(entry.name), InputUse::stat);
    // If the target is not accessible, the link counts as broken. The removal of the link itself
    // changes the folder.
    const FileKind kind = stamp.exists ? stamp.kind : FileKind::broken_link;
    if (kind != entry.kind) note_torn(folder);
  }
  return entries;
}

Result<Bytes> RecordedFiles::read(const AssetPath& path, std::uint64_t offset,
                                  std::uint64_t max_bytes, ByteVector& buffer) const {
  if (is_of_editor(path)) return inner_.read(path, offset, max_bytes, buffer);
  note(path, InputUse::part);
  auto bytes = inner_.read(path, offset, max_bytes, buffer);
  if (bytes && offset == 0 && bytes.value().size() < max_bytes) {
    note_whole(path, hash_bytes(bytes.value()));
  }
  return bytes;
}

std::vector<RecordedInput> RecordedFiles::inputs() const {
  std::vector<RecordedInput> all;
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (const auto& [path, input] : shard.inputs) all.push_back(input);
  }
  std::ranges::sort(all, {}, &RecordedInput::path);
  return all;
}

std::optional<ContentHash> RecordedFiles::hash_of(const AssetPath& path) const {
  Shard& shard = shard_of(path);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.inputs.find(path.text());
  if (found == shard.inputs.end() || found->second.use != InputUse::whole) return std::nullopt;
  return found->second.hash;
}

std::vector<AssetPath> RecordedFiles::torn() const {
  std::vector<AssetPath> all;
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    all.insert(all.end(), shard.torn.begin(), shard.torn.end());
  }
  std::ranges::sort(all);
  return all;
}

}  // namespace muster
