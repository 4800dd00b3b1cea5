// Compares the classes in plain files with the declared classes, and the components with the
// descriptions that the game exports. Does not check Unity's files, because their scripts have
// fields that the game does not describe.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "registry/base/near_name.h"
#include "registry/model/plain_components.h"
#include "registry/project/strip_rules.h"
#include "registry/rules/validate.h"

namespace muster {
namespace {

/// The maximum edit distance for a field that may have any name. The distance is small, because a
/// name that is similar to a known name is rarely a mistake in such a field.
constexpr std::size_t kMaxSlipOfOwn = 1;

// Replaces the index in a field name, because all items of a list have the same fields:
// `slots[2].ammo` becomes `slots[].ammo`.
std::string without_numbers(std::string_view field) {
  std::string name;
  for (const char c : field) {
    const bool is_number =
        c >= '0' && c <= '9' && name.find('[', name.rfind(']') + 1) < name.size();
    if (!is_number) name += c;
  }
  return name;
}

// The allowed names of fields below a path. `path` ends with a dot or is empty.
std::set<std::string> names_below(const ComponentDescription& component, std::string_view path) {
  std::set<std::string> names;
  for (const FieldDescription& field : component.fields) {
    const std::string name = without_numbers(field.name);
    if (!name.starts_with(path)) continue;
    const std::string rest = name.substr(path.size());
    names.insert(rest.substr(0, rest.find_first_of(".[")));
  }
  return names;
}

// The number of items of a list of structs.
std::size_t item_count(const ComponentDescription& component, std::string_view list) {
  std::set<std::string_view> items;
  for (const FieldDescription& field : component.fields) {
    if (!without_numbers(field.name).starts_with(std::string(list) + "[]")) continue;
    std::size_t end = 0;
    for (std::size_t opened = 1 + std::size_t(std::ranges::count(list, '[')); opened > 0;
         --opened) {
      end = field.name.find(']', end) + 1;
    }
    const std::size_t open = field.name.rfind('[', end);
    items.insert(std::string_view(field.name).substr(open, end - open));
  }
  return items.size();
}

std::set<std::string> axes_of(FieldType type) {
  switch (type) {
    case FieldType::vec2:
      return {"x", "y"};
    case FieldType::vec3:
      return {"x", "y", "z"};
    case FieldType::quaternion:
      return {"x", "y", "z", "w"};
    default:
      return {};
  }
}

class ComponentCheck {
 public:
  ComponentCheck(const Project& project, const std::vector<ComponentDescription>& components,
                 Findings& findings)
      : engine_names_(engine_component_names(project.config().strip)),
        components_(components),
        findings_(findings) {
    for (const ComponentDescription& component : components) names_.insert(component.name);
  }

  /// If `is_built` is true, the prefab is built, so wrong values block the build.
  void check_prefab(const SourceFile& file, const SourcePrefab& flattened, bool is_built) {
    is_built_ = is_built;
    const yaml::NodeIndex top = file.fields_of(file.document_of(0));
    check_lists(file, top, file.path.stem());
    check_entity(file, file.tree.find(top, "root"), file.path.stem());
    for (const SourceEntity& entity : flattened.entities) {
      for (const SourceComponent& component : entity.components) {
        for (const ComponentLayer& layer : component.layers) {
          if (layer.source != &file || layer.fields == yaml::kNoNode) continue;
          check_component(file, component.class_name, layer.fields, layer.named_at);
        }
      }
    }
  }

