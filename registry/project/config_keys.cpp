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
    ConfigKey{"version", version, true, "The version of this file's format."},
    ConfigKey{"name", text, false, "For reports."},
    ConfigKey{"folders", paths, false,
              "The folders that Muster reads. Default: Unity's Assets and Packages."},
    ConfigKey{"components", path, false, "The game's exported component descriptions."},
    ConfigKey{"classes_from", ready_made, false,
              "Ready-made registry classes of public packages. Default: all of them."},
    ConfigKey{"classes", classes, false, "The project's own registry classes, by name."},
    ConfigKey{"external_guids", guids, false,
              "Guids of assets outside the project, which are not reported as missing."},
    ConfigKey{"rules", rules, false,
              "The severity of each rule: off, note, warning or error; or severities by path ('*', "
              "'**')."},
    ConfigKey{"budgets", budgets, false, "Limits on the size of a build."},
    ConfigKey{"variants", variants, false,
              "Axes along which assets vary, by name: crate@low.png is a variant of crate.png."},
    ConfigKey{"strip", strip, false,
              "The assets and components that a target's bundles leave out."},
    ConfigKey{"compression", compression, false, "How packed content is compressed."}};

constexpr std::array kClass = {
    ConfigKey{"script", guid, false,
              "The guid of the class's script. Needed if the script is not in the project."},
    ConfigKey{"entries", text, false, "The list of the entries. Default: entries."},
    ConfigKey{"references", references, false, "How an entry names assets."},
    ConfigKey{"prepare", prepare, false, "How 'muster prepare' finds members."},
    ConfigKey{"first_id", zero_or_one, false,
              "The first type id: 1 if 0 means \"none\" on the wire; default: 0."},
    ConfigKey{"owner", text, false, "The key with a reference to the owner of an entry."},
    ConfigKey{"component", text, false,
              "The component that the root of each registered prefab must have."},
    ConfigKey{"pool_size", text, false, "The key with a number that must be positive."},
    ConfigKey{"key", texts, false, "The keys whose values identify an entry."},
    ConfigKey{"foreign_guids", texts, false,
              "Keys of the registry (not of entries) whose guids are not guids of assets."},
    ConfigKey{"fields", texts, false,
              "Other keys of a plain registry and its entries, which the game itself reads."},
    ConfigKey{"packed", truth, false,
              "false: the registry's own asset is packed only if a packed asset refers to it."},
    ConfigKey{"ids", truth, false,
              "false: entries are found by guid and have no type ids. Default: true."},
    ConfigKey{"is_component", truth, false,
              "true: registries are components in prefabs and scenes. Requires 'ids: false'."},
    ConfigKey{"single_entries", texts, false,
              "Keys of such a component, outside the list, that each contain one entry."}};

constexpr std::array kReference = {
    ConfigKey{"path", text, false,
              "Keys joined by dots; '[]' visits a list's items. Empty: the entry itself."},
    ConfigKey{"strength", strength, false, "Default: weak."},
    ConfigKey{"targets", targets, true, "The targets that get the asset."},
    ConfigKey{"role", role, false, "Default: asset."},
    ConfigKey{"when", texts, false, "The rule applies only to entries with one of these keys."},
    ConfigKey{"unless", texts, false,
              "The rule does not apply to entries with one of these keys ('key[]': with a list)."},
    ConfigKey{"ignore", texts, false, "Values that name no asset."},
    ConfigKey{"expand_folders", truth, false,
              "true: a folder means all assets in it. Default: false."}};

constexpr std::array kPrepare = {
    ConfigKey{"component", text, false,
              "The members are all prefabs whose root has this component."},
    ConfigKey{"assets_of_class", text, false, "All assets of this class."},
    ConfigKey{"field", text, false, "The key of an entry for the asset."},
    ConfigKey{"required_reference", text, false,
              "Only prefabs whose component sets this weak reference are members."}};

constexpr std::array kBudget = {
    ConfigKey{"bundle", text, false,
              "Each bundle of a prefab whose path matches ('*', '**'), or 'shared'."},
    ConfigKey{"kind", text_or_texts, false, "All assets whose files have this extension."},
    ConfigKey{"target", target, false, "Default: each target separately."},
    ConfigKey{"bytes", byte_count, true, "4096, 512 KiB, 300 MiB, 2 GiB."}};

constexpr std::array kVariantAxis = {
    ConfigKey{"values", texts, true, "Names of letters, digits, '-' and '_'."},
    ConfigKey{"default", text, false,
              "The value that is used without a choice. Without a default, the base is used."},
    ConfigKey{"choose", choose, false,
              "'build': muster build --variant AXIS=VALUE. 'runtime' (default): the game."}};

constexpr std::array kStrip = {
    ConfigKey{
        "server", strip_target, false,
        "The rules for servers. Default: leave out content that affects only pictures and sound."},
    ConfigKey{"client", strip_target, false, "Default: nothing."}};

constexpr std::array kStripTarget = {
    ConfigKey{"defaults", truth, false, "false: only the rules that are listed here apply."},
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

// The required kind of a value. The result is nullopt if several kinds are allowed. The value's
// parser then checks the kind.
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
    return refuse_config(tree, node, name + " must be " + what);
  }
  if (!is_list_of_texts(value) || tree.at(node).kind == yaml::NodeKind::scalar) return {};
  for (const yaml::NodeIndex item : yaml::Children(tree, node)) {
    if (tree.at(item).kind != yaml::NodeKind::scalar) {
      return refuse_config(tree, item, "an item of " + name + " must be a single value");
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
      return fail(ErrorCode::io, "'" + at.text() + "' is a link without a target");
    }
  }
  return bytes;
}

}  // namespace muster
