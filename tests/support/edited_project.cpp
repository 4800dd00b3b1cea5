#include "tests/support/edited_project.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>

#include <fmt/format.h>

#include "registry/components/component.h"

namespace muster::testing {
namespace {

constexpr std::string_view kHead = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n";
constexpr std::uint64_t kScriptGuid = 9001;
constexpr std::uint64_t kFactoryGuid = 9002;

// The stripping rules in muster.yaml. The first is empty.
constexpr std::array<std::string_view, 6> kStrips = {
    "",
    "strip: {server: {defaults: false}}\n",
    "strip: {server: {components: [Health]}}\n",
    "strip: {server: {keep: [texture, material]}}\n",
    "strip: {server: {kinds: [.fbx], keep: [\"b/**\"]}, client: {components: [Health]}}\n",
    "strip: {client: {kinds: [texture]}}\n"};

std::string guid_text(std::uint64_t number) {
  // Digits that look random, and are different for each number.
  return fmt::format("{:016x}{:016x}", number * 0x9E3779B97F4A7C15ULL, number);
}

std::string strong(std::uint64_t guid, int file_id = 11400000) {
  return fmt::format("{{fileID: {}, guid: {}, type: 3}}", file_id, guid_text(guid));
}

// Returns the text of a `.meta` file. Every seventh guid is in upper case, which the checks report.
std::string meta_of(std::uint64_t guid, int settings) {
  std::string digits = guid_text(guid);
  if (settings % 7 == 6) {
    std::ranges::transform(digits, digits.begin(), [](char c) {
      return c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
    });
  }
  return fmt::format("fileFormatVersion: 2\nguid: {}\nNativeFormatImporter:\n  quality: {}\n",
                     digits, settings);
}

// Returns text with a fault: a duplicate object, a reference to a missing object, or an invalid
// guid.
std::string damage_text(int damage) {
  switch (damage) {
    case 1:
      return "--- !u!4 &400\nTransform:\n  m_GameObject: {fileID: 100}\n";
    case 2:
      return "--- !u!4 &401\nTransform:\n  other: {fileID: 77}\n";
    case 3:
      return "--- !u!4 &402\nTransform:\n  other: {fileID: 77, guid: none, type: 3}\n";
    default:
      return {};
  }
}

std::string components_text(int health_default, bool knows_armor) {
  struct Plain {
    std::int32_t current;
    std::int32_t spare;  // No prefab sets it, so its default is packed.
  };
  std::vector<ComponentDescription> components;
  for (const std::string name : {"Health", "Armor"}) {
    if (name == "Armor" && !knows_armor) continue;
    ComponentDescription component;
    component.name = name;
    component.size_bytes = sizeof(Plain);
    component.alignment_bytes = alignof(Plain);
    for (const std::string field_name : {"current", "spare"}) {
      FieldDescription field;
      field.name = field_name;
      field.type = FieldType::int32;
      field.offset_bytes = field_name == "current" ? 0 : offsetof(Plain, spare);
      field.element_bytes = sizeof(std::int32_t);
      component.fields.push_back(field);
    }
    const Plain value{health_default, health_default};
    const Bytes bytes = std::as_bytes(std::span(&value, 1));
    component.default_value.assign(bytes.begin(), bytes.end());
    components.push_back(component);
  }
  return components_to_json(components);
}

}  // namespace

EditedProject::EditedProject(std::uint32_t seed) : random_(seed) {
  for (int i = 0; i < 12; ++i) model_.items.push_back(make());
  for (int i = 0; i < 6; ++i) change_form(any());
  for (Item& item : model_.items) {
    if (item.sides == 0 && below(2) == 0) item.sides = 1 + static_cast<int>(below(3));
  }
  apply();
  past_.push_back(model_);
}

std::uint64_t EditedProject::any_of(std::initializer_list<Kind> kinds) {
  std::vector<std::uint64_t> found;
  for (const Item& item : model_.items) {
    if (std::ranges::find(kinds, item.kind) != kinds.end()) found.push_back(item.guid);
  }
  return found.empty() ? 0 : found[below(found.size())];
}

EditedProject::Item EditedProject::make() {
  Item item;
  item.kind = static_cast<Kind>(below(static_cast<std::size_t>(Kind::count)));
  item.guid = model_.next_guid++;
  item.name = fmt::format("thing{}", item.guid);
  item.value = static_cast<int>(below(1000));
  item.type_id = model_.next_type_id++;
  if (item.kind == Kind::variant) item.base = any_of({Kind::unity, Kind::variant, Kind::model});
  if (item.kind == Kind::plain_variant) item.base = any_of({Kind::plain, Kind::plain_variant});
  const bool can_use = item.kind != Kind::picture && item.kind != Kind::model;
  for (std::uint32_t i = below(3); can_use && i > 0; --i) {
    const std::uint64_t used = item.kind == Kind::material
                                   ? any_of({Kind::picture})
                                   : any_of({Kind::picture, Kind::material, Kind::unity});
    if (used != 0) item.uses.push_back(used);
  }
  if (item.kind <= Kind::factory) item.sides = 1 + static_cast<int>(below(3));
  return item;
}

std::string EditedProject::path_of(const Item& item, const std::string& keys) const {
  constexpr std::array<std::string_view, static_cast<std::size_t>(Kind::count)> kExtensions = {
      "prefab", "prefab", "yaml", "yaml", "asset", "fbx", "mat", "png"};
  return fmt::format("{}/{}{}{}.{}", item.folder, item.name, keys.empty() ? "" : "@", keys,
                     kExtensions[static_cast<std::size_t>(item.kind)]);
}

// Adds a variant to an asset, or changes or removes a variant.
void EditedProject::change_form(Item& item) {
  constexpr std::array<const char*, 5> kKeys = {"low", "high", "linux", "linux,low",
                                                "platform=windows,quality=high"};
  const std::string keys = kKeys[below(kKeys.size())];
  const auto known = item.forms.find(keys);
  if (known == item.forms.end()) {
    item.forms[keys] = {model_.next_guid++, static_cast<int>(below(1000))};
  } else if (below(3) == 0) {
    item.forms.erase(known);
  } else {
    known->second.second += 1;
  }
}

std::string EditedProject::text_of(const Item& item) const {
  std::string uses;
  for (const std::uint64_t used : item.uses) uses += "  - " + strong(used) + "\n";
  // If the references are in an override of a component, they disappear when the component is
  // removed.
  const bool is_by_override = item.value % 2 == 1 && !item.uses.empty();
  switch (item.kind) {
    case Kind::unity:
      return fmt::format(
          "{}--- !u!1 &100\nGameObject:\n  m_Name: {}\n  m_IsActive: 1\n  m_Component:\n"
          "  - component: {{fileID: 400}}\n  - component: {{fileID: 500}}\n"
          "--- !u!4 &400\nTransform:\n  m_GameObject: {{fileID: 100}}\n  m_Children: []\n"
          "  m_Father: {{fileID: 0}}\n"
          "--- !u!114 &500\nMonoBehaviour:\n  m_GameObject: {{fileID: 100}}\n"
          "  m_Script: {}\n  current: {}\n  uses:\n{}{}",
          kHead, "inner", strong(kScriptGuid, 11500000), item.value, uses,
          damage_text(item.damage));
    case Kind::variant:
      return fmt::format(
          "{}--- !u!1001 &700\nPrefabInstance:\n  m_Modification:\n"
          "    m_TransformParent: {{fileID: 0}}\n    m_Modifications:\n"
          "    - target: {{fileID: 500, guid: {}, type: 3}}\n      propertyPath: current\n"
          "      value: {}\n      objectReference: {}\n    m_RemovedComponents: []\n"
          "  m_SourcePrefab: {{fileID: 100100000, guid: {}, type: 3}}\n  uses:\n{}",
          kHead, guid_text(item.base), item.value,
          is_by_override ? strong(item.uses.front()) : "{fileID: 0}", guid_text(item.base),
          is_by_override ? std::string() : uses);
    case Kind::plain:
      return fmt::format(
          "class: Prefab\n{}components:\n- Health: {{current: {}}}\n- Armor: "
          "{{current: 3}}\nuses:\n{}",
          item.value % 2 == 0 ? "" : "# a comment\n", item.value, uses.empty() ? "- 1\n" : uses);
    case Kind::plain_variant:
      return fmt::format(
          "class: Prefab\nvariant_of: {}\nroot:\n  name: n{}\n  components:\n"
          "  - Health: {{current: {}}}\n",
          strong(item.base), item.value % 3, item.value);
    case Kind::factory:
      return fmt::format(
          "{}--- !u!114 &11400000\nMonoBehaviour:\n  m_Script: {}\n"
          "  health:\n    current: {}\n  uses:\n{}",
          kHead, strong(kFactoryGuid, 11500000), item.value, uses);
    case Kind::material:
      return fmt::format("{}--- !u!21 &2100000\nMaterial:\n  m_Name: m\n  v: {}\n  uses:\n{}",
                         kHead, item.value, uses);
    default:
      return fmt::format("\x89PNG{}", std::string(200 + static_cast<std::size_t>(item.value) * 30,
                                                  static_cast<char>('a' + item.value % 26)));
  }
}

std::map<std::string, std::string> EditedProject::render() const {
  std::map<std::string, std::string> texts;
  const auto add = [&](const std::string& path, std::uint64_t guid, int settings,
                       std::string text) {
    texts[path] = std::move(text);
    texts[path + ".meta"] = meta_of(guid, settings);
  };
  texts["muster.yaml"] =
      fmt::format(
          "version: 1\nname: {}\nfolders: [a, b]\ncomponents: components.json\nclasses:\n"
          "  ThingRegistry:\n    entries: entries\n    references:\n"
          "    - {{path: both, strength: strong, targets: [client, server]}}\n"
          "    - {{path: client, strength: strong, targets: [client]}}\n"
          "    - {{path: server, strength: strong, targets: [server]}}\n{}",
          model_.project_name, kStrips[model_.strip]) +
      (model_.has_axes ? "variants:\n"
                         "  platform: {values: [windows, linux], default: windows, choose: build}\n"
                         "  quality: {values: [low, high], default: high}\n"
                       : "");
  texts["components.json"] = components_text(model_.health_default, model_.knows_armor);
  texts["a/.keep"] = "";
  texts["b/.keep"] = "";
  add(fmt::format("a/{}.cs", model_.script_name), kScriptGuid, 0,
      fmt::format("class {} : MonoBehaviour {{}}\n", model_.script_name));
  add("a/HealthFactory.cs", kFactoryGuid, 0,
      fmt::format("class HealthFactory : {} {{}}\n",
                  model_.is_factory_class ? "ReplicatedEntityFactory" : "ScriptableObject"));
  std::string entries = "class: ThingRegistry\nentries:\n";
  constexpr std::array<std::string_view, 4> kSides = {"", "client", "server", "both"};
  bool is_empty = true;
  for (const Item& item : model_.items) {
    add(path_of(item), item.guid, item.settings, text_of(item));
    for (const auto& [keys, form] : item.forms) {
      Item other = item;
      other.value = form.second;
      if (form.second % 2 == 0) other.uses.clear();
      add(path_of(item, keys), form.first, item.settings, text_of(other));
    }
    if (item.sides == 0) continue;
    is_empty = false;
    entries += fmt::format("- type_id: {}\n  {}: {}\n", item.type_id,
                           kSides[static_cast<std::size_t>(item.sides)], strong(item.guid));
  }
  add("a/registry.yaml", 9003, 0, is_empty ? "class: ThingRegistry\nentries: []\n" : entries);
  return texts;
}

void EditedProject::apply() {
  const auto texts = render();
  std::vector<AssetPath> gone;
  for (const auto& [path, bytes] : files.files()) {
    if (!texts.contains(path.text())) gone.push_back(path);
  }
  for (const AssetPath& path : gone) {
    const auto removed = files.remove(path);
    assert(removed.has_value());
    (void)removed;
  }
  for (const auto& [path, text] : texts) {
    const auto found = files.files().find(AssetPath::parse(path).value());
    if (found == files.files().end() || as_text(found->second) != text) files.add(path, text);
  }
}

std::string EditedProject::edit() {
  const std::vector<std::pair<std::string, std::function<void()>>> edits = {
      {"add", [&] { model_.items.push_back(make()); }},
      {"remove",
       [&] {
         if (model_.items.size() > 4) {
           model_.items.erase(model_.items.begin() + below(model_.items.size()));
         }
       }},
      {"edit", [&] { any().value = static_cast<int>(below(1000)); }},
      {"edit", [&] { any().value += 1; }},
      {"rename", [&] { any().name += "x"; }},
      {"move", [&] { any().folder = below(2) == 0 ? "a" : "b"; }},
      {"retag", [&] { any().type_id = model_.next_type_id++; }},
      {"sides", [&] { any().sides = static_cast<int>(below(4)); }},
      {"settings", [&] { any().settings += 1; }},
      {"damage", [&] { any().damage = static_cast<int>(below(4)); }},
      {"odd sidecar", [&] { any().settings = 6; }},
      {"base",
       [&] {
         Item& item = any();
         if (item.kind == Kind::variant) item.base = any_of({Kind::unity, Kind::model});
         if (item.kind == Kind::plain_variant) item.base = any_of({Kind::plain});
       }},
      {"new guid", [&] { any().guid = model_.next_guid++; }},
      {"form", [&] { change_form(any()); }},
      {"form", [&] { change_form(any()); }},
      {"axes", [&] { model_.has_axes = !model_.has_axes; }},
      {"default", [&] { model_.health_default += 1; }},
      {"describe", [&] { model_.knows_armor = !model_.knows_armor; }},
      {"factory", [&] { model_.is_factory_class = !model_.is_factory_class; }},
      {"script", [&] { model_.script_name = below(2) == 0 ? "Health" : "Armor"; }},
      {"name", [&] { model_.project_name += "x"; }},
      {"strip", [&] { model_.strip = below(kStrips.size()); }},
      {"swap", [&] { std::swap(any().value, any().value); }},
      {"touch",
       [&] {
         const auto& all = files.files();
         files.touch(std::next(all.begin(), below(all.size()))->first);
       }},
      {"revert", [&] { model_ = past_[below(past_.size())]; }},
  };
  const auto& [name, change] = edits[below(edits.size())];
  const std::uint64_t next_guid = model_.next_guid;
  const std::uint32_t next_type_id = model_.next_type_id;
  change();
  // Guids are never reused, even after a revert.
  model_.next_guid = std::max(model_.next_guid, next_guid);
  model_.next_type_id = std::max(model_.next_type_id, next_type_id);
  apply();
  past_.push_back(model_);
  return name;
}

}  // namespace muster::testing
