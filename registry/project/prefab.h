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

/// One changed property of an instance: Unity's `m_Modifications` entry. Views the source's tree.
struct PropertyOverride {
  std::string_view path;
  std::string_view value;
  yaml::Reference object;
  yaml::Position position;             ///< The position of the value.
  const SourceFile* source = nullptr;  ///< The file that makes the change.
};

/// The fields of a component in one file.
struct ComponentLayer {
  const SourceFile* source = nullptr;
  yaml::NodeIndex fields = yaml::kNoNode;
  int document = -1;        ///< The document in `source`; -1 in plain prefabs.
  yaml::Position named_at;  ///< The position of its name, also without fields.
};

/// A component of a flattened prefab. Layers are ordered from the innermost source outwards. A
/// later layer takes precedence for each field, and overrides take precedence over all layers.
struct SourceComponent {
  std::int64_t file_id = 0;   ///< In the id space of the flattened file.
  std::int64_t class_id = 0;  ///< Unity's class id; 0 in plain prefabs.
  std::string class_name;     ///< Script class, or Unity's type name; empty if unknown.
  Guid script;
  std::vector<ComponentLayer> layers;
  std::vector<PropertyOverride> overrides;

  /// The position of a scalar field (in the last layer that has it), without overrides.
  struct Place {
    const SourceFile* source = nullptr;
    yaml::NodeIndex node = yaml::kNoNode;
  };
  Place find(std::string_view path) const;
  /// The text of a scalar field with overrides applied; nullopt if the field does not exist.
  std::optional<std::string_view> scalar(std::string_view path) const;
  /// A weak reference with overrides applied, in any spelling; nullopt if the field does not exist
  /// or is no reference.
  std::optional<Guid> weak_reference(std::string_view path) const;
};

struct SourceEntity {
  std::int64_t file_id = 0;  ///< The game object's id, in the id space of the flattened file.
  std::int64_t transform_id = 0;
  int parent = -1;  ///< Index of the parent, always lower than its own; -1 for a root.
  std::string name;
  bool active = true;
  std::vector<SourceComponent> components;

  const SourceComponent* find(std::string_view class_name) const;
};

struct PrefabProblem {
  enum class Kind : std::uint8_t {
    not_readable,    ///< The file, or one of its sources, has no tree.
    missing_source,  ///< A nested prefab's or variant's source is not in the project.
    cycle,           ///< A prefab contains itself; `chain` is the circle.
    too_deep,        ///< Nested too deeply, or so often that there are too many entities.
    no_root,
    cut_short,  ///< The file refers to own objects or fields that are missing.
  };
  Kind kind = Kind::not_readable;
  AssetPath path;
  yaml::Position position;
  Guid guid;
  std::string detail;
  std::vector<AssetNumber> chain;  ///< For a cycle: each contains the next, the last the first.
};

/// An override of an instance without effect.
struct UnusedOverride {
  enum class Reason : std::uint8_t {
    other_source,    ///< Its target is not an object of the instance's source.
    removed_object,  ///< The instance, or its source, removes the target.
    no_such_object,  ///< The source has no such object.
  };
  Reason reason = Reason::other_source;
  yaml::Position position;
  Guid target;
  Guid object;            ///< The object that it would refer to; null for none.
  std::string_view path;  ///< Views the tree of the file that has the instance.
};

/// Entities in depth-first order; the first is the root. Empty if none exists.
struct SourcePrefab {
  std::vector<SourceEntity> entities;
  std::vector<PrefabProblem> problems;
  /// Every asset that flattening looked up, found or not, at any depth of nesting: the dependencies
  /// besides its own file. Sorted, each once.
  std::vector<Guid> sources;
  /// Overrides in the file itself (not in its sources) without effect, in order.
  std::vector<UnusedOverride> unused_overrides;
  bool is_model = false;  ///< An imported model: its content is unknown.
  /// Some objects inside have no known ids: those of a model, of a plain prefab, or of a source
  /// that is missing or incomplete.
  bool has_unknown_objects = false;
  /// The file, or the source of its root, is unreadable or incomplete: the root may have more
  /// components than are listed.
  bool is_incomplete = false;
};

/// Flattens prefabs and caches the results. Several threads may use it in parallel. Results live as
/// long as the flattener, and do not depend on earlier calls. A prefab with more levels of nesting
/// than any real project has gets an empty result with a `too_deep` problem.
class PrefabFlattener {
 public:
  PrefabFlattener(const SourceCache& sources, const Scripts& scripts)
      : sources_(sources), scripts_(scripts) {}

  const SourcePrefab& flatten(AssetNumber prefab) const;

  /// A flattened prefab, with the data that another prefab needs to nest it.
  struct Flat {
    SourcePrefab prefab;
    std::size_t levels = 1;  ///< Levels of nested prefabs, including this one.
    /// The content depends on the start of the walk: there is a circle, or the walk was cut.
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
/// True for a plain file whose root, if it is a prefab, has the name of the file, because it has no
/// base and no name. Requires: `source` is in the plain dialect.
bool is_named_by_file(const SourceFile& source);
/// True for file formats whose imported form can be used as a prefab.
bool is_model_path(const AssetPath& path);

}  // namespace muster
