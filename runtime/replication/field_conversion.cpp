// If the versions of a field differ, the received integers are first decoded to the server's type
// with the normal `dequantise`. The decoded value is then converted to the local type.
#include "runtime/replication/field_conversion.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "registry/components/lanes.h"
#include "registry/components/quantisation.h"
#include "runtime/replication/wire_schema.h"

namespace muster {
namespace {

bool is_number(FieldType type) { return type >= FieldType::int8 && type <= FieldType::float64; }

// Whether values of one type can be converted to another.
bool converts(FieldType from, FieldType to) {
  return from == to || (is_number(from) && is_number(to));
}

// The reason why values of one kind must not be read as values of the other kind; empty if the
// kinds are compatible. Requires: the types can be converted.
std::string difference_of_kind(const FieldSchema& sent, const FieldSchema& ours,
                               const FieldDescription& field) {
  if ((sent.kind == LaneKind::tick) != (ours.kind == LaneKind::tick)) {
    return sent.kind == LaneKind::tick ? "it is a tick on the server, but not here"
                                       : "it is a tick here, but not on the server";
  }
  if (sent.kind == LaneKind::angle && ours.kind == LaneKind::angle) {
    const double theirs = static_cast<double>(sent.period) * sent.resolution;
    const double turn = static_cast<double>(ours.period) * ours.resolution;
    if (std::abs(theirs - turn) > sent.resolution + ours.resolution) {
      return "a full turn is " + std::to_string(theirs) + " on the server and " +
             std::to_string(turn) + " here";
    }
  }
  // If the server sends a name that the client does not have, the field keeps its value. `mark`
  // identifies the list of names.
  const bool has_mark = sent.kind == LaneKind::symbol && !(sent.resolution > 0) &&
                        sent.minimum >= 1 && sent.minimum < 4503599627370496.0;
  const auto mark = has_mark ? static_cast<std::uint64_t>(sent.minimum) : 0;
  const auto count = static_cast<std::size_t>(mark % 256);
  if (count > 0 && count < 255 && count <= field.names.size() &&
      sent.minimum != mark_of_names(std::span(field.names).first(count))) {
    return "its values have other names on the server";
  }
  return {};
}

// Returns the server's field as a description. The description has only the members that affect
// values.
std::optional<FieldDescription> described(const FieldSchema& sent) {
  FieldDescription field;
  if (sent.type > static_cast<std::uint8_t>(FieldType::asset)) return std::nullopt;
  field.name = sent.name;
  field.type = static_cast<FieldType>(sent.type);
  field.element_bytes = size_of(field.type);
  if (field.type == FieldType::text) {
    field.element_bytes = sent.value_count;
  } else {
    const std::uint32_t lanes = lane_count(field);
    if (sent.value_count % lanes != 0) return std::nullopt;
    field.count = sent.value_count / lanes;
  }
  if (!(sent.resolution > 0)) return field;
  const bool has_reals = is_real(lane_type(field.type));
  // Values outside the range of a float are invalid.
  const double reach =
      std::abs(sent.minimum) + sent.resolution * std::max(std::abs(static_cast<double>(sent.low)),
                                                          std::abs(static_cast<double>(sent.high)));
  const bool is_far = field.type == FieldType::float64
                          ? !std::isfinite(reach)
                          : !(reach <= double{std::numeric_limits<float>::max()});
  if (is_far || (!has_reals && !is_number(field.type))) return std::nullopt;
  field.resolution = sent.resolution;
  if (sent.kind == LaneKind::rotation) {
    // `high` of the schema is the number of steps, which `rotation_step_max` returns.
    return field.type == FieldType::quaternion && wire_range(field).high == sent.high
               ? std::optional(field)
               : std::nullopt;
  }
  if (field.type == FieldType::quaternion) return std::nullopt;
  if (sent.low == 0) {
    field.minimum = sent.minimum;
    field.maximum = sent.minimum + static_cast<double>(sent.high) * sent.resolution;
  }
  return field;
}

template <typename To, typename From>
To converted(From from, const FieldDescription& field) {
  if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
    // Computes with integers, because a double cannot store all 64-bit integers exactly.
    if (field.minimum == field.maximum) {
      if (std::cmp_less(from, std::numeric_limits<To>::min()))
        return std::numeric_limits<To>::min();
      if (std::cmp_greater(from, std::numeric_limits<To>::max())) {
        return std::numeric_limits<To>::max();
      }
      return static_cast<To>(from);
    }
  }
  auto value = static_cast<double>(from);
  if (std::isnan(value)) value = 0;
  if (field.minimum != field.maximum) value = std::clamp(value, field.minimum, field.maximum);
  if constexpr (std::is_integral_v<To>) {
    value = std::round(value);
    if (value <= static_cast<double>(std::numeric_limits<To>::min())) {
      return std::numeric_limits<To>::min();
    }
    if (value >= static_cast<double>(std::numeric_limits<To>::max())) {
      return std::numeric_limits<To>::max();
    }
  } else {
    constexpr auto kLargest = static_cast<double>(std::numeric_limits<To>::max());
    if (std::isfinite(value)) value = std::clamp(value, -kLargest, kLargest);
  }
  return static_cast<To>(value);
}

}  // namespace

