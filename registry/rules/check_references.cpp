// Checks references in the whole project. Reports each missing guid once, for any number of
// references.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "registry/base/counted.h"
#include "registry/model/asset_fact_cache.h"
#include "registry/model/stripping.h"
#include "registry/rules/validate.h"

namespace muster {
namespace {

// The maximum number of positions in a finding. Further positions are only counted.
constexpr std::size_t kRelatedLocationsMax = 10;

struct Missing {
  const ReferenceEdge* first = nullptr;
  std::vector<const ReferenceEdge*> edges;
  std::uint64_t times = 0;
};

AssetPath path_of(const Project& project, const ReferenceEdge& edge) {
  const AssetPath& path = project.index().at(edge.from).path;
  return edge.in_meta ? path.parent().child(std::string(path.name()) + ".meta") : path;
}

// Computes lines and columns. Caches the lines of the last file, so that queries that are grouped
// by file read each file once.
class Locator {
 public:
  explicit Locator(const Project& project) : project_(project) {}

  Location locate(const ReferenceEdge& edge) {
    Location location{path_of(project_, edge), {}};
    if (location.path != path_ || line_starts_.empty()) read(location.path);
    if (edge.offset_bytes >= size_bytes_) return location;
    const auto next = std::ranges::upper_bound(line_starts_, edge.offset_bytes);
    const auto line = static_cast<std::uint32_t>(next - line_starts_.begin());
    const std::uint64_t start = *(next - 1);
    location.position = {line, static_cast<std::uint32_t>(edge.offset_bytes - start) + 1};
    return location;
  }

 private:
  void read(const AssetPath& path) {
    path_ = path;
    line_starts_ = {0};
    const auto bytes = read_whole(project_.files(), path, SourceCache::kMaxSourceBytes, buffer_);
    const std::string_view text = bytes ? as_text(bytes.value()) : std::string_view{};
    size_bytes_ = text.size();
    for (std::size_t at = text.find('\n'); at != std::string_view::npos;
         at = text.find('\n', at + 1)) {
      line_starts_.push_back(at + 1);
    }
  }

