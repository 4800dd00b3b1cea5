// Checks a prefab when it is opened, by the rules of BUNDLE_FORMAT.md, section 4, column by column.
#include <algorithm>
#include <bitset>
#include <string>

#include "runtime/bundle/format_error.h"
#include "runtime/bundle/little_endian.h"
#include "runtime/bundle/prefab_reader.h"

namespace muster {

using namespace layout::prefab;  // NOLINT(google-build-using-namespace): uses the whole layout

namespace {

constexpr std::string_view kEncoding = "prefab";

tl::unexpected<Error> wrong(std::string_view field, std::size_t offset, std::string_view expected,
                            std::uint64_t found) {
  return format_error(ErrorCode::malformed, {kEncoding, field, offset}, expected, found);
}

std::string named(std::string_view what, std::uint32_t index, std::string_view field) {
  return std::string(what) + " " + std::to_string(index) + ": " + std::string(field);
}

std::size_t aligned(std::size_t offset) {
  return (offset + kDataAlignment - 1) / kDataAlignment * kDataAlignment;
}

}  // namespace

Result<void> PrefabReader::check_header() {
  if (bytes_.size() < header::kBytes) {
    return format_error(ErrorCode::truncated, {kEncoding, "header", 0}, "40 bytes", bytes_.size());
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
  entity_count_ = load<std::uint32_t>(bytes_, header::kEntityCountAt);
  component_count_ = load<std::uint32_t>(bytes_, header::kComponentCountAt);
  type_count_ = load<std::uint32_t>(bytes_, header::kTypeCountAt);
  description_count_ = load<std::uint32_t>(bytes_, header::kDescriptionCountAt);
  text_bytes_ = load<std::uint32_t>(bytes_, header::kTextBytesAt);
  data_bytes_ = load<std::uint32_t>(bytes_, header::kDataBytesAt);
  return check_zero(header::kReservedAt, header::kReservedBytes);
}

Result<void> PrefabReader::check_counts() const {
  struct Count {
    std::string_view field;
    std::size_t offset;
    std::uint32_t limit;
    std::uint32_t found;
  };
  const Count counts[] = {
      {"entity_count", header::kEntityCountAt, kMaxEntities, entity_count_},
      {"component_count", header::kComponentCountAt, kMaxComponents, component_count_},
      {"type_count", header::kTypeCountAt, kMaxTypes, type_count_}};
  for (const Count& count : counts) {
    if (count.found > count.limit) {
      return format_error(ErrorCode::limit_exceeded, {kEncoding, count.field, count.offset},
                          "at most " + std::to_string(count.limit), count.found);
    }
  }
  if (entity_count_ == 0) return wrong("entity_count", header::kEntityCountAt, "at least 1", 0);
  if (description_count_ > type_count_) {
    return wrong("description_count", header::kDescriptionCountAt, "at most type_count",
                 description_count_);
  }
  return {};
}

Result<void> PrefabReader::locate_columns() {
  std::size_t at = header::kBytes;
  const auto next_column = [&at](std::size_t count, std::size_t width) {
    const std::size_t start = at;
    at += count * width;
    return start;
  };
  at_.source_ids = next_column(entity_count_, kSourceIdBytes);
  at_.hashes = next_column(description_count_, kHashBytes);
  at_.parents = next_column(entity_count_, kFieldBytes);
  at_.component_ends = next_column(entity_count_, kFieldBytes);
  at_.text_ends = next_column(std::size_t{entity_count_} + type_count_, kFieldBytes);
  at_.types = next_column(component_count_, kFieldBytes);
  at_.documents = next_column(component_count_, kFieldBytes);
  at_.data_ends = next_column(description_count_ == 0 ? 0 : component_count_, kFieldBytes);
  at_.data_sizes = next_column(description_count_, kFieldBytes);
  at_.flags = next_column(entity_count_, 1);
  at_.text = next_column(text_bytes_, 1);
  at_.data = aligned(at);
  const std::size_t total = at_.data + data_bytes_;
  const auto total_bytes = load<std::uint32_t>(bytes_, header::kTotalBytesAt);
  if (total_bytes != total) {
    return wrong("total_bytes", header::kTotalBytesAt, std::to_string(total), total_bytes);
  }
  if (total != bytes_.size()) {
    const ErrorCode code = total > bytes_.size() ? ErrorCode::truncated : ErrorCode::malformed;
    return format_error(code, {kEncoding, "total_bytes", header::kTotalBytesAt},
                        "the size of " + std::to_string(bytes_.size()), total);
  }
  return check_zero(at, at_.data - at);
}

Result<void> PrefabReader::check_entities() const {
  std::uint32_t components = 0;
  for (std::uint32_t i = 0; i < entity_count_; ++i) {
    if (!is_depth_first(i)) {
      return wrong(named("entity", i, "parent"), at_.parents + i * kFieldBytes,
                   "the distance to the entity before or to one of its ancestors",
                   field(at_.parents, i));
    }
    const std::uint32_t end = field(at_.component_ends, i);
    if (end < components || end > component_count_) {
      return wrong(named("entity", i, "end of components"), at_.component_ends + i * kFieldBytes,
                   std::to_string(components) + " to " + std::to_string(component_count_), end);
    }
    components = end;
    const auto flags = load<std::uint8_t>(bytes_, at_.flags + i);
    if ((flags & ~kIsActive) != 0) {
      return wrong(named("entity", i, "flags"), at_.flags + i, "0 or 1", flags);
    }
  }
  if (components != component_count_) {
    return wrong("component_count", header::kComponentCountAt, std::to_string(components),
                 component_count_);
  }
  return {};
}

Result<void> PrefabReader::check_texts() const {
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < entity_count_ + type_count_; ++i) {
    const std::uint32_t end = field(at_.text_ends, i);
    if (end < last || end > text_bytes_ || end - last > kMaxTextBytes) {
      return wrong(named("name", i, "end"), at_.text_ends + i * kFieldBytes,
                   "the one before and at most 65535, within the text", end);
    }
    last = end;
  }
  if (last != text_bytes_) {
    return wrong("text_bytes", header::kTextBytesAt, std::to_string(last), text_bytes_);
  }
  return {};
}

Result<void> PrefabReader::check_types() const {
  for (std::uint32_t i = 0; i < type_count_; ++i) {
    if (i < description_count_ && field(at_.data_sizes, i) > layout::prefab::kMaxDescribedBytes) {
      return format_error(ErrorCode::limit_exceeded,
                          {kEncoding, "description size_bytes", at_.data_sizes + i * kFieldBytes},
                          "at most " + std::to_string(layout::prefab::kMaxDescribedBytes),
                          field(at_.data_sizes, i));
    }
    if (i != 0 && i != description_count_ && !(type_name(i - 1) < type_name(i))) {
      return format_error(ErrorCode::malformed,
                          {kEncoding, named("type", i, "name"), at_.text_ends},
                          "a greater name than the one before", type_name(i));
    }
  }
  return {};
}

Result<void> PrefabReader::check_components() const {
  std::bitset<kMaxTypes> used;
  std::size_t data_end = 0;
  for (std::uint32_t i = 0; i < component_count_; ++i) {
    const std::uint32_t type = field(at_.types, i);
    if (type >= type_count_) {
      return wrong(named("component", i, "type"), at_.types + i * kFieldBytes, "an index", type);
    }
    used.set(type);
    if (description_count_ == 0) continue;
    const std::size_t start = type < description_count_ ? aligned(data_end) : data_end;
    const std::size_t end =
        type < description_count_ ? start + field(at_.data_sizes, type) : data_end;
    const std::uint32_t found = field(at_.data_ends, i);
    if (found != end || end > data_bytes_) {
      return wrong(named("component", i, "end of data"), at_.data_ends + i * kFieldBytes,
                   std::to_string(end) + ", within data", found);
    }
    if (Result<void> zero = check_zero(at_.data + data_end, start - data_end); !zero) return zero;
    data_end = end;
  }
  if (data_end != data_bytes_) {
    return wrong("data_bytes", header::kDataBytesAt, std::to_string(data_end), data_bytes_);
  }
  if (used.count() != type_count_) {
    return wrong("type_count", header::kTypeCountAt,
                 std::to_string(used.count()) + ", as many as are used", type_count_);
  }
  return {};
}

Result<void> PrefabReader::check_zero(std::size_t offset, std::size_t size) const {
  const Bytes reserved = bytes_.subspan(offset, size);
  const auto found = std::ranges::find_if(reserved, [](std::byte b) { return b != std::byte{0}; });
  if (found == reserved.end()) return {};
  return wrong("reserved bytes or padding", offset, "0", std::to_integer<std::uint64_t>(*found));
}

// True if the parent is the previous entity or an ancestor of it. All calls together make at most
// as many steps as there are entities, because each step up matches an earlier step down.
bool PrefabReader::is_depth_first(std::uint32_t index) const {
  const std::uint32_t parent_offset = field(at_.parents, index);
  if (parent_offset == 0) return true;
  if (parent_offset > index) return false;
  std::uint32_t ancestor = index - 1;
  while (ancestor != index - parent_offset && ancestor != layout::kNone)
    ancestor = parent(ancestor);
  return ancestor == index - parent_offset;
}

}  // namespace muster
