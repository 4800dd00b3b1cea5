#include "runtime/sync/command_sampler.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <type_traits>

#include "runtime/replication/wire_schema.h"
#include "runtime/sync/field_lanes.h"

namespace muster {
namespace {

std::uint8_t byte_at(Bytes value, std::uint32_t offset) {
  return std::to_integer<std::uint8_t>(value[offset]);
}

bool is_finite(const FieldDescription& field, Bytes value) {
  bool are_all = true;
  each_lane(field, [&]<typename T>(T, std::size_t at) {
    if constexpr (std::is_floating_point_v<T>) {
      are_all = are_all && std::isfinite(load_lane<T>(&value[at]));
    }
  });
  return are_all;
}

}  // namespace

CommandSampler::CommandSampler(std::span<const ComponentDescription> types)
    : types_(types), last_(default_commands(types)) {
  std::size_t values = 0;
  for (const ComponentDescription& type : types) {
    Sampled& sampled = sampled_.emplace_back();
    sampled.buttons = button_fields(type);
    sampled.schema = wire_schema(type);
    sampled.value_count = sampled.schema.value_count();
    values += sampled.value_count;
    sampled.tick = type.default_value;
    sampled.frame = type.default_value;
  }
  values_.resize(values);
}

void CommandSampler::set(StructType type, Bytes value) {
  const std::size_t index = struct_index(type);
  Sampled& sampled = sampled_[index];
  assert(value.size() == sampled.tick.size());
  scratch_.assign(value.begin(), value.end());
  for (const ButtonField& button : sampled.buttons) {
    const bool is_edge = byte_at(value, button.held_offset_bytes) != 0 &&
                         byte_at(sampled.frame, button.held_offset_bytes) == 0;
    if (is_edge && byte_at(value, button.press_offset_bytes) == 0) {
      scratch_[button.press_offset_bytes] = std::byte{1};
    }
  }
  for (const FieldDescription& field : types_[index].fields) {
    if (field.sampled != Sampling::sum || is_finite(field, value)) continue;
    const ClampedStructField lost{types_[index].name, field.name};
    if (std::ranges::find(not_finite_, lost) == not_finite_.end()) not_finite_.push_back(lost);
  }
  accumulate(types_[index], scratch_, !sampled.has_frame, sampled.tick);
  std::ranges::copy(value, sampled.frame.begin());
  sampled.has_frame = true;
}

void CommandSampler::add_lost(std::span<const std::int64_t> values) {
  for (std::size_t i = 0; i < sampled_.size(); ++i) {
    scratch_ = types_[i].default_value;
    from_wire(types_[i], values.first(sampled_[i].value_count), scratch_);
    add_sums(types_[i], scratch_, sampled_[i].tick);
    values = values.subspan(sampled_[i].value_count);
  }
}

void CommandSampler::end_tick() {
  clamped_.clear();
  clamped_.swap(not_finite_);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < sampled_.size(); ++i) {
    Sampled& sampled = sampled_[i];
    const ComponentDescription& type = types_[i];
    const std::span<std::int64_t> values = std::span(values_).subspan(begin, sampled.value_count);
    begin += sampled.value_count;
    to_wire_bounded(type, sampled.schema, sampled.tick, values,
                    [&](std::size_t index, std::span<const std::int64_t>) {
                      const FieldDescription& field = type.fields[index];
                      if (field.sampled != Sampling::sum)
                        clamped_.push_back({type.name, field.name});
                    });
    from_wire(type, values, last_[i]);
    subtract_sent(type, last_[i], sampled.tick);
    // If no frame is set before the next tick ends, that tick repeats the values of this frame. Its
    // sums are the remainders that were not sent.
    for (const FieldDescription& field : type.fields) {
      if (field.sampled == Sampling::sum) continue;
      const std::size_t bytes = std::size_t{field.count} * field.element_bytes;
      std::copy_n(sampled.frame.begin() + field.offset_bytes, bytes,
                  sampled.tick.begin() + field.offset_bytes);
    }
    sampled.has_frame = false;
  }
}

}  // namespace muster