  void check_factory(const SourceFile& file, const std::string& class_name, bool is_built) {
    is_built_ = is_built;
    const yaml::NodeIndex top = file.fields_of(file.document_of(0));
    std::set<std::string> seen = check_lists(file, top, file.path.stem());
    const std::vector<FactoryPart> parts = factory_parts(
        file, [this](std::string_view name) { return names_.contains(std::string(name)); });
    for (const FactoryPart& part : parts) {
      if (!part.is_listed && !seen.insert(part.class_name).second) {
        report_second(file.path.stem(), part.class_name, {file.path, part.named_at});
      }
      if (part.fields == yaml::kNoNode) continue;
      check_component(file, part.class_name, part.fields, part.named_at);
    }
    const ComponentDescription* const itself = parts.empty() ? find(class_name) : nullptr;
    for (const yaml::NodeIndex field : yaml::Children(file.tree, top)) {
      const std::string_view key = file.tree.at(field).key;
      if (key == "class" || key == "guid" || key == "components") continue;
      if (itself != nullptr) {
        check_key(*itself, file, field, "", names_below(*itself, ""));
      } else {
        check_field(file, field);
      }
    }
  }

  // Reports components without a description, one finding per name. The engine may know such a
  // component, and many prefabs may have it.
  void report_undescribed() {
    for (const auto& [name, found] : undescribed_) {
      std::string message = "the game describes no component '" + name + "'";
      if (found.count > 1) message += " (here and in " + std::to_string(found.count - 1) + " more)";
      findings_.add("undescribed-component", found.first, std::move(message));
    }
  }

 private:
  bool is_of_engine(std::string_view name) const {
    return engine_names_.contains(std::string(name));
  }

  const ComponentDescription* find(std::string_view name) const {
    const auto described = std::ranges::find(components_, name, &ComponentDescription::name);
    return described == components_.end() ? nullptr : &*described;
  }

  void check_name(const std::string& name, const Location& location) {
    if (names_.empty() || names_.contains(name) || name.empty() || is_of_engine(name)) return;
    if (!report_mistyped(name, location)) note_undescribed(name, location);
  }

  bool report_mistyped(const std::string& name, const Location& location) {
    const std::string meant = nearest_type_name(name, names_);
    if (!meant.empty()) report_unknown_component(name, meant, location);
    return !meant.empty();
  }

  void report_unknown_component(const std::string& name, const std::string& meant,
                                const Location& location) {
    findings_.add("unknown-component", location,
                  "no component is called '" + name + "'; did you mean '" + meant + "'?");
  }

  void report_unfit(Location location, std::string message) {
    findings_.add("unfit-value", std::move(location), std::move(message)).blocks_build = is_built_;
  }

  void report_second(std::string_view entity, std::string_view name, const Location& location) {
    report_unfit(location, message_for_second(entity, name));
  }

  // Checks the values of a component. `fields` must be a mapping.
  void check_component(const SourceFile& file, const std::string& name, yaml::NodeIndex fields,
                       yaml::Position named_at) {
    const ComponentDescription* const described = find(name);
    if (described == nullptr) return check_name(name, {file.path, named_at});
    const yaml::Node& at = file.tree.at(fields);
    if (at.kind == yaml::NodeKind::mapping) return check_names(*described, file, fields, "");
    std::string message = message_for_fieldless(name, at);
    if (!message.empty()) report_unfit({file.path, at.position}, std::move(message));
  }

  // Checks a field of a factory, which may have any name. Reports a field with the name of a
  // component whose value is not a mapping. Also reports a field whose name is similar to the name
  // of a component, if the field has keys of the component.
  void check_field(const SourceFile& file, yaml::NodeIndex field) {
    const yaml::Node& at = file.tree.at(field);
    const std::string name = component_of_field(at.key);
    if (at.kind != yaml::NodeKind::mapping) {
      if (!names_.contains(name) || is_empty(at)) return;
      // The finding is only a warning, because the field may belong to the factory's script.
      findings_.add("unknown-field", {file.path, at.position}, message_for_fieldless(name, at));
      return;
    }
    const bool is_reference = file.tree.find(field, "guid") != yaml::kNoNode ||
                              file.tree.find(field, "fileID") != yaml::kNoNode;
    if (is_reference || names_.contains(name) || is_of_engine(name)) return;
    const ComponentDescription* const meant = find(nearest_name(name, names_, kMaxSlipOfOwn));
    if (meant == nullptr || !has_any(names_below(*meant, ""), file.tree, field)) return;
    report_unknown_component(name, meant->name, {file.path, at.key_position});
  }

