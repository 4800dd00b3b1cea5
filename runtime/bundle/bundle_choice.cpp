// The variant values of a catalog are sorted by axis and declaration, so their indices have the
// order of `VariantKey`s. For the comparison, the index of a value is used as a key of axis 0.
#include "runtime/bundle/bundle_choice.h"

#include <algorithm>
#include <string>

namespace muster {
namespace {

std::string axes_of(const CatalogReader& catalog) {
  std::string text;
  std::string_view last;
  for (std::uint32_t i = 0; i < catalog.variant_value_count(); ++i) {
    const CatalogVariantValue value = catalog.variant_value(i);
    if (i > 0 && value.axis == last) continue;
    text += (text.empty() ? "" : ", ") + std::string(value.axis);
    last = value.axis;
  }
  return text;
}

tl::unexpected<Error> refuse_choice(std::string message) {
  return fail(ErrorCode::invalid_argument, std::move(message));
}

std::string quoted_choice(std::string_view text) { return "'" + std::string(text) + "'"; }

}  // namespace

Result<BundleChoice> BundleChoice::create(const CatalogReader& catalog,
                                          std::span<const VariantSetting> settings) {
  BundleChoice choice(catalog);
  if (Result<void> set = choice.set(settings); !set) return fail(set.error());
  if (catalog.alternative_count() > 0) choice.choose();
  return choice;
}

Result<void> BundleChoice::set(std::span<const VariantSetting> settings) {
  const std::uint32_t count = catalog_.variant_value_count();
  for (const VariantSetting& setting : settings) {
    const auto is_same = [&](const VariantSetting& other) { return other.axis == setting.axis; };
    if (std::ranges::count_if(settings, is_same) > 1) {
      return refuse_choice(quoted_choice(setting.axis) + " is chosen twice");
    }
    bool is_known = false;
    bool has_value = setting.value.empty();
    std::string values;
    for (std::uint32_t i = 0; i < count; ++i) {
      const CatalogVariantValue value = catalog_.variant_value(i);
      if (value.axis != setting.axis) continue;
      is_known = true;
      has_value = has_value || value.value == setting.value;
      values += (values.empty() ? "" : ", ") + std::string(value.value);
    }
    if (!is_known) {
      return refuse_choice(count == 0
                               ? "nothing in this build varies, so there is no " +
                                     quoted_choice(setting.axis) + " to choose"
                               : "nothing in this build varies by " + quoted_choice(setting.axis) +
                                     "; it has " + axes_of(catalog_));
    }
    if (!has_value) {
      return refuse_choice(quoted_choice(setting.axis) + " has no value " +
                           quoted_choice(setting.value) + " in this build; it has " + values);
    }
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const CatalogVariantValue value = catalog_.variant_value(i);
    const auto setting = std::ranges::find(settings, value.axis, &VariantSetting::axis);
    const bool is_free = setting == settings.end() || value.is_built_in;
    if (is_free ? value.is_default || value.is_built_in : setting->value == value.value) {
      settled_.push_back(i);
    }
  }
  return {};
}

void BundleChoice::choose() {
  chosen_.resize(catalog_.bundle_count());
  is_varied_.resize(catalog_.bundle_count());
  needs_varied_.resize(catalog_.bundle_count());
  seen_in_.resize(catalog_.bundle_count());
  needed_.reserve(catalog_.bundle_count());
  for (std::uint32_t i = 0; i < chosen_.size(); ++i) chosen_[i] = i;
  const auto key_of = [](std::uint32_t index) {
    return VariantKey{.axis = 0, .value = static_cast<std::uint16_t>(index)};
  };
  VariantKeys settled;
  std::ranges::transform(settled_, std::back_inserter(settled), key_of);
  VariantKeys keys;
  VariantKeys best;
  for (std::uint32_t i = 0; i < catalog_.alternative_count(); ++i) {
    const CatalogAlternative alternative = catalog_.alternative(i);
    is_varied_[alternative.bundle] = true;
    is_varied_[alternative.alternative] = true;
    keys.clear();
    for (std::uint32_t k = 0; k < alternative.key_count; ++k) {
      keys.push_back(key_of(catalog_.alternative_key(alternative, k)));
    }
    if (!fits(keys, settled)) continue;
    // The alternatives of a bundle are consecutive.
    std::uint32_t& chosen = chosen_[alternative.bundle];
    if (chosen != alternative.bundle && !is_preferred(keys, best)) continue;
    chosen = alternative.alternative;
    best = keys;
  }
  for (std::uint32_t i = 0; i < chosen_.size(); ++i) {
    const CatalogBundle record = catalog_.bundle(i);
    for (std::uint32_t d = 0; d < record.dependency_count && !needs_varied_[i]; ++d) {
      needs_varied_[i] = is_varied_[catalog_.dependency(record, d)];
    }
  }
}

std::optional<std::string_view> BundleChoice::value_of(std::string_view axis) const {
  for (const std::uint32_t index : settled_) {
    const CatalogVariantValue value = catalog_.variant_value(index);
    if (value.axis == axis) return value.value;
  }
  return std::nullopt;
}

// The results are not cached, because the cache could need much memory: all bundles may depend on a
// few bundles whose alternatives have many dependencies.
std::vector<std::uint32_t> BundleChoice::expanded(std::uint32_t bundle) const {
  if (++last_answer_ == 0) {
    std::ranges::fill(seen_in_, 0);
    last_answer_ = 1;
  }
  std::vector<std::uint32_t> needed = std::move(needed_);
  needed.clear();
  needed.reserve(chosen_.size());
  seen_in_[bundle] = last_answer_;
  const auto add_dependencies = [&](std::uint32_t of) {
    const CatalogBundle record = catalog_.bundle(of);
    for (std::uint32_t i = 0; i < record.dependency_count; ++i) {
      const std::uint32_t one = chosen_[catalog_.dependency(record, i)];
      if (std::exchange(seen_in_[one], last_answer_) != last_answer_) needed.push_back(one);
    }
  };
  add_dependencies(bundle);
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const std::uint32_t one = needed[i];
    if (is_varied_[one]) add_dependencies(one);
  }
  return needed;
}

}  // namespace muster
