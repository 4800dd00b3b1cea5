// Compares variants of replicated prefabs with their bases. A component is sent with the number of
// its entity. Entities are numbered in depth-first order, starting at the replicated entity. An
// entity in a level is identified by its file id. Numbers and file ids must be equal in all
// variants, because the server and a client may use different variants.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "registry/base/wire_limits.h"
#include "registry/model/plain_components.h"
#include "registry/rules/validate.h"

namespace muster {
namespace {

/// The maximum number of reported differences between a variant and its base.
constexpr std::size_t kReportedMax = 3;

/// A replicated component. The entity's name is for findings.
struct WirePart {
  std::uint32_t member = 0;
  std::string component;
  std::string entity = {};

  friend bool operator<(const WirePart& a, const WirePart& b) {
    return std::tie(a.member, a.component) < std::tie(b.member, b.component);
  }
};

/// The key of a replicated entity in a file: its file id, and its index among the entities with
/// this id. The key of the root of a prefab is zero.
using WireKey = std::pair<std::int64_t, std::uint32_t>;
using WireForm = std::map<WireKey, std::vector<WirePart>>;

class WireFormCheck {
 public:
  WireFormCheck(const Project& project, const std::vector<ComponentDescription>& components,
                Findings& findings)
      : project_(project), findings_(findings) {
    for (const ComponentDescription& component : components) {
      const bool is_stripped =
          std::ranges::any_of(project.config().strip,
                              // A description does not contain the owner of the class, so the owner
                              // is assumed to be the engine.
                              [&](const StripRules& rules) {
                                return rules.strips_class(component.name, ClassOwner::engine);
                              });
      if (!component.fields.empty() && !is_stripped) described_.insert(component.name);
    }
    for (const ClassDeclaration& declaration : project.model().classes) {
      if (!declaration.component.empty()) marks_.insert(declaration.component);
    }
    for (const Registry& registry : project.model().registries) {
      if (registry.declaration->component.empty()) continue;
      for (const RegistryEntry& entry : registry.entries) {
        for (const EntryReference& one : entry.references) registered_.emplace(one.asset, one.role);
      }
    }
  }

  void check(const VariantFile& file) {
    if (const auto found = registered_.find(file.base);
        found != registered_.end() && found->second == ReferenceRule::Role::factory) {
      compare(file, {{{}, parts_of_factory(file.base)}}, {{{}, parts_of_factory(file.file)}});
      return;
    }
    if (!is_prefab(project_.sources(), file.base) || !is_prefab(project_.sources(), file.file)) {
      return;
    }
    const SourcePrefab& base = project_.prefabs().flatten(file.base);
    const SourcePrefab& variant = project_.prefabs().flatten(file.file);
    // Other rules report these problems.
    if (!base.problems.empty() || !variant.problems.empty()) return;
    if (base.entities.empty() || variant.entities.empty()) return;
    const bool lost_its_mark = is_marked(base.entities.front()) &&
                               !is_marked(variant.entities.front()) &&
                               registered_.contains(file.base);
    // check_entries() reports a variant without the component that marks replicated entities.
    if (!lost_its_mark) compare(file, form_of(base), form_of(variant));
  }

 private:
  bool is_marked(const SourceEntity& entity) const {
    return std::ranges::any_of(entity.components, [&](const SourceComponent& component) {
      return std::ranges::any_of(marks_, [&](const std::string& mark) {
        return project_.scripts().derives_from(component.class_name, mark);
      });
    });
  }

  WireForm form_of(const SourcePrefab& prefab) const {
    WireForm form;
    if (is_marked(prefab.entities.front())) {
      form.emplace(WireKey{}, parts_below(prefab, 0));
      return form;
    }
    std::map<std::int64_t, std::uint32_t> ordinals;
    for (std::size_t i = 0; i < prefab.entities.size(); ++i) {
      const SourceEntity& entity = prefab.entities[i];
      const std::uint32_t ordinal = ordinals[entity.file_id]++;
      if (is_marked(entity)) form.emplace(WireKey{entity.file_id, ordinal}, parts_below(prefab, i));
    }
    return form;
  }

