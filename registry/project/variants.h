// Which files are variants of which asset.
#pragma once

#include <compare>
#include <span>
#include <string>
#include <vector>

#include "registry/project/asset_index.h"
#include "registry/project/variant_axes.h"

namespace muster {

/// A file with other content for an asset, which is called by the asset's guid all the same. Its
/// name says what it is for: `crate@low.png` and `crate@low,language=de.png` beside `crate.png`. A
/// bare value belongs to the one axis that has it.
struct VariantFile {
  AssetNumber base = kNoAsset;
  AssetNumber file = kNoAsset;
  VariantKeys keys;
  friend auto operator<=>(const VariantFile&, const VariantFile&) = default;
};

/// A file that is no part of the project any more, since another of the same asset was chosen.
struct SettledFile {
  AssetNumber instead = kNoAsset;  ///< What bears the asset's guid now.
  AssetPath path;                  ///< Of the file that is gone: the base, or a variant.
  friend auto operator<=>(const SettledFile&, const SettledFile&) = default;
};

/// A file whose name looks like a variant's, and which is none.
struct VariantProblem {
  enum class Kind : std::uint8_t {
    unknown_key,   ///< `@axis=value` names what is not declared, or one axis twice.
    unknown_word,  ///< `@word` is no value, but stands beside what could be its base.
    no_base,       ///< Nothing stands beside it that it could vary.
    other_kind,    ///< Only a file of another extension does; `other`.
    repeated,      ///< `other` is for the same keys.
    cannot_vary,   ///< Code, or a folder.
  };
  Kind kind = Kind::unknown_key;
  AssetPath path;
  AssetPath other;
  std::string detail;
};

/// The variants of a project. Immutable once built.
class Variants {
 public:
  Variants() = default;
  /// Looks at the names of an index. Without axes nothing is a variant, whatever its name.
  Variants(std::span<const VariantAxis> axes, const AssetIndex& index);

  /// Sorted by base, then by keys.
  std::span<const VariantFile> files() const { return files_; }
  /// Those of one asset; empty when it does not vary.
  std::span<const VariantFile> of(AssetNumber base) const;
  bool is_variant(AssetNumber asset) const { return find(asset) != nullptr; }
  /// What a file is a variant of, and for which keys; null when it is none.
  const VariantFile* find(AssetNumber file) const;
  /// Sorted by path.
  std::span<const VariantProblem> problems() const { return problems_; }
  /// What `settle_variants` has taken away. Sorted by what is there in its place, then by path.
  std::span<const SettledFile> settled() const { return settled_; }
  /// That of one asset.
  std::span<const SettledFile> settled_for(AssetNumber asset) const;
  /// Whether any file of an asset has a path that a rule means: the base, a variant, or one that
  /// has been settled. So what is said of one of them holds whatever was chosen, and by whom.
  template <typename Fits>
  bool any_path(const AssetIndex& index, AssetNumber asset, Fits fits_path) const;

  /// Takes files that somebody else has found; for `settle_variants` and tests.
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

/// Keeps of a project what has been chosen. Of the files of an asset that differ in nothing but
/// chosen axes, the best that fits stays, as `is_preferred` has it; between those that stay, the
/// open axes decide later. The one without open keys bears the asset's guid from now on. All others
/// are gone from the index, and chosen keys from the variants.
void settle_variants(const VariantKeys& choice, AssetIndex& index, Variants& variants);

}  // namespace muster