  static bool has_any(const std::set<std::string>& names, const yaml::Tree& tree,
                      yaml::NodeIndex mapping) {
    for (const yaml::NodeIndex child : yaml::Children(tree, mapping)) {
      if (names.contains(std::string(tree.at(child).key))) return true;
    }
    return false;
  }

  void check_entity(const SourceFile& file, yaml::NodeIndex entity, std::string_view name) {
    if (const auto named = file.tree.find(entity, "name"); named != yaml::kNoNode) {
      name = file.tree.scalar(named);
    }
    check_lists(file, entity, name);
    const yaml::NodeIndex children = file.tree.find(entity, "children");
    if (!is_list(file, children, "entities")) return;
    for (const auto child : yaml::Children(file.tree, children)) check_entity(file, child, {});
  }

  static bool is_empty(const yaml::Node& node) {
    return node.kind == yaml::NodeKind::scalar ? node.text.empty() : node.child_count == 0;
  }

  // Reports a value that is not a list.
  bool is_list(const SourceFile& file, yaml::NodeIndex list, std::string_view items) {
    if (list == yaml::kNoNode) return false;
    const yaml::Node& at = file.tree.at(list);
    if (at.kind == yaml::NodeKind::sequence) return true;
    const bool is_null = at.kind == yaml::NodeKind::scalar && at.text.empty() &&
                         at.style == yaml::ScalarStyle::plain;  // All items are commented out.
    if (is_null) return false;
    report_unfit({file.path, at.position}, "'" + std::string(at.key) + "' is a list of " +
                                               std::string(items) + ": begin each with '-'");
    return false;
  }

  // Checks the component names in the lists of one entity. Returns the names in `components`.
  std::set<std::string> check_lists(const SourceFile& file, yaml::NodeIndex entity,
                                    std::string_view name) {
    const yaml::NodeIndex removed = file.tree.find(entity, "removed");
    if (is_list(file, removed, "names")) {
      for (const yaml::NodeIndex item : yaml::Children(file.tree, removed)) {
        const std::string gone(file.tree.scalar(item));
        if (names_.empty() || names_.contains(gone) || gone.empty() || is_of_engine(gone)) continue;
        report_mistyped(gone, {file.path, file.tree.at(item).position});
      }
    }
    const yaml::NodeIndex list = file.tree.find(entity, "components");
    return is_list(file, list, "components") ? check_list(file, list, name)
                                             : std::set<std::string>();
  }

  // Checks one list of components for faults that a flattened prefab does not contain: a name
  // without fields, a repeated name, and an item with two names.
  std::set<std::string> check_list(const SourceFile& file, yaml::NodeIndex list,
                                   std::string_view entity) {
    std::set<std::string> seen;
    for (const yaml::NodeIndex item : yaml::Children(file.tree, list)) {
      const yaml::Node& at = file.tree.at(item);
      const bool is_bare = at.kind == yaml::NodeKind::scalar;
      if (at.kind == yaml::NodeKind::sequence || is_empty(at)) {
        report_unfit({file.path, at.position},
                     "an item of 'components' must begin with the name of a component");
        continue;
      }
      const yaml::Node& first = is_bare ? at : file.tree.at(at.first_child);
      const std::string name(is_bare ? file.tree.scalar(item) : first.key);
      const Location location{file.path, is_bare ? at.position : first.key_position};
      if (!may_name_component(name, is_bare ? at.style : first.key_style)) {
        report_unfit(location, "'" + name + "' is not the name of a component");
        continue;
      }
      if (!seen.insert(name).second) report_second(entity, name, location);
      if (is_bare) {
        check_name(name, location);
      } else if (at.child_count > 1) {
        const yaml::Node& second = file.tree.at(first.next_sibling);
        findings_.add("unknown-component", {file.path, second.key_position},
                      "'" + std::string(second.key) + "' is inside the item of '" + name +
                          "': begin it with '-'");
      }
    }
    return seen;
  }