  std::vector<WirePart> parts_below(const SourcePrefab& prefab, std::size_t root) const {
    std::vector<WirePart> parts;
    std::vector<bool> is_below(prefab.entities.size(), false);
    std::uint32_t member = 0;
    for (std::size_t i = root; i < prefab.entities.size() && member < kReplicatedMembersMax; ++i) {
      const SourceEntity& entity = prefab.entities[i];
      // An entity without a parent counts as a child of the first entity.
      const std::size_t parent = entity.parent < 0 ? 0 : static_cast<std::size_t>(entity.parent);
      is_below[i] = i == root || is_below[parent];
      if (!is_below[i]) continue;
      for (const SourceComponent& component : entity.components) {
        if (!described_.contains(component.class_name)) continue;
        parts.push_back({member, component.class_name, entity.name});
      }
      ++member;
    }
    std::ranges::sort(parts, std::less<>{});
    return parts;
  }

  std::vector<WirePart> parts_of_factory(AssetNumber asset) const {
    std::vector<WirePart> parts;
    const SourceFile& source = project_.sources().get(asset);
    if (!source.good()) return parts;
    for (FactoryPart& part :
         factory_parts(source, [&](std::string_view name) { return described_.contains(name); })) {
      if (described_.contains(part.class_name)) {
        parts.push_back({0, std::move(part.class_name), std::string(source.path.stem())});
      }
    }
    std::ranges::sort(parts, std::less<>{});
    return parts;
  }

  void compare(const VariantFile& file, const WireForm& base, const WireForm& variant) {
    const auto lacks = [](const WireForm& form) {
      return [&form](const auto& one) { return !form.contains(one.first); };
    };
    const auto missing = std::ranges::find_if(base, lacks(variant));
    const auto added = std::ranges::find_if(variant, lacks(base));
    if (missing != base.end() || added != variant.end()) {
      if (base.contains(WireKey{}) || variant.contains(WireKey{})) {
        return add(file, "only one of the two is replicated as a whole");
      }
      const bool is_missing = missing != base.end();
      return add(file,
                 fmt::format("only the {} has an entity with file id {}; in a level, the file id "
                             "determines the network id",
                             is_missing ? "base" : "variant",
                             is_missing ? missing->first.first : added->first.first));
    }
    std::vector<std::string> differences;
    for (const auto& [key, parts] : base) {
      add_lacking(parts, variant.at(key), "lacks", differences);
      add_lacking(variant.at(key), parts, "has", differences);
    }
    if (differences.empty()) return;
    std::string what = "it ";
    for (std::size_t i = 0; i < std::min(differences.size(), kReportedMax); ++i) {
      what += (i == 0 ? "" : ", ") + differences[i];
    }
    if (differences.size() > kReportedMax) {
      what += " and " + std::to_string(differences.size() - kReportedMax) + " more";
    }
    add(file, what);
  }

  // Adds the parts of `these` that are not in `those`.
  static void add_lacking(const std::vector<WirePart>& these, const std::vector<WirePart>& those,
                          std::string_view verb, std::vector<std::string>& out) {
    std::vector<WirePart> only;
    std::ranges::set_difference(these, those, std::back_inserter(only), std::less<>{});
    for (const WirePart& part : only) {
      out.push_back(part.member == 0
                        ? fmt::format("{} {} of '{}'", verb, part.component, part.entity)
                        : fmt::format("{} {} of '{}', entity {} below", verb, part.component,
                                      part.entity, part.member));
    }
  }

  void add(const VariantFile& file, const std::string& what) {
    const AssetPath& base = project_.index().at(file.base).path;
    Finding& finding =
        findings_.add("variant-other-wire", {project_.index().at(file.file).path, {}},
                      "this is not replicated as '" + base.text() + "' is: " + what);
    finding.blocks_build = true;
    finding.related.push_back({{base, {}}, "the base"});
  }

  const Project& project_;
  Findings& findings_;
  std::set<std::string, std::less<>> described_;  ///< The names of the described components.
  std::set<std::string> marks_;  ///< The names of the components that mark replicated entities.
  std::map<AssetNumber, ReferenceRule::Role> registered_;
};

}  // namespace

void check_wire_forms(const Project& project, const std::set<AssetNumber>& built,
                      Findings& findings) {
  if (project.variants().files().empty()) return;
  auto components = load_components(project.files(), project.config());
  // Another rule reports unreadable descriptions. Replicated entities are found even if the
  // descriptions are unreadable.
  WireFormCheck check(
      project, components ? components.value() : std::vector<ComponentDescription>(), findings);
  for (const VariantFile& file : project.variants().files()) {
    if (built.contains(file.file)) check.check(file);
  }
}

}  // namespace muster
