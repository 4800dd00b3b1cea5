#include "bundler/cli/against.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "bundler/cli/edges.h"
#include "bundler/cli/revision_files.h"
#include "bundler/plan/output_names.h"
#include "registry/base/mounted_file_system.h"
#include "registry/base/parallel.h"
#include "registry/model/unread.h"
#include "registry/project/asset_kinds.h"
#include "registry/project/packages.h"
#include "registry/project/reference_graph.h"
#include "runtime/bundle/catalog_reader.h"

namespace muster::cli {
namespace {

using RowKey = std::tuple<std::string, TypeId, Guid>;

// Adds the contents of a catalog to a contract.
Result<void> add_catalog(Bytes bytes, Contract& contract, std::map<RowKey, ContractRow>& rows) {
  const auto catalog = CatalogReader::open(bytes);
  if (!catalog) return fail(catalog.error());
  const CatalogReader& reader = catalog.value();
  contract.covered = contract.covered | reader.target();
  for (std::uint32_t i = 0; i < reader.registry_count(); ++i) {
    const CatalogRegistry registry = reader.registry(RegistryIndex{i});
    const std::string name(registry.class_name);
    auto path = AssetPath::parse(registry.path);
    const Location location{path ? std::move(path).value() : AssetPath(), {}};
    contract.registries.try_emplace(name, location);
    for (std::uint32_t at = 0; at < registry.entry_count; ++at) {
      const CatalogEntry entry = reader.entry(registry.first_entry + at);
      ContractRow& row = rows[{name, entry.type_id, entry.guid}];
      if (row.guid.is_null()) row = {name, entry.type_id, entry.guid, {}, {}, location};
      row.targets = row.targets | reader.target();
      const auto asset = reader.find_asset(entry.guid);
      if (asset) row.path = asset->path;
    }
  }
  if (contract.components) return {};  // The catalogs of both sides have the same components.
  contract.components.emplace();
  for (std::uint32_t i = 0; i < reader.component_count(); ++i) {
    contract.components->push_back(reader.describe_component(i));
  }
  return {};
}

// The paths of the catalogs at a path, which is a catalog file or the folder of a build. The result
// is empty if the path does not exist or the folder has no catalogs, because a folder of the
// project may have the name of a branch.
std::vector<std::string> catalogs_at(const std::string& path) {
  if (!open_folder(path)) {
    return map_file(path) ? std::vector{path} : std::vector<std::string>();
  }
  std::vector<std::string> catalogs;
  for (const std::string& catalog :
       {fmt::format("{}/{}", path, kCatalogName),
        fmt::format("{}/{}/{}", path, folder_of(Target::client), kCatalogName),
        fmt::format("{}/{}/{}", path, folder_of(Target::server), kCatalogName)}) {
    if (map_file(catalog)) catalogs.push_back(catalog);
  }
  return catalogs;
}

Result<Contract> contract_of_build(const std::string& old, const std::vector<std::string>& paths) {
  Contract contract;
  contract.name = old;
  std::map<RowKey, ContractRow> rows;
  for (const std::string& path : paths) {
    const auto file = map_file(path);
    if (!file) return fail(file.error());
    if (auto added = add_catalog(file.value().bytes(), contract, rows); !added) {
      return fail(added.error().code, "'" + path + "': " + added.error().message);
    }
    if (file.value().is_damaged()) {
      return fail(ErrorCode::io, "'" + path + "' was truncated while it was read");
    }
  }
  for (auto& [key, row] : rows) contract.rows.push_back(std::move(row));
  return contract;
}

struct ProjectRevision {
  std::unique_ptr<FileReader> files;
  struct Part {
    AssetPath at;
    RevisionFiles* files;  ///< The files of this part. `ProjectRevision::files` owns them.
  };
  std::vector<Part> parts;
};

// The path relative to `folder`; no value if the path is not below `folder`.
std::optional<AssetPath> path_below(const AssetPath& folder, const AssetPath& path) {
  if (folder.empty()) return path;
  const std::string begin = folder.text() + "/";
  if (!path.text().starts_with(begin)) return std::nullopt;
  auto inner = AssetPath::parse(path.text().substr(begin.size()));
  return inner ? std::optional(std::move(inner).value()) : std::nullopt;
}

// Opens a project at a revision. Outside folders of the project (`outside_folders`) that are in the
// same repository are opened at the same revision. Fails like `open_revision`; the message names
// the folder.
Result<ProjectRevision> open_project_revision(const std::string& project,
                                              const std::string& revision) {
  auto base = open_revision(project, revision);
  if (!base) return fail(base.error());
  ProjectRevision opened{nullptr, {{AssetPath(), base.value().get()}}};
  std::vector<MountedFileSystem::Part> mounts;
  for (const OutsideFolder& outside : outside_folders(*base.value())) {
    const std::string folder =
        outside.disk_path.starts_with('/') ? outside.disk_path : project + "/" + outside.disk_path;
    auto part = open_revision(folder, revision);
    if (!part) {
      return fail(
          part.error().code,
          "'" + outside.disk_path + "', which is content of the project: " + part.error().message);
    }
    opened.parts.push_back({outside.at, part.value().get()});
    mounts.push_back({outside.at, std::move(part).value(), nullptr});
  }
  opened.files = std::make_unique<MountedFileSystem>(
      MountedFileSystem::Part{AssetPath(), std::move(base).value(), nullptr}, std::move(mounts));
  return opened;
}

// Whether the target of a link may contain a registry or settings for registries.
bool may_hide_registries(const AssetPath& link) {
  return kind_of(link.text()) == "other" || holds_references(link);
}

std::string and_others(std::size_t count) {
  return count <= 1 ? std::string() : fmt::format(" (and {} more)", count - 1);
}

// The links that lead out of the project both now and in the revision. Builds do not follow such
// links, so the comparison also does not follow them.
std::set<AssetPath> links_left_unread(const ProjectRevision& old, const Project& now) {
  std::set<AssetPath> links;
  for (const IndexProblem& problem : now.index().problems()) {
    if (problem.kind != IndexProblem::Kind::outside_link) continue;
    for (const ProjectRevision::Part& part : old.parts) {
      const auto inner = path_below(part.at, problem.path);
      if (inner && part.files->leads_out_of_project(*inner)) links.insert(problem.path);
    }
  }
  for (const ProjectRevision::Part& part : old.parts) {
    std::set<AssetPath> inside;
    for (const AssetPath& link : links) {
      if (auto inner = path_below(part.at, link)) inside.insert(std::move(*inner));
    }
    part.files->leave_unread(std::move(inside));
  }
  return links;
}

// Fails if parts of the old project are missing, because changes of these parts would not be
// detected.
Result<void> check_whole(const Project& old, const std::set<AssetPath>& left_unread) {
  std::vector<std::string> links;
  for (const IndexProblem& problem : old.index().problems()) {
    const bool is_link = problem.kind == IndexProblem::Kind::outside_link;
    if (is_link && may_hide_registries(problem.path) && !left_unread.contains(problem.path)) {
      links.push_back(problem.path.text());
    }
  }
  if (!links.empty()) {
    return fail(
        ErrorCode::malformed,
        fmt::format("'{}' is a link that leads out of the repository or to nothing in it, so "
                    "its target cannot be compared{}",
                    links.front(), and_others(links.size())));
  }
  const std::vector<std::string> unread = unread_registry_notes(old);
  if (!unread.empty()) {
    return fail(ErrorCode::malformed, unread.front() + and_others(unread.size()));
  }
  const std::vector<Packages::Unread> packages = old.packages().unread();
  if (!packages.empty()) {
    return fail(packages.front().error.code,
                "'" + packages.front().path.text() + "': " + packages.front().error.message);
  }
  if (auto components = load_components(old.files(), old.config()); !components) {
    return fail(components.error());
  }
  return {};
}

// The files that a contract depends on: the settings, and the registries and roots with their
// sidecars and scripts.
std::set<AssetPath> sources_of_contract(const Project& project) {
  std::set<AssetPath> paths{AssetPath().child(ProjectConfig::kFileName)};
  if (project.config().components) paths.insert(*project.config().components);
  const auto add = [&](AssetNumber asset) {
    const AssetPath& path = project.index().at(asset).path;
    paths.insert(path);
    paths.insert(path.parent().child(std::string(path.name()) + ".meta"));
  };
  for (const Registry& registry : project.model().registries) add(registry.asset);
  for (const RegistryRoot& root : project.model().roots) add(root.asset);
  for (const ReferenceEdge& edge : project.graph().edges()) {
    const bool is_script =
        edge.to != kNoAsset && has_extension(project.index().at(edge.to).path, "cs");
    if (is_script && paths.contains(project.index().at(edge.from).path)) add(edge.to);
  }
  return paths;
}

// Fails if Git ignores a file that the contract depends on. No revision contains such a file, so
// the file would count as new even if it was shipped.
Result<void> check_ignored(const ProjectRevision& old, const Project& now) {
  for (const AssetPath& path : sources_of_contract(now)) {
    if (!now.files().stat(path) || old.files->stat(path)) continue;
    for (const ProjectRevision::Part& part : old.parts) {
      const auto inner = path_below(part.at, path);
      if (!inner || !part.files->ignores(*inner)) continue;
      return fail(ErrorCode::malformed,
                  "Git ignores '" + path.text() +
                      "', so no revision contains it; commit it, or compare with a build");
    }
  }
  return {};
}

Result<Contract> contract_of_revision(const Project& now, const std::string& project,
                                      const std::string& revision, TargetSet targets,
                                      Session& session) {
  const auto files = open_project_revision(project, revision);
  if (!files) return fail(files.error());
  const std::set<AssetPath> left_unread = links_left_unread(files.value(), now);
  const auto old = Project::open(*files.value().files, processor_count(), session.stop, {});
  const auto fail_at_revision = [&](const Error& error) {
    return fail(error.code, "at revision '" + revision + "': " + error.message);
  };
  const Result<void> whole = old ? check_whole(*old.value(), left_unread) : Result<void>();
  // Reports the cause of a read error before its consequences.
  for (const ProjectRevision::Part& part : files.value().parts) {
    if (const auto failure = part.files->failure()) return fail_at_revision(*failure);
  }
  if (!old) return fail_at_revision(old.error());
  if (!whole) return fail_at_revision(whole.error());
  if (auto known = check_ignored(files.value(), now); !known) return fail(known.error());
  Contract contract = contract_of(*old.value(), targets);
  if (contract.rows.empty() && !contract_of(now, targets).rows.empty()) {
    print_note(session,
               "revision '" + revision + "' has no registry entry, so every entry here is new");
  }
  const auto hides = std::ranges::find_if(left_unread, may_hide_registries);
  if (hides != left_unread.end()) {
    const auto count = std::ranges::count_if(left_unread, may_hide_registries);
    print_note(session, "unread: '" + hides->text() +
                            "' is a link that leads out of the project, here and in revision '" +
                            revision + "'; its target is not compared" +
                            and_others(static_cast<std::size_t>(count)));
  }
  contract.name = revision;
  return contract;
}

}  // namespace

Result<Contract> load_contract(const Project& project, const std::string& folder,
                               const std::string& old, TargetSet targets, Session& session) {
  const std::vector<std::string> catalogs = catalogs_at(old);
  if (!catalogs.empty()) return contract_of_build(old, catalogs);
  Result<Contract> contract = contract_of_revision(project, folder, old, targets, session);
  if (!contract && open_folder(old)) {
    return fail(contract.error().code,
                "folder '" + old + "' has no catalog of a build, and " + contract.error().message);
  }
  return contract;
}

}  // namespace muster::cli
