// The output is staged in a separate folder. Removing the name of this folder from a path gives the
// path in the output.
#include "bundler/build/compared_files.h"

#include <algorithm>
#include <random>

#include "bundler/build/build_report.h"
#include "registry/base/content_hash.h"
#include "registry/base/stray_names.h"
#include "runtime/bundle/bundle_reader.h"

namespace muster {
namespace {

constexpr std::uint64_t kFileBytesMax = 8ULL * 1024 * 1024 * 1024;
constexpr std::string_view kReport = "build.json";

// The path in the output for a staged path; other paths are returned unchanged.
std::string path_in_output(const AssetPath& path) {
  const std::string& text = path.text();
  return text.starts_with('.') ? text.substr(std::min(text.find('/'), text.size() - 1) + 1) : text;
}

tl::unexpected<Error> not_written() {
  return fail(ErrorCode::permission_denied, "a build that is only compared cannot be written");
}
tl::unexpected<Error> not_there(const AssetPath& path) {
  return fail(ErrorCode::not_found, "no file '" + path.text() + "'");
}

Bytes part_of(Bytes all, std::uint64_t offset, std::uint64_t max_bytes, ByteVector& buffer) {
  const auto begin = static_cast<std::size_t>(std::min<std::uint64_t>(offset, all.size()));
  const auto count =
      static_cast<std::size_t>(std::min<std::uint64_t>(max_bytes, all.size() - begin));
  if (buffer.size() < count) buffer.resize(count);
  std::ranges::copy(all.subspan(begin, count), buffer.begin());
  return Bytes(buffer).first(count);
}

// Returns a hash of the entries of a bundle. Bundles with equal entries have equal hashes, even if
// the entries are compressed differently. The hash of a file that is not a bundle is all zero.
ContentHash hash_of_entries(Bytes bytes) {
  const auto bundle = BundleReader::open(bytes);
  if (!bundle) return {};
  ContentHasher hasher;
  for (std::uint32_t i = 0; i < bundle.value().entry_count(); ++i) {
    const BundleEntry entry = bundle.value().entry(i);
    hasher.update(entry.guid.bytes());
    hasher.update_text(std::to_string(entry.local_id) + " " +
                       std::to_string(static_cast<int>(entry.kind)) + " " +
                       std::to_string(entry.plain_bytes));
    hasher.update(std::as_bytes(std::span(entry.plain_hash.bytes)));
  }
  return hasher.finish();
}

bool is_bundle(std::string_view path) { return path.ends_with(".mbundle"); }

}  // namespace

Result<FileInfo> ComparedFiles::stat(const AssetPath& path) const { return not_there(path); }

Result<std::vector<DirectoryEntry>> ComparedFiles::list(const AssetPath&) const {
  return std::vector<DirectoryEntry>();
}

Result<Bytes> ComparedFiles::read_staged(const std::string& path, std::uint64_t offset,
                                         std::uint64_t max_bytes, ByteVector& buffer) const {
  if (const auto found = unequal_.find(path); found != unequal_.end()) {
    return part_of(found->second, offset, max_bytes, buffer);
  }
  const auto parsed = AssetPath::parse(path);
  if (!parsed || !equal_.contains(path))
    return fail(ErrorCode::not_found, "no file '" + path + "'");
  return reference_.read(parsed.value(), offset, max_bytes, buffer);
}

Result<Bytes> ComparedFiles::read(const AssetPath& path, std::uint64_t offset,
                                  std::uint64_t max_bytes, ByteVector& buffer) const {
  // Only staged files exist here.
  if (!path.text().starts_with('.')) return not_there(path);
  return read_staged(path_in_output(path), offset, max_bytes, buffer);
}

Result<void> ComparedFiles::write(const AssetPath& path, Bytes bytes) {
  const std::string output_path = path_in_output(path);
  const auto parsed = AssetPath::parse(output_path);
  if (!parsed) return fail(parsed.error());
  ByteVector buffer;
  const auto known = read_whole(reference_, parsed.value(), kFileBytesMax, buffer);
  const bool is_equal = known && std::ranges::equal(known.value(), bytes);
  if (is_equal) {
    equal_.insert(output_path);
  } else {
    unequal_[output_path] = ByteVector(bytes.begin(), bytes.end());
  }
  return {};
}

Result<void> ComparedFiles::commit(std::span<const Move>) { return not_written(); }
Result<void> ComparedFiles::remove(const AssetPath&) { return {}; }

Result<void> ComparedFiles::collect(const AssetPath& folder, std::set<std::string>& paths) const {
  const auto entries = reference_.list(folder);
  if (!entries) return fail(entries.error());
  for (const DirectoryEntry& entry : entries.value()) {
    const AssetPath path = folder.child(entry.name);
    if (is_stray_name(entry.name)) continue;
    if (entry.kind == FileKind::folder) {
      if (auto inner = collect(path, paths); !inner) return inner;
    } else {
      paths.insert(path.text());
    }
  }
  return {};
}

// Removes from `found` the bundles that differ only in compression. Shared bundles are compared by
// content, because their name is a hash of their bytes.
void ComparedFiles::drop_repacked(OutputDifferences& found) const {
  const auto folder_of = [](const std::string& path) { return path.substr(0, path.rfind('/')); };
  std::multiset<std::pair<std::string, ContentHash>> fresh;
  for (const auto* paths : {&found.other, &found.missing}) {
    for (const std::string& path : *paths) {
      if (is_bundle(path)) fresh.emplace(folder_of(path), hash_of_entries(unequal_.at(path)));
    }
  }
  const auto before = fresh;
  std::multiset<std::pair<std::string, ContentHash>> old;
  for (const auto* paths : {&found.other, &found.extra}) {
    for (const std::string& path : *paths) {
      if (!is_bundle(path)) continue;
      ByteVector buffer;
      const auto bytes =
          read_whole(reference_, AssetPath::parse(path).value(), kFileBytesMax, buffer);
      old.emplace(folder_of(path), bytes ? hash_of_entries(bytes.value()) : ContentHash());
    }
  }
  if (fresh.empty() || fresh != old) return;
  if (std::ranges::any_of(fresh, [](const auto& one) { return one.second == ContentHash(); })) {
    return;
  }
  found.repacked = fresh.size();
  // Catalogs, signatures and the report contain hashes of bundles, so they also differ.
  found.other.clear();
  found.missing.clear();
  found.extra.clear();
}

Result<OutputDifferences> ComparedFiles::differences(const std::vector<std::string>& targets,
                                                     bool allows_repacked) const {
  OutputDifferences found;
  std::set<std::string> known;
  for (const std::string& target : targets) {
    if (auto done = collect(AssetPath().child(target), known); !done) return fail(done.error());
  }
  for (const auto& [path, bytes] : unequal_) {
    if (path == kReport || path.starts_with('.') || path.find('/') == std::string::npos) continue;
    (known.contains(path) ? found.other : found.missing).push_back(path);
  }
  for (const std::string& path : known) {
    if (!equal_.contains(path) && !unequal_.contains(path)) found.extra.push_back(path);
  }
  if (const auto report = unequal_.find(std::string(kReport)); report != unequal_.end()) {
    ByteVector buffer;
    const auto old = read_whole(reference_, AssetPath().child(kReport), kFileBytesMax, buffer);
    if (!old) return fail(old.error());
    if (lasting_report(as_text(report->second), targets) !=
        lasting_report(as_text(old.value()), targets)) {
      found.other.emplace_back(kReport);
    }
  }
  if (allows_repacked && !found.empty()) drop_repacked(found);
  std::ranges::sort(found.other);
  return found;
}

Result<FileInfo> ComparedFiles::View::stat(const AssetPath& path) const { return not_there(path); }

Result<std::vector<DirectoryEntry>> ComparedFiles::View::list(const AssetPath& folder) const {
  std::map<std::string, FileKind> names;
  const std::string prefix = folder.empty() ? "" : folder.text() + "/";
  const auto add = [&](const std::string& path) {
    if (!path.starts_with(prefix)) return;
    const std::string rest = path.substr(prefix.size());
    const std::size_t slash = rest.find('/');
    names[rest.substr(0, slash)] = slash == std::string::npos ? FileKind::file : FileKind::folder;
  };
  for (const std::string& path : files_.equal_) add(path);
  for (const auto& [path, bytes] : files_.unequal_) add(path);
  std::vector<DirectoryEntry> entries;
  for (const auto& [name, kind] : names) entries.push_back({name, kind, false});
  return entries;
}

Result<Bytes> ComparedFiles::View::read(const AssetPath& path, std::uint64_t offset,
                                        std::uint64_t max_bytes, ByteVector& buffer) const {
  return files_.read_staged(path.text(), offset, max_bytes, buffer);
}

Result<std::vector<DirectoryEntry>> ShuffledFiles::list(const AssetPath& folder) const {
  auto entries = inner_.list(folder);
  if (!entries) return entries;
  std::mt19937_64 random(seed_ + std::hash<std::string>{}(folder.text()));
  std::ranges::shuffle(entries.value(), random);
  return entries;
}

}  // namespace muster
