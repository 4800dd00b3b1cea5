#include "runtime/sync/command_fields.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "runtime/sync/field_lanes.h"

namespace muster {
namespace {

Bytes part(const FieldDescription& field, Bytes value) {
  return value.subspan(field.offset_bytes, field_bytes(field));
}

void put(const FieldDescription& field, Bytes from, std::span<std::byte> to) {
  std::ranges::copy(part(field, from), to.begin() + field.offset_bytes);
}

template <typename T>
T highest_of(const FieldDescription& field) {
  if (field.minimum == field.maximum) return std::numeric_limits<T>::max();
  return static_cast<T>(field.maximum);
}
template <typename T>
T lowest_of(const FieldDescription& field) {
  if (field.minimum == field.maximum) return std::numeric_limits<T>::lowest();
  return static_cast<T>(field.minimum);
}

template <typename T>
T sum_of(T left, T right) {
  if constexpr (std::is_integral_v<T>) {
    T sum{};
    if (!__builtin_add_overflow(left, right, &sum)) return sum;
    return right < 0 ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
  } else {
    // A peer may send NaN or infinity.
    const T sum = left + right;
    return std::isfinite(sum) ? sum : T{};
  }
}

void add_lanes(const FieldDescription& field, Bytes added, std::span<std::byte> sum) {
  each_lane(field, [&]<typename T>(T, std::size_t at) {
    store_lane<T>(&sum[at], sum_of(load_lane<T>(&sum[at]), load_lane<T>(&added[at])));
  });
}

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
      put(field, value, tick);
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
      if (field.when_missing != Missing::repeat) put(field, types[i].default_value, set[i]);
    }
  }
}

LateCommands::LateCommands(std::span<const ComponentDescription> types)
    : types_(types), kept_(default_commands(types)) {
  clear();
}

void LateCommands::clear() {
  for (std::size_t i = 0; i < types_.size(); ++i) {
    std::ranges::copy(types_[i].default_value, kept_[i].begin());
    for (const FieldDescription& field : types_[i].fields) {
      if (field.sampled != Sampling::sum) continue;
      std::ranges::fill(std::span(kept_[i]).subspan(field.offset_bytes, field_bytes(field)),
                        std::byte{});
    }
  }
  is_empty_ = true;
}

void LateCommands::add(const CommandSet& late) {
  is_empty_ = false;
  for (std::size_t i = 0; i < types_.size(); ++i) {
    for (const FieldDescription& field : types_[i].fields) {
      if (field.sampled == Sampling::sum) {
        add_lanes(field, late[i], kept_[i]);
      } else if (field.when_missing == Missing::latch &&
                 !std::ranges::equal(part(field, late[i]), part(field, types_[i].default_value))) {
        put(field, late[i], kept_[i]);
      }
    }
  }
}

void LateCommands::release(CommandSet& running) {
  if (is_empty_) return;
  is_empty_ = true;
  for (std::size_t i = 0; i < types_.size(); ++i) {
    ByteVector& kept = kept_[i];
    for (const FieldDescription& field : types_[i].fields) {
      if (field.sampled == Sampling::sum) {
        each_lane(field, [&]<typename T>(T, std::size_t at) {
          const T sum = sum_of(load_lane<T>(&running[i][at]), load_lane<T>(&kept[at]));
          const T runs = std::clamp(sum, lowest_of<T>(field), highest_of<T>(field));
          store_lane<T>(&running[i][at], runs);
          const T rest = sum < runs ? T{} : static_cast<T>(sum - runs);
          const bool is_below = std::is_signed_v<T> && sum < runs;
          store_lane<T>(&kept[at], is_below ? static_cast<T>(sum - runs) : rest);
          if (load_lane<T>(&kept[at]) != T{}) is_empty_ = false;
        });
      } else if (field.when_missing == Missing::latch) {
        const Bytes neutral = part(field, types_[i].default_value);
        if (std::ranges::equal(part(field, kept), neutral)) continue;
        if (std::ranges::equal(part(field, running[i]), neutral)) put(field, kept, running[i]);
        put(field, types_[i].default_value, kept);
      }
    }
  }
}

}  // namespace muster
