// Checks the file in one pass, from its start to its end. So the rule "in order, without gaps" is
// checked by a comparison with the end of the previous range. Allocates only for component
// descriptions, whose sizes are limited.
#include "runtime/bundle/catalog_check.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/bundle/dictionary.h"
#include "runtime/bundle/format_error.h"
#include "runtime/bundle/little_endian.h"

namespace muster {

using namespace layout::catalog;  // NOLINT(google-build-using-namespace): uses the whole layout

namespace {

constexpr std::string_view kEncoding = "catalog";
constexpr std::array<std::string_view, kSectionCount> kSectionNames = {
    "bundles",      "dependencies",     "assets",        "registries",   "entries",
    "slots",        "effects",          "presentations", "components",   "variant_values",
    "alternatives", "alternative_keys", "text",          "descriptions", "dictionaries"};

std::uint64_t aligned(std::uint64_t offset) {
  return (offset + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

std::string_view name_of(Section section) {
  return kSectionNames[static_cast<std::size_t>(section)];
}

}  // namespace

Result<void> CatalogCheck::run() {
  using Step = Result<void> (CatalogCheck::*)();
  constexpr Step kSteps[] = {
      &CatalogCheck::check_header,       &CatalogCheck::check_directory,
      &CatalogCheck::check_fingerprint,  &CatalogCheck::check_bundles,
      &CatalogCheck::check_assets,       &CatalogCheck::check_registries,
      &CatalogCheck::check_effects,      &CatalogCheck::check_presentations,
      &CatalogCheck::check_components,   &CatalogCheck::check_variant_values,
      &CatalogCheck::check_alternatives, &CatalogCheck::check_end,
      &CatalogCheck::check_dictionaries,
  };
  for (const Step step : kSteps) {
    if (Result<void> done = (this->*step)(); !done) return done;
  }
  return {};
}

Result<void> CatalogCheck::check_header() {
  const Bytes bytes = reader_.bytes_;
  constexpr std::size_t kTablesEnd = header::kBytes + kSectionCount * directory::kBytes;
  if (bytes.size() < kTablesEnd) {
    return format_error(ErrorCode::truncated, {kEncoding, "header", 0},
                        std::to_string(kTablesEnd) + " bytes of header and directory",
                        bytes.size());
  }
  if (!std::ranges::equal(bytes.first(kMagic.size()), std::as_bytes(std::span(kMagic)))) {
    return format_error(ErrorCode::malformed, {kEncoding, "magic", 0}, "MCAT CR LF SUB LF",
                        "other bytes: not a catalog, or damaged in transfer");
  }
  const auto version = load<std::uint16_t>(bytes, header::kVersionAt);
  if (version != kVersion) {
    return format_error(ErrorCode::unsupported_version, {kEncoding, "version", header::kVersionAt},
                        std::to_string(kVersion), version);
  }
  const auto flags = load<std::uint16_t>(bytes, header::kFlagsAt);
  if ((flags & ~kIsPreview) != 0) return wrong("flags", header::kFlagsAt, "0 or 1", flags);
  if (Result<void> zero = check_zero(header::kReservedAt, 4); !zero) return zero;
  if (Result<void> zero = check_zero(header::kReserved2At, 2); !zero) return zero;
  const auto file_bytes = load<std::uint64_t>(bytes, header::kFileBytesAt);
  if (file_bytes != bytes.size()) {
    const ErrorCode code = file_bytes > bytes.size() ? ErrorCode::truncated : ErrorCode::malformed;
    return format_error(code, {kEncoding, "file_bytes", header::kFileBytesAt},
                        "the file's size of " + std::to_string(bytes.size()), file_bytes);
  }
  if (file_bytes > kMaxFileBytes) {
    return format_error(ErrorCode::limit_exceeded, {kEncoding, "file_bytes", header::kFileBytesAt},
                        "at most " + std::to_string(kMaxFileBytes), file_bytes);
  }
  const auto target = load<std::uint16_t>(bytes, header::kTargetAt);
  if (target != 1 && target != 2) return wrong("target", header::kTargetAt, "1 or 2", target);
  const auto sections = load<std::uint32_t>(bytes, header::kSectionCountAt);
  if (sections != kSectionCount) {
    return wrong("section_count", header::kSectionCountAt, std::to_string(kSectionCount), sections);
  }
  return {};
}

Result<void> CatalogCheck::check_directory() {
  const Bytes bytes = reader_.bytes_;
  std::uint64_t end = header::kBytes + kSectionCount * directory::kBytes;
  for (std::size_t i = 0; i < kSectionCount; ++i) {
    const std::size_t at = header::kBytes + i * directory::kBytes;
    const std::string name = "directory: " + std::string(kSectionNames[i]);
    const auto offset = load<std::uint32_t>(bytes, at + directory::kOffsetAt);
    const auto count = load<std::uint32_t>(bytes, at + directory::kCountAt);
    const auto record_bytes = load<std::uint32_t>(bytes, at + directory::kRecordBytesAt);
    if (record_bytes != kRecordBytes[i]) {
      return wrong(name + ": record_bytes", at + directory::kRecordBytesAt,
                   std::to_string(kRecordBytes[i]), record_bytes);
    }
    if (Result<void> zero = check_zero(at + directory::kReservedAt, 4); !zero) return zero;
    if (offset != aligned(end)) {
      return wrong(name + ": offset", at, std::to_string(aligned(end)), offset);
    }
    const bool is_bytes = record_bytes == 1;
    if (!is_bytes && count > kMaxRecords) {
      return format_error(ErrorCode::limit_exceeded,
                          {kEncoding, name + ": count", at + directory::kCountAt},
                          "at most " + std::to_string(kMaxRecords), count);
    }
    const std::uint64_t gap_start = end;
    end = offset + std::uint64_t{count} * record_bytes;
    if (end > bytes.size()) {
      return format_error(
          ErrorCode::truncated, {kEncoding, name + ": count", at + directory::kCountAt},
          "a section that ends within " + std::to_string(bytes.size()) + " bytes", count);
    }
    if (Result<void> zero = check_zero(gap_start, offset - gap_start); !zero) return zero;
    reader_.sections_[i] = {.offset_bytes = offset, .count = count};
  }
  if (end != bytes.size()) {
    return wrong("file_bytes", header::kFileBytesAt,
                 "the end of the last section at " + std::to_string(end), bytes.size());
  }
  return {};
}

Result<void> CatalogCheck::check_fingerprint() {
  const ContentHash found = hash_bytes(reader_.bytes_.subspan(header::kHashedFrom));
  if (found != reader_.fingerprint()) {
    return format_error(ErrorCode::hash_mismatch,
                        {kEncoding, "fingerprint", header::kFingerprintAt},
                        reader_.fingerprint().to_string(), found.to_string());
  }
  return {};
}

Result<void> CatalogCheck::check_bundles() {
  for (std::uint32_t i = 0; i < reader_.bundle_count(); ++i) {
    const std::size_t at = reader_.record_at(Section::bundles, i);
    const CatalogBundle now = reader_.bundle(i);
    if (now.name.kind > BundleKind::variant) {
      return wrong("bundle kind", at + bundle_record::kKindAt, "0, 1 or 2",
                   static_cast<std::uint16_t>(now.name.kind));
    }
    if (i > 0 && !(reader_.bundle(i - 1).name < now.name)) return unsorted(Section::bundles, i);
    if (Result<void> zero = check_zero(at + bundle_record::kReservedAt, 6); !zero) return zero;
    if (reader_.is_preview()) {
      if (Result<void> zero = check_zero(at + bundle_record::kHashAt, 16); !zero) return zero;
      if (Result<void> zero = check_zero(at + bundle_record::kFileBytesAt, 8); !zero) return zero;
    }
    if (now.file_bytes > layout::bundle::kMaxFileBytes) {
      return format_error(ErrorCode::limit_exceeded,
                          {kEncoding, "file_bytes", at + bundle_record::kFileBytesAt},
                          "at most 2^43", now.file_bytes);
    }
    if (Result<void> sane = check_dependencies(i); !sane) return sane;
  }
  const std::uint32_t total = reader_.count(Section::dependencies);
  if (dependency_end_ != total) {
    return wrong("dependencies", reader_.range(Section::dependencies).offset_bytes,
                 std::to_string(dependency_end_) + " records", total);
  }
  return {};
}

Result<void> CatalogCheck::check_dependencies(std::uint32_t index) {
  const std::size_t at = reader_.record_at(Section::bundles, index);
  const CatalogBundle bundle = reader_.bundle(index);
  if (bundle.first_dependency != dependency_end_) {
    return wrong("first_dependency", at + bundle_record::kFirstDependencyAt,
                 std::to_string(dependency_end_), bundle.first_dependency);
  }
  dependency_end_ += bundle.dependency_count;
  if (dependency_end_ > reader_.count(Section::dependencies)) {
    return wrong("dependency_count", at + bundle_record::kDependencyCountAt,
                 "a range within the section", bundle.dependency_count);
  }
  for (std::uint32_t i = 0; i < bundle.dependency_count; ++i) {
    const std::uint32_t now = reader_.dependency(bundle, i);
    const bool is_sorted = i == 0 || reader_.dependency(bundle, i - 1) < now;
    if (now >= reader_.bundle_count() || now == index || !is_sorted) {
      return wrong("dependency",
                   reader_.record_at(Section::dependencies, bundle.first_dependency + i),
                   "ascending indices of other bundles", now);
    }
  }
  return {};
}

Result<void> CatalogCheck::check_assets() {
  for (std::uint32_t i = 0; i < reader_.asset_count(); ++i) {
    const std::size_t at = reader_.record_at(Section::assets, i);
    if (Result<void> text = check_text(at + asset_record::kPathAt, "asset path"); !text) {
      return text;
    }
    if (Result<void> zero = check_zero(at + asset_record::kReservedAt, 4); !zero) return zero;
    const CatalogAsset now = reader_.asset(i);
    if (i > 0 && !(reader_.asset(i - 1).guid < now.guid)) return unsorted(Section::assets, i);
    if (now.bundle != layout::kNone && now.bundle >= reader_.bundle_count()) {
      return wrong("asset bundle", at + asset_record::kBundleAt, "the index of a bundle, or none",
                   now.bundle);
    }
  }
  return {};
}

Result<void> CatalogCheck::check_effects() {
  for (std::uint32_t i = 0; i < reader_.effect_count(); ++i) {
    const std::size_t at = reader_.record_at(Section::effects, i);
    const CatalogEffect now = reader_.effect(i);
    if (now.kind != EffectKind::spatial && now.kind != EffectKind::hitscan) {
      return wrong("effect kind", at + effect_record::kKindAt, "0 or 1",
                   static_cast<std::uint16_t>(now.kind));
    }
    if (now.type_id.value() > TypeId::kMax) {
      return wrong("effect type_id", at + effect_record::kTypeIdAt, "at most 65534",
                   now.type_id.value());
    }
    if (Result<void> zero = check_zero(at + effect_record::kReservedAt, 2); !zero) return zero;
    if (Result<void> sane = check_bundle_index(at + effect_record::kBundleAt, now.prefab); !sane) {
      return sane;
    }
    if (i == 0) continue;
    const CatalogEffect before = reader_.effect(i - 1);
    const bool is_sorted =
        before.kind < now.kind || (before.kind == now.kind && before.type_id < now.type_id);
    if (!is_sorted) return unsorted(Section::effects, i);
  }
  return {};
}

Result<void> CatalogCheck::check_presentations() {
  for (std::uint32_t i = 0; i < reader_.presentation_count(); ++i) {
    const std::size_t at = reader_.record_at(Section::presentations, i);
    const CatalogPresentation now = reader_.presentation(i);
    if (Result<void> zero = check_zero(at + presentation_record::kReservedAt, 4); !zero) {
      return zero;
    }
    Result<void> sane = check_bundle_index(at + presentation_record::kBundleAt, now.presentation);
    if (!sane) return sane;
    if (i > 0 && !(reader_.presentation(i - 1).key < now.key)) {
      return unsorted(Section::presentations, i);
    }
  }
  return {};
}

Result<void> CatalogCheck::check_components() {
  for (std::uint32_t i = 0; i < reader_.component_count(); ++i) {
    const std::size_t at = reader_.record_at(Section::components, i);
    if (Result<void> text = check_text(at + component_record::kNameAt, "component name"); !text) {
      return text;
    }
    const CatalogComponent now = reader_.component(i);
    if (i > 0 && !(reader_.component(i - 1).name < now.name)) {
      return unsorted(Section::components, i);
    }
    if (now.size_bytes > layout::catalog::kMaxDescribedBytes) {
      return wrong("component size_bytes", at + component_record::kSizeBytesAt, "at most 65536",
                   now.size_bytes);
    }
    if (!std::has_single_bit(now.alignment_bytes) || now.alignment_bytes > kMaxAlignment) {
      return wrong("component alignment_bytes", at + component_record::kAlignmentAt,
                   "a power of two up to 4096", now.alignment_bytes);
    }
    const std::size_t offset_at = at + component_record::kDescriptionAt;
    const auto offset = load<std::uint32_t>(reader_.bytes_, offset_at);
    const auto size =
        load<std::uint32_t>(reader_.bytes_, at + component_record::kDescriptionBytesAt);
    if (offset != description_end_) {
      return wrong("description_offset", offset_at, std::to_string(description_end_), offset);
    }
    description_end_ += size;
    if (description_end_ > reader_.count(Section::descriptions)) {
      return wrong("description_bytes", at + component_record::kDescriptionBytesAt,
                   "a range within the section", size);
    }
    const Result<ComponentDescription> decoded = reader_.decode_component(i);
    if (!decoded) return fail(decoded.error().code, "catalog: " + decoded.error().message);
    if (decoded.value().hash() != now.hash) {
      return format_error(ErrorCode::hash_mismatch, {kEncoding, "component hash", at},
                          decoded.value().hash().to_string(), now.hash.to_string());
    }
  }
  return {};
}

Result<void> CatalogCheck::check_end() {
  const std::uint32_t text_bytes = reader_.count(Section::text);
  if (text_end_ != text_bytes) {
    return wrong("text", reader_.range(Section::text).offset_bytes,
                 std::to_string(text_end_) + " bytes", text_bytes);
  }
  const std::uint32_t description_bytes = reader_.count(Section::descriptions);
  if (description_end_ != description_bytes) {
    return wrong("descriptions", reader_.range(Section::descriptions).offset_bytes,
                 std::to_string(description_end_) + " bytes", description_bytes);
  }
  return {};
}

Result<void> CatalogCheck::check_dictionaries() {
  const std::uint32_t total = reader_.dictionary_count();
  const std::uint32_t count_max = reader_.is_preview() ? 0 : layout::dictionary::kMaxCount;
  if (total > count_max) {
    return wrong("dictionaries", reader_.range(Section::dictionaries).offset_bytes,
                 "at most " + std::to_string(count_max) + " records", total);
  }
  std::uint32_t before = 0;
  for (std::uint32_t i = 0; i < total; ++i) {
    const std::size_t at = reader_.record_at(Section::dictionaries, i);
    const CatalogDictionary now = reader_.dictionary(i);
    // The dictionaries must be sorted by hash and have distinct ids.
    if (dictionary_id(now.hash) <= before) return unsorted(Section::dictionaries, i);
    before = dictionary_id(now.hash);
    if (now.file_bytes == 0 || now.file_bytes > layout::dictionary::kMaxBytes) {
      return wrong("dictionary bytes", at + dictionary_record::kBytesAt, "1 to 1048576",
                   now.file_bytes);
    }
    if (now.kind < EntryKind::object || now.kind > EntryKind::text) {
      return wrong("dictionary kind", at + dictionary_record::kKindAt, "1 to 5",
                   static_cast<std::uint16_t>(now.kind));
    }
    if (Result<void> zero = check_zero(at + dictionary_record::kReservedAt, 2); !zero) return zero;
  }
  return {};
}

Result<void> CatalogCheck::check_text(std::size_t offset, std::string_view field) {
  const auto start = load<std::uint32_t>(reader_.bytes_, offset);
  const auto length = load<std::uint32_t>(reader_.bytes_, offset + 4);
  const std::string name = std::string(field);
  if (start != text_end_) {
    return wrong(name + ": offset", offset, std::to_string(text_end_), start);
  }
  text_end_ += length;
  if (length > kMaxTextBytes || text_end_ > reader_.count(Section::text)) {
    return wrong(name + ": length", offset + 4, "at most 65535, within the text section", length);
  }
  if (reader_.text_at(offset).find('\0') != std::string_view::npos) {
    return wrong(name, reader_.range(Section::text).offset_bytes + start, "text without NUL", 0);
  }
  return {};
}

Result<void> CatalogCheck::check_bundle_index(std::size_t offset, const Guid& guid) {
  const auto found = load<std::uint32_t>(reader_.bytes_, offset);
  const std::uint32_t expected = reader_.bundle_of(guid).value_or(layout::kNone);
  if (found == expected) return {};
  return wrong("bundle", offset, std::to_string(expected) + ", as " + guid.to_string() + " has",
               found);
}

Result<void> CatalogCheck::check_zero(std::size_t offset, std::size_t size) {
  const Bytes reserved = reader_.bytes_.subspan(offset, size);
  const auto found = std::ranges::find_if(reserved, [](std::byte b) { return b != std::byte{0}; });
  if (found == reserved.end()) return {};
  return wrong("reserved bytes or padding", offset, "0", std::to_integer<std::uint64_t>(*found));
}

tl::unexpected<Error> CatalogCheck::wrong(std::string_view field, std::size_t offset,
                                          std::string_view expected, std::uint64_t found) const {
  return format_error(ErrorCode::malformed, {kEncoding, field, offset}, expected, found);
}

tl::unexpected<Error> CatalogCheck::unsorted(Section section, std::uint32_t index) const {
  return format_error(ErrorCode::malformed,
                      {kEncoding, name_of(section), reader_.record_at(section, index)},
                      "a record greater than the one before", "record " + std::to_string(index));
}

}  // namespace muster
