// What opening a prefab checks: BUNDLE_FORMAT.md, section 4, rule by rule, in one walk over the
// tables in their order.
#include <algorithm>
#include <bitset>
#include <string>

#include "runtime/bundle/format_error.h"
#include "runtime/bundle/little_endian.h"
#include "runtime/bundle/prefab_reader.h"

namespace muster {

using namespace layout::prefab;  // NOLINT(google-build-using-namespace): this file is that layout

namespace {

constexpr std::string_view kEncoding = "prefab";

tl::unexpected<Error> wrong(std::string_view field, std::size_t offset, std::string_view expected,
                            std::uint64_t found) {
  return format_error(ErrorCode::malformed, {kEncoding, field, offset}, expected, found);
}

tl::unexpected<Error> too_many(std::string_view field, std::size_t offset, std::uint64_t limit,
                               std::uint64_t found) {
  return format_error(ErrorCode::limit_exceeded, {kEncoding, field, offset},
                      "at most " + std::to_string(limit), found);
}

std::size_t aligned(std::size_t offset) {
  return (offset + kDataAlignment - 1) / kDataAlignment * kDataAlignment;
}

}  // namespace

Result<void> PrefabReader::check_header() {
  if (bytes_.size() < header::kBytes) {
    return format_error(ErrorCode::truncated, {kEncoding, "header", 0}, "48 bytes", bytes_.size());
  }
  if (!std::ranges::equal(bytes_.first(kMagic.size()), std::as_bytes(std::span(kMagic)))) {
    return format_error(ErrorCode::malformed, {kEncoding, "magic", 0}, "MPFB", "other bytes");
  }
  const auto version = load<std::uint16_t>(bytes_, header::kVersionAt);
  if (version != kVersion) {
    return format_error(ErrorCode::unsupported_version, {kEncoding, "version", header::kVersionAt},
                        std::to_string(kVersion), version);
  }
  const auto flags = load<std::uint16_t>(bytes_, header::kFlagsAt);
  if (flags != 0) return wrong("flags", header::kFlagsAt, "0", flags);
  Result<void> zero = check_zero(header::kReservedAt, header::kReservedBytes);
  if (!zero) return zero;
  entity_count_ = load<std::uint32_t>(bytes_, header::kEntityCountAt);
  component_count_ = load<std::uint32_t>(bytes_, header::kComponentCountAt);
  description_count_ = load<std::uint32_t>(bytes_, header::kDescriptionCountAt);
  text_bytes_ = load<std::uint32_t>(bytes_, header::kTextBytesAt);
  data_bytes_ = load<std::uint32_t>(bytes_, header::kDataBytesAt);
  if (entity_count_ == 0) return wrong("entity_count", header::kEntityCountAt, "at least 1", 0);
  if (entity_count_ > kMaxEntities) {
    return too_many("entity_count", header::kEntityCountAt, kMaxEntities, entity_count_);
  }
  if (component_count_ > kMaxComponents) {
    return too_many("component_count", header::kComponentCountAt, kMaxComponents, component_count_);
  }
  if (description_count_ > kMaxDescriptions) {
    return too_many("description_count", header::kDescriptionCountAt, kMaxDescriptions,
                    description_count_);
  }
  text_offset_ = header::kBytes + std::size_t{entity_count_} * entity::kBytes +
                 std::size_t{component_count_} * component::kBytes +
                 std::size_t{description_count_} * description::kBytes;
  const std::size_t text_end = text_offset_ + text_bytes_;
  data_offset_ = aligned(text_end);
  const std::size_t total = data_offset_ + data_bytes_;
  const auto total_bytes = load<std::uint32_t>(bytes_, header::kTotalBytesAt);
  if (total_bytes != total) {
    return wrong("total_bytes", header::kTotalBytesAt, std::to_string(total), total_bytes);
  }
  if (total != bytes_.size()) {
    const ErrorCode code = total > bytes_.size() ? ErrorCode::truncated : ErrorCode::malformed;
    return format_error(code, {kEncoding, "total_bytes", header::kTotalBytesAt},
                        "the size of " + std::to_string(bytes_.size()), total);
  }
  return check_zero(text_end, data_offset_ - text_end);
}

Result<void> PrefabReader::check_entities() {
  std::uint64_t components = 0;
  for (std::uint32_t i = 0; i < entity_count_; ++i) {
    const std::size_t at = entity_at(i);
    if (Result<void> text = check_text(at + entity::kNameAt, text_end_); !text) return text;
    const FlatEntity now = entity(i);
    if (!is_depth_first(i)) {
      return wrong("entity " + std::to_string(i) + ": parent", at + entity::kParentAt,
                   "the entity before or one of its ancestors", now.parent);
    }
    if (now.first_component != components) {
      return wrong("entity " + std::to_string(i) + ": first_component",
                   at + entity::kFirstComponentAt, std::to_string(components), now.first_component);
    }
    components += now.component_count;
    const auto flags = load<std::uint32_t>(bytes_, at + entity::kFlagsAt);
    if ((flags & ~entity::kIsActive) != 0) {
      return wrong("entity " + std::to_string(i) + ": flags", at + entity::kFlagsAt, "0 or 1",
                   flags);
    }
  }
  if (components != component_count_) {
    return wrong("component_count", header::kComponentCountAt, std::to_string(components),
                 component_count_);
  }
  return {};
}

Result<void> PrefabReader::check_components() {
  std::bitset<kMaxDescriptions> used;
  std::size_t data_end = 0;
  for (std::uint32_t i = 0; i < component_count_; ++i) {
    const std::size_t at = component_at(i);
    const auto named = [&](std::string_view field) {
      return "component " + std::to_string(i) + ": " + std::string(field);
    };
    if (Result<void> text = check_text(at + component::kTypeAt, text_end_); !text) return text;
    const auto description = load<std::uint32_t>(bytes_, at + component::kDescriptionAt);
    const auto offset = load<std::uint32_t>(bytes_, at + component::kDataOffsetAt);
    const auto size = load<std::uint32_t>(bytes_, at + component::kDataBytesAt);
    if (description == layout::kNone) {
      if (offset != 0)
        return wrong(named("data_offset"), at + component::kDataOffsetAt, "0", offset);
      if (size != 0) return wrong(named("data_bytes"), at + component::kDataBytesAt, "0", size);
      continue;
    }
    if (description >= description_count_) {
      return wrong(named("description"), at + component::kDescriptionAt, "an index or none",
                   description);
    }
    used.set(description);
    if (!text_at(at + component::kTypeAt).empty()) {
      return wrong(named("type"), at + component::kTypeAt + 4, "no text beside a description",
                   text_at(at + component::kTypeAt).size());
    }
    const auto expected =
        load<std::uint32_t>(bytes_, description_at(description) + description::kSizeBytesAt);
    if (size != expected) {
      return wrong(named("data_bytes"), at + component::kDataBytesAt, std::to_string(expected),
                   size);
    }
    if (offset != aligned(data_end)) {
      return wrong(named("data_offset"), at + component::kDataOffsetAt,
                   std::to_string(aligned(data_end)), offset);
    }
    const std::size_t gap_start = data_end;
    data_end = std::size_t{offset} + size;
    if (data_end > data_bytes_) {
      return wrong(named("data_bytes"), at + component::kDataBytesAt, "a range within data", size);
    }
    Result<void> zero = check_zero(data_offset_ + gap_start, offset - gap_start);
    if (!zero) return zero;
  }
  if (data_end != data_bytes_) {
    return wrong("data_bytes", header::kDataBytesAt, std::to_string(data_end), data_bytes_);
  }
  if (used.count() != description_count_) {
    return wrong("description_count", header::kDescriptionCountAt,
                 std::to_string(used.count()) + ", as many as are used", description_count_);
  }
  return {};
}

Result<void> PrefabReader::check_descriptions() {
  for (std::uint32_t i = 0; i < description_count_; ++i) {
    const std::size_t at = description_at(i);
    if (Result<void> text = check_text(at + description::kNameAt, text_end_); !text) return text;
    if (Result<void> zero = check_zero(at + description::kReservedAt, 4); !zero) return zero;
    const FlatDescription now = description(i);
    if (now.size_bytes > kMaxComponentBytes) {
      return too_many("description size_bytes", at + description::kSizeBytesAt, kMaxComponentBytes,
                      now.size_bytes);
    }
    if (i > 0 && !(description(i - 1).name < now.name)) {
      return format_error(ErrorCode::malformed, {kEncoding, "description name", at},
                          "a greater name than the one before", now.name);
    }
  }
  if (text_end_ != text_bytes_) {
    return wrong("text_bytes", header::kTextBytesAt, std::to_string(text_end_), text_bytes_);
  }
  return {};
}

Result<void> PrefabReader::check_text(std::size_t offset, std::uint64_t& text_end) const {
  const auto start = load<std::uint32_t>(bytes_, offset);
  const auto length = load<std::uint32_t>(bytes_, offset + 4);
  if (start != text_end) return wrong("text offset", offset, std::to_string(text_end), start);
  text_end += length;
  if (length > kMaxTextBytes || text_end > text_bytes_) {
    return wrong("text length", offset + 4, "at most 65535, within the text", length);
  }
  return {};
}

Result<void> PrefabReader::check_zero(std::size_t offset, std::size_t size) const {
  const Bytes reserved = bytes_.subspan(offset, size);
  const auto found = std::ranges::find_if(reserved, [](std::byte b) { return b != std::byte{0}; });
  if (found == reserved.end()) return {};
  return wrong("reserved bytes or padding", offset, "0", std::to_integer<std::uint64_t>(*found));
}

// Climbs from the entity before. Over all entities the steps add up to at most their number: each
// step up undoes a step down.
bool PrefabReader::is_depth_first(std::uint32_t index) const {
  const std::uint32_t parent = entity(index).parent;
  if (parent == layout::kNone) return true;
  if (parent >= index) return false;
  std::uint32_t ancestor = index - 1;
  while (ancestor != parent && ancestor != layout::kNone) {
    ancestor = load<std::uint32_t>(bytes_, entity_at(ancestor) + entity::kParentAt);
  }
  return ancestor == parent;
}

}  // namespace muster
