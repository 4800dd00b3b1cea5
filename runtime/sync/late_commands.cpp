#include "runtime/sync/late_commands.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "runtime/sync/field_lanes.h"

namespace muster {
namespace {

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

}  // namespace

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
                 !std::ranges::equal(field_part(field, late[i]),
                                     field_part(field, types_[i].default_value))) {
        copy_field(field, late[i], kept_[i]);
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
          const T sum = limited_sum(load_lane<T>(&running[i][at]), load_lane<T>(&kept[at]));
          const T runs = std::clamp(sum, lowest_of<T>(field), highest_of<T>(field));
          store_lane<T>(&running[i][at], runs);
          const T rest = sum < runs ? T{} : static_cast<T>(sum - runs);
          const bool is_below = std::is_signed_v<T> && sum < runs;
          store_lane<T>(&kept[at], is_below ? static_cast<T>(sum - runs) : rest);
          if (load_lane<T>(&kept[at]) != T{}) is_empty_ = false;
        });
      } else if (field.when_missing == Missing::latch) {
        const Bytes neutral = field_part(field, types_[i].default_value);
        if (std::ranges::equal(field_part(field, kept), neutral)) continue;
        if (std::ranges::equal(field_part(field, running[i]), neutral))
          copy_field(field, kept, running[i]);
        copy_field(field, types_[i].default_value, kept);
      }
    }
  }
}

}  // namespace muster
