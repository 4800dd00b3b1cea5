#include "registry/project/sidecar_fixer.h"

#include <algorithm>
#include <map>

#include "registry/project/folded_name.h"

namespace muster {
namespace {

constexpr std::uint64_t kMetaBytesMax = 16ULL * 1024 * 1024;

// A minimal sidecar. Unity adds the importer's settings when it imports the asset.
std::string new_sidecar(const Guid& guid, bool is_folder) {
  return "fileFormatVersion: 2\nguid: " + guid.to_string() + "\n" +
         (is_folder ? "folderAsset: yes\n" : "");
}

// The result is empty if the text has changed since the index was built.
std::string respelled(std::string text, const yaml::Position& position) {
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < position.line; ++line) {
    at = text.find('\n', at);
    if (at == std::string::npos) return {};
    ++at;
  }
  at += position.column - 1U;
  if (at >= text.size()) return {};
  if (text[at] == '"' || text[at] == '\'') ++at;
  const std::string_view spelled = std::string_view(text).substr(at, Guid::kTextLength);
  const auto guid = Guid::parse_any_case(spelled);
  if (!guid) return {};
  text.replace(at, Guid::kTextLength, guid.value().to_string());
  return text;
}

}  // namespace

Result<std::vector<SidecarFix>> plan_sidecar_fixes(const FileReader& files, const AssetIndex& index,
                                                   const std::function<Guid()>& fresh_guid) {
  // The key is the folder and the name.
  std::multimap<std::pair<AssetPath, std::string>, AssetPath> orphans;
  std::map<std::pair<AssetPath, std::string>, std::size_t> wanting;
  const auto key_of = [](const AssetPath& sidecar) {
    return std::pair(sidecar.parent(), folded_name(sidecar.name()));
  };
  const auto sidecar_of = [](const AssetPath& asset) {
    return asset.parent().child(std::string(asset.name()) + ".meta");
  };
  for (const IndexProblem& problem : index.problems()) {
    if (problem.kind == IndexProblem::Kind::orphan_meta)
      orphans.emplace(key_of(problem.path), problem.path);
    if (problem.kind == IndexProblem::Kind::missing_meta)
      ++wanting[key_of(sidecar_of(problem.path))];
  }
  std::vector<SidecarFix> fixes;
  for (const IndexProblem& problem : index.problems()) {
    if (problem.kind == IndexProblem::Kind::missing_meta) {
      const AssetPath path = sidecar_of(problem.path);
      const auto key = key_of(path);
      if (orphans.count(key) == 1 && wanting[key] == 1) {
        fixes.push_back({SidecarFix::Kind::rename, path, orphans.find(key)->second, {}});
      } else {
        fixes.push_back({SidecarFix::Kind::create,
                         path,
                         {},
                         new_sidecar(fresh_guid(), problem.detail == "folder")});
      }
    } else if (problem.kind == IndexProblem::Kind::upper_case_guid) {
      ByteVector buffer;
      const auto bytes = read_whole(files, problem.path, kMetaBytesMax, buffer);
      if (!bytes) return fail(bytes.error());
      std::string text = respelled(std::string(as_text(bytes.value())), problem.position);
      if (text.empty()) continue;
      fixes.push_back({SidecarFix::Kind::respell, problem.path, {}, std::move(text)});
    }
  }
  std::ranges::sort(fixes, {}, &SidecarFix::path);
  return fixes;
}

Result<void> apply_sidecar_fixes(FileSystem& files, std::span<const SidecarFix> fixes) {
  for (const SidecarFix& fix : fixes) {
    // Does not replace a sidecar that another program (such as the editor) has created in the
    // meantime.
    if (fix.kind == SidecarFix::Kind::create && files.stat(fix.path)) continue;
    auto done = fix.kind == SidecarFix::Kind::rename
                    ? commit_move(files, fix.from, fix.path)
                    : write_atomically(files, fix.path, as_bytes(fix.text));
    if (!done) return done;
  }
  return {};
}

}  // namespace muster
