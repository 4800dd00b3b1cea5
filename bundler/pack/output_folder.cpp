// Publishing has three steps: (1) The staging folder is renamed to the journal. From then on, the
// new output will be completed, even after an interruption. (2) Consecutive renames exchange the
// new parts with the old parts. If the process dies between two of these renames, client and server
// are from different builds until the output is opened again. (3) The journal folder, which now
// contains the old parts, is removed. The journal lists the identity (inode) of every new part. A
// rename does not change the identity, so recovery knows which parts are already at their final
// path.
#include "bundler/pack/output_folder.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "registry/base/stray_names.h"
#include "registry/project/build_output.h"
#include "runtime/bundle/build_signature.h"
#include "runtime/bundle/bundle_name.h"

namespace muster {
namespace {

constexpr std::string_view kStaging = ".muster-staging";
constexpr std::string_view kJournal = ".muster-publish";
constexpr std::string_view kParts = "parts";
constexpr std::uint64_t kMaxPartsBytes = 4096;
constexpr const char* kForeign = ", which is not part of a build";
/// The number of bytes that are read to identify a report. The identifying members are at the start
/// of the report.
constexpr std::uint64_t kReportHeadBytes = 4096;
/// The parts of an output. Publishing moves and replaces no other files.
constexpr std::array<std::string_view, 5> kPartNames = {
    kStateName, OutputFolder::kReportName, OutputFolder::kTimesName, "client", "server"};
/// Other allowed names: temporary names of Muster, and a folder that the system makes at the top of
/// a disk.
constexpr std::array<std::string_view, 4> kOwn = {kStaging, kJournal, OutputFolder::kLockName,
                                                  "lost+found"};

AssetPath named(std::string_view name) { return AssetPath().child(name); }

Result<AssetPath> staged_path(const AssetPath& path) {
  return AssetPath::parse(std::string(kStaging) + "/" + path.text());
}

// The kind of a path; no value if it does not exist. A disk error must not count as "does not
// exist", because a journal that still contains parts could then be deleted.
Result<std::optional<FileInfo>> find(const FileReader& files, const AssetPath& path) {
  const auto info = files.stat(path);
  if (info) return std::optional(info.value());
  if (info.error().code == ErrorCode::not_found) return std::optional<FileInfo>();
  return fail(info.error());
}

bool is_part(std::string_view name) {
  return std::ranges::find(kPartNames, name) != kPartNames.end();
}

using Parts = std::map<std::string, std::uint64_t>;  // The identity of each new part, by name.

tl::unexpected<Error> bad_journal() {
  return fail(ErrorCode::malformed,
              std::string(kJournal) + "/" + std::string(kParts) +
                  ": this journal was not written by muster; remove the folder to continue");
}

// Reads the list in the journal, with "name identity" on each line. If the list is missing, the
// removal of the journal was interrupted.
Result<Parts> read_parts(const FileReader& files) {
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

// Whether the report is a report of Muster. Reads only the start of the file, because reports of
// large projects are large. A report with damage after its start is replaced like any other part.
Result<bool> is_report_of_ours(const FileReader& files) {
  ByteVector buffer;
  const auto bytes = files.read(named(OutputFolder::kReportName), 0, kReportHeadBytes, buffer);
  if (!bytes && bytes.error().code == ErrorCode::not_found) return false;
  if (!bytes) return fail(bytes.error());
  bool has_format = false;
  bool has_version = false;
  const auto on_event = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& key) {
    if (depth != 1 || event != nlohmann::json::parse_event_t::key) return true;
    has_format = has_format || key == "format";
    has_version = has_version || key == "muster";
    return true;
  };
  (void)nlohmann::json::parse(as_text(bytes.value()), on_event, false).is_discarded();
  return has_format && has_version;
}

// The reason why a folder must not be replaced; empty if it may be replaced. A folder may be
// replaced if it contains only files of a target, even damaged files, and files that desktop
// programs leave. Files that desktop programs leave are removed together with the folder.
Result<std::string> foreign_part_in_target(const FileReader& files, const AssetPath& folder) {
  const auto present = find(files, folder);
  if (!present) return fail(present.error());
  if (!present.value()) return std::string();
  const auto listed = files.list(folder);
  if (!listed && listed.error().code == ErrorCode::not_found) {
    return "'" + folder.text() + "', which is not a folder";
  }
  if (!listed) return fail(listed.error());
  for (const DirectoryEntry& entry : listed.value()) {
    const bool is_ours = std::ranges::count(kBundleFolders, entry.name) > 0 ||
                         entry.name == "dictionaries" || entry.name == "catalog.mcat" ||
                         entry.name == kCatalogSignatureFile;
    if (!is_ours && !is_stray_name(entry.name)) {
      return "'" + folder.child(entry.name).text() + "'" + kForeign;
    }
  }
  return std::string();
}

// Fails if a target is a link, because publishing and each recovery would stop in the middle.
Result<void> refuse_links(const FileReader& files) {
  for (const std::string_view target : {"client", "server"}) {
    const auto present = find(files, named(target));
    if (!present) return fail(present.error());
    if (!present.value() || !present.value()->is_link) continue;
    return fail(ErrorCode::already_exists, "'" + std::string(target) +
                                               "' is a link, and a build replaces folders; "
                                               "remove it");
  }
  return {};
}

// The reason why a folder is not the output of a build; empty for an output and for an empty
// folder. A build writes only into such a folder, because a build replaces parts as a whole.
Result<std::string> foreign_part_in(const FileReader& files) {
  const auto entries = files.list(AssetPath());
  if (!entries) return fail(entries.error());
  std::string first_other;
  bool has_parts = false;
  bool has_journal = false;
  for (const DirectoryEntry& entry : entries.value()) {
    has_journal = has_journal || entry.name == kJournal;
    const bool is_own = std::ranges::find(kOwn, entry.name) != kOwn.end();
    has_parts = has_parts || is_part(entry.name);
    if (is_own || is_part(entry.name) || is_stray_name(entry.name) || !first_other.empty()) {
      continue;
    }
    first_other = "'" + entry.name + "'";
  }
  if (first_other.empty() && !has_parts) return std::string();
  if (auto folders = refuse_links(files); !folders) return fail(folders.error());
  if (has_journal) {
    if (const auto parts = read_parts(files); !parts) return fail(parts.error());
    return std::string();
  }
  const auto reported = is_report_of_ours(files);
  if (!reported) return fail(reported.error());
  if (!reported.value()) {
    return first_other.empty() ? "parts of a build, but no build.json written by muster"
                               : first_other + kForeign;
  }
  for (const std::string_view target : {"client", "server"}) {
    auto foreign = foreign_part_in_target(files, named(target));
    if (!foreign || !foreign.value().empty()) return foreign;
  }
  return std::string();
}

}  // namespace

bool OutputFolder::may_hold(std::string_view name) {
  return is_part(name) || std::ranges::find(kOwn, name) != kOwn.end() || is_stray_name(name);
}

Result<void> OutputFolder::check_usable(const FileReader& files) {
  const auto foreign = foreign_part_in(files);
  if (!foreign) return fail(foreign.error());
  if (foreign.value().empty()) return {};
  return fail(ErrorCode::already_exists,
              "it holds " + foreign.value() + "; give an empty folder or a folder with a build");
}

Result<OutputFolder> OutputFolder::open_for_build(FileSystem& files) {
  if (auto usable = check_usable(files); !usable) return fail(usable.error());
  if (auto whole = recover(files); !whole) return fail(whole.error());
  if (auto clean = files.remove(named(kStaging)); !clean) return fail(clean.error());
  return OutputFolder(files);
}

Result<bool> OutputFolder::needs_recovery(const FileReader& files) {
  const auto journal = find(files, named(kJournal));
  if (!journal) return fail(journal.error());
  return journal.value().has_value();
}

Result<void> OutputFolder::recover(FileSystem& files) {
  const auto needed = needs_recovery(files);
  if (!needed) return fail(needed.error());
  if (!needed.value()) return {};
  const auto parts = read_parts(files);
  if (!parts) return fail(parts.error());
  std::vector<Move> moves;
  for (const auto& [name, identity] : parts.value()) {
    const AssetPath fresh = named(kJournal).child(name);
    const auto waiting = find(files, fresh);
    if (!waiting) return fail(waiting.error());
    // A part with another identity is the old part, which was already exchanged.
    if (!waiting.value() || waiting.value()->identity != identity) continue;
    moves.push_back({fresh, named(name)});
  }
  // All moves are passed to one `commit`, so that the time between two moves is short. Between two
  // moves, client and server are from different builds.
  if (auto moved = files.commit(moves); !moved) return moved;
  return files.remove(named(kJournal));
}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept
    : files_(std::exchange(other.files_, nullptr)),
      links_(other.links_),
      parts_(std::move(other.parts_)) {}

OutputFolder::~OutputFolder() {
  // If the cleanup fails, the build does not fail. The next build removes the remaining files.
  try {
    if (files_ != nullptr) (void)files_->remove(named(kStaging)).has_value();
  } catch (const std::bad_alloc&) {  // Ignores a lack of memory, because the next build removes the
                                     // files.
  }
}

Result<void> OutputFolder::stage(const AssetPath& path, Bytes bytes) {
  const auto staged = staged_path(path);
  if (!staged) return fail(staged.error());
  parts_.insert(path.text().substr(0, path.text().find('/')));
  return files_->write(staged.value(), bytes);
}

Result<void> OutputFolder::carry_over(const FileReader& from, const AssetPath& old_folder,
                                      const AssetPath& folder, std::span<const std::string> names) {
  constexpr std::uint64_t kFileBytesMax = 8ULL * 1024 * 1024 * 1024;
  const auto staged = staged_path(folder);
  if (!staged) return fail(staged.error());
  std::vector<bool> linked(names.size(), false);
  if (links_ != nullptr && &from == files_) {
    linked = links_->link_all(old_folder, staged.value(), names);
  }
  if (std::ranges::count(linked, true) > 0) {
    parts_.insert(folder.text().substr(0, folder.text().find('/')));
  }
  ByteVector buffer;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (linked[i]) continue;
    const auto bytes = read_whole(from, old_folder.child(names[i]), kFileBytesMax, buffer);
    if (!bytes) return fail(bytes.error());
    if (auto written = stage(folder.child(names[i]), bytes.value()); !written) return written;
  }
  return {};
}

