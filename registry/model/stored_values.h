// Corrects the copies of an asset's own guid and type id that registered assets store.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/model/project.h"

namespace muster {

/// The new text of one file.
struct FileWrite {
  AssetPath path;
  std::string text;
  std::string what = {};  ///< Describes the change for the user, if it is not obvious.
};

/// A type id that an asset must repeat.
struct RequiredId {
  TypeId id;
  /// If true, a different stored id is kept, because only the user knows which id is right.
  bool only_if_unassigned = false;
};

/// Collects the values that registered assets must store. A prefab's component and a factory store
/// the guid of their asset. A definition or component stores its type id. Only the text of wrong
/// values changes. A prefab that inherits a wrong value gets an override, in the editor's form. If
/// parsing the new text does not give the requested values, the file is not written and the change
/// is reported. A variant of an asset (for example, `crate@low.prefab`) must store the values of
/// that asset. Refers to the project, which must outlive this object.
class StoredValues {
 public:
  explicit StoredValues(const Project& project) : project_(project) {}

  /// Requests that the required component of a prefab stores the guid of the prefab. If the
  /// component stores a type id, also requests that this type id is `id`.
  void require_prefab(const ClassDeclaration& declaration, AssetNumber prefab,
                      const std::optional<RequiredId>& id);
  /// Requests that the `guid` of a factory is the guid of the factory's asset.
  void require_factory(AssetNumber factory, const std::optional<RequiredId>& id);
  /// Requests that the `registryId` or `typeId` of a definition, if it has one, is `id`. If the
  /// class requires it, also requests that `guid` is the guid of the definition's asset.
  void require_definition(const ClassDeclaration& declaration, AssetNumber definition,
                          const std::optional<RequiredId>& id);

  /// The files that must change, sorted by path. Call this function once, after all requests.
  std::vector<FileWrite> finish_writes();
  /// The changes that this object cannot make and that the user must make, one sentence each.
  std::vector<std::string> drain_remaining();

 private:
  /// The requested scalars of an object: pairs of the path in the object's fields and the text.
  using Values = std::vector<std::pair<std::string, std::string>>;
  /// A variant whose values are right, but partly inherited from its base.
  struct Variant {
    const ClassDeclaration* declaration = nullptr;
    AssetNumber prefab = kNoAsset;
    std::optional<RequiredId> id = {};
  };
  Values wrong_values(const ClassDeclaration& declaration, AssetNumber prefab,
                      const SourceComponent& component, const std::optional<RequiredId>& id) const;
  const Guid& guid_to_store(AssetNumber asset) const;
  void fix_variants();
  void require_asset(AssetNumber asset, const std::optional<RequiredId>& id, bool has_guid);
  bool is_new(AssetNumber asset, const Values& values);
  void write_component(const ClassDeclaration& declaration, AssetNumber prefab,
                       const Values& values);
  void write_fields(AssetNumber asset, const Values& values);
  void finish(AssetNumber asset, Result<std::string> text, const Values& values,
              const Location& location);

  const Project& project_;
  std::map<AssetNumber, Values> required_;
  std::map<AssetPath, FileWrite> writes_;
  std::vector<Variant> variants_;
  std::vector<std::string> remaining_;
};

}  // namespace muster
