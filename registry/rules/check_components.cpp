// What plain files say of classes and components, against what is declared and what the game
// exports. Unity's files are left alone: a script there has fields of its own that the game need
// not know.
#include <algorithm>
#include <set>

#include "registry/rules/validate.h"

namespace muster {
namespace {

// Insertions, removals and replacements that make one word another; upper and lower case alike.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

/// Names that are no further apart than this are one name with a slip of the finger.
constexpr std::size_t kMaxSlip = 2;

template <typename Names>
std::string nearest(std::string_view name, const Names& names) {
  std::string best;
  std::size_t best_distance = kMaxSlip + 1;
  for (const std::string& known : names) {
    const std::size_t distance = edit_distance(name, known);
    if (distance >= best_distance || distance >= known.size()) continue;
    best = known;
    best_distance = distance;
  }
  return best;
}

// The first step of each field's name: `slots` of `slots[2].ammo`.
std::set<std::string> field_names(const ComponentDescription& component) {
  std::set<std::string> names;
  for (const FieldDescription& field : component.fields) {
    names.insert(field.name.substr(0, field.name.find_first_of(".[")));
  }
  return names;
}

class ComponentCheck {
 public:
  ComponentCheck(const std::vector<ComponentDescription>& components, Findings& findings)
      : components_(components), findings_(findings) {
    for (const ComponentDescription& component : components) names_.insert(component.name);
  }

  void check(const SourceFile& file, const SourceComponent& component) {
    const auto described =
        std::ranges::find(components_, component.class_name, &ComponentDescription::name);
    for (const ComponentLayer& layer : component.layers) {
      if (layer.source != &file || layer.fields == yaml::kNoNode) continue;
      if (described != components_.end()) {
        check_fields(*described, file, layer.fields);
      } else if (const std::string meant = nearest(component.class_name, names_); !meant.empty()) {
        const yaml::Node& node = file.tree.at(layer.fields);
        findings_.add(
            "unknown-component", {file.path, node.key_position},
            "no component is called '" + component.class_name + "'; did you mean '" + meant + "'?");
      }
    }
  }

 private:
  void check_fields(const ComponentDescription& description, const SourceFile& file,
                    yaml::NodeIndex fields) {
    if (file.tree.at(fields).kind != yaml::NodeKind::mapping) return;
    const std::set<std::string> known = field_names(description);
    for (const yaml::NodeIndex child : yaml::Children(file.tree, fields)) {
      const yaml::Node& node = file.tree.at(child);
      if (known.contains(std::string(node.key))) continue;
      std::string message = description.name + " has no field '" + std::string(node.key) + "'";
      const std::string meant = nearest(node.key, known);
      if (!meant.empty()) message += "; did you mean '" + meant + "'?";
      findings_.add("unknown-field", {file.path, node.key_position}, std::move(message));
    }
  }

  const std::vector<ComponentDescription>& components_;
  Findings& findings_;
  std::set<std::string> names_;
};

// Where a plain file states its class.
Location place_of_class(const Project& project, AssetNumber asset) {
  const SourceFile& source = project.sources().get(asset);
  Location place{project.index().at(asset).path, {}};
  if (!source.good()) return place;
  const yaml::NodeIndex stated = source.tree.find(source.fields_of(source.document_of(0)), "class");
  if (stated != yaml::kNoNode) place.position = source.tree.at(stated).position;
  return place;
}

// A registry whose class is misspelled is none, and nothing in it is built.
void check_classes(const Project& project, Findings& findings) {
  std::set<std::string> known{std::string(kRootClass), "Prefab"};
  for (const ClassDeclaration& declaration : project.model().classes) {
    known.insert(declaration.name);
  }
  for (AssetNumber asset = 0; asset < project.index().assets().size(); ++asset) {
    const std::string& name = project.sources().plain_class(asset);
    if (name.empty() || known.contains(name)) continue;
    const std::string meant = nearest(name, known);
    if (meant.empty()) continue;
    std::string message = "no class '";
    message.append(name).append("' means anything here; '").append(meant).append("' does");
    findings.add("unknown-class", place_of_class(project, asset), std::move(message));
  }
}

}  // namespace

void check_components(const Project& project, Findings& findings) {
  check_classes(project, findings);
  const auto components = load_components(project.files(), project.config());
  if (!components) {
    findings.add("unreadable-components", {*project.config().components, {}},
                 components.error().message);
    return;
  }
  if (components.value().empty()) return;
  ComponentCheck check(components.value(), findings);
  for (AssetNumber asset = 0; asset < project.index().assets().size(); ++asset) {
    if (project.sources().plain_class(asset) != "Prefab") continue;
    const SourceFile& file = project.sources().get(asset);
    if (!file.good()) continue;
    for (const SourceEntity& entity : project.prefabs().flatten(asset).entities) {
      for (const SourceComponent& component : entity.components) check.check(file, component);
    }
  }
}

}  // namespace muster