  struct Undescribed {
    Location first;
    std::size_t count = 0;
  };

  void note_undescribed(const std::string& name, const Location& location) {
    Undescribed& found = undescribed_[name];
    if (found.count++ == 0) found.first = location;
  }

  // Checks the keys of a mapping. `path` is the path of the mapping, and ends with a dot; it is
  // empty for the component itself.
  void check_names(const ComponentDescription& description, const SourceFile& file,
                   yaml::NodeIndex mapping, const std::string& path) {
    const std::set<std::string> known = names_below(description, path);
    for (const yaml::NodeIndex child : yaml::Children(file.tree, mapping)) {
      check_key(description, file, child, path, known);
    }
  }

  void check_key(const ComponentDescription& description, const SourceFile& file,
                 yaml::NodeIndex field, const std::string& path,
                 const std::set<std::string>& known) {
    const std::string key(file.tree.at(field).key);
    if (!known.contains(key)) {
      report_unknown_field(description.name, file, field, path + key, nearest_name(key, known));
    } else {
      check_value(description, file, field, path + key);
    }
  }

  void check_value(const ComponentDescription& description, const SourceFile& file,
                   yaml::NodeIndex value, const std::string& path) {
    const auto field = std::ranges::find_if(description.fields, [&](const FieldDescription& one) {
      return without_numbers(one.name) == path;
    });
    const yaml::NodeKind kind = file.tree.at(value).kind;
    if (field == description.fields.end() && kind == yaml::NodeKind::scalar) {
      return report_misplaced(description.name, file, value, path);
    }
    if (field != description.fields.end()) {
      check_axes(description.name, file, value, path, axes_of(field->type));
      if (kind != yaml::NodeKind::sequence || field->count == 1) return;
      for (const yaml::NodeIndex item : yaml::Children(file.tree, value)) {
        check_axes(description.name, file, item, path + "[]", axes_of(field->type));
      }
    } else if (const bool is_list = item_count(description, path) > 0;
               is_list != (kind == yaml::NodeKind::sequence)) {
      findings_.add("unknown-field", {file.path, file.tree.at(value).position},
                    description.name + " has " + (is_list ? "a list" : "fields") + " in '" + path +
                        "', and no " + (is_list ? "mapping" : "list"));
    } else if (kind == yaml::NodeKind::mapping) {
      check_names(description, file, value, path + ".");
    } else if (kind == yaml::NodeKind::sequence) {
      std::size_t left = item_count(description, path);
      for (const yaml::NodeIndex item : yaml::Children(file.tree, value)) {
        if (left-- == 0) return report_unknown_field(description.name, file, item, path + "[]", "");
        if (file.tree.at(item).kind == yaml::NodeKind::mapping) {
          check_names(description, file, item, path + "[].");
        } else {
          report_misplaced(description.name, file, item, path + "[]");
        }
      }
    }
  }

  void check_axes(const std::string& component, const SourceFile& file, yaml::NodeIndex vector,
                  const std::string& path, const std::set<std::string>& axes) {
    if (axes.empty() || file.tree.at(vector).kind != yaml::NodeKind::mapping) return;
    for (const yaml::NodeIndex child : yaml::Children(file.tree, vector)) {
      const std::string key(file.tree.at(child).key);
      if (!axes.contains(key)) report_unknown_field(component, file, child, path + "." + key, "");
    }
  }

  // Reports a value that is not a mapping of fields. An empty value is valid and means the
  // defaults.
  void report_misplaced(const std::string& component, const SourceFile& file, yaml::NodeIndex node,
                        const std::string& path) {
    const yaml::Node& at = file.tree.at(node);
    if (at.kind == yaml::NodeKind::scalar && at.text.empty()) return;
    findings_.add("unknown-field", {file.path, at.position},
                  component + " has fields in '" + path + "', and no value");
  }

