// An offset is relative to the sampled command, so only the newest force of a field is applied.
#include "runtime/sync/command_forces.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <type_traits>

#include "net/wire/section_writer.h"
#include "registry/base/bytes.h"
#include "runtime/sync/field_lanes.h"

namespace muster {
namespace {

template <typename T>
T wrapped(const FieldDescription& field, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (field.interpolation != Interpolation::angle || !std::isfinite(value)) return value;
    const auto turn = static_cast<T>(whole_turn_of<T>(field));
    const T low = field.minimum != field.maximum ? static_cast<T>(field.minimum) : -turn / 2;
    value = std::fmod(value - low, turn);
    value = (value < 0 ? value + turn : value) + low;
  }
  return value;
}

/// Returns the sum. Integers wrap, because a peer chooses the values and an overflow would be
/// undefined behaviour.
template <typename T>
T wrapping_sum(T left, T right) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(left) + static_cast<std::uint64_t>(right));
  } else {
    return left + right;
  }
}

template <typename T>
T wrapping_difference(T left, T right) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(left) - static_cast<std::uint64_t>(right));
  } else {
    return left - right;
  }
}

template <typename T>
T brought_into_range(const FieldDescription& field, T value) {
  if (field.minimum == field.maximum) return value;
  return std::clamp(value, static_cast<T>(field.minimum), static_cast<T>(field.maximum));
}

bool is_same_field(const ForcedField& a, const ForcedField& b) {
  return a.type == b.type && a.field == b.field;
}

}  // namespace

bool CommandForces::is_valid(const ForcedField& forced) const {
  if (struct_index(forced.type) >= types_.size()) return false;
  const ComponentDescription& type = types_[struct_index(forced.type)];
  if (forced.field >= type.fields.size()) return false;
  const FieldDescription& field = type.fields[forced.field];
  const bool is_number = field.type <= FieldType::vec3 && field.names.empty();
  return is_number && forced.value.size() == type.size_bytes &&
         forced.offset.size() == type.size_bytes;
}

bool CommandForces::force(CommandNumber command, StructType type, std::string_view field,
                          Bytes value) {
  if (struct_index(type) >= types_.size()) return false;
  const auto& fields = types_[struct_index(type)].fields;
  const auto found = std::ranges::find(fields, field, &FieldDescription::name);
  if (found == fields.end()) return false;
  ForcedField forced{.command = command,
                     .type = type,
                     .field = static_cast<std::uint16_t>(found - fields.begin()),
                     .value = {value.begin(), value.end()},
                     .offset = ByteVector(value.size())};
  if (!is_valid(forced) || forces_.size() >= kForcesMax) return false;
  const auto after = std::ranges::upper_bound(forces_, 0, {}, [&](const Force& other) {
    return command_steps(command, other.forced.command);
  });
  forces_.insert(after, {.forced = std::move(forced), .has_offset = false});
  return true;
}

bool CommandForces::follow(const ForcedField& forced) {
  if (!is_valid(forced)) return false;
  for (Force& known : forces_) {
    if (known.forced.command != forced.command || !is_same_field(known.forced, forced)) continue;
    known.forced = forced;
    return true;
  }
  if (forces_.size() >= kForcesMax) return false;
  const auto after = std::ranges::upper_bound(forces_, 0, {}, [&](const Force& other) {
    return command_steps(forced.command, other.forced.command);
  });
  forces_.insert(after, {.forced = forced, .has_offset = true});
  return true;
}

void CommandForces::renew(CommandNumber since, CommandNumber command) {
  for (Force& force : forces_) {
    ForcedField& forced = force.forced;
    const bool is_sum =
        types_[struct_index(forced.type)].fields[forced.field].sampled == Sampling::sum;
    if (is_sum || !force.has_offset || command_steps(since, forced.command) <= 0) continue;
    forced.command = command;
    force.has_offset = false;
  }
}

std::vector<ForcedField> CommandForces::lasting() const {
  std::vector<ForcedField> found;
  for (const Force& force : forces_) {
    const ForcedField& forced = force.forced;
    const bool is_sum =
        types_[struct_index(forced.type)].fields[forced.field].sampled == Sampling::sum;
    if (!force.has_offset || is_sum) continue;
    // A later force of a field replaces an earlier force of the same field.
    std::erase_if(found, [&](const ForcedField& other) { return is_same_field(other, forced); });
    found.push_back(forced);
  }
  return found;
}

