// Finds the variants of assets.
#pragma once

#include <compare>
#include <span>
#include <string>
#include <vector>

#include "registry/project/asset_index.h"
#include "registry/project/variant_axes.h"

namespace muster {

/// A file with other content for an asset. References to the asset also refer to this file. Its
/// name contains its keys: `crate@low.png` and `crate@low,language=de.png` beside `crate.png`. A
/// value without its axis belongs to the only axis with that value.
struct VariantFile {
  AssetNumber base = kNoAsset;
  AssetNumber file = kNoAsset;
  VariantKeys keys;
  friend auto operator<=>(const VariantFile&, const VariantFile&) = default;
};

/// A file that was removed from the project, because another file of the same asset was chosen.
struct SettledFile {
  AssetNumber instead = kNoAsset;  ///< The file that has the asset's guid now.
  AssetPath path;                  ///< The removed file: the base, or a variant.
  friend auto operator<=>(const SettledFile&, const SettledFile&) = default;
};

/// A file whose name looks like the name of a variant, but which is not a variant.
struct VariantProblem {
  enum class Kind : std::uint8_t {
    unknown_key,   ///< `@axis=value` has an undeclared name, or one axis twice.
    unknown_word,  ///< `@word` is no value, but a possible base exists.
    no_base,       ///< No possible base exists.
    other_kind,    ///< The only possible base has another extension; `other`.
    repeated,      ///< `other` has the same keys.
    cannot_vary,   ///< Code, or a folder.
  };
  Kind kind = Kind::unknown_key;
  AssetPath path;
  AssetPath other;
  std::string detail;
};

/// The variants of a project. Immutable after construction.
class Variants {
 public:
  Variants() = default;
  /// Reads the names of an index. Without axes no file is a variant.
  Variants(std::span<const VariantAxis> axes, const AssetIndex& index);

  /// Sorted by base, then by keys.
  std::span<const VariantFile> files() const { return files_; }
  /// The variants of one asset; empty if it does not vary.
  std::span<const VariantFile> of(AssetNumber base) const;
  bool is_variant(AssetNumber asset) const { return find(asset) != nullptr; }
  /// The base and keys of a variant; null if the file is none.
  const VariantFile* find(AssetNumber file) const;
  /// Sorted by path.
  std::span<const VariantProblem> problems() const { return problems_; }
  /// The files that `settle_variants` has removed. Sorted by their replacement, then by path.
  std::span<const SettledFile> settled() const { return settled_; }
  /// The removed files of one asset.
  std::span<const SettledFile> settled_for(AssetNumber asset) const;
  /// Whether any file of an asset has a path that matches: the base, a variant, or a removed file.
  /// So a rule for the path of one file applies to the asset in every choice.
  template <typename Fits>
  bool any_path(const AssetIndex& index, AssetNumber asset, Fits fits_path) const;

  /// Uses these files; for `settle_variants` and tests.
  explicit Variants(std::vector<VariantFile> files, std::vector<VariantProblem> problems = {},
                    std::vector<SettledFile> settled = {});

 private:
  void refuse_chains(const AssetIndex& index);
  void refuse_repeated(const AssetIndex& index);
  void put_in_order();
  std::vector<VariantFile> files_;
  std::vector<std::pair<AssetNumber, std::size_t>> by_file_;  ///< Into `files_`; sorted.
  std::vector<VariantProblem> problems_;
  std::vector<SettledFile> settled_;
};

template <typename Fits>
bool Variants::any_path(const AssetIndex& index, AssetNumber asset, Fits fits_path) const {
  const VariantFile* const own = find(asset);
  const AssetNumber base = own == nullptr ? asset : own->base;
  if (fits_path(index.at(base).path)) return true;
  for (const VariantFile& file : of(base)) {
    if (fits_path(index.at(file.file).path)) return true;
  }
  for (const SettledFile& gone : settled_for(base)) {
    if (fits_path(gone.path)) return true;
  }
  return false;
}

/// Applies a choice to a project. Among the files of an asset that differ only in chosen axes, the
/// best fitting file is kept (`is_preferred`). The axes without a choice decide later between the
/// kept files. The kept file that has no key on these axes gets the asset's guid. All other files
/// are removed from the index, and the keys of chosen axes from the variants.
void settle_variants(const VariantKeys& choice, AssetIndex& index, Variants& variants);

}  // namespace muster
