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

/// A game's choice for a variant axis: one of the values of the axis. An empty value chooses no
/// value, even if the axis has a default.
struct VariantSetting {
  std::string_view axis;
  std::string_view value;
};

/// The bundles for one set of choices, which cannot be changed. An alternative of a bundle matches
/// if all of its keys are chosen. The matching alternative with the most keys replaces the bundle.
/// If several matching alternatives have the same number of keys, the alternative whose axes were
/// declared earlier is used. If no alternative matches, the bundle itself is used.
///
/// The catalog's bytes must outlive this object. Only one thread at a time may use this object.
class BundleChoice {
 public:
  /// Makes the choice. An axis that is not in `settings` has its default. Fails with
  /// `invalid_argument` if the catalog does not have an axis or value, if an axis is set twice, or
  /// if the build was made for another value of the axis.
  static Result<BundleChoice> create(const CatalogReader& catalog,
                                     std::span<const VariantSetting> settings = {});

  /// The bundle to open when `bundle` is requested. A chosen bundle is never replaced again:
  /// `chosen(chosen(bundle))` equals `chosen(bundle)`.
  std::uint32_t chosen(std::uint32_t bundle) const {
    return chosen_.empty() ? bundle : chosen_[bundle];
  }

  /// The chosen or default value of an axis. Returns no value if the axis does not exist, or has
  /// neither a chosen value nor a default value.
  std::optional<std::string_view> value_of(std::string_view axis) const;

  /// Visits the bundles that must be open together with `bundle`, each bundle once: the chosen
  /// bundle of each dependency. If a dependency has alternatives, also visits the dependencies of
  /// its chosen bundle. Does not visit `bundle` itself. The time is at most linear in the number of
  /// dependencies in the catalog. Allocates nothing. Requires: `bundle` is a chosen bundle.
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
  /// A list of bundles. The destructor returns the memory to `needed_`, even if a visit throws.
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
  /// The indices of the chosen values, ascending; at most one per axis.
  std::vector<std::uint32_t> settled_;
  /// The chosen bundle of each bundle; empty in a catalog without alternatives.
  std::vector<std::uint32_t> chosen_;
  std::vector<bool> is_varied_;     ///< Whether a bundle has alternatives, or is an alternative.
  std::vector<bool> needs_varied_;  ///< Whether a bundle depends on a bundle in `is_varied_`.
  /// The memory for a list of bundles. An `Answer` owns it during a visit.
  mutable std::vector<std::uint32_t> needed_;
  /// For each bundle, the number of the last answer that contains it.
  mutable std::vector<std::uint32_t> seen_in_;
  mutable std::uint32_t last_answer_ = 0;
};

}  // namespace muster
