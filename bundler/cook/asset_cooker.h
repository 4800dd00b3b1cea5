// Cooks one asset into the entries of a bundle.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bundler/cook/component_cooker.h"
#include "bundler/cook/cook_questions.h"
#include "runtime/bundle/bundle_layout.h"

namespace muster {

struct CookedEntry {
  Guid guid;
  std::int64_t local_id = kMainPayload;
  EntryKind kind = EntryKind::raw;
  ByteVector plain;
};

struct CookedAsset {
  std::vector<CookedEntry> entries;
  std::uint64_t source_bytes = 0;
  std::vector<CookProblem> problems;  ///< The problems. An asset with any problem cannot be used.
  /// The questions on which the entries depend, in any order, possibly repeated.
  std::vector<CookQuestion> questions;
};

/// Cooks assets of one project. Several threads may use this object.
class AssetCooker {
 public:
  /// `components` are the component descriptions of the game. `strips` has the rules for content
  /// that the target leaves out. If null, the target leaves out no content. All arguments must
  /// outlive the cooker.
  AssetCooker(const Project& project, const std::vector<ComponentDescription>& components,
              const StripRules* strips = nullptr);

  /// Cooks an asset. A text asset becomes its object form, and a prefab or factory also becomes a
  /// flattened prefab. Any other asset is packed byte for byte, together with its import settings.
  /// For an asset that `packing_of` refuses, the result has a problem and no content. The entries
  /// of a variant that the game can choose have the guid of the variant's base, so that requests
  /// for the base find them. If a `ReplicatedEntity` on the root of a prefab, nested or not, does
  /// not set its `assetGuid`, the cooked component gets the guid of that prefab. For a variant,
  /// this is the guid of the variant's base.
  CookedAsset cook(AssetNumber asset) const;
  /// Returns only the object and the prefab of a text asset, in the form that `cook` returns. The
  /// result is empty for an asset that is packed byte for byte.
  CookedAsset cook_text_sample(AssetNumber asset) const;
  /// The import settings that `cook` adds to an asset that is packed byte for byte.
  CookedAsset cook_settings(AssetNumber asset) const;
  /// The values in an asset's described components that do not fit their fields. These are the
  /// problems that `cook` would report and that `packing_of` does not find. Other parts of the
  /// asset are not cooked.
  std::vector<CookProblem> unfit_values(AssetNumber asset) const;

 private:
  void cook_text(const SourceFile& source, AssetNumber asset, CookedAsset& result) const;
  void cook_raw(const Asset& asset, CookedAsset& result) const;
  void add_settings(const Asset& asset, CookedAsset& result) const;
  void cook_prefab(AssetNumber asset, const SourcePrefab& prefab, CookedAsset& result) const;
  void set_own_guid(const FieldDescription& field, const SourceEntity& entity,
                    ByteVector& component) const;
  bool is_factory(AssetNumber asset, std::vector<CookQuestion>& questions) const;
  SourcePrefab factory_prefab(const SourceFile& source, AssetNumber asset,
                              std::vector<CookQuestion>& questions) const;
  void add_object(const SourceFile& source, EntryKind kind, std::int64_t local_id, const Guid& guid,
                  CookedAsset& result) const;
  const ComponentDescription* description_of(std::string_view class_name,
                                             std::vector<CookQuestion>& questions) const;

  bool strips(std::string_view class_name, ClassOwner owner) const {
    return strips_ != nullptr && strips_->strips_class(class_name, owner);
  }

  const Project& project_;
  const StripRules* strips_;
  std::map<std::string, const ComponentDescription*, std::less<>> components_;
};

}  // namespace muster
