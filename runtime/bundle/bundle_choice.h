// Which bundles stand for others, under the variants that a game has chosen.
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

/// What a game chooses of an axis: one of its values, or (empty) none, whatever the default.
struct VariantSetting {
  std::string_view axis;
  std::string_view value;
};

/// Answers for one choice, which stays as it is: who chooses something else makes another one. Of
/// the alternatives of a bundle that fit the choice it takes the one with most keys; of as many,
/// the one whose axes were declared earlier; the bundle itself when none fits.
///
/// The catalog's bytes must outlive it. One thread at a time.
class BundleChoice {
 public:
  /// What is not set has the default. Fails with `invalid_argument` for an axis or a value that the
  /// catalog does not have, for an axis that is set twice, and for another value than the one that
  /// the build is for.
  static Result<BundleChoice> create(const CatalogReader& catalog,
                                     std::span<const VariantSetting> settings = {});

  /// The bundle that is opened when this one is asked for. What it returns stands for itself.
  std::uint32_t chosen(std::uint32_t bundle) const {
    return chosen_.empty() ? bundle : chosen_[bundle];
  }

  /// The value in effect; nothing when there is none, or no such axis.
  std::optional<std::string_view> value_of(std::string_view axis) const;

  /// Visits what must be open with a bundle that stands for itself, without it, each once: of each
  /// dependency what is chosen, and of one that has alternatives also what that depends on. Takes
  /// no longer than there are dependencies in the catalog, and no memory.
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
  /// Gives back its room, also when a visit throws.
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
  std::vector<std::uint32_t> settled_;  ///< Indices of values, ascending: one an axis at most.
  std::vector<std::uint32_t> chosen_;   ///< By bundle; empty in a catalog without alternatives.
  std::vector<bool> is_varied_;         ///< By bundle: has alternatives, or is one.
  std::vector<bool> needs_varied_;      ///< By bundle: depends on one of those.
  /// Room for an answer, which has it while it is visited.
  mutable std::vector<std::uint32_t> needed_;
  mutable std::vector<std::uint32_t> seen_in_;  ///< By bundle: the last answer that has it.
  mutable std::uint32_t last_answer_ = 0;
};

}  // namespace muster
