#include "registry/project/config.h"

#include <algorithm>
#include <array>

#include "registry/project/asset_index.h"
#include "registry/project/config_fixer.h"
#include "registry/project/config_keys.h"
#include "registry/project/packages.h"
#include "registry/yaml/reader.h"

namespace muster {
namespace {

/// Games have a few hundred components, each with a few kilobytes of text.
constexpr std::uint64_t kMaxComponentsBytes = 64ULL * 1024 * 1024;

constexpr std::uint64_t kMaxConfigBytes = 4ULL * 1024 * 1024;

bool is_folder(const FileReader& files, const AssetPath& path) {
  const auto info = files.stat(path);
  return info && info.value().kind == FileKind::folder;
}

bool is_project(const FileReader& files, const AssetPath& folder) {
  return files.stat(folder.child(ProjectConfig::kFileName)).has_value() ||
         is_folder(files, folder.child("Assets"));
}

// At most `budget` of the folders inside `folders`. Does not follow links, because links may form
// cycles.
std::vector<AssetPath> folders_in(const FileReader& files, const std::vector<AssetPath>& folders,
                                  std::size_t& budget) {
  std::vector<AssetPath> found;
  for (const AssetPath& folder : folders) {
    const auto entries = files.list(folder);
    if (!entries) continue;
    for (const DirectoryEntry& entry : entries.value()) {
      if (entry.kind != FileKind::folder || entry.is_link || is_ignored_name(entry.name)) continue;
      if (budget == 0) return found;
      --budget;
      found.push_back(folder.child(entry.name));
    }
  }
  return found;
}

// The projects in subfolders, for the error message if the user runs Muster in a folder above the
// project.
std::string nearby_projects(const FileReader& files) {
  constexpr std::size_t kLevels = 2;
  constexpr std::size_t kNamed = 5;
  std::size_t budget = 1000;  // Limits the time for a large folder, such as a home folder.
  std::vector<AssetPath> folders{AssetPath()};
  std::string hint;
  std::size_t named = 0;
  for (std::size_t level = 0; level < kLevels && named == 0; ++level) {
    folders = folders_in(files, folders, budget);
    std::erase_if(folders, [&](const AssetPath& folder) {
      if (!is_project(files, folder)) return false;
      if (++named <= kNamed) hint += (hint.empty() ? "; did you mean '" : "', '") + folder.text();
      return true;
    });
  }
  return hint.empty() ? hint : hint + "'?";
}

// Fails if a node has another kind. Without this check, a scalar would count as an empty list, for
// example.
Result<void> check_kind(const yaml::Tree& tree, yaml::NodeIndex node, yaml::NodeKind kind) {
  if (tree.at(node).kind == kind) return {};
  const std::string_view wanted = kind == yaml::NodeKind::sequence ? "a list" : "a single value";
  return refuse_config(tree.at(node).position,
                       "'" + std::string(tree.at(node).key) + "' must be " + std::string(wanted));
}

// A hint for messages: the path on the disk that differs from `path` only in case; empty if none
// exists.
std::string other_case(const FileReader& files, const AssetPath& path) {
  const auto other = path_in_any_case(files, path);
  return other ? "; it is called '" + other->text() + "' ('muster validate --fix' writes that)"
               : "";
}

Result<void> read_folders(const FileReader& files, const yaml::Tree& tree, yaml::NodeIndex list,
                          ProjectConfig& config) {
  if (auto good = check_kind(tree, list, yaml::NodeKind::sequence); !good) return good;
  if (tree.at(list).child_count == 0) {
    return refuse_config(tree.at(list).position,
                         "'folders' names no folder, so there is nothing to read");
  }
  for (const yaml::NodeIndex item : yaml::Children(tree, list)) {
    // A folder outside the project is mounted in `Packages`, like in the editor.
    const auto outside = path_of_outside(files, tree.scalar(item));
    auto folder = outside ? Result<AssetPath>(*outside) : AssetPath::parse(tree.scalar(item));
    if (tree.scalar(item).empty())
      return refuse_config(tree.at(item).position, "this names no folder");
    if (!folder) return refuse_config(tree.at(item).position, folder.error().message);
    if (!is_folder(files, folder.value())) {
      if (outside) {
        return refuse_config(tree.at(item).position,
                             "there is no folder '" + std::string(tree.scalar(item)) + "'");
      }
      return refuse_config(tree.at(item).position, "there is no folder '" + folder.value().text() +
                                                       "'" + other_case(files, folder.value()));
    }
    config.folders.push_back(std::move(folder).value());
  }
  return {};
}

Result<void> read_guids(const yaml::Tree& tree, yaml::NodeIndex list, ProjectConfig& config) {
  // All items are commented out.
  const bool is_null = tree.at(list).kind == yaml::NodeKind::scalar && tree.scalar(list).empty();
  if (is_null) return {};
  if (auto good = check_kind(tree, list, yaml::NodeKind::sequence); !good) return good;
  for (const yaml::NodeIndex item : yaml::Children(tree, list)) {
    const auto guid = Guid::parse(tree.scalar(item));
    if (!guid) return refuse_config(tree.at(item).position, guid.error().message);
    config.external_guids.insert(guid.value());
  }
  return {};
}

Result<void> read_components(const FileReader& files, const yaml::Tree& tree, yaml::NodeIndex node,
                             ProjectConfig& config) {
  if (auto good = check_kind(tree, node, yaml::NodeKind::scalar); !good) return good;
  auto path = AssetPath::parse(tree.scalar(node));
  if (!path) return refuse_config(tree.at(node).position, path.error().message);
  const auto info = files.stat(path.value());
  if (!info && info.error().code == ErrorCode::not_found) {
    const std::string other = other_case(files, path.value());
    return refuse_config(
        tree.at(node).position,
        "there is no file '" + path.value().text() + "'" +
            (other.empty() ? "; let the game export its components there" : other));
  }
  if (info && info.value().kind == FileKind::folder) {
    return refuse_config(tree.at(node).position, "'" + path.value().text() + "' is a folder");
  }
  config.components = std::move(path).value();
  return {};
}

Result<void> add_unity_folders(const FileReader& files, ProjectConfig& config) {
  for (const std::string_view name : {"Assets", "Packages"}) {
    const AssetPath folder = AssetPath().child(name);
    const auto info = files.stat(folder);
    if (info && info.value().kind == FileKind::folder) config.folders.push_back(folder);
    if (!info && info.error().code != ErrorCode::not_found) return fail(info.error());
  }
  return {};
}

// Detects a misnamed settings file, because a build without the settings would be different.
Result<std::string> misnamed_config(const FileReader& files) {
  constexpr std::array<std::string_view, 6> kNames = {
      "muster.yml", ".muster.yaml", ".muster.yml", "muster.yaml.txt", "muster.json", "muster.yaml"};
  const auto entries = files.list(AssetPath());
  if (!entries && entries.error().code == ErrorCode::not_found) return std::string();
  if (!entries) return fail(entries.error());
  for (const DirectoryEntry& entry : entries.value()) {
    const bool is_exact = entry.name == ProjectConfig::kFileName;
    if (entry.kind != FileKind::file || is_exact) continue;
    if (std::ranges::find(kNames, lower_ascii(entry.name)) != kNames.end()) return entry.name;
  }
  return std::string();
}

// Fails if a second settings file exists, because it would have no effect.
Result<void> check_no_second(const FileReader& files) {
  for (const char* const name : {"muster.yml", ".muster.yaml", ".muster.yml"}) {
    const auto info = files.stat(AssetPath().child(name));
    if (!info && info.error().code != ErrorCode::not_found) return fail(info.error());
    if (!info || info.value().kind != FileKind::file) continue;
    return fail(ErrorCode::malformed,
                std::string(name) +
                    ":1:1: settings are read only from 'muster.yaml', which also exists here; move "
                    "the needed settings into it and remove this file");
  }
  return {};
}

Result<ProjectConfig> read_config(const FileReader& files, std::string text) {
  auto source = std::make_shared<ConfigSource>();
  source->text = std::move(text);
  if (const auto fault = yaml::find_text_fault(source->text)) {
    return refuse_config(fault->position, fault->message);
  }
  auto read = yaml::read_plain(source->text);
  if (!read.good()) return refuse_config(read.error().position, read.error().message);
  source->tree = std::move(read.tree());
  const yaml::Tree& tree = source->tree;
  if (tree.documents.size() == 1) source->root = tree.documents.front().root;
  if (source->root == yaml::kNoNode || tree.at(source->root).kind != yaml::NodeKind::mapping) {
    return refuse_config({1, 1}, "expected a mapping with 'version: 1'");
  }
  ProjectConfig config;
  const yaml::NodeIndex version = tree.find(source->root, "version");
  if (tree.scalar(version) != "1") {
    return refuse_config(
        version == yaml::kNoNode ? yaml::Position{1, 1} : tree.at(version).position,
        "expected 'version: 1'");
  }
  if (auto good = check_config_keys(tree, source->root, ConfigPart::top); !good) {
    return fail(good.error());
  }
  if (const auto name = tree.find(source->root, "name"); name != yaml::kNoNode) {
    if (auto good = check_kind(tree, name, yaml::NodeKind::scalar); !good) {
      return fail(good.error());
    }
    config.name = tree.scalar(name);
  }
  if (const auto list = tree.find(source->root, "folders"); list != yaml::kNoNode) {
    if (auto good = read_folders(files, tree, list, config); !good) return fail(good.error());
  } else if (auto good = add_unity_folders(files, config); !good) {
    return fail(good.error());
  }
  if (const auto path = tree.find(source->root, "components"); path != yaml::kNoNode) {
    if (auto good = read_components(files, tree, path, config); !good) return fail(good.error());
  }
  if (const auto guids = tree.find(source->root, "external_guids"); guids != yaml::kNoNode) {
    if (auto good = read_guids(tree, guids, config); !good) return fail(good.error());
  }
  if (const auto list = tree.find(source->root, "budgets"); list != yaml::kNoNode) {
    auto budgets = read_budgets(tree, list);
    if (!budgets) return fail(budgets.error());
    config.budgets = std::move(budgets).value();
  }
  if (const auto mapping = tree.find(source->root, "variants"); mapping != yaml::kNoNode) {
    auto axes = read_variant_axes(tree, mapping);
    if (!axes) return fail(axes.error());
    config.axes = std::move(axes).value();
  }
  if (const auto node = tree.find(source->root, "strip"); node != yaml::kNoNode) {
    auto rules = read_strip_rules(tree, node);
    if (!rules) return fail(rules.error());
    config.strip = std::move(rules).value();
  }
  if (const auto section = tree.find(source->root, "compression"); section != yaml::kNoNode) {
    auto rules = read_compression(tree, section);
    if (!rules) return fail(rules.error());
    config.compression = std::move(rules).value();
  }
  config.source = std::move(source);
  return config;
}

}  // namespace

Result<ProjectConfig> load_config(const FileReader& files) {
  const AssetPath path = AssetPath().child(ProjectConfig::kFileName);
  ByteVector buffer;
  const auto bytes = read_optional(files, path, kMaxConfigBytes, buffer);
  if (bytes) {
    if (auto alone = check_no_second(files); !alone) return fail(alone.error());
    return read_config(files, std::string(as_text(bytes.value())));
  }
  if (bytes.error().code != ErrorCode::not_found) return fail(bytes.error());
  const Result<std::string> misnamed = misnamed_config(files);
  if (!misnamed) return fail(misnamed.error());
  if (!misnamed.value().empty()) {
    return fail(
        ErrorCode::malformed,
        misnamed.value() + ":1:1: settings are read only from 'muster.yaml'; rename this file");
  }
  ProjectConfig config;
  if (auto good = add_unity_folders(files, config); !good) return fail(good.error());
  const auto assets = files.stat(AssetPath().child("Assets"));
  if (!assets && assets.error().code != ErrorCode::not_found) return fail(assets.error());
  if (assets && assets.value().kind == FileKind::outside_link) {
    return fail(ErrorCode::permission_denied,
                "'Assets' is a link that leads out of the project and is not followed; move the "
                "target folder into the project");
  }
  if (!assets || assets.value().kind != FileKind::folder) {
    return fail(ErrorCode::not_found,
                "this is not a project: it has neither muster.yaml nor an Assets folder" +
                    nearby_projects(files));
  }
  return config;
}

namespace {

using ListReader = Result<std::vector<ComponentDescription>> (*)(std::string_view text);

Result<std::vector<ComponentDescription>> load_list(const FileReader& files,
                                                    const ProjectConfig& config, ListReader read) {
  if (!config.components) return std::vector<ComponentDescription>{};
  ByteVector buffer;
  const auto bytes = read_whole(files, *config.components, kMaxComponentsBytes, buffer);
  if (!bytes) return fail(bytes.error());
  auto list = read(as_text(bytes.value()));
  if (list) return list;
  return fail(list.error().code, "'" + config.components->text() + "': " + list.error().message);
}

}  // namespace

Result<std::vector<ComponentDescription>> load_components(const FileReader& files,
                                                          const ProjectConfig& config) {
  return load_list(files, config, &components_from_json);
}

Result<std::vector<ComponentDescription>> load_messages(const FileReader& files,
                                                        const ProjectConfig& config) {
  return load_list(files, config, &messages_from_json);
}

}  // namespace muster
