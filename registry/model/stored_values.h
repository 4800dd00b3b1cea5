// What assets store about their own registration, and the text that says it right.
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
  std::string what = {};  ///< What changes in it, where that is not plain; for a person.
};

/// A type id that an asset shall repeat.
struct WantedId {
  TypeId id;
  /// Another id that is stored stays: which of the two is right only a person knows.
  bool only_where_unassigned = false;
};

/// Collects what registered assets shall say of themselves: a prefab's component and a factory
/// their asset's guid, a definition or component its type id. Only what is said wrongly is written,
/// on its own line; a prefab that inherits the value gets an override, as the editor writes one.
/// Nothing is written that does not read back as wanted: it is told instead. A file that varies an
/// asset (`crate@low.prefab`) shall say what that says. Refers to the project.
class StoredValues {
 public:
  explicit StoredValues(const Project& project) : project_(project) {}

  /// The component that the class asks for says the guid of its prefab, and the id if it says one.
  void want_prefab(const ClassDeclaration& declaration, AssetNumber prefab,
                   const std::optional<WantedId>& id);
  /// The `guid` of a factory is its own.
  void want_factory(AssetNumber factory, const std::optional<WantedId>& id);
  /// The `registryId` or `typeId` of a definition, if it has one, is the id; its `guid` is its own
  /// where the class says so.
  void want_definition(const ClassDeclaration& declaration, AssetNumber definition,
                       const std::optional<WantedId>& id);

  /// The files that have to change, sorted by path. Called once, after all wishes.
  std::vector<FileWrite> take_writes();
  /// What could not be written and a person has to mend, a sentence each.
  std::vector<std::string> take_remaining();

 private:
  /// One scalar: its path below the object's fields, and what it shall say.
  using Values = std::vector<std::pair<std::string, std::string>>;
  /// A variant that says what it should, all or some of it through its base.
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
