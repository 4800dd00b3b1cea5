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
  std::vector<CookProblem> problems;  ///< A single problem makes the asset unusable.
  /// The dependencies of the entries, in any order, some repeated.
  std::vector<CookQuestion> questions;
};

/// Cooks assets of one project. Safe to use from several threads.
class AssetCooker {
 public:
  /// `components` are the game's descriptions, `strips` the rules for what the target leaves out
  /// (null: it gets everything). Both must outlive the cooker.
  AssetCooker(const Project& project, const std::vector<ComponentDescription>& components,
              const StripRules* strips = nullptr);

  /// Text assets become their object form; prefabs and factories also become a flattened prefab.
  /// Everything else is packed byte for byte, with its import settings. An asset that `packing_of`
  /// refuses is a problem, not content.
  CookedAsset cook(AssetNumber asset) const;
  /// The part of `cook` for an asset with text: its object and prefab. Empty for an asset that is
  /// packed byte for byte.
  CookedAsset cook_text_sample(AssetNumber asset) const;
  /// The import settings that `cook` adds to an asset that is packed byte for byte.
  CookedAsset cook_settings(AssetNumber asset) const;
  /// The values of an asset's described components that do not fit: the problems of `cook` that
  /// `packing_of` does not find, without cooking the rest.
  std::vector<CookProblem> unfit_values(AssetNumber asset) const;

 private:
  void cook_text(const SourceFile& source, AssetNumber asset, CookedAsset& result) const;
  void cook_raw(const Asset& asset, CookedAsset& result) const;
  void add_settings(const Asset& asset, CookedAsset& result) const;
  void cook_prefab(AssetNumber asset, const SourcePrefab& prefab, CookedAsset& result) const;
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
