#include "bundler/cli/against.h"

#include <map>
#include <tuple>

#include <fmt/format.h>

#include "bundler/cli/edges.h"
#include "bundler/cli/git_files.h"
#include "bundler/pack/target_build.h"
#include "registry/project/packages.h"
#include "registry/registries/unread.h"
#include "registry/vocabulary/mounted_file_system.h"
#include "registry/vocabulary/parallel.h"
#include "runtime/bundle/catalog_reader.h"

namespace muster::cli {
namespace {

using RowKey = std::tuple<std::string, TypeId, Guid>;

// Adds what a catalog says to the rows of the other side's.
Result<void> add_catalog(Bytes bytes, Contract& contract, std::map<RowKey, ContractRow>& rows) {
  const auto catalog = CatalogReader::open(bytes);
  if (!catalog) return fail(catalog.error());
  const CatalogReader& reader = catalog.value();
  contract.covered = contract.covered | reader.target();
  for (std::uint32_t i = 0; i < reader.registry_count(); ++i) {
    const CatalogRegistry registry = reader.registry(i);
    const std::string name(registry.class_name);
    auto path = AssetPath::parse(registry.path);
    const Location place{path ? std::move(path).value() : AssetPath(), {}};
    contract.registries.try_emplace(name, place);
    for (std::uint32_t at = 0; at < registry.entry_count; ++at) {
      const CatalogEntry entry = reader.entry(registry.first_entry + at);
      ContractRow& row = rows[{name, entry.type_id, entry.guid}];
      if (row.guid.is_null()) row = {name, entry.type_id, entry.guid, {}, {}, place};
      row.targets = row.targets | reader.target();
      const auto asset = reader.find_asset(entry.guid);
      if (asset) row.path = asset->path;
    }
  }
  if (contract.components) return {};  // both sides have the same
  contract.components.emplace();
  for (std::uint32_t i = 0; i < reader.component_count(); ++i) {
    contract.components->push_back(reader.describe_component(i));
  }
  return {};
}

// The catalogs that a path names: a file, or those of a build's folder. None where nothing is, or a
// folder without any: projects have folders that are called like branches.
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
      return fail(ErrorCode::io, "'" + path + "' was cut short while it was read");
    }
  }
  for (auto& [key, row] : rows) contract.rows.push_back(std::move(row));
  return contract;
}

struct ProjectRevision {
  std::unique_ptr<FileSystem> files;
  std::vector<const RevisionFiles*> parts;  ///< Of `files`.
};

// A project at a revision, with the folders that it takes from elsewhere at theirs: those of the
// same repository at this revision. Fails as `open_revision` does, naming the folder.
Result<ProjectRevision> open_project_revision(const std::string& project,
                                              const std::string& revision) {
  auto base = open_revision(project, revision);
  if (!base) return fail(base.error());
  ProjectRevision opened{nullptr, {base.value().get()}};
  std::vector<MountedFileSystem::Part> mounts;
  for (const OutsideFolder& outside : outside_folders(*base.value())) {
    const std::string folder =
        outside.place.starts_with('/') ? outside.place : project + "/" + outside.place;
    auto part = open_revision(folder, revision);
    if (!part) {
      return fail(part.error().code, "'" + outside.place + "', which is content of the project: " +
                                         part.error().message);
    }
    opened.parts.push_back(part.value().get());
    mounts.push_back({outside.at, std::move(part).value(), nullptr});
  }
  opened.files = std::make_unique<MountedFileSystem>(
      MountedFileSystem::Part{AssetPath(), std::move(base).value(), nullptr}, std::move(mounts));
  return opened;
}

Result<Contract> contract_of_revision(const std::string& project, const std::string& revision,
                                      TargetSet targets, Session& session) {
  const auto files = open_project_revision(project, revision);
  if (!files) return fail(files.error());
  const auto old = Project::open(*files.value().files, processor_count(), session.stop, {});
  // A part that was left out would have broken nothing.
  for (const RevisionFiles* part : files.value().parts) {
    if (const auto failure = part->failure()) {
      return fail(failure->code, "at revision '" + revision + "': " + failure->message);
    }
  }
  if (!old) {
    return fail(old.error().code, "at revision '" + revision + "': " + old.error().message);
  }
  // What has been committed is as it is: what can be read is compared, and the rest told.
  const std::vector<std::string> unread = unread_notes(*old.value());
  Contract contract = contract_of(*old.value(), targets);
  if (!unread.empty() && contract.rows.empty()) {
    return fail(ErrorCode::malformed, "at revision '" + revision + "': " + unread.front());
  }
  for (const std::string& note : unread) {
    tell(session, fmt::format("at revision '{}': {}", revision, note));
  }
  contract.name = revision;
  return contract;
}

}  // namespace

Result<Contract> load_contract(const std::string& project, const std::string& old,
                               TargetSet targets, Session& session) {
  const std::vector<std::string> catalogs = catalogs_at(old);
  if (!catalogs.empty()) return contract_of_build(old, catalogs);
  Result<Contract> contract = contract_of_revision(project, old, targets, session);
  if (!contract && open_folder(old)) {
    return fail(contract.error().code,
                "folder '" + old + "' has no catalog of a build, and " + contract.error().message);
  }
  return contract;
}

}  // namespace muster::cli
