#include "registry/model/class_declaration.h"

#include <algorithm>
#include <cassert>

#include "registry/model/ready_made.h"
#include "registry/project/config_keys.h"
#include "registry/yaml/reader.h"

namespace muster {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::NodeIndex;

// The list under a key; `kNoNode` if the key is missing. A single value is an error, because as a
// list it would be silently empty.
Result<NodeIndex> list_at(const yaml::Tree& tree, NodeIndex mapping, std::string_view key) {
  const NodeIndex list = tree.find(mapping, key);
  if (list == kNoNode || tree.at(list).kind == yaml::NodeKind::sequence) return list;
  return refuse_config(tree, list, "'" + std::string(key) + "' must be a list");
}

Result<TargetSet> read_targets(const yaml::Tree& tree, NodeIndex reference) {
  const auto list = list_at(tree, reference, "targets");
  if (!list) return fail(list.error());
  TargetSet targets;
  for (const NodeIndex item : Children(tree, list.value())) {
    if (tree.scalar(item) == "client") {
      targets = targets | Target::client;
    } else if (tree.scalar(item) == "server") {
      targets = targets | Target::server;
    } else {
      return refuse_config(tree, item, "a target must be 'client' or 'server'");
    }
  }
  return targets;
}

Result<void> read_texts(const yaml::Tree& tree, NodeIndex mapping, std::string_view key,
                        std::vector<std::string>& texts) {
  const auto list = list_at(tree, mapping, key);
  if (!list) return fail(list.error());
  for (const NodeIndex item : Children(tree, list.value())) texts.emplace_back(tree.scalar(item));
  return {};
}

Result<bool> truth_at(const yaml::Tree& tree, NodeIndex mapping, std::string_view key,
                      bool otherwise) {
  const NodeIndex node = tree.find(mapping, key);
  if (node == kNoNode) return otherwise;
  const std::string_view text = tree.scalar(node);
  if (text == "true" || text == "false") return text == "true";
  return refuse_config(tree, node, "'" + std::string(key) + "' must be true or false");
}

Result<ReferenceRule> read_reference(const yaml::Tree& tree, NodeIndex item) {
  if (auto good = check_config_keys(tree, item, ConfigPart::reference); !good) {
    return fail(good.error());
  }
  ReferenceRule rule;
  rule.position = tree.at(item).position;
  rule.path = tree.scalar_at(item, "path");
  const std::string_view strength = tree.scalar_at(item, "strength");
  if (strength != "strong" && strength != "weak" && !strength.empty()) {
    return refuse_config(tree, item, "'strength' must be 'strong' or 'weak'");
  }
  rule.strong = strength == "strong";
  const std::string_view role = tree.scalar_at(item, "role");
  if (role == "prefab") rule.role = ReferenceRule::Role::prefab;
  if (role == "factory") rule.role = ReferenceRule::Role::factory;
  if (rule.role == ReferenceRule::Role::asset && role != "asset" && !role.empty()) {
    return refuse_config(tree, item, "'role' must be 'asset', 'prefab' or 'factory'");
  }
  const auto targets = read_targets(tree, item);
  if (!targets) return fail(targets.error());
  rule.targets = targets.value();
  if (rule.targets.empty()) return refuse_config(tree, item, "a reference needs the key 'targets'");
  if (auto good = read_texts(tree, item, "when", rule.when); !good) return fail(good.error());
  if (auto good = read_texts(tree, item, "unless", rule.unless); !good) return fail(good.error());
  if (auto good = read_texts(tree, item, "ignore", rule.ignore); !good) return fail(good.error());
  const auto expands = truth_at(tree, item, "expand_folders", false);
  if (!expands) return fail(expands.error());
  rule.expands_folders = expands.value();
  return rule;
}

Result<PrepareRule> read_prepare(const yaml::Tree& tree, NodeIndex node,
                                 const ClassDeclaration& entry) {
  if (auto good = check_config_keys(tree, node, ConfigPart::prepare); !good) {
    return fail(good.error());
  }
  PrepareRule rule;
  rule.component = tree.scalar_at(node, "component");
  rule.assets_of_class = tree.scalar_at(node, "assets_of_class");
  rule.field = tree.scalar_at(node, "field");
  rule.required_reference = tree.scalar_at(node, "required_reference");
  if (rule.component.empty() == rule.assets_of_class.empty()) {
    return refuse_config(tree, node, "'prepare' needs either 'component' or 'assets_of_class'");
  }
  if (rule.field.find_first_of(".[") != std::string::npos) {
    return refuse_config(tree, node, "'field' is one key of an entry, not a path");
  }
  // If a path continues after the field, the field is a strong reference.
  rule.strong = std::ranges::any_of(entry.references, [&](const ReferenceRule& reference) {
    const bool leads_on =
        rule.field.empty() ? !reference.path.empty() : reference.path.starts_with(rule.field + ".");
    return leads_on || (reference.strong && reference.path == rule.field);
  });
  return rule;
}

// The form of new entries. The result is empty for a class without a `prepare` rule, and for a
// class whose entries are themselves references.
std::vector<EntryField> entry_template_of(const ClassDeclaration& entry) {
  using Kind = EntryField::Kind;
  std::vector<EntryField> fields;
  if (entry.prepare.empty() || entry.prepare.front().field.empty()) return fields;
  const PrepareRule& rule = entry.prepare.front();
  const auto add = [&](const std::string& key, Kind kind) {
    const bool is_key = !key.empty() && key.find_first_of(".[") == std::string::npos;
    if (is_key && std::ranges::find(fields, key, &EntryField::key) == fields.end()) {
      fields.push_back({key, kind});
    }
  };
  add(rule.field, rule.strong ? Kind::strong : Kind::weak_words);
  add(entry.owner_path, Kind::owner);
  for (const std::string& path : entry.key_paths) add(path, Kind::number);
  return fields;
}

Result<void> read_script(const yaml::Tree& tree, NodeIndex node, ClassDeclaration& entry) {
  const NodeIndex script = tree.find(node, "script");
  if (script == kNoNode) return {};
  const auto guid = Guid::parse(tree.scalar(script));
  if (!guid) return refuse_config(tree, script, guid.error().message);
  entry.script = guid.value();
  return {};
}

// A component class must have `ids: false`, because Muster does not change lists in scenes and
// prefabs.
Result<void> read_component_form(const yaml::Tree& tree, NodeIndex node, ClassDeclaration& entry) {
  const auto is_component = truth_at(tree, node, "is_component", false);
  if (!is_component) return fail(is_component.error());
  entry.is_component = is_component.value();
  if (auto good = read_texts(tree, node, "single_entries", entry.single_entries); !good) {
    return good;
  }
  if (entry.is_component && entry.has_ids) {
    return refuse_config(tree, node, "'is_component: true' requires 'ids: false'");
  }
  if (!entry.is_component && !entry.single_entries.empty()) {
    return refuse_config(tree, node, "'single_entries' requires 'is_component: true'");
  }
  return {};
}

// True if the declaration has only the key `script`.
bool is_only_located(const yaml::Tree& tree, NodeIndex node) {
  return tree.at(node).child_count == 1 && tree.find(node, "script") != kNoNode;
}

Result<ClassDeclaration> read_class(const yaml::Tree& tree, NodeIndex node) {
  const auto built_in =
      std::ranges::find(builtin_classes(), tree.at(node).key, &ClassDeclaration::name);
  if (built_in != builtin_classes().end() && is_only_located(tree, node)) {
    ClassDeclaration located = *built_in;
    if (auto good = read_script(tree, node, located); !good) return fail(good.error());
    return located;
  }
  if (auto good = check_config_keys(tree, node, ConfigPart::registry_class); !good) {
    return fail(good.error());
  }
  ClassDeclaration entry;
  entry.name = tree.at(node).key;
  if (auto good = read_script(tree, node, entry); !good) return fail(good.error());
  const std::string_view list = tree.scalar_at(node, "entries");
  entry.lists = {list.empty() ? "entries" : std::string(list)};
  const auto references = list_at(tree, node, "references");
  if (!references) return fail(references.error());
  for (const NodeIndex item : Children(tree, references.value())) {
    auto rule = read_reference(tree, item);
    if (!rule) return fail(rule.error());
    entry.references.push_back(std::move(rule).value());
  }
  if (entry.references.empty()) {
    return refuse_config(tree, node, "a class needs the key 'references'");
  }
  if (const NodeIndex prepare = tree.find(node, "prepare"); prepare != kNoNode) {
    auto rule = read_prepare(tree, prepare, entry);
    if (!rule) return fail(rule.error());
    entry.prepare.push_back(std::move(rule).value());
  }
  if (const NodeIndex first = tree.find(node, "first_id"); first != kNoNode) {
    const auto value = tree.integer(first);
    if (!value || value.value() < 0 || value.value() > 1) {
      return refuse_config(tree, first, "first_id is 0 or 1");
    }
    entry.first_id = static_cast<std::uint32_t>(value.value());
  }
  entry.owner_path = tree.scalar_at(node, "owner");
  entry.component = tree.scalar_at(node, "component");
  entry.pool_size_path = tree.scalar_at(node, "pool_size");
  if (auto good = read_texts(tree, node, "key", entry.key_paths); !good) return fail(good.error());
  if (auto good = read_texts(tree, node, "foreign_guids", entry.foreign_guid_keys); !good) {
    return fail(good.error());
  }
  if (auto good = read_texts(tree, node, "fields", entry.field_keys); !good) {
    return fail(good.error());
  }
  if (const NodeIndex packed = tree.find(node, "packed"); packed != kNoNode) {
    const std::string_view value = tree.scalar(packed);
    if (value != "true" && value != "false") {
      return refuse_config(tree, packed, "'packed' must be true or false");
    }
    entry.is_packed = value == "true";
  }
  const auto has_ids = truth_at(tree, node, "ids", true);
  if (!has_ids) return fail(has_ids.error());
  entry.has_ids = has_ids.value();
  if (!entry.has_ids && !entry.prepare.empty()) {
    return refuse_config(
        tree, node,
        "'ids: false' and 'prepare' exclude each other, because 'muster prepare' assigns ids");
  }
  if (auto good = read_component_form(tree, node, entry); !good) return fail(good.error());
  entry.entry_template = entry_template_of(entry);
  return entry;
}

Result<std::vector<ClassDeclaration>> read_classes(const yaml::Tree& tree, NodeIndex declared) {
  std::vector<ClassDeclaration> classes;
  for (const NodeIndex node : Children(tree, declared)) {
    auto entry = read_class(tree, node);
    if (!entry) return fail(entry.error());
    classes.push_back(std::move(entry).value());
  }
  return classes;
}

void add_classes(std::vector<ClassDeclaration> added, std::vector<ClassDeclaration>& classes) {
  for (ClassDeclaration& entry : added) {
    std::erase_if(classes, [&](const ClassDeclaration& known) { return known.name == entry.name; });
    classes.push_back(std::move(entry));
  }
}

// Requires: the text is valid. A test parses all ready-made texts.
std::vector<ClassDeclaration> classes_of(const ReadyMadeClasses& ready_made) {
  const auto read = yaml::read_plain(ready_made.text);
  assert(read.good());
  const yaml::Tree& tree = read.tree();
  auto classes = read_classes(tree, tree.find(tree.documents.front().root, "classes"));
  assert(classes.has_value() && !classes.value().empty());
  // Clears the line numbers, because users cannot see this file.
  for (ClassDeclaration& entry : classes.value()) {
    entry.ready_made = ready_made.name;
    for (ReferenceRule& rule : entry.references) rule.position = {};
  }
  return std::move(classes).value();
}

void add_all_ready_made(std::vector<ClassDeclaration>& classes) {
  for (const ReadyMadeClasses& one : ready_made_classes()) {
    std::vector<ClassDeclaration> added = classes_of(one);
    for (ClassDeclaration& entry : added) entry.is_assumed = true;
    add_classes(std::move(added), classes);
  }
}

Result<void> read_ready_made(const yaml::Tree& tree, NodeIndex root,
                             std::vector<ClassDeclaration>& classes) {
  const auto names = list_at(tree, root, "classes_from");
  if (!names) return fail(names.error());
  if (names.value() == kNoNode) {
    add_all_ready_made(classes);
    return {};
  }
  const auto all = ready_made_classes();
  for (const NodeIndex item : Children(tree, names.value())) {
    const auto found = std::ranges::find(all, tree.scalar(item), &ReadyMadeClasses::name);
    if (found == all.end()) {
      std::string known;
      for (const ReadyMadeClasses& one : all) {
        known += (known.empty() ? "" : ", ") + std::string(one.name);
      }
      return refuse_config(tree, item,
                           "there are no ready-made classes '" + std::string(tree.scalar(item)) +
                               "'; there are: " + known);
    }
    add_classes(classes_of(*found), classes);
  }
  return {};
}

}  // namespace

Result<std::vector<ClassDeclaration>> declared_classes(const ProjectConfig& config) {
  std::vector<ClassDeclaration> classes = builtin_classes();
  if (!config.source) {
    add_all_ready_made(classes);
    return classes;
  }
  const yaml::Tree& tree = config.source->tree;
  if (auto good = read_ready_made(tree, config.source->root, classes); !good) {
    return fail(good.error());
  }
  const NodeIndex declared = tree.find(config.source->root, "classes");
  const bool is_null = declared != kNoNode && tree.scalar(declared).empty();
  if (declared != kNoNode && tree.at(declared).kind != yaml::NodeKind::mapping &&
      !(tree.at(declared).kind == yaml::NodeKind::scalar && is_null)) {
    return refuse_config(tree, declared, "'classes' must be a mapping from names to classes");
  }
  auto own = read_classes(tree, declared);
  if (!own) return fail(own.error());
  add_classes(std::move(own).value(), classes);
  return classes;
}

}  // namespace muster
