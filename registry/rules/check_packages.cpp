// Checks references into packages that are not in the project. Does not report references to code,
// because bundles contain no code. Reports references to other assets in one line per package.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "registry/base/counted.h"
#include "registry/rules/validate.h"

namespace muster {
namespace {

// The maximum number of names in a message. Further names are only counted.
constexpr std::size_t kListedNames = 4;

struct Uses {
  const ReferenceEdge* first = nullptr;
  std::set<std::string> names;    // The names of all referenced assets.
  std::set<std::string> content;  // The names of assets, except code, to which built assets refer.
  std::set<AssetNumber> files;
};

std::string listed(const std::set<std::string>& names) {
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (count == kListedNames) return text + ", ...";
    text += (count++ == 0 ? "" : ", ") + name;
  }
  return text;
}

// Whether the project lists a package under its present name or under its former name.
bool is_listed(const Packages& packages, const std::string& name) {
  using Names = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Names, 4> kRenamed = {
      Names{"com.unity.textmeshpro", "com.unity.ugui"},
      Names{"com.unity.render-pipelines.lightweight", "com.unity.render-pipelines.universal"},
      Names{"com.unity.barracuda", "com.unity.sentis"},
      Names{"com.unity.xr.arfoundation", "com.unity.xr.core-utils"}};
  if (packages.has(name)) return true;
  return std::ranges::any_of(kRenamed, [&](const Names& pair) {
    return (name == pair.first && packages.has(std::string(pair.second))) ||
           (name == pair.second && packages.has(std::string(pair.first)));
  });
}

std::map<std::string, Uses> uses_of_packages(const Project& project,
                                             const std::set<AssetNumber>& built) {
  std::map<std::string, Uses> packages;
  for (const ReferenceEdge& edge : project.graph().edges()) {
    if (edge.to != kNoAsset || !edge.is_strong() || is_builtin_resource(edge.guid) ||
        project.config().external_guids.contains(edge.guid)) {
      continue;
    }
    const auto asset = project.packages().find(edge.guid);
    if (!asset) continue;
    Uses& uses = packages[asset->package];
    if (uses.first == nullptr) uses.first = &edge;
    uses.names.insert(asset->name);
    uses.files.insert(edge.from);
    if (!asset->is_script && !edge.in_meta && built.contains(edge.from)) {
      uses.content.insert(asset->name);
    }
  }
  return packages;
}

bool has_unresolved(const Project& project) {
  return std::ranges::any_of(project.graph().edges(), [&](const ReferenceEdge& edge) {
    return edge.to == kNoAsset && edge.is_strong() && !edge.in_meta &&
           !project.is_known_elsewhere(edge.guid);
  });
}

// True for a package from a repository or an archive, whose files are only in the editor's cache.
bool is_packed_elsewhere(std::string_view version) {
  return version.find("://") != version.npos || version.starts_with("git@") ||
         version.ends_with(".tgz") || version.ends_with(".tar.gz");
}

// The listed packages that are neither in the project nor in the editor's cache.
std::set<std::string> unseen_packages(const Project& project) {
  std::set<std::string> unseen;
  for (const auto& [name, version] : project.packages().named()) {
    if (!is_packed_elsewhere(version)) continue;
    const auto embedded = AssetPath::parse("Packages/" + name);
    if (!embedded || !project.files().stat(embedded.value())) unseen.insert(name);
  }
  if (unseen.empty()) return {};
  const auto folders = project.files().list(AssetPath().child("Library").child("PackageCache"));
  if (!folders) return unseen;
  for (const DirectoryEntry& entry : folders.value()) {
    unseen.erase(entry.name.substr(0, entry.name.find('@')));
  }
  return unseen;
}

}  // namespace

void check_packages(const Project& project, const std::set<AssetNumber>& built,
                    Findings& findings) {
  const AssetPath manifest = AssetPath().child("Packages").child("manifest.json");
  const Packages& packages = project.packages();
  for (const auto& [name, disk_path] : packages.missing()) {
    findings
        .add("package-reference", {manifest, {}},
             "package " + name + " should be in '" + disk_path + "', which does not exist")
        .severity = Severity::warning;
  }
  const auto used = uses_of_packages(project, built);
  std::set<std::string> unseen = unseen_packages(project);
  std::erase_if(unseen, [&](const std::string& name) { return used.contains(name); });
  if (!unseen.empty() && has_unresolved(project)) {
    findings.add("package-reference", {manifest, {}},
                 counted(unseen.size(), "package") +
                     " cannot be read, and may contain guids that have no asset here: " +
                     listed(unseen) + "; opening the project fills Library/PackageCache");
  }
  for (const Packages::Unread& file : packages.unread()) {
    const bool is_malformed = file.error.code == ErrorCode::malformed;
    findings
        .add(is_malformed ? "package-reference" : read_error_rule(file.error), {file.path, {}},
             file.error.message)
        .severity = is_malformed ? Severity::warning : Severity::error;
  }
  for (const auto& [name, uses] : used) {
    if (packages.has_lock() && !is_listed(packages, name)) {
      findings
          .add("package-reference", {manifest, {}},
               "neither manifest nor lock names package " + name + ", but " +
                   counted(uses.files.size(), "file") +
                   (uses.files.size() == 1 ? " uses" : " use") + " it: " + listed(uses.names))
          .severity = Severity::warning;
    } else if (!uses.content.empty()) {
      findings.add("package-reference", {project.index().at(uses.first->from).path, {}},
                   "built assets refer to " + counted(uses.content.size(), "asset") +
                       " of package " + name +
                       ", which no bundle contains: " + listed(uses.content));
    }
  }
}

}  // namespace muster
