#include "registry/project/config_keys.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "registry/base/near_name.h"
#include "registry/project/config.h"

namespace muster {
namespace {

using enum ConfigValue;

constexpr std::array kTop = {
    ConfigKey{"version", version, true, "Of this file's form."},
    ConfigKey{"name", text, false, "For reports."},
    ConfigKey{"folders", paths, false, "What is walked. Default: Unity's Assets and Packages."},
    ConfigKey{"components", path, false, "The game's exported component descriptions."},
    ConfigKey{"classes_from", ready_made, false,
              "Registry classes of public packages. Default: all that are ready-made."},
    ConfigKey{"classes", classes, false, "Registry classes of the project's own, by name."},
    ConfigKey{"external_guids", guids, false,
              "Guids outside the tree (packages): never \"missing\"."},
    ConfigKey{"rules", rules, false,
              "Severities of rules: off, note, warning or error, by id; or by paths ('*', '**')."},
    ConfigKey{"budgets", budgets, false, "Limits on the size of a build."},
    ConfigKey{"variants", variants, false,
              "Axes along which assets vary, by name: crate@low.png is a variant of crate.png."},
    ConfigKey{"strip", strip, false,
              "What a target's bundles leave out: presentation, on servers."},
    ConfigKey{"compression", compression, false, "How packed content is compressed."}};

constexpr std::array kClass = {
    ConfigKey{"script", guid, false,
              "The guid of the class's script, if it is in no folder of the project."},
    ConfigKey{"entries", text, false, "The list of the entries. Default: entries."},
    ConfigKey{"references", references, false, "How an entry names assets."},
    ConfigKey{"prepare", prepare, false, "How 'muster prepare' finds members."},
    ConfigKey{"first_id", zero_or_one, false, "1 if 0 means \"none\" on the wire."},
    ConfigKey{"owner", text, false, "The key with a reference to the owner of an entry."},
    ConfigKey{"component", text, false, "Required on the root of each registered prefab."},
    ConfigKey{"pool_size", text, false, "The key with a number that must be positive."},
    ConfigKey{"key", texts, false, "The keys whose values identify an entry."},
    ConfigKey{"foreign_guids", texts, false,
              "Keys of the registry itself (not of entries) whose guids name no asset."},
    ConfigKey{"fields", texts, false,
              "Other keys of a plain registry and its entries, which the game itself reads."},
    ConfigKey{"packed", truth, false,
              "false: the registry's own asset only controls the build, and is no content."},
    ConfigKey{"ids", truth, false,
              "false: entries are found by guid and have no type ids. Default: true."},
    ConfigKey{"is_component", truth, false,
              "true: registries are components in prefabs and scenes. Requires 'ids: false'."},
    ConfigKey{"single_entries", texts, false,
              "Keys of such a component that contain one more entry each, outside the list."}};

constexpr std::array kReference = {
    ConfigKey{"path", text, false,
              "Keys joined by dots; '[]' visits a list's items. Empty: the entry itself."},
    ConfigKey{"strength", strength, false, "Default: weak."},
    ConfigKey{"targets", targets, true, "The targets that get the asset."},
    ConfigKey{"role", role, false, "Default: asset."},
    ConfigKey{"when", texts, false, "Only for entries with one of these keys."},
    ConfigKey{"unless", texts, false,
              "Not for entries with one of these keys ('key[]': as a list)."},
    ConfigKey{"ignore", texts, false, "Values that name no asset."},
    ConfigKey{"expand_folders", truth, false,
              "true: a folder means all assets in it. Default: false."}};

constexpr std::array kPrepare = {
    ConfigKey{"component", text, false, "All prefabs whose root has this component; or:"},
    ConfigKey{"assets_of_class", text, false, "All assets of this class."},
    ConfigKey{"field", text, false, "The key of an entry for the asset."},
    ConfigKey{"required_reference", text, false,
              "Only prefabs on whose component this weak reference is set."}};

constexpr std::array kBudget = {
    ConfigKey{"bundle", text, false,
              "Each bundle of a prefab whose path matches ('*', '**'), or 'shared'."},
    ConfigKey{"kind", text_or_texts, false, "All assets whose files have this extension."},
    ConfigKey{"target", target, false, "Default: each target separately."},
    ConfigKey{"bytes", byte_count, true, "4096, 512 KiB, 300 MiB, 2 GiB."}};

constexpr std::array kVariantAxis = {
    ConfigKey{"values", texts, true, "Names of letters, digits, '-' and '_'."},
    ConfigKey{"default", text, false, "The value without a choice; without a default, the base."},
    ConfigKey{"choose", choose, false,
              "'build': muster build --variant AXIS=VALUE. 'runtime' (default): the game."}};

constexpr std::array kStrip = {
    ConfigKey{"server", strip_target, false, "Default: everything that is only seen or heard."},
    ConfigKey{"client", strip_target, false, "Default: nothing."}};

constexpr std::array kStripTarget = {
    ConfigKey{"defaults", truth, false, "false: only what is listed here is left out."},
    ConfigKey{"kinds", texts_or_none, false,
              "More kinds of assets (mesh, animation), or extensions ('.bank')."},
    ConfigKey{"components", texts_or_none, false, "More classes of components, and of assets."},
    ConfigKey{"keep", texts_or_none, false, "Kinds, classes and paths ('*', '**') to keep."}};

constexpr std::array kCompression = {
    ConfigKey{"default", plain_level, false,
              "1 (fast) to 19 (small); '--level' overrides it. Default: 6."},
    ConfigKey{"kinds", kinds, false,
              "Levels of object, prefab, raw, import_settings, text, or of files by extension."},
    ConfigKey{"dictionaries", path, false,
              "A folder with committed dictionaries ('muster train'). Default: builds train."}};

}  // namespace

std::span<const ConfigKey> config_keys(ConfigPart part) {
  switch (part) {
    case ConfigPart::top:
      return kTop;
    case ConfigPart::registry_class:
      return kClass;
    case ConfigPart::reference:
      return kReference;
    case ConfigPart::prepare:
      return kPrepare;
    case ConfigPart::budget:
      return kBudget;
    case ConfigPart::variant_axis:
      return kVariantAxis;
    case ConfigPart::strip:
      return kStrip;
    case ConfigPart::strip_target:
      return kStripTarget;
    case ConfigPart::compression:
      return kCompression;
  }
  return {};
}

namespace {

// The required kind of a value. Nullopt if several kinds are allowed; then the value's parser
// checks the kind.
std::optional<yaml::NodeKind> kind_of_value(ConfigValue value) {
  switch (value) {
    case version:
    case text:
    case path:
    case guid:
    case zero_or_one:
    case strength:
    case role:
    case target:
    case byte_count:
    case truth:
    case choose:
    case plain_level:
      return yaml::NodeKind::scalar;
    case texts:
    case paths:
    case ready_made:
    case targets:
    case references:
      return yaml::NodeKind::sequence;
    case ConfigValue::prepare:
      return yaml::NodeKind::mapping;
    default:
      return std::nullopt;
  }
}

// True for lists whose items must be scalars.
bool is_list_of_texts(ConfigValue value) {
  return value == texts || value == paths || value == guids || value == ready_made ||
         value == targets || value == text_or_texts || value == texts_or_none;
}

Result<void> check_value(const yaml::Tree& tree, yaml::NodeIndex node, ConfigValue value) {
  const std::string name = "'" + std::string(tree.at(node).key) + "'";
  const auto wanted = kind_of_value(value);
  if (wanted && tree.at(node).kind != *wanted) {
    const char* const what = *wanted == yaml::NodeKind::scalar     ? "a single value"
                             : *wanted == yaml::NodeKind::sequence ? "a list"
                                                                   : "a mapping";
    return refuse_config(tree, node, name + " wants " + what);
  }
  if (!is_list_of_texts(value) || tree.at(node).kind == yaml::NodeKind::scalar) return {};
  for (const yaml::NodeIndex item : yaml::Children(tree, node)) {
    if (tree.at(item).kind != yaml::NodeKind::scalar) {
      return refuse_config(tree, item, "an item of " + name + " is a single value");
    }
  }
  return {};
}

}  // namespace

Result<void> check_config_keys(const yaml::Tree& tree, yaml::NodeIndex mapping, ConfigPart part) {
  const auto known = config_keys(part);
  for (const yaml::NodeIndex child : yaml::Children(tree, mapping)) {
    const std::string name(tree.at(child).key);
    const auto key = std::ranges::find(known, name, &ConfigKey::name);
    if (key == known.end()) {
      std::set<std::string> names;
      for (const ConfigKey& one : known) names.emplace(one.name);
      return refuse_config(tree.at(child).position,
                           "unknown key '" + name + "'" + did_you_mean(name, names));
    }
    if (auto good = check_value(tree, child, key->value); !good) return good;
  }
  return {};
}

tl::unexpected<Error> refuse_config(const yaml::Position& at, const std::string& why) {
  return fail(ErrorCode::malformed, std::string(ProjectConfig::kFileName) + ":" +
                                        std::to_string(at.line) + ":" + std::to_string(at.column) +
                                        ": " + why);
}

tl::unexpected<Error> refuse_config(const yaml::Tree& tree, yaml::NodeIndex at,
                                    const std::string& why) {
  return refuse_config(tree.at(at).position, why);
}

Result<Bytes> read_optional(const FileReader& files, const AssetPath& path, std::uint64_t max_bytes,
                            ByteVector& buffer) {
  auto bytes = read_whole(files, path, max_bytes, buffer);
  if (bytes || bytes.error().code != ErrorCode::not_found) return bytes;
  for (AssetPath at = path; !at.empty(); at = at.parent()) {
    const auto info = files.stat(at);
    if (!info && info.error().code != ErrorCode::not_found) return fail(info.error());
    if (info && info.value().kind == FileKind::broken_link) {
      return fail(ErrorCode::io, "'" + at.text() + "' is a link that leads nowhere");
    }
  }
  return bytes;
}

}  // namespace muster
