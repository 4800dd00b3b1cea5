// Chooses bundles according to a game's variants.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "registry/base/result.h"
#include "registry/base/variant_keys.h"
#include "runtime/bundle/catalog_reader.h"

namespace muster {

/// A game's choice for an axis: one of its values, or (empty) none, even if there is a default.
struct VariantSetting {
  std::string_view axis;
  std::string_view value;
};

/// The result of one constant set of choices; for other choices create another object. Among
/// a bundle's matching alternatives it chooses the one with most keys; of equally many, the one
/// whose axes were declared earlier; without a match, the bundle itself.
///
/// The catalog's bytes must outlive it. One thread at a time.
class BundleChoice {
 public:
  /// An axis that is not set has its default. Fails with `invalid_argument` for an axis or a value
  /// that the catalog does not have, for an axis that is set twice, and for another value than the
  /// one that the build was made for.
  static Result<BundleChoice> create(const CatalogReader& catalog,
                                     std::span<const VariantSetting> settings = {});

  /// The bundle to open when this one is requested. The result is its own choice.
  std::uint32_t chosen(std::uint32_t bundle) const {
    return chosen_.empty() ? bundle : chosen_[bundle];
  }

  /// The value in effect, or nothing if the axis has none or does not exist.
  std::optional<std::string_view> value_of(std::string_view axis) const;

  /// Visits the bundles that must be open with a chosen bundle, without itself, each once: the
  /// choice for each dependency, and the dependencies of a choice that has alternatives. At most
  /// linear in the catalog's dependencies; allocates nothing.
  template <typename Visit>
  void each_dependency(std::uint32_t bundle, Visit visit) const {
    if (chosen_.empty() || !needs_varied_[bundle]) {
      const CatalogBundle record = catalog_.bundle(bundle);
      for (std::uint32_t i = 0; i < record.dependency_count; ++i) {
        visit(catalog_.dependency(record, i));
      }
      return;
    }
    const Answer answer(*this, expanded(bundle));
    for (const std::uint32_t needed : answer.bundles) visit(needed);
  }

 private:
  /// Returns its memory, also if a visit throws.
  struct Answer {
    Answer(const BundleChoice& choice, std::vector<std::uint32_t>&& needed) noexcept
        : of(choice), bundles(std::move(needed)) {}
    Answer(const Answer&) = delete;
    Answer& operator=(const Answer&) = delete;
    ~Answer() { of.needed_ = std::move(bundles); }

    const BundleChoice& of;
    std::vector<std::uint32_t> bundles;
  };

  explicit BundleChoice(const CatalogReader& catalog) : catalog_(catalog) {}
  Result<void> set(std::span<const VariantSetting> settings);
  void choose();
  std::vector<std::uint32_t> expanded(std::uint32_t bundle) const;

  CatalogReader catalog_;
  std::vector<std::uint32_t> settled_;  ///< Indices of values, ascending: at most one per axis.
  std::vector<std::uint32_t> chosen_;   ///< By bundle; empty in a catalog without alternatives.
  std::vector<bool> is_varied_;         ///< By bundle: has alternatives, or is one.
  std::vector<bool> needs_varied_;      ///< By bundle: depends on one of those.
  /// Memory for an answer, which owns it while it is visited.
  mutable std::vector<std::uint32_t> needed_;
  mutable std::vector<std::uint32_t> seen_in_;  ///< By bundle: the last answer that contains it.
  mutable std::uint32_t last_answer_ = 0;
};

}  // namespace muster
