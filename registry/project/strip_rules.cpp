#include "registry/project/strip_rules.h"

#include <algorithm>
#include <utility>

#include "registry/base/asset_path.h"
#include "registry/project/asset_kinds.h"
#include "registry/project/budgets.h"
#include "registry/project/config_keys.h"

namespace muster {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::NodeIndex;
using yaml::NodeKind;

// The components that only affect pictures and sound. Does not include components that a server may
// use: animators (which move hit boxes), terrain (which has heights), rigid bodies, colliders and
// navigation.
constexpr std::array<std::string_view, 45> kPresenting = {
    "AudioChorusFilter",
    "AudioDistortionFilter",
    "AudioEchoFilter",
    "AudioHighPassFilter",
    "AudioListener",
    "AudioLowPassFilter",
    "AudioReverbFilter",
    "AudioReverbZone",
    "AudioSource",
    "BillboardRenderer",
    "Camera",
    "Canvas",
    "CanvasGroup",
    "CanvasRenderer",
    "FlareLayer",
    "GUILayer",
    "GUIText",
    "GUITexture",
    "Halo",
    "LODGroup",
    "LensFlare",
    "Light",
    "LightProbeGroup",
    "LightProbeProxyVolume",
    "LightmapSettings",
    "LineRenderer",
    "MeshFilter",
    "MeshRenderer",
    "OcclusionArea",
    "OcclusionPortal",
    "ParticleSystem",
    "ParticleSystemForceField",
    "ParticleSystemRenderer",
    "Projector",
    "ReflectionProbe",
    "RenderSettings",
    "SkinnedMeshRenderer",
    "Skybox",
    "SpriteMask",
    "SpriteRenderer",
    "TextMesh",
    "TrailRenderer",
    "VFXRenderer",
    "VideoPlayer",
    "VisualEffect",
};
static_assert(std::ranges::is_sorted(kPresenting));

// The classes that no rule can strip, because each prefab needs them.
constexpr std::array<std::string_view, 5> kSkeleton = {"GameObject", "Prefab", "PrefabInstance",
                                                       "RectTransform", "Transform"};

// The kinds that no rule can strip.
constexpr std::array<std::string_view, 3> kStructure = {"level", "prefab", "script"};

constexpr std::ptrdiff_t kPatternStarsMax = 8;  // As in budgets.

bool is_nothing(const yaml::Tree& tree, NodeIndex at) {
  return tree.at(at).kind == NodeKind::scalar && tree.scalar(at).empty();
}

void sort_texts(std::vector<std::string>& texts) {
  std::ranges::sort(texts);
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
}

std::string known_kinds() {
  std::string names;
  for (const AssetKind& kind : asset_kinds()) {
    if (std::ranges::find(kStructure, kind.name) != kStructure.end()) continue;
    names += (names.empty() ? "" : ", ") + std::string(kind.name);
  }
  return names;
}

}  // namespace

/// The part of `strip` for one target.
class StripReading {
 public:
  StripReading(const yaml::Tree& tree, NodeIndex node, Target target)
      : tree_(tree), node_(node), target_(target) {}

  Result<StripRules> run() {
    if (is_nothing(tree_, node_)) return StripRules::defaults_for(target_);
    if (tree_.at(node_).kind != NodeKind::mapping) {
      return refuse_config(tree_, node_,
                           "a target's rules must be a mapping, such as {keep: [font]}");
    }
    if (auto good = check_config_keys(tree_, node_, ConfigPart::strip_target); !good) {
      return fail(good.error());
    }
    if (auto good = read_defaults(); !good) return fail(good.error());
    if (auto good = read_kinds(); !good) return fail(good.error());
    if (auto good = read_components(); !good) return fail(good.error());
    sort_texts(rules_.kinds_);
    sort_texts(rules_.components_);
    sort_texts(rules_.named_components_);
    if (auto good = read_keep(); !good) return fail(good.error());
    return std::move(rules_);
  }