std::optional<FieldConversion> FieldConversion::make(const FieldSchema& sent,
                                                     const FieldDescription& field,
                                                     std::string& why) {
  FieldConversion conversion(field);
  FieldSchema ours = wire_schema(field);
  // A difference in receivers is allowed, because the receivers of the server's version apply.
  ours.receivers = sent.receivers;
  if (sent == ours) return conversion;
  conversion.is_straight_ = false;
  std::optional<FieldDescription> theirs = described(sent);
  if (!theirs) {
    why = "the server's encoding of it is unknown";
    return std::nullopt;
  }
  if (!converts(theirs->type, field.type)) {
    why = "the server has " + std::string(to_string(theirs->type)) + ", this client " +
          std::string(to_string(field.type));
    return std::nullopt;
  }
  why = difference_of_kind(sent, ours, field);
  if (!why.empty()) return std::nullopt;
  conversion.sent_ = std::move(*theirs);
  conversion.value_.resize(std::size_t{conversion.sent_.count} * conversion.sent_.element_bytes);
  return conversion;
}

void FieldConversion::apply(std::span<const std::int64_t> values, std::span<std::byte> component) {
  if (is_straight_) return dequantise(*field_, values, component);
  dequantise(sent_, values, value_);
  if (field_->type == FieldType::text) return convert_texts(component);
  convert_numbers(component);
}

bool FieldConversion::reverse(Bytes component, std::span<std::int64_t> values) const {
  if (is_straight_) quantise(*field_, component, values);
  return is_straight_;
}

// The schema of a text contains only its capacity, so an array of texts looks like one long text.
// Only the first element is converted.
void FieldConversion::convert_texts(std::span<std::byte> component) const {
  const std::span<std::byte> to = component.subspan(field_->offset_bytes, field_->element_bytes);
  auto count = std::min<std::size_t>(value_.size(), to.size());
  const auto end = std::find(value_.begin(), value_.end(), std::byte{});
  count = std::min(count, static_cast<std::size_t>(end - value_.begin()));
  // A text must not be cut within a character. UTF-8 continuation bytes are 10xxxxxx.
  const auto follows = [&](std::size_t at) {
    return at < value_.size() && (value_[at] & std::byte{0xC0}) == std::byte{0x80};
  };
  while (count > 0 && follows(count)) --count;
  std::copy_n(value_.begin(), count, to.begin());
  std::fill(to.begin() + static_cast<std::ptrdiff_t>(count), to.end(), std::byte{});
}

void FieldConversion::convert_numbers(std::span<std::byte> component) const {
  const std::size_t lanes = std::size_t{std::min(sent_.count, field_->count)} * lane_count(*field_);
  with_lane_type(lane_type(sent_.type), [&]<typename From>(From) {
    with_lane_type(lane_type(field_->type), [&]<typename To>(To) {
      for (std::size_t i = 0; i < lanes; ++i) {
        const auto from = load_lane<From>(value_.data() + i * sizeof(From));
        // If the local enumeration has no name for the number, the field keeps its value.
        const To to = converted<To>(from, *field_);
        const auto number = static_cast<double>(to);
        const bool is_unknown =
            !field_->names.empty() &&
            !(number >= 0 && number < static_cast<double>(field_->names.size()));
        if (is_unknown) continue;
        store_lane(component.data() + field_->offset_bytes + i * sizeof(To), to);
      }
    });
  });
}

}  // namespace muster