  const Project& project_;
  AssetPath path_;
  ByteVector buffer_;
  std::vector<std::uint64_t> line_starts_;
  std::uint64_t size_bytes_ = 0;
};

Location locate(const Project& project, const ReferenceEdge& edge) {
  return Locator(project).locate(edge);
}

// The guids that the rules for registries report if no asset has them.
std::set<Guid> reported_by_registries(const Project& project) {
  std::set<Guid> guids;
  for (const Registry& registry : project.model().registries) {
    for (const RegistryEntry& entry : registry.entries) {
      for (const EntryReference& reference : entry.references) guids.insert(reference.guid);
    }
    // Guids of another tool are not references.
    const SourceFile& source = project.sources().get(registry.asset);
    for (const std::string& key : registry.declaration->foreign_guid_keys) {
      const auto guid =
          Guid::parse(source.tree.scalar_at(source.fields_of(source.document_of(0)), key));
      if (guid) guids.insert(guid.value());
    }
  }
  for (const RegistryRoot& root : project.model().roots) {
    for (const RegistryRoot::Item& item : root.items) guids.insert(item.guid);
  }
  for (const ModelProblem& problem : project.model().problems) guids.insert(problem.guid);
  // A declared script may be in an assembly outside the project.
  for (const ClassDeclaration& declaration : project.model().classes) {
    if (declaration.script) guids.insert(*declaration.script);
  }
  return guids;
}

// The guids of the scripts of all objects in a file.
std::set<Guid> scripts_of(const SourceFile& source) {
  std::set<Guid> scripts;
  for (std::size_t i = 0; i < source.tree.documents.size(); ++i) {
    const auto script = yaml::reference_at(
        source.tree, source.tree.find(source.fields_of(static_cast<int>(i)), "m_Script"));
    if (script) scripts.insert(script.value().guid);
  }
  return scripts;
}

// Reports missing assets to which a registry file refers, even if the reference is under a key that
// the registry's class does not have. Adds the guids to `reported`.
void check_registry_files(const Project& project, TargetSet targets, std::set<Guid>& reported,
                          Findings& findings) {
  const std::set<Guid> reported_before = reported;
  for (const Registry& registry : project.model().registries) {
    if (!registry.targets.empty() && (registry.targets & targets).empty()) continue;
    if (!registry.declaration->is_packed) continue;  // check_entries() checks the entries.
    const std::set<Guid> scripts = scripts_of(project.sources().get(registry.asset));
    for (const ReferenceEdge& edge : project.graph().from(registry.asset)) {
      if (edge.in_meta || edge.to != kNoAsset || project.is_known_elsewhere(edge.guid)) continue;
      if (scripts.contains(edge.guid) || reported_before.contains(edge.guid)) continue;
      Finding& finding =
          findings.add("unresolved-reference", locate(project, edge),
                       "this " + registry.declaration->name + " refers to " +
                           edge.guid.to_string() + ", which no asset of the project has");
      finding.severity = Severity::error;
      finding.blocks_build = true;
      reported.insert(edge.guid);
    }
  }
}

void check_missing(const Project& project, TargetSet targets,
                   const std::set<AssetNumber>& in_closure, Findings& findings) {
  std::set<Guid> reported = reported_by_registries(project);
  check_registry_files(project, targets, reported, findings);
  std::map<Guid, Missing> missing;
  for (const ReferenceEdge& edge : project.graph().edges()) {
    // A guid in a text is a reference only in a built asset.
    const bool is_built_text =
        edge.kind == yaml::MentionKind::textual && !edge.in_meta && in_closure.contains(edge.from);
    const bool counts = edge.is_strong() || edge.kind == yaml::MentionKind::words || is_built_text;
    if (!counts || edge.to != kNoAsset || project.is_known_elsewhere(edge.guid)) continue;
    if (reported.contains(edge.guid)) continue;
    Missing& entry = missing[edge.guid];
    // The finding has the position of a reference in a built asset, if one exists.
    const bool closer = entry.first == nullptr ||
                        (in_closure.contains(edge.from) && !in_closure.contains(entry.first->from));
    if (closer) entry.first = &edge;
    entry.edges.push_back(&edge);
    entry.times += edge.times;
  }
  std::vector<const Missing*> by_location;
  by_location.reserve(missing.size());
  for (const auto& [guid, entry] : missing) by_location.push_back(&entry);
  std::ranges::sort(by_location, {}, [](const Missing* entry) {
    return std::tuple(entry->first->from, entry->first->in_meta, entry->first->offset_bytes);
  });
  Locator locator(project);
  for (const Missing* const each : by_location) {
    const Missing& entry = *each;
    const Guid& guid = entry.first->guid;
    const bool built = in_closure.contains(entry.first->from);
    // A file can contain several references to the guid.
    std::set<AssetPath> paths;
    for (const ReferenceEdge* edge : entry.edges) paths.insert(path_of(project, *edge));
    std::string message = "no asset of the project has guid " + guid.to_string() +
                          "; referred to " + std::to_string(entry.times) +
                          (entry.times == 1 ? " time" : " times") + " in " +
                          std::to_string(paths.size()) + (paths.size() == 1 ? " file" : " files");
    if (built) message += ", some of which are built";
    Finding& finding =
        findings.add("unresolved-reference", locator.locate(*entry.first), std::move(message));
    finding.is_repeated = !built;
    finding.paths.assign(paths.begin(), paths.end());
    paths.erase(finding.location.path);
    for (const AssetPath& path : paths) {
      if (finding.related.size() == kRelatedLocationsMax) break;
      finding.related.push_back({{path, {}}, "also refers to it"});
    }
  }
}

// The position of the reference from one asset to another.
Location link_between(const Project& project, AssetNumber from, AssetNumber to) {
  for (const ReferenceEdge& edge : project.graph().from(from)) {
    if (edge.is_strong() && edge.to == to) return locate(project, edge);
  }
  return {project.index().at(from).path, {}};
}

// Reports prefabs that registries name only for clients but that server bundles would contain.
void check_server_closure(const Project& project, Findings& findings) {
  const std::vector<Guid> client = project.model().assets_for(Target::client);
  const std::vector<Guid> server = project.model().assets_for(Target::server);
  const Stripping& stripping = project.stripping(Target::server);
  for (const AssetNumber asset : stripping.built()) {
    const Guid& guid = project.index().at(asset).guid;
    if (!std::ranges::binary_search(client, guid) || std::ranges::binary_search(server, guid)) {
      continue;
    }
    const auto chain = stripping.graph().chain(stripping.starts(), asset, project.index());
    if (chain.size() < 2) continue;
    std::string text;
    for (const AssetNumber step : chain) {
      text += (text.empty() ? "" : " -> ") + project.index().at(step).path.text();
    }
    Finding& finding =
        findings.add("client-only-in-server", link_between(project, chain[0], chain[1]),
                     "'" + project.index().at(asset).path.text() +
                         "' is for clients only, but the server reaches it: " + text);
    for (std::size_t i = 1; i < chain.size(); ++i) {
      finding.related.push_back({{project.index().at(chain[i]).path, {}}, "on the chain"});
    }
  }
}

// The position of the reference from a registry to an asset: in an entry, or anywhere in the file.
Location naming_location(const Project& project, const Registry& registry, AssetNumber asset,
                         Target target) {
  for (const RegistryEntry& entry : registry.entries) {
    for (const EntryReference& reference : entry.references) {
      if (reference.asset == asset && reference.targets.has(target)) return reference.location;
    }
    if (entry.definition == asset) return entry.definition_location;
  }
  for (const ReferenceEdge& edge : project.graph().from(registry.asset)) {
    if (edge.is_strong() && edge.to == asset) return locate(project, edge);
  }
  return {};
}

// Reports assets that a rule of `strip` matches, but that are built because a registry names them.
void check_named_presentation(const Project& project, Target target, Findings& findings) {
  const std::string side = target == Target::client ? "client" : "server";
  for (const StrippedAsset& named : project.stripping(target).named()) {
    for (const Registry& registry : project.model().registries) {
      if (!registry.targets.has(target)) continue;
      Location location = naming_location(project, registry, named.asset, target);
      if (location.path.empty()) continue;
      findings.add("presentation-named", std::move(location),
                   "'" + project.index().at(named.asset).path.text() + "' is left out of the " +
                       side + " by 'strip' (" + named.rule +
                       "), but this registry names it: it is built");
      break;
    }
  }
}

void add_cycle(const Project& project, const std::vector<AssetNumber>& chain, Findings& findings) {
  std::string text;
  for (const AssetNumber step : chain) text += project.index().at(step).path.text() + " -> ";
  const AssetNumber next = chain[chain.size() > 1 ? 1 : 0];
  findings
      .add("prefab-cycle", link_between(project, chain.front(), next),
           "a prefab contains itself: " + text + project.index().at(chain.front()).path.text())
      .blocks_build = true;
}

void check_prefabs(const Project& project, const std::set<AssetNumber>& in_closure,
                   Findings& findings) {
  std::set<std::vector<AssetNumber>> seen_cycles;
  std::set<AssetPath> seen_deep;
  for (const AssetNumber asset : in_closure) {
    if (is_known_packable(project, asset)) continue;
    if (!is_prefab(project.sources(), asset)) continue;
    for (const PrefabProblem& problem : project.prefabs().flatten(asset).problems) {
      const Location location{problem.path, problem.position};
      switch (problem.kind) {
        case PrefabProblem::Kind::cycle: {
          auto chain = problem.chain;
          std::rotate(chain.begin(), std::ranges::min_element(chain), chain.end());
          if (seen_cycles.insert(chain).second) add_cycle(project, chain, findings);
          break;
        }
        case PrefabProblem::Kind::too_deep:
          if (!seen_deep.insert(problem.path).second) break;
          findings
              .add("prefab-cycle", location,
                   "there are too many levels of nested prefabs, or too many entities")
              .blocks_build = true;
          break;
        case PrefabProblem::Kind::not_readable:  // check_packing() reports both problems.
        case PrefabProblem::Kind::cut_short:
        case PrefabProblem::Kind::missing_source:  // The check of guids reports the missing source.
        case PrefabProblem::Kind::no_root:         // check_packing() reports built assets.
          break;
      }
    }
  }
}

// Reports only one unused override of each prefab, because the editor removes all of them together.
void check_overrides(const Project& project, AssetNumber asset, Findings& findings) {
  using Reason = UnusedOverride::Reason;
  const SourcePrefab& prefab = project.prefabs().flatten(asset);
  const std::vector<UnusedOverride>& unused = prefab.unused_overrides;
  if (unused.empty()) return;
  // Prefers an override whose target is in another prefab, because the value of such an override
  // may be intended for this prefab.
  const auto other = std::ranges::find(unused, Reason::other_source, &UnusedOverride::reason);
  const UnusedOverride& first = other == unused.end() ? unused.front() : *other;
  std::string why = "its target is an object that is removed";
  if (first.reason == Reason::other_source) {
    const AssetNumber target = project.index().find(first.target);
    why = "its target belongs to " +
          (first.target.is_null() ? "nothing"
           : target == kNoAsset   ? first.target.to_string()
                                  : "'" + project.index().at(target).path.text() + "'") +
          ", which is not the source of this instance";
  } else if (first.reason == Reason::no_such_object) {
    why = "the source of this instance has no such object";
  }
  std::string message =
      "the override of '" + std::string(first.path) + "' has no effect: " + std::move(why);
  if (unused.size() > 1) message += "; " + counted(unused.size(), "unused override") + " in all";
  Finding& finding = findings.add(
      "unused-override", {project.index().at(asset).path, first.position}, std::move(message));
  if (other == unused.end()) finding.severity = Severity::note;
}

// Reports references to folders, because a folder has no content. A sprite atlas may refer to a
// folder.
void check_folders(const Project& project, const std::set<AssetNumber>& in_closure,
                   Findings& findings) {
  for (const ReferenceEdge& edge : project.graph().edges()) {
    if (edge.to == kNoAsset || !edge.is_strong() || !project.index().at(edge.to).is_folder)
      continue;
    if (!in_closure.contains(edge.from)) continue;
    const Asset& user = project.index().at(edge.from);
    if (is_script(user.path)) continue;
    const std::string folder = "'" + project.index().at(edge.to).path.text() + "'";
    if (!means_folder_content(user.path)) {
      findings.add("folder-reference", locate(project, edge),
                   folder + " is a folder, and a build holds files: refer to these");
      continue;
    }
    const bool has_picture =
        std::ranges::any_of(project.graph().from(edge.from), [&](const ReferenceEdge& other) {
          return other.to != kNoAsset && other.to != edge.to && other.is_strong() &&
                 project.index().at(other.to).path.is_within(project.index().at(edge.to).path);
        });
    if (!has_picture) {
      findings.add("folder-reference", locate(project, edge), "there is no picture in " + folder);
    }
  }
}

// Adds the prefabs that may be in a cycle, including prefabs that are not built. Uses the strong
// references between prefabs, without parsing.
void add_prefabs_in_circles(const Project& project, std::set<AssetNumber>& assets) {
  const auto can_be_prefab = [&](AssetNumber asset) {
    return asset != kNoAsset && is_prefab(project.sources(), asset);
  };
  // Repeatedly removes prefabs that refer to no remaining prefab. The remaining prefabs lead into a
  // cycle. A prefab that refers to itself is kept, because only flattening shows whether it
  // contains itself.
  std::map<AssetNumber, std::size_t> out_degree;
  std::multimap<AssetNumber, AssetNumber> users;
  for (const ReferenceEdge& edge : project.graph().edges()) {
    if (!edge.is_strong() || edge.in_meta || !can_be_prefab(edge.from)) continue;
    if (!can_be_prefab(edge.to)) continue;
    if (edge.to == edge.from) {
      assets.insert(edge.from);
      continue;
    }
    ++out_degree[edge.from];
    out_degree.try_emplace(edge.to, 0);
    users.emplace(edge.to, edge.from);
  }
  std::vector<AssetNumber> leaves;
  for (const auto& [asset, degree] : out_degree) {
    if (degree == 0) leaves.push_back(asset);
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    for (auto [user, end] = users.equal_range(leaves[i]); user != end; ++user) {
      if (--out_degree[user->second] == 0) leaves.push_back(user->second);
    }
  }
  for (const auto& [asset, degree] : out_degree) {
    if (degree > 0) assets.insert(asset);
  }
}

}  // namespace

std::set<AssetNumber> built_assets(const Project& project, TargetSet targets) {
  std::set<AssetNumber> in_closure;
  for (const Target target : {Target::client, Target::server}) {
    if (!targets.has(target)) continue;
    const auto reached = project.stripping(target).built();
    in_closure.insert(reached.begin(), reached.end());
  }
  return in_closure;
}

void check_references(const Project& project, TargetSet targets, Findings& findings) {
  const std::set<AssetNumber> in_closure = built_assets(project, targets);
  check_missing(project, targets, in_closure, findings);
  if (targets.has(Target::server)) check_server_closure(project, findings);
  for (const Target target : {Target::client, Target::server}) {
    if (targets.has(target)) check_named_presentation(project, target, findings);
  }
  for (const AssetNumber asset : in_closure) {
    if (has_extension(project.index().at(asset).path, "prefab") &&
        !is_known_packable(project, asset)) {
      check_overrides(project, asset, findings);
    }
  }
  check_folders(project, in_closure, findings);
  std::set<AssetNumber> prefabs = in_closure;
  add_prefabs_in_circles(project, prefabs);
  check_prefabs(project, prefabs, findings);
}

}  // namespace muster