void OutputFolder::stamps_of_staged(const FileStamps& stamps, const AssetPath& folder,
                                    std::span<const std::string_view> names,
                                    std::span<FileStamp> found) const {
  const auto staged = folder.empty() ? named(kStaging) : staged_path(folder).value();
  stamps.stamps_in(staged, names, found);
}

Result<Bytes> OutputFolder::read_staged(const AssetPath& path, std::uint64_t offset,
                                        std::uint64_t max_bytes, ByteVector& buffer) const {
  const auto staged = staged_path(path);
  if (!staged) return fail(staged.error());
  return files_->read(staged.value(), offset, max_bytes, buffer);
}

Result<void> OutputFolder::publish() {
  std::string parts;
  for (const std::string& part : parts_) {
    const auto info = files_->stat(named(kStaging).child(part));
    if (!info) return fail(info.error());
    parts += part + " " + std::to_string(info.value().identity) + "\n";
  }
  if (auto listed = files_->write(named(kStaging).child(kParts), as_bytes(parts)); !listed) {
    return listed;
  }
  if (auto decided = commit_move(*files_, named(kStaging), named(kJournal)); !decided)
    return decided;
  return recover(*files_);
}

Result<Bytes> OutputFolder::read(const AssetPath& path, std::uint64_t max_bytes,
                                 ByteVector& buffer) const {
  return read_whole(*files_, path, max_bytes, buffer);
}

}  // namespace muster
