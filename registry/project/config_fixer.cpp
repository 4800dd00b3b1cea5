#include "registry/project/config_fixer.h"

#include <algorithm>
#include <vector>

#include "registry/project/config.h"
#include "registry/project/folded_name.h"
#include "registry/yaml/reader.h"

namespace muster {
namespace {

constexpr std::uint64_t kConfigBytesMax = 4ULL * 1024 * 1024;

struct Replacement {
  std::size_t at = 0;
  std::size_t size = 0;
  std::string text;
};

// The offset of a scalar in the text; `npos` if the text does not contain the scalar literally,
// because it is escaped or folded.
std::size_t offset_of(std::string_view text, const yaml::Position& position,
                      std::string_view scalar) {
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < position.line; ++line) {
    at = text.find('\n', at);
    if (at == std::string_view::npos) return at;
    ++at;
  }
  at += position.column - 1U;
  if (at < text.size() && (text[at] == '"' || text[at] == '\'')) ++at;
  return text.substr(std::min(at, text.size())).starts_with(scalar) ? at : std::string_view::npos;
}

}  // namespace

std::optional<AssetPath> path_in_any_case(const FileReader& files, const AssetPath& path) {
  if (path.empty() || files.stat(path)) return path;
  const auto folder = path_in_any_case(files, path.parent());
  const auto entries = folder ? files.list(*folder) : Result<std::vector<DirectoryEntry>>();
  if (!folder || !entries) return std::nullopt;
  std::optional<AssetPath> found;
  for (const DirectoryEntry& entry : entries.value()) {
    if (folded_name(entry.name) != folded_name(path.name())) continue;
    if (found) return std::nullopt;
    found = folder->child(entry.name);
  }
  return found;
}

std::optional<std::string> fixed_config(const FileReader& files) {
  ByteVector buffer;
  const auto bytes =
      read_whole(files, AssetPath().child(ProjectConfig::kFileName), kConfigBytesMax, buffer);
  if (!bytes) return std::nullopt;
  std::string text(as_text(bytes.value()));
  const auto read = yaml::read_plain(text);
  if (!read.good() || read.tree().documents.size() != 1) return std::nullopt;
  const yaml::Tree& tree = read.tree();
  const yaml::NodeIndex root = tree.documents.front().root;
  if (root == yaml::kNoNode) return std::nullopt;
  std::vector<Replacement> replacements;
  const auto fix_path = [&](yaml::NodeIndex node) {
    const auto path = AssetPath::parse(tree.scalar(node));
    if (!path || tree.scalar(node).empty()) return;
    const auto there = path_in_any_case(files, path.value());
    if (!there || *there == path.value()) return;
    const std::size_t at = offset_of(text, tree.at(node).position, tree.scalar(node));
    if (at == std::string::npos) return;
    replacements.push_back({at, tree.scalar(node).size(), there->text()});
  };
  for (const yaml::NodeIndex item : yaml::Children(tree, tree.find(root, "folders")))
    fix_path(item);
  if (const auto node = tree.find(root, "components"); node != yaml::kNoNode) fix_path(node);
  if (replacements.empty()) return std::nullopt;
  std::ranges::sort(replacements, std::ranges::greater(), &Replacement::at);
  for (const Replacement& one : replacements) text.replace(one.at, one.size, one.text);
  return text;
}

}  // namespace muster
