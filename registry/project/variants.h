// Finds the variants of assets.
#pragma once

#include <compare>
#include <span>
#include <string>
#include <vector>

#include "registry/project/asset_index.h"
#include "registry/project/variant_axes.h"

namespace muster {

/// A file with alternative content for an asset. References to the asset also refer to this file.
/// The name of the file contains the keys of the variant. For example, `crate@low.png` and
/// `crate@low,language=de.png` are variants of `crate.png`. A value can be written without its axis
/// if only one axis has this value.
struct VariantFile {
  AssetNumber base = kNoAsset;
  AssetNumber file = kNoAsset;
  VariantKeys keys;
  friend auto operator<=>(const VariantFile&, const VariantFile&) = default;
};

/// A file that was removed from the project, because another file of the same asset was chosen
/// instead.
struct SettledFile {
  AssetNumber instead = kNoAsset;  ///< The chosen file, which now has the asset's guid.
  AssetPath path;                  ///< The path of the removed file: the base, or a variant.
  friend auto operator<=>(const SettledFile&, const SettledFile&) = default;
};

/// A file that has a name like a variant but is not a variant.
struct VariantProblem {
  enum class Kind : std::uint8_t {
    unknown_key,  ///< The name contains an unknown axis or value, or two values of one axis.
    /// The name contains `@word`, where `word` is not a value, and a possible base exists.
    unknown_word,
    no_base,      ///< The base does not exist.
    other_kind,   ///< The only possible base, `other`, has another extension.
    repeated,     ///< The file `other` is a variant of the same asset with the same keys.
    cannot_vary,  ///< The file is code or a folder.
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
  /// Finds the variants among the files of an index, by their names. Without axes no file is a
  /// variant.
  Variants(std::span<const VariantAxis> axes, const AssetIndex& index);

  /// All variants, sorted by base, then by keys.
  std::span<const VariantFile> files() const { return files_; }
  /// The variants of one asset; empty if the asset has no variants.
  std::span<const VariantFile> of(AssetNumber base) const;
  bool is_variant(AssetNumber asset) const { return find(asset) != nullptr; }
  /// The base and keys of a variant; null if the file is not a variant.
  const VariantFile* find(AssetNumber file) const;
  /// The files that have a name like a variant but are not variants. Sorted by path.
  std::span<const VariantProblem> problems() const { return problems_; }
  /// The files that `settle_variants` has removed. The files are sorted by their replacement, then
  /// by path.
  std::span<const SettledFile> settled() const { return settled_; }
  /// The removed files of one asset.
  std::span<const SettledFile> settled_for(AssetNumber asset) const;
  /// Whether `fits_path` is true for the path of any file of an asset: the base, a variant, or a
  /// removed file. So a rule for the path of one file applies to the asset for every choice.
  template <typename Fits>
  bool any_path(const AssetIndex& index, AssetNumber asset, Fits fits_path) const;

  /// Only `settle_variants` and tests use this constructor.
  explicit Variants(std::vector<VariantFile> files, std::vector<VariantProblem> problems = {},
                    std::vector<SettledFile> settled = {});

 private:
  void refuse_chains(const AssetIndex& index);
  void refuse_repeated(const AssetIndex& index);
  void put_in_order();
  std::vector<VariantFile> files_;
  /// Variants and their indices in `files_`; sorted.
  std::vector<std::pair<AssetNumber, std::size_t>> by_file_;
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

/// Applies a choice to a project. Among the files of an asset that differ only on chosen axes, the
/// function keeps the file that `is_preferred` prefers. The remaining axes decide at run time
/// between the kept files. If a kept file has keys only on chosen axes, it gets the asset's guid.
/// All other files are removed from the index. The keys on chosen axes are removed from the
/// variants.
void settle_variants(const VariantKeys& choice, AssetIndex& index, Variants& variants);

}  // namespace muster
