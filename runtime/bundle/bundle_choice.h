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

/// A game's choice for an axis: one of its values. An empty value means none, even if there is a
/// default.
struct VariantSetting {
  std::string_view axis;
  std::string_view value;
};

/// The bundles for one set of choices, which cannot be changed. A bundle is replaced by the
/// matching alternative that has the most keys. If several have equally many keys, the one whose
/// axes were declared earlier is chosen. Without a match, the bundle itself is chosen.
///
/// The catalog's bytes must outlive it. One thread at a time.
class BundleChoice {
 public:
  /// An axis that is not set has its default. Fails with `invalid_argument` if the catalog does not
  /// have an axis or value, if an axis is set twice, or if the build was made for another value of
  /// the axis.
  static Result<BundleChoice> create(const CatalogReader& catalog,
                                     std::span<const VariantSetting> settings = {});

  /// The bundle to open when `bundle` is requested. `chosen(chosen(bundle))` equals
  /// `chosen(bundle)`.
  std::uint32_t chosen(std::uint32_t bundle) const {
    return chosen_.empty() ? bundle : chosen_[bundle];
  }

  /// The value in effect, or nothing if the axis has none or does not exist.
  std::optional<std::string_view> value_of(std::string_view axis) const;

  /// Visits each bundle that must be open together with a chosen bundle once: the chosen bundle of
  /// each dependency. If a dependency has alternatives, also visits the dependencies of its chosen
  /// bundle. Does not visit `bundle`. Takes at most linear time in the catalog's dependencies;
  /// allocates nothing.
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
  /// A list of bundles. Its destructor returns the memory to the owner, even if a visit throws.
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
  /// By bundle: the number of the last answer with it.
  mutable std::vector<std::uint32_t> seen_in_;
  mutable std::uint32_t last_answer_ = 0;
};

}  // namespace muster
