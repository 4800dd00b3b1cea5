// A flattened prefab: one tree of entities, with nesting and variants resolved.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "registry/project/scripts.h"
#include "registry/project/source_file.h"

namespace muster {

/// One changed property of a prefab instance: an item of Unity's `m_Modifications`. The override
/// views the tree of `source`.
struct PropertyOverride {
  std::string_view path;
  std::string_view value;
  yaml::Reference object;
  yaml::Position position;             ///< The position of the value.
  const SourceFile* source = nullptr;  ///< The file that contains the override.
};

/// The fields of a component in one file.
struct ComponentLayer {
  const SourceFile* source = nullptr;
  yaml::NodeIndex fields = yaml::kNoNode;
  int document = -1;  ///< The index of the document in `source`; -1 in plain prefabs.
  /// The position of the component's name; set even if the component has no fields.
  yaml::Position named_at;
};

/// A component of a flattened prefab. Its layers are the fields in several files. The first layer
/// is from the innermost nested prefab or base, and the last layer is from the outermost file. A
/// field has its value from the last layer that contains it. An override takes precedence over all
/// layers.
struct SourceComponent {
  std::int64_t file_id = 0;   ///< The component's id, as seen from the flattened file.
  std::int64_t class_id = 0;  ///< Unity's class id; 0 in plain prefabs.
  std::string class_name;     ///< The class of the script, or Unity's type name; empty if unknown.
  Guid script;
  std::vector<ComponentLayer> layers;
  std::vector<PropertyOverride> overrides;

  /// The node of a scalar field in the last layer that has the field. Ignores overrides.
  struct FieldNode {
    const SourceFile* source = nullptr;
    yaml::NodeIndex node = yaml::kNoNode;
  };
  FieldNode find(std::string_view path) const;
  /// The text of a scalar field with overrides applied; nullopt if the field does not exist.
  std::optional<std::string_view> scalar(std::string_view path) const;
  /// A weak reference with overrides applied, in any spelling; nullopt if the field does not exist
  /// or is no reference.
  std::optional<Guid> weak_reference(std::string_view path) const;
};

struct SourceEntity {
  std::int64_t file_id = 0;  ///< The game object's id, as seen from the flattened file.
  std::int64_t transform_id = 0;
  /// The index of the parent, always lower than the index of the entity; -1 for a root.
  int parent = -1;
  std::string name;
  bool active = true;
  /// The prefab whose root the entity is. If the entity is the root of several prefabs, for example
  /// of a prefab variant and its base, this is the outermost prefab. Null for other entities.
  Guid prefab;
  std::vector<SourceComponent> components;

  const SourceComponent* find(std::string_view class_name) const;
};

struct PrefabProblem {
  enum class Kind : std::uint8_t {
    not_readable,  ///< The file, or a prefab that it nests, cannot be parsed.
    /// The prefab of an instance, or the base of a variant, is not in the project.
    missing_source,
    cycle,     ///< A prefab contains itself; `chain` has the prefabs of the cycle.
    too_deep,  ///< The prefab has too many levels of nesting, or too many entities.
    no_root,
    cut_short,  ///< The file refers to objects or fields of itself that are missing.
  };
  Kind kind = Kind::not_readable;
  AssetPath path;
  yaml::Position position;
  Guid guid;
  std::string detail;
  /// The assets of a cycle. Each asset contains the next asset, and the last asset contains the
  /// first asset.
  std::vector<AssetNumber> chain;
};

/// An override that has no effect.
struct UnusedOverride {
  enum class Reason : std::uint8_t {
    other_source,    ///< The target is not an object of the instance's source.
    removed_object,  ///< The instance, or the instance's source, removes the target.
    no_such_object,  ///< The source has no object with the target's id.
  };
  Reason reason = Reason::other_source;
  yaml::Position position;
  Guid target;
  Guid object;  ///< The asset that the override would set; null if none exists.
  /// The path of the property. The text views the tree of the file that contains the instance.
  std::string_view path;
};

/// The result of flattening a prefab. `entities` is in depth-first order and begins with the root.
/// If the prefab has no root, `entities` is empty.
struct SourcePrefab {
  std::vector<SourceEntity> entities;
  std::vector<PrefabProblem> problems;
  /// The guids of all assets that flattening looked up, at any level of nesting, including missing
  /// assets. The result depends on these assets and on the prefab's own file. Sorted, without
  /// duplicates.
  std::vector<Guid> sources;
  /// The overrides in the prefab's own file that have no effect, in the order of the file.
  /// Overrides in nested prefabs are not listed.
  std::vector<UnusedOverride> unused_overrides;
  bool is_model = false;  ///< Whether the asset is an imported model, whose content is unknown.
  /// Whether the ids of some objects are unknown, because a model, a plain prefab, or a missing or
  /// incomplete file is nested.
  bool has_unknown_objects = false;
  /// Whether the root may have more components than are listed, because the file or the source of
  /// its root is unreadable or incomplete.
  bool is_incomplete = false;
};

/// Flattens prefabs and caches the results. Safe to use from several threads. Results live as long
/// as the flattener, and do not depend on the order of calls. A prefab with too many levels of
/// nesting has an empty result with a `too_deep` problem.
class PrefabFlattener {
 public:
  PrefabFlattener(const SourceCache& sources, const Scripts& scripts)
      : sources_(sources), scripts_(scripts) {}

  const SourcePrefab& flatten(AssetNumber prefab) const;

  /// A flattened prefab, with the data that is needed to nest the prefab in another one.
  struct Flat {
    SourcePrefab prefab;
    std::size_t levels = 1;  ///< The number of nesting levels, including the prefab itself.
    /// Whether the content depends on the prefab at which flattening began, because of a cycle or
    /// of the limit on levels.
    bool is_bent = false;
  };

  const SourceCache& sources() const { return sources_; }
  const Scripts& scripts() const { return scripts_; }

 private:
  const SourceCache& sources_;
  const Scripts& scripts_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<AssetNumber, std::unique_ptr<const Flat>> known_;
};

/// True for assets that contain a prefab: Unity's `.prefab`, or plain files of class `Prefab`.
bool is_prefab(const SourceCache& sources, AssetNumber asset);
/// True for a plain file that has neither a `name` nor a base. If such a file is a prefab, its root
/// has the name of the file. Requires: `source` is in the plain dialect.
bool is_named_by_file(const SourceFile& source);
/// True for the file formats of models. Unity can use an imported model like a prefab.
bool is_model_path(const AssetPath& path);

}  // namespace muster
