#include "runtime/sync/command_fields.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <string_view>
#include <type_traits>

#include "runtime/sync/field_lanes.h"

namespace muster {
namespace {

double square_length(const FieldDescription& field, std::uint32_t element, Bytes value) {
  double sum = 0;
  with_lane_type(lane_type(field.type), [&]<typename T>(T) {
    const std::size_t begin = field.offset_bytes + std::size_t{element} * field.element_bytes;
    for (std::size_t at = begin; at < begin + field.element_bytes; at += sizeof(T)) {
      const auto lane = static_cast<double>(load_lane<T>(&value[at]));
      sum += lane * lane;
    }
  });
  return sum;
}

void keep_largest(const FieldDescription& field, Bytes value, std::span<std::byte> largest) {
  for (std::uint32_t element = 0; element < field.count; ++element) {
    if (square_length(field, element, value) <= square_length(field, element, largest)) continue;
    const std::size_t begin = field.offset_bytes + std::size_t{element} * field.element_bytes;
    std::ranges::copy(value.subspan(begin, field.element_bytes),
                      largest.begin() + static_cast<long>(begin));
  }
}

}  // namespace

std::vector<ButtonField> button_fields(const ComponentDescription& command) {
  constexpr std::string_view kPress = "pressCount";
  std::vector<ButtonField> buttons;
  for (const FieldDescription& field : command.fields) {
    const bool is_press = field.type == FieldType::uint8 && field.count == 1 &&
                          std::string_view(field.name).ends_with(kPress);
    if (!is_press) continue;
    const std::string prefix = field.name.substr(0, field.name.size() - kPress.size());
    const FieldDescription* const held = command.find(prefix + "isHeld");
    if (held == nullptr || held->type != FieldType::boolean) continue;
    buttons.push_back(
        {.held_offset_bytes = held->offset_bytes, .press_offset_bytes = field.offset_bytes});
  }
  return buttons;
}

CommandSet default_commands(std::span<const ComponentDescription> types) {
  CommandSet set;
  for (const ComponentDescription& type : types) set.push_back(type.default_value);
  return set;
}

void copy_commands(const CommandSet& from, CommandSet& to) {
  assert(from.size() == to.size());
  for (std::size_t i = 0; i < from.size(); ++i) std::ranges::copy(from[i], to[i].begin());
}

void accumulate(const ComponentDescription& type, Bytes value, bool is_first, ByteVector& tick) {
  assert(value.size() == tick.size() && value.size() == type.size_bytes);
  for (const FieldDescription& field : type.fields) {
    if (field.sampled == Sampling::sum) {
      add_lanes(field, value, tick);
    } else if (field.sampled == Sampling::largest && !is_first) {
      keep_largest(field, value, tick);
    } else {
      copy_field(field, value, tick);
    }
  }
}

void add_sums(const ComponentDescription& type, Bytes value, ByteVector& tick) {
  for (const FieldDescription& field : type.fields) {
    if (field.sampled == Sampling::sum) add_lanes(field, value, tick);
  }
}

void subtract_sent(const ComponentDescription& type, Bytes sent, ByteVector& sampled) {
  for (const FieldDescription& field : type.fields) {
    if (field.sampled != Sampling::sum) continue;
    each_lane(field, [&]<typename T>(T, std::size_t at) {
      const T all = load_lane<T>(&sampled[at]);
      const T sent_value = load_lane<T>(&sent[at]);
      // If the range of an unsigned sum begins above zero, the sent value can be larger than the
      // sum.
      const bool is_over = std::is_unsigned_v<T> && sent_value > all;
      store_lane<T>(&sampled[at], is_over ? T{} : static_cast<T>(all - sent_value));
    });
  }
}

void repeat_commands(std::span<const ComponentDescription> types, CommandSet& set) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    for (const FieldDescription& field : types[i].fields) {
      if (field.when_missing != Missing::repeat) copy_field(field, types[i].default_value, set[i]);
    }
  }
}

}  // namespace muster
