// The values that assets store about their own registration, and the text that corrects them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// The new text of one file.
struct FileWrite {
  AssetPath path;
  std::string text;
  std::string what = {};  ///< Describes the change for the user, if it is not obvious.
};

/// A type id that an asset must repeat.
struct WantedId {
  TypeId id;
  /// Keeps another stored id, because only the user knows which one is right.
  bool only_where_unassigned = false;
};

/// Collects the values that registered assets must store. A prefab's component and a factory store
/// the guid of their asset. A definition or component stores its type id. Only wrong values are
/// written, each on its own line. A prefab that inherits the value gets an override, in the
/// editor's form. If a changed file would not read back as requested, the change is reported and
/// not written. A variant of an asset (`crate@low.prefab`) must store the values of that asset.
/// Refers to the project.
class StoredValues {
 public:
  explicit StoredValues(const Project& project) : project_(project) {}

  /// Requests that the component required by the class stores the guid of its prefab, and the id if
  /// it has one.
  void want_prefab(const ClassDeclaration& declaration, AssetNumber prefab,
                   const std::optional<WantedId>& id);
  /// Requests that the `guid` of a factory is its own.
  void want_factory(AssetNumber factory, const std::optional<WantedId>& id);
  /// Requests that the `registryId` or `typeId` of a definition, if any, is the id, and that its
  /// `guid` is its own if the class requires it.
  void want_definition(const ClassDeclaration& declaration, AssetNumber definition,
                       const std::optional<WantedId>& id);

  /// The files that must change, sorted by path. Called once, after all requests.
  std::vector<FileWrite> take_writes();
  /// The changes that could not be made and that the user has to make, one sentence each.
  std::vector<std::string> take_remaining();

 private:
  /// Scalars: the path below the object's fields, and the requested text.
  using Values = std::vector<std::pair<std::string, std::string>>;
  /// A variant with the right values, some of them inherited from its base.
  struct Variant {
    const ClassDeclaration* declaration = nullptr;
    AssetNumber prefab = kNoAsset;
    std::optional<WantedId> id = {};
  };
  Values wrong_values(const ClassDeclaration& declaration, AssetNumber prefab,
                      const SourceComponent& component, const std::optional<WantedId>& id) const;
  const Guid& guid_to_say(AssetNumber asset) const;
  void mend_variants();
  void want_asset(AssetNumber asset, const std::optional<WantedId>& id, bool has_guid);
  bool is_new(AssetNumber asset, const Values& values);
  void write_component(const ClassDeclaration& declaration, AssetNumber prefab,
                       const Values& values);
  void write_fields(AssetNumber asset, const Values& values);
  void finish(AssetNumber asset, Result<std::string> text, const Values& values,
              const Location& place);

  const Project& project_;
  std::map<AssetNumber, Values> wanted_;
  std::map<AssetPath, FileWrite> writes_;
  std::vector<Variant> variants_;
  std::vector<std::string> remaining_;
};

}  // namespace muster