 private:
  Result<void> read_defaults() {
    const NodeIndex node = tree_.find(node_, "defaults");
    const std::string_view text = tree_.scalar(node);
    if (node != kNoNode && text != "true" && text != "false") {
      return refuse_config(tree_, node, "'defaults' must be true or false");
    }
    if (text != "false") rules_ = StripRules::defaults_for(target_);
    return {};
  }

  // Calls `visit` for each item of a list.
  template <typename Visit>
  Result<void> read_list(std::string_view key, const Visit& visit) {
    const NodeIndex list = tree_.find(node_, key);
    if (list == kNoNode || is_nothing(tree_, list)) return {};
    if (tree_.at(list).kind != NodeKind::sequence) {
      return refuse_config(tree_, list, "'" + std::string(key) + "' must be a list");
    }
    for (const NodeIndex item : Children(tree_, list)) {
      if (tree_.scalar(item).empty()) return refuse_config(tree_, item, "this item is empty");
      if (auto good = visit(item, tree_.scalar(item)); !good) return good;
    }
    return {};
  }

  Result<void> read_kinds() {
    return read_list("kinds", [&](NodeIndex item, std::string_view name) -> Result<void> {
      const bool is_extension = name.starts_with('.');
      const std::string_view word = is_extension ? name.substr(1) : name;
      if (word.empty() || word.find_first_of("./* ") != std::string_view::npos) {
        return refuse_config(
            tree_, item,
            "a kind must be one of " + known_kinds() + ", or an extension such as '.bank'");
      }
      if (!is_extension && find_asset_kind(name) == nullptr) {
        return refuse_config(tree_, item,
                             "'" + std::string(name) + "' is not a kind; the kinds are " +
                                 known_kinds() + ". Files with this extension are '." +
                                 std::string(name) + "'");
      }
      const std::string_view kind = is_extension ? kind_of("x." + lower_ascii(word)) : name;
      if (std::ranges::find(kStructure, kind) != kStructure.end()) {
        return refuse_config(
            tree_, item,
            "this kind cannot be stripped ('" + std::string(name) +
                "'); to leave such assets out, do not name them in a registry for this target");
      }
      rules_.kinds_.push_back(is_extension ? "." + lower_ascii(word) : std::string(name));
      return {};
    });
  }

  Result<void> read_components() {
    return read_list("components", [&](NodeIndex item, std::string_view name) -> Result<void> {
      if (name.find_first_of("/*. ") != std::string_view::npos) {
        return refuse_config(tree_, item, "'" + std::string(name) + "' is not the name of a class");
      }
      if (std::ranges::find(kSkeleton, name) != kSkeleton.end()) {
        return refuse_config(tree_, item,
                             "without '" + std::string(name) +
                                 "' there would be no prefab; a registry "
                                 "that does not name one for this target leaves it out");
      }
      rules_.components_.emplace_back(name);
      rules_.named_components_.emplace_back(name);
      return {};
    });
  }

  // Removes the names in `keep` from the rules.
  Result<void> read_keep() {
    return read_list("keep", [&](NodeIndex item, std::string_view name) -> Result<void> {
      const bool is_path = name.find_first_of("/*") != std::string_view::npos;
      if (is_path) {
        if (std::ranges::count(name, '*') > kPatternStarsMax) {
          return refuse_config(tree_, item, "a pattern can have at most 8 stars");
        }
        rules_.kept_paths_.push_back({std::string(name), tree_.at(item).position});
        return {};
      }
      if (name.starts_with('.')) return keep_extension(item, lower_ascii(name));
      const auto of_kinds = std::erase(rules_.kinds_, name);
      const auto of_components = std::erase(rules_.components_, name);
      std::erase(rules_.named_components_, name);
      if (of_kinds + of_components > 0) return {};
      const std::string extension = "." + lower_ascii(name);
      if (find_asset_kind(name) == nullptr && strips_extension(extension)) {
        return refuse_config(
            tree_, item,
            "'" + std::string(name) + "' is neither a kind nor a class. " + how_to_keep(extension));
      }
      return refuse_kept_anyway(item, name);
    });
  }

