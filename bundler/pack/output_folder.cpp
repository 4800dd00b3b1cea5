// Publishing is three steps, each atomic: (1) the staging folder is renamed to the journal's name,
// which makes the new output decided; (2) each part is exchanged with the old one; (3) the journal
// folder, now full of old parts, is removed. The journal lists the identity (inode) of every new
// part: renaming keeps it, so recovery knows which parts are already in place, whatever they
// contain.
#include "bundler/pack/output_folder.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

namespace muster {
namespace {

constexpr std::string_view kStaging = ".muster-staging";
constexpr std::string_view kJournal = ".muster-publish";
constexpr std::string_view kLock = ".muster-lock";
constexpr std::string_view kParts = "parts";
constexpr std::uint64_t kMaxPartsBytes = 4096;
constexpr std::uint64_t kMaxReportBytes = 1024ULL * 1024 * 1024;
/// What an output consists of; nothing else is ever moved or replaced.
constexpr std::array<std::string_view, 3> kPartNames = {"build.json", "client", "server"};

AssetPath named(std::string_view name) { return AssetPath().child(name); }

bool is_part(std::string_view name) {
  return std::ranges::find(kPartNames, name) != kPartNames.end();
}

using Parts = std::map<std::string, std::uint64_t>;  // name, identity of the new one

tl::unexpected<Error> bad_journal() {
  return fail(ErrorCode::malformed, std::string(kJournal) + "/" + std::string(kParts) +
                                        ": not a journal of ours; remove the folder to go on");
}

// "name identity" per line. A journal without the list is one whose removal was interrupted.
Result<Parts> read_parts(const FileSystem& files) {
  Parts parts;
  ByteVector buffer;
  const auto bytes = read_whole(files, named(kJournal).child(kParts), kMaxPartsBytes, buffer);
  if (!bytes && bytes.error().code == ErrorCode::not_found) return parts;
  if (!bytes) return fail(bytes.error());
  std::string_view text = as_text(bytes.value());
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const std::size_t blank = line.find(' ');
    if (end == std::string_view::npos || blank == std::string_view::npos) return bad_journal();
    std::uint64_t identity = 0;
    const char* const last = line.data() + line.size();
    const auto [stop, error] = std::from_chars(line.data() + blank + 1, last, identity);
    if (error != std::errc() || stop != last || !is_part(line.substr(0, blank))) {
      return bad_journal();
    }
    parts.emplace(line.substr(0, blank), identity);
    text = text.substr(end + 1);
  }
  return parts;
}

Result<void> roll_forward(FileSystem& files) {
  if (!files.stat(named(kJournal))) return {};
  const auto parts = read_parts(files);
  if (!parts) return fail(parts.error());
  for (const auto& [name, identity] : parts.value()) {
    const AssetPath fresh = named(kJournal).child(name);
    const auto waiting = files.stat(fresh);
    // Another identity there is the old part, which the exchange left behind.
    if (!waiting || waiting.value().identity != identity) continue;
    if (auto moved = files.commit(fresh, named(name)); !moved) return moved;
  }
  return files.remove(named(kJournal));
}

bool is_report_of_ours(const FileSystem& files) {
  ByteVector buffer;
  const auto bytes = read_whole(files, named(OutputFolder::kReportName), kMaxReportBytes, buffer);
  if (!bytes) return false;
  const auto json = nlohmann::json::parse(as_text(bytes.value()), nullptr, false);
  return json.is_object() && json.contains("format") && json.contains("muster");
}

// A folder that may be replaced: it holds what targets hold, whole or damaged, and nothing else.
bool is_target_of_ours(const FileSystem& files, const AssetPath& folder) {
  const auto listed = files.list(folder);
  return listed && std::ranges::all_of(listed.value(), [](const DirectoryEntry& entry) {
           return entry.name == "bundles" || entry.name == "shared" || entry.name == "catalog.mcat";
         });
}

// Only what is surely a build, or empty, is ever written into: the parts get replaced as a whole.
Result<bool> is_build_or_empty(const FileSystem& files) {
  const auto entries = files.list(AssetPath());
  if (!entries) return fail(entries.error());
  bool only_ours = true;
  for (const DirectoryEntry& entry : entries.value()) {
    constexpr std::array<std::string_view, 4> kOwn = {kStaging, kJournal, kLock, "lost+found"};
    only_ours = only_ours && std::ranges::find(kOwn, entry.name) != kOwn.end();
  }
  if (only_ours) return true;
  if (files.stat(named(kJournal))) return read_parts(files).has_value();
  if (!is_report_of_ours(files)) return false;
  for (const std::string_view target : {"client", "server"}) {
    if (files.stat(named(target)) && !is_target_of_ours(files, named(target))) return false;
  }
  return true;
}

// "a/b" is ("a", "b"); "b" is (".", "b").
std::pair<std::string, std::string> split_path(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {path.substr(0, slash + 1), path.substr(slash + 1)};
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
  const auto [parent, name] = split_path(state_->path);
  auto above = DiskFileSystem::open(parent);
  if (above && !name.empty() && name != "." && name != "..") {
    (void)above.value().remove(AssetPath().child(name)).has_value();
  }
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
    const auto info = state_->files.stat(named(kStaging).child(part));
    if (!info) return fail(info.error());
    parts += part + " " + std::to_string(info.value().identity) + "\n";
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
