#include "registry/project/source_file.h"

#include <algorithm>
#include <charconv>

namespace muster {
namespace {

constexpr std::uint64_t kHeadBytes = 16ULL * 1024;

std::unique_ptr<SourceFile> load(const FileReader& files, const Asset& asset) {
  auto source = std::make_unique<SourceFile>();
  source->path = asset.path;
  source->guid = asset.guid;
  ByteVector buffer;
  const auto bytes = read_whole(files, asset.path, SourceCache::kMaxSourceBytes, buffer);
  if (!bytes) {
    source->read_error = bytes.error();
    return source;
  }
  source->bytes.assign(bytes.value().begin(), bytes.value().end());
  const std::string_view text = as_text(source->bytes);
  source->dialect = yaml::detect_dialect(text);
  auto read = yaml::read(text);
  if (read.good()) {
    source->tree = std::move(read.tree());
  } else {
    source->error = read.error();
  }
  // If no object has the usual id, the sidecar names the main object.
  if (source->tree.documents.size() > 1 && has_extension(asset.path, "asset") &&
      std::ranges::find(source->tree.documents, SourceFile::kDefaultMainId,
                        &yaml::Document::file_id) == source->tree.documents.end()) {
    const std::int64_t id = main_id_in_sidecar(files, asset.path);
    if (id != 0) source->main_id = id;
  }
  return source;
}

}  // namespace

std::int64_t main_id_in_sidecar(const FileReader& files, const AssetPath& path) {
  constexpr std::string_view kKey = "mainObjectFileID:";
  ByteVector buffer;
  const auto meta =
      files.read(path.parent().child(std::string(path.name()) + ".meta"), 0, kHeadBytes, buffer);
  if (!meta) return 0;
  std::string_view text = as_text(meta.value());
  const std::size_t at = text.find(kKey);
  if (at == std::string_view::npos) return 0;
  text.remove_prefix(at + kKey.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::int64_t id = 0;
  std::from_chars(text.data(), text.data() + text.size(), id);
  return id;
}

bool is_foreign_text(const SourceFile& source) {
  return source.error && yaml::find_text_fault(as_text(source.bytes)).has_value();
}

bool has_foreign_importer(const FileReader& files, const AssetPath& path) {
  ByteVector buffer;
  const auto meta =
      files.read(path.parent().child(std::string(path.name()) + ".meta"), 0, kHeadBytes, buffer);
  if (!meta) return false;
  const std::string_view text = as_text(meta.value());
  return text.find("\nDefaultImporter:") != std::string_view::npos ||
         text.find("\nScriptedImporter:") != std::string_view::npos ||
         text.find("\nTextScriptImporter:") != std::string_view::npos;
}

bool is_plain_path(const AssetPath& path) {
  return has_extension(path, "yaml") || has_extension(path, "yml");
}

std::string plain_class_in(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  constexpr std::string_view kKey = "class:";
  if (text.find(kKey.substr(0, 5)) == std::string_view::npos) return {};
  std::string_view rest = text;
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!line.starts_with(kKey)) continue;
    line.remove_prefix(kKey.size());
    line = line.substr(0, line.find(" #"));
    const std::size_t first = line.find_first_not_of(" \t'\"");
    const std::size_t last = line.find_last_not_of(" \t\r'\"");
    return first == std::string_view::npos ? std::string()
                                           : std::string(line.substr(first, last - first + 1));
  }
  // The key may have another spelling (for example, quotes), so the text must be parsed.
  if (yaml::detect_dialect(text) != yaml::Dialect::plain) return {};
  const auto read = yaml::read_plain(text);
  if (!read.good() || read.tree().documents.empty()) return {};
  const yaml::Tree& tree = read.tree();
  return std::string(tree.scalar_at(tree.documents.front().root, "class"));
}

int SourceFile::document_of(std::int64_t file_id) const {
  if (file_id == 0 || dialect == yaml::Dialect::plain) {
    if (file_id == 0) {
      const int main = document_of(main_id);
      if (main >= 0) return main;
    }
    return tree.documents.empty() ? -1 : 0;
  }
  for (std::size_t i = 0; i < tree.documents.size(); ++i) {
    if (tree.documents[i].file_id == file_id) return static_cast<int>(i);
  }
  return -1;
}

yaml::NodeIndex SourceFile::fields_of(int document) const {
  if (document < 0 || static_cast<std::size_t>(document) >= tree.documents.size()) {
    return yaml::kNoNode;
  }
  const yaml::NodeIndex root = tree.documents[static_cast<std::size_t>(document)].root;
  if (root == yaml::kNoNode || dialect == yaml::Dialect::plain) return root;
  return tree.at(root).first_child;
}

std::string_view SourceFile::type_name_of(int document) const {
  if (document < 0 || dialect == yaml::Dialect::plain) return {};
  const yaml::NodeIndex fields = fields_of(document);
  return fields == yaml::kNoNode ? std::string_view{} : tree.at(fields).key;
}

std::vector<ReadFailure> SourceCache::read_failures() const {
  const std::lock_guard lock(mutex_);
  std::vector<ReadFailure> failures;
  for (const auto& [asset, source] : loaded_) {
    if (source->read_error) failures.push_back({asset, *source->read_error});
  }
  return failures;
}

const SourceFile& SourceCache::get(AssetNumber asset) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = loaded_.find(asset); found != loaded_.end()) return *found->second;
  }
  // The mutex is not locked here. If two threads load the same file, the first result is kept.
  auto source = load(files_, index_.at(asset));
  const std::lock_guard lock(mutex_);
  return *loaded_.emplace(asset, std::move(source)).first->second;
}

const std::string& SourceCache::plain_class(AssetNumber asset) const {
  const std::lock_guard lock(mutex_);
  const auto [entry, fresh] = plain_classes_.try_emplace(asset);
  const Asset& known = index_.at(asset);
  if (fresh && !known.is_folder && is_plain_path(known.path)) {
    ByteVector buffer;
    auto bytes = read_whole(files_, known.path, kMaxSourceBytes, buffer);
    if (!bytes && bytes.error().code == ErrorCode::limit_exceeded) {
      // The first bytes may show the kind of a file that is too large.
      bytes = files_.read(known.path, 0, kHeadBytes, buffer);
    }
    if (bytes) {
      entry->second = plain_class_in(as_text(bytes.value()));
    } else {
      plain_errors_.emplace(asset, bytes.error());
    }
  }
  return entry->second;
}

const Error* SourceCache::plain_class_error(AssetNumber asset) const {
  const std::lock_guard lock(mutex_);
  const auto found = plain_errors_.find(asset);
  return found == plain_errors_.end() ? nullptr : &found->second;
}

}  // namespace muster
