// Checks a catalog's sections about variants.
#include <algorithm>

#include "runtime/bundle/catalog_check.h"
#include "runtime/bundle/format_error.h"
#include "runtime/bundle/little_endian.h"

namespace muster {

using namespace layout::catalog;  // NOLINT(google-build-using-namespace): uses the whole layout

Result<void> CatalogCheck::check_variant_values() {
  using namespace variant_value_record;  // NOLINT(google-build-using-namespace)
  const std::uint32_t total = reader_.variant_value_count();
  if (total > kMaxVariantValues) {
    return wrong("variant_values", reader_.range(Section::variant_values).offset_bytes,
                 "at most " + std::to_string(kMaxVariantValues), total);
  }
  std::uint32_t axes = 0;
  std::uint32_t axis_start = 0;
  for (std::uint32_t i = 0; i < total; ++i) {
    const std::size_t at = reader_.record_at(Section::variant_values, i);
    if (Result<void> text = check_text(at + kAxisAt, "variant axis"); !text) return text;
    if (Result<void> text = check_text(at + kValueAt, "variant value"); !text) return text;
    if (Result<void> zero = check_zero(at + variant_value_record::kReservedAt, 6); !zero) {
      return zero;
    }
    const auto flags = load<std::uint16_t>(reader_.bytes_, at + variant_value_record::kFlagsAt);
    if (flags > kIsBuiltIn) {
      return wrong("variant flags", at + variant_value_record::kFlagsAt, "0, 1 or 2", flags);
    }
    const CatalogVariantValue now = reader_.variant_value(i);
    const bool is_new = i == 0 || reader_.variant_value(i - 1).axis != now.axis;
    if (is_new) axis_start = i;
    axes += is_new ? 1 : 0;
    bool fits = axes <= kMaxVariantAxes && !now.axis.empty() && !now.value.empty();
    for (std::uint32_t before = 0; before < i; ++before) {
      const CatalogVariantValue other = reader_.variant_value(before);
      if (before < axis_start) {
        fits = fits && other.axis != now.axis;
      } else {
        fits = fits && other.value != now.value && !other.is_built_in && !now.is_built_in &&
               !(other.is_default && now.is_default);
      }
    }
    if (!fits) {
      return wrong(
          "variant value", at,
          "consecutive values per axis, each value once, one default or one that is built in", i);
    }
  }
  return {};
}

// There are no chains or cycles of alternatives, because only a variant can replace a bundle, and
// no bundle can replace a variant.
Result<void> CatalogCheck::check_alternatives() {
  for (std::uint32_t i = 0; i < reader_.alternative_count(); ++i) {
    if (Result<void> sane = check_alternative(i); !sane) return sane;
  }
  const std::uint32_t total = reader_.count(Section::alternative_keys);
  if (key_end_ != total) {
    return wrong("alternative_keys", reader_.range(Section::alternative_keys).offset_bytes,
                 std::to_string(key_end_) + " records", total);
  }
  return {};
}

Result<void> CatalogCheck::check_alternative(std::uint32_t index) {
  const std::size_t at = reader_.record_at(Section::alternatives, index);
  const CatalogAlternative now = reader_.alternative(index);
  if (now.bundle >= reader_.bundle_count() ||
      reader_.bundle(now.bundle).name.kind == BundleKind::variant) {
    return wrong("alternative: bundle", at + alternative_record::kBundleAt,
                 "the index of a bundle that is not a variant", now.bundle);
  }
  if (now.alternative >= reader_.bundle_count() ||
      reader_.bundle(now.alternative).name.kind != BundleKind::variant) {
    return wrong("alternative", at + alternative_record::kAlternativeAt, "the index of a variant",
                 now.alternative);
  }
  if (Result<void> sane = check_alternative_keys(index); !sane) return sane;
  if (index == 0) return {};
  const CatalogAlternative before = reader_.alternative(index - 1);
  if (before.bundle < now.bundle) return {};
  const std::uint32_t shared = std::min(before.key_count, now.key_count);
  std::uint32_t equal_count = 0;
  while (equal_count < shared && reader_.alternative_key(before, equal_count) ==
                                     reader_.alternative_key(now, equal_count)) {
    ++equal_count;
  }
  const bool is_sorted = before.bundle == now.bundle &&
                         (equal_count < shared ? reader_.alternative_key(before, equal_count) <
                                                     reader_.alternative_key(now, equal_count)
                                               : before.key_count < now.key_count);
  if (!is_sorted) return unsorted(Section::alternatives, index);
  return {};
}

Result<void> CatalogCheck::check_alternative_keys(std::uint32_t index) {
  const std::size_t at = reader_.record_at(Section::alternatives, index);
  const CatalogAlternative now = reader_.alternative(index);
  if (now.first_key != key_end_) {
    return wrong("first_key", at + alternative_record::kFirstKeyAt, std::to_string(key_end_),
                 now.first_key);
  }
  key_end_ += now.key_count;
  if (now.key_count == 0 || key_end_ > reader_.count(Section::alternative_keys)) {
    return wrong("key_count", at + alternative_record::kKeyCountAt,
                 "at least 1, and a range within the section", now.key_count);
  }
  for (std::uint32_t i = 0; i < now.key_count; ++i) {
    const std::uint32_t key = reader_.alternative_key(now, i);
    bool fits = key < reader_.variant_value_count() && !reader_.variant_value(key).is_built_in;
    if (fits && i > 0) {
      const std::uint32_t before = reader_.alternative_key(now, i - 1);
      fits = before < key && reader_.variant_value(before).axis != reader_.variant_value(key).axis;
    }
    if (!fits) {
      return wrong("alternative key",
                   reader_.record_at(Section::alternative_keys, now.first_key + i),
                   "ascending indices of values to choose, each of another axis", key);
    }
  }
  return {};
}

}  // namespace muster
