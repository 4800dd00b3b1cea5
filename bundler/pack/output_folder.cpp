// Publishing is three steps, each atomic: (1) the staging folder is renamed to the journal's name,
// which makes the new output decided; (2) each part is exchanged with the old one; (3) the journal
// folder, now full of old parts, is removed. The journal lists the hash of every part's key file,
// so that recovery knows which parts are already in place.
#include "bundler/pack/output_folder.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "registry/vocabulary/content_hash.h"

namespace muster {
namespace {

constexpr std::string_view kStaging = ".muster-staging";
constexpr std::string_view kJournal = ".muster-publish";
constexpr std::string_view kLock = ".muster-lock";
constexpr std::string_view kParts = "parts";
constexpr std::uint64_t kMaxKeyFileBytes = 2ULL * 1024 * 1024 * 1024;

AssetPath named(std::string_view name) { return AssetPath().child(name); }

// The file whose content tells one version of a part from another.
AssetPath key_file(const AssetPath& part) {
  return part.name() == OutputFolder::kReportName ? part : part.child("catalog.mcat");
}

// The zero hash when there is no such file.
Result<ContentHash> hash_of(const FileSystem& files, const AssetPath& path) {
  ByteVector buffer;
  const auto bytes = read_whole(files, path, kMaxKeyFileBytes, buffer);
  if (bytes) return hash_bytes(bytes.value());
  if (bytes.error().code == ErrorCode::not_found) return ContentHash{};
  return fail(bytes.error());
}

// "name hash" per line. A journal without the list is one whose removal was interrupted.
Result<std::map<std::string, std::string>> read_parts(const FileSystem& files) {
  std::map<std::string, std::string> parts;
  ByteVector buffer;
  const auto bytes = read_whole(files, named(kJournal).child(kParts), kMaxKeyFileBytes, buffer);
  if (!bytes && bytes.error().code == ErrorCode::not_found) return parts;
  if (!bytes) return fail(bytes.error());
  std::string_view text = as_text(bytes.value());
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const std::size_t blank = line.find(' ');
    if (blank != std::string_view::npos) {
      parts.emplace(line.substr(0, blank), line.substr(blank + 1));
    }
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return parts;
}

Result<void> roll_forward(FileSystem& files) {
  if (!files.stat(named(kJournal))) return {};
  const auto parts = read_parts(files);
  if (!parts) return fail(parts.error());
  for (const auto& [name, hash] : parts.value()) {
    const AssetPath place = named(name);
    const auto present = hash_of(files, key_file(place));
    if (!present) return fail(present.error());
    if (present.value().to_string() == hash) continue;
    const AssetPath fresh = named(kJournal).child(name);
    if (!files.stat(fresh)) continue;
    if (auto moved = files.commit(fresh, place); !moved) return moved;
  }
  return files.remove(named(kJournal));
}

Result<bool> is_build_or_empty(const FileSystem& files) {
  const auto entries = files.list(AssetPath());
  if (!entries) return fail(entries.error());
  bool only_ours = true;
  for (const DirectoryEntry& entry : entries.value()) {
    constexpr std::array<std::string_view, 4> kOwn = {kStaging, kJournal, kLock, "lost+found"};
    only_ours = only_ours && std::ranges::find(kOwn, entry.name) != kOwn.end();
  }
  return only_ours || files.stat(named(OutputFolder::kReportName)).has_value() ||
         files.stat(named(kJournal)).has_value();
}

}  // namespace

struct OutputFolder::State {
  DiskFileSystem files;
  FolderLock lock;
  std::string path;
  bool created = false;
  bool published = false;
  std::set<std::string> parts;
};

Result<OutputFolder> OutputFolder::open_for_build(const std::string& path) {
  const bool existed = DiskFileSystem::open(path).has_value();
  auto files = DiskFileSystem::open_or_create(path);
  if (!files) return fail(files.error());
  const auto usable = is_build_or_empty(files.value());
  if (!usable) return fail(usable.error());
  if (!usable.value()) {
    return fail(ErrorCode::already_exists,
                "'" + path +
                    "' holds something that is no build; give an empty folder or one of "
                    "muster's");
  }
  auto lock = FolderLock::acquire(path, std::string(kLock));
  if (!lock) return fail(lock.error());
  if (auto whole = roll_forward(files.value()); !whole) return fail(whole.error());
  if (auto clean = files.value().remove(named(kStaging)); !clean) return fail(clean.error());
  return OutputFolder(std::unique_ptr<State>(
      new State{std::move(files).value(), std::move(lock).value(), path, !existed, false, {}}));
}

Result<void> OutputFolder::recover(const std::string& path) {
  auto files = DiskFileSystem::open(path);
  if (!files) return fail(files.error());
  if (!files.value().stat(named(kJournal))) return {};
  auto lock = FolderLock::acquire(path, std::string(kLock));
  if (!lock) return fail(lock.error());
  return roll_forward(files.value());
}

OutputFolder::OutputFolder(std::unique_ptr<State> state) : state_(std::move(state)) {}
OutputFolder::OutputFolder(OutputFolder&&) noexcept = default;
OutputFolder& OutputFolder::operator=(OutputFolder&&) noexcept = default;

OutputFolder::~OutputFolder() {
  if (!state_) return;
  // Failing to clean up is no failure of the build: the next one removes what is left.
  (void)state_->files.remove(named(kStaging)).has_value();
  if (state_->published || !state_->created) return;
  (void)state_->files.remove(named(kLock)).has_value();
  ::rmdir(state_->path.c_str());
}

Result<void> OutputFolder::stage(const AssetPath& path, Bytes bytes) {
  const auto staged = AssetPath::parse(std::string(kStaging) + "/" + path.text());
  if (!staged) return fail(staged.error());
  state_->parts.insert(path.text().substr(0, path.text().find('/')));
  return state_->files.write(staged.value(), bytes);
}

Result<void> OutputFolder::publish() {
  std::string parts;
  for (const std::string& part : state_->parts) {
    const AssetPath staged = named(kStaging).child(part);
    const auto hash = hash_of(state_->files, key_file(staged));
    if (!hash) return fail(hash.error());
    parts += part + " " + hash.value().to_string() + "\n";
  }
  if (auto listed = state_->files.write(named(kStaging).child(kParts), as_bytes(parts)); !listed) {
    return listed;
  }
  if (auto decided = state_->files.commit(named(kStaging), named(kJournal)); !decided) {
    return decided;
  }
  state_->published = true;
  return roll_forward(state_->files);
}

Result<Bytes> OutputFolder::read(const AssetPath& path, std::uint64_t max_bytes,
                                 ByteVector& buffer) const {
  return read_whole(state_->files, path, max_bytes, buffer);
}

}  // namespace muster
