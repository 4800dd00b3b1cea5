// A prefab as the game will see it: one tree of entities, with nesting and variants resolved.
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
  yaml::Position position;             ///< Of the value.
  const SourceFile* source = nullptr;  ///< The file that makes the change.
};

/// The fields of a component as one file gives them.
struct ComponentLayer {
  const SourceFile* source = nullptr;
  yaml::NodeIndex fields = yaml::kNoNode;
  int document = -1;        ///< The document in `source`; -1 in plain prefabs.
  yaml::Position named_at;  ///< Where the component is named: also one without fields.
};

/// A component of a flattened prefab. Layers run from the innermost source outwards; a later layer
/// wins field by field, and overrides win over all layers.
struct SourceComponent {
  std::int64_t file_id = 0;   ///< In the id space of the flattened file.
  std::int64_t class_id = 0;  ///< Unity's; 0 in plain prefabs.
  std::string class_name;     ///< Script class, or Unity's type name; empty when unknown.
  Guid script;
  std::vector<ComponentLayer> layers;
  std::vector<PropertyOverride> overrides;

  /// Where a scalar field stands (the layer that wins), without overrides.
  struct Place {
    const SourceFile* source = nullptr;
    yaml::NodeIndex node = yaml::kNoNode;
  };
  Place find(std::string_view path) const;
  /// The text of a scalar field with overrides applied; nullopt when the field does not exist.
  std::optional<std::string_view> scalar(std::string_view path) const;
  /// A weak reference with overrides applied, in any spelling; nullopt when the field does not
  /// exist or is no reference.
  std::optional<Guid> weak_reference(std::string_view path) const;
};

struct SourceEntity {
  std::int64_t file_id = 0;  ///< Of the game object, in the id space of the flattened file.
  std::int64_t transform_id = 0;
  int parent = -1;  ///< Index of the parent, always lower than its own; -1 for a root.
  std::string name;
  bool active = true;
  std::vector<SourceComponent> components;

  const SourceComponent* find(std::string_view class_name) const;
};

struct PrefabProblem {
  enum class Kind : std::uint8_t {
    not_readable,    ///< The file, or a source of it, has no tree.
    missing_source,  ///< A nested prefab's or variant's source is not in the project.
    cycle,           ///< A prefab contains itself; `chain` says how.
    too_deep,        ///< Nested too deeply, or so often that there are too many entities.
    no_root,
    cut_short,  ///< The file names objects or fields of its own that it does not have.
  };
  Kind kind = Kind::not_readable;
  AssetPath path;
  yaml::Position position;
  Guid guid;
  std::string detail;
  std::vector<AssetNumber> chain;  ///< Of a cycle: each contains the next, the last the first.
};

/// An override of an instance that changes nothing.
struct UnusedOverride {
  enum class Reason : std::uint8_t {
    other_source,    ///< Its target is an object of another prefab than the instance's source.
    removed_object,  ///< The instance, or its source, removes the target.
    no_such_object,  ///< The source has no such object.
  };
  Reason reason = Reason::other_source;
  yaml::Position position;
  Guid target;
  Guid object;            ///< What it would refer to; null for nothing.
  std::string_view path;  ///< Views the tree of the file that has the instance.
};

/// Entities in depth-first order; the first is the root. Empty when there is none.
struct SourcePrefab {
  std::vector<SourceEntity> entities;
  std::vector<PrefabProblem> problems;
  /// Every asset that flattening looked for, found or not, at any depth of nesting: what this
  /// depends on besides its own file. Sorted, each once.
  std::vector<Guid> sources;
  /// Overrides in the file itself (not in its sources) that change nothing, in order.
  std::vector<UnusedOverride> unused_overrides;
  bool is_model = false;  ///< An imported model: its inside is not known.
  /// Some objects inside are not known by their ids: those of a model, of a plain prefab, or of a
  /// source that is not there or lost a part.
  bool has_unknown_objects = false;
  /// The file, or what its root comes from, could not be read or has lost a part: the root may have
  /// components that do not show.
  bool is_incomplete = false;
};

/// Flattens prefabs and remembers the results. Safe to use from several threads, which work side by
/// side; results live as long as the flattener, and do not depend on what was flattened before. A
/// prefab with more levels of nesting than any project has is flattened to nothing, with a
/// `too_deep` problem.
class PrefabFlattener {
 public:
  PrefabFlattener(const SourceCache& sources, const Scripts& scripts)
      : sources_(sources), scripts_(scripts) {}

  const SourcePrefab& flatten(AssetNumber prefab) const;

  /// A flattened prefab, and what another one that nests it has to know.
  struct Flat {
    SourcePrefab prefab;
    std::size_t levels = 1;  ///< Of prefabs inside one another, this one included.
    /// What is inside depends on where the walk began: there is a circle, or the walk was cut.
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

/// True for assets that hold a prefab: Unity's `.prefab`, or plain files of class `Prefab`.
bool is_prefab(const SourceCache& sources, AssetNumber asset);
/// True for a plain file whose root, where it is taken for a prefab, is called like the file: it
/// has no base and says no name. Requires: `source` is in the plain dialect.
bool is_named_by_file(const SourceFile& source);
/// True for the formats whose imported form can stand in for a prefab.
bool is_model_path(const AssetPath& path);

}  // namespace muster