  void report_unknown_field(const std::string& component, const SourceFile& file,
                            yaml::NodeIndex node, const std::string& field,
                            const std::string& meant) {
    std::string message = component + " has no ";
    const bool is_item = field.ends_with("[]");
    message += is_item ? "other item in '" + field.substr(0, field.size() - 2) + "'"
                       : "field '" + field + "'";
    if (!meant.empty()) message += "; did you mean '" + meant + "'?";
    const yaml::Node& at = file.tree.at(node);
    findings_.add("unknown-field", {file.path, is_item ? at.position : at.key_position},
                  std::move(message));
  }

  const std::set<std::string> engine_names_;
  const std::vector<ComponentDescription>& components_;
  Findings& findings_;
  std::set<std::string> names_;
  bool is_built_ = false;
  std::map<std::string, Undescribed> undescribed_;
};

// The position of `class` in a plain file.
Location class_location(const Project& project, AssetNumber asset) {
  const SourceFile& source = project.sources().get(asset);
  Location location{project.index().at(asset).path, {}};
  if (!source.good()) return location;
  const yaml::NodeIndex stated = source.tree.find(source.fields_of(source.document_of(0)), "class");
  if (stated != yaml::kNoNode) location.position = source.tree.at(stated).position;
  return location;
}

// Reports plain files with an unknown class that is similar to a known class, or that has the name
// of a registry class. The content of such a file would not be built.
void check_classes(const Project& project, Findings& findings) {
  // Short names of unrelated classes are only a few edits apart.
  constexpr std::size_t kLettersPerSlip = 4;
  std::set<std::string> known{std::string(kRootClass), "Prefab"};
  for (const ClassDeclaration& declaration : project.model().classes) {
    known.insert(declaration.name);
  }
  for (AssetNumber asset = 0; asset < project.index().assets().size(); ++asset) {
    const std::string& name = project.sources().plain_class(asset);
    if (name.empty() || known.contains(name)) continue;
    const std::size_t slip_max = std::min(kMaxSlip, name.size() / kLettersPerSlip);
    const std::string meant = nearest_name(name, known, slip_max);
    if (meant.empty() && !name.ends_with("Registry")) continue;
    std::string message = "there is no class '" + name + "'; ";
    message += meant.empty() ? "declare it under 'classes' in muster.yaml"
                             : "did you mean '" + meant + "'?";
    findings.add("unknown-class", class_location(project, asset), std::move(message));
  }
}

}  // namespace

void check_components(const Project& project, const std::set<AssetNumber>& built,
                      Findings& findings) {
  check_classes(project, findings);
  const auto components = load_components(project.files(), project.config());
  if (!components) {
    // Removes the file name from the message, because the finding contains it.
    std::string message = components.error().message;
    const std::string name = "'" + project.config().components->text() + "': ";
    if (message.starts_with(name)) message.erase(0, name.size());
    findings.add("unreadable-components", {*project.config().components, {}}, std::move(message));
    return;
  }
  ComponentCheck check(project, components.value(), findings);
  for (AssetNumber asset = 0; asset < project.index().assets().size(); ++asset) {
    const std::string& name = project.sources().plain_class(asset);
    const bool is_factory =
        name != "Prefab" && !name.empty() && project.scripts().derives_from(name, kFactoryClass);
    if (name != "Prefab" && !is_factory) continue;
    const SourceFile& file = project.sources().get(asset);
    if (!file.good()) continue;
    if (is_factory) {
      check.check_factory(file, name, built.contains(asset));
    } else {
      check.check_prefab(file, project.prefabs().flatten(asset), built.contains(asset));
    }
  }
  check.report_undescribed();
}

}  // namespace muster