std::vector<std::byte> CommandForces::encode(const ForcedField& forced) const {
  const ComponentDescription& type = types_[struct_index(forced.type)];
  const FieldDescription& field = type.fields[forced.field];
  const std::size_t count = std::size_t{field.count} * field.element_bytes;
  std::vector<std::byte> bytes(11 + type.name.size() + field.name.size() + 2 * count);
  SectionWriter writer(bytes);
  writer.write_u32(forced.command.value());
  writer.write_u16(static_cast<std::uint16_t>(type.name.size()));
  writer.write_bytes(std::as_bytes(std::span(type.name)));
  writer.write_u16(static_cast<std::uint16_t>(field.name.size()));
  writer.write_bytes(std::as_bytes(std::span(field.name)));
  writer.write_u8(static_cast<std::uint8_t>(field.type));
  writer.write_u16(static_cast<std::uint16_t>(count));
  writer.write_bytes(Bytes(forced.value).subspan(field.offset_bytes, count));
  writer.write_bytes(Bytes(forced.offset).subspan(field.offset_bytes, count));
  assert(!writer.overflowed() && writer.used() == bytes.size());
  return bytes;
}

std::optional<ForcedField> CommandForces::decode(std::span<const std::byte> bytes) const {
  ByteReader reader(bytes);
  const auto text = [&] {
    const Bytes read = reader.bytes(reader.u16());
    return std::string_view(reinterpret_cast<const char*>(read.data()), read.size());
  };
  ForcedField forced;
  forced.command = CommandNumber(reader.u32());
  const std::string_view type_name = text();
  const std::string_view field_name = text();
  const auto type = std::ranges::find(types_, type_name, &ComponentDescription::name);
  if (type == types_.end()) return std::nullopt;
  const auto field = std::ranges::find(type->fields, field_name, &FieldDescription::name);
  if (field == type->fields.end()) return std::nullopt;
  const std::size_t count = std::size_t{field->count} * field->element_bytes;
  if (reader.u8() != static_cast<std::uint8_t>(field->type) || reader.u16() != count) {
    return std::nullopt;
  }
  forced.type = static_cast<StructType>(type - types_.begin());
  forced.field = static_cast<std::uint16_t>(field - type->fields.begin());
  forced.value = type->default_value;
  forced.offset.resize(type->size_bytes);
  std::ranges::copy(reader.bytes(count), forced.value.begin() + field->offset_bytes);
  std::ranges::copy(reader.bytes(count), forced.offset.begin() + field->offset_bytes);
  if (!reader.is_finished() || !is_valid(forced)) return std::nullopt;
  return forced;
}

void CommandForces::apply(CommandNumber command, CommandSet& set) {
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    Force& force = forces_[i];
    ForcedField& forced = force.forced;
    const FieldDescription& field = types_[struct_index(forced.type)].fields[forced.field];
    if (command_steps(forced.command, command) < 0) continue;
    // A later force of the same field hides this force, if the later force is in effect.
    const bool is_hidden = std::any_of(
        forces_.begin() + static_cast<long>(i) + 1, forces_.end(), [&](const Force& other) {
          return other.forced.type == forced.type && other.forced.field == forced.field &&
                 command_steps(other.forced.command, command) >= 0;
        });
    if (is_hidden) {
      force.has_offset = true;  // A hidden force never takes effect.
      continue;
    }
    const bool begins = !force.has_offset || forced.command == command;
    ByteVector& value = set[struct_index(forced.type)];
    each_lane(field, [&]<typename T>(T, std::size_t at) {
      const T raw = load_lane<T>(&value[at]);
      const T wanted = load_lane<T>(&forced.value[at]);
      if (begins) {
        if (!force.has_offset && field.sampled != Sampling::sum) {
          store_lane<T>(&forced.offset[at], wrapping_difference(wanted, raw));
        }
        store_lane<T>(&value[at], wanted);
      } else if (field.sampled != Sampling::sum) {
        const T moved = wrapping_sum(raw, load_lane<T>(&forced.offset[at]));
        store_lane<T>(&value[at], brought_into_range(field, wrapped(field, moved)));
      }
    });
    if (!force.has_offset) {
      force.has_offset = true;
      // This command is later than the wanted command if the wanted tick had already run.
      forced.command = command;
      if (effective_.size() < kForcesMax) effective_.push_back(forced);
    }
  }
  forget(command);
}

/// Removes forces that no tick needs any more: old forces of sums, and old forces that a newer
/// force hides.
void CommandForces::forget(CommandNumber command) {
  constexpr std::int32_t kCommandAgeMax = 128;
  const auto is_past = [&](const Force& force) {
    return force.has_offset && command_steps(force.forced.command, command) > kCommandAgeMax;
  };
  for (std::size_t i = forces_.size(); i-- > 0;) {
    const ForcedField& old = forces_[i].forced;
    if (!is_past(forces_[i])) continue;
    const bool is_hidden = std::any_of(
        forces_.begin() + static_cast<long>(i) + 1, forces_.end(), [&](const Force& other) {
          return other.forced.type == old.type && other.forced.field == old.field && is_past(other);
        });
    const bool is_sum = types_[struct_index(old.type)].fields[old.field].sampled == Sampling::sum;
    if (is_hidden || is_sum) forces_.erase(forces_.begin() + static_cast<long>(i));
  }
}

}  // namespace muster