  // Fails if no rule names the extension. If a rule strips a kind of assets, `keep` can name only
  // the whole kind and not one extension of the kind.
  Result<void> keep_extension(NodeIndex item, const std::string& extension) {
    const auto of_kinds = std::erase(rules_.kinds_, extension);
    if (strips_extension(extension)) {
      return refuse_config(
          tree_, item,
          "an extension alone ('" + extension + "') is not kept. " + how_to_keep(extension));
    }
    return of_kinds > 0 ? Result<void>() : refuse_kept_anyway(item, extension);
  }

  bool strips_extension(std::string_view extension) const {
    return rules_.strips_kind(extension) ||
           rules_.strips_kind(kind_of("x" + std::string(extension)));
  }

  std::string how_to_keep(const std::string& extension) const {
    const std::string_view kind = kind_of("x" + extension);
    const bool is_of_kind = rules_.strips_kind(kind);
    return "Keep " +
           (is_of_kind ? "the kind that such files are of, '" + std::string(kind) + "'"
                       : "the extension, '" + extension + "'") +
           ", or files by their paths: \"**" + extension + "\" are all of them";
  }

  tl::unexpected<Error> refuse_kept_anyway(NodeIndex item, std::string_view name) const {
    return refuse_config(tree_, item,
                         "'" + std::string(name) +
                             "' is kept anyway, because no rule of this target strips it. A path "
                             "must contain a slash or a star");
  }

  const yaml::Tree& tree_;
  NodeIndex node_;
  Target target_;
  StripRules rules_;
};

StripRules StripRules::defaults_for(Target target) {
  StripRules rules;
  if (target != Target::server) return rules;
  for (const AssetKind& kind : asset_kinds()) {
    if (kind.presents == AssetKind::Presents::always) rules.kinds_.emplace_back(kind.name);
  }
  std::ranges::sort(rules.kinds_);
  rules.components_.assign(kPresenting.begin(), kPresenting.end());
  return rules;
}

bool StripRules::strips_kind(std::string_view kind_or_extension) const {
  return std::ranges::binary_search(kinds_, kind_or_extension);
}

bool StripRules::strips_class(std::string_view class_name, ClassOwner owner) const {
  return std::ranges::binary_search(owner == ClassOwner::engine ? components_ : named_components_,
                                    class_name);
}

bool StripRules::keeps_path(std::string_view path) const {
  return std::ranges::any_of(
      kept_paths_, [&](const KeptPath& kept) { return fits_pattern(path, kept.pattern); });
}

TargetStripRules default_strip_rules() {
  return {StripRules::defaults_for(Target::client), StripRules::defaults_for(Target::server)};
}

Result<TargetStripRules> read_strip_rules(const yaml::Tree& tree, NodeIndex node) {
  TargetStripRules rules = default_strip_rules();
  if (is_nothing(tree, node)) return rules;  // All keys are commented out.
  if (tree.at(node).kind != NodeKind::mapping) {
    return refuse_config(tree, node, "'strip' must be a mapping, such as {server: {keep: [font]}}");
  }
  if (auto good = check_config_keys(tree, node, ConfigPart::strip); !good) {
    return fail(good.error());
  }
  for (const Target target : {Target::client, Target::server}) {
    const NodeIndex part = tree.find(node, target == Target::client ? "client" : "server");
    if (part == kNoNode) continue;
    auto read = StripReading(tree, part, target).run();
    if (!read) return fail(read.error());
    rules[target_index(target)] = std::move(read).value();
  }
  return rules;
}

std::span<const std::string_view> presenting_components() { return kPresenting; }

}  // namespace muster
