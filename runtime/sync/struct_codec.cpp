// The number of bits of a value depends only on its field's range. Therefore all structs of a type
// have the same size.
#include "runtime/sync/struct_codec.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "net/wire/bit_stream.h"
#include "registry/base/bytes.h"
#include "runtime/replication/wire_schema.h"

namespace muster {
namespace {

/// A struct can have at most this many more values than bits. A field with only one possible value
/// needs no bits.
constexpr std::size_t kBitlessValuesMax = 16;

unsigned bit_count_of(const FieldSchema& field) {
  const auto span = static_cast<std::uint64_t>(field.high) - static_cast<std::uint64_t>(field.low);
  return static_cast<unsigned>(std::bit_width(span));
}

std::size_t byte_count_of(const ComponentSchema& schema) {
  std::size_t bits = 0;
  for (const FieldSchema& field : schema.fields) {
    bits += std::size_t{bit_count_of(field)} * field.value_count;
  }
  return (bits + 7) / 8;
}

void write_value(BitWriter& writer, std::uint64_t value, unsigned bits) {
  for (; bits > kMaxBitsPerCall; bits -= kMaxBitsPerCall, value >>= kMaxBitsPerCall) {
    writer.write(static_cast<std::uint32_t>(value), kMaxBitsPerCall);
  }
  if (bits > 0) writer.write(static_cast<std::uint32_t>(value), bits);
}

std::uint64_t read_value(BitReader& reader, unsigned bits) {
  std::uint64_t value = 0;
  for (unsigned done = 0; done < bits; done += kMaxBitsPerCall) {
    const unsigned now = std::min(bits - done, kMaxBitsPerCall);
    value |= std::uint64_t{reader.read(now)} << done;
  }
  return value;
}

/// Limits values without bits, which cost the sender no bytes but cost the receiver time.
bool has_many_bitless_values(const ComponentSchema& schema) {
  return schema.value_count() > 8 * byte_count_of(schema) + kBitlessValuesMax;
}

/// Returns whether the commands have at most `kCommandValuesMax` values, and whether each field has
/// a known sampling.
bool fit_commands(std::span<const ComponentSchema> commands, std::span<const Sampling> sampled) {
  std::size_t fields = 0;
  std::size_t values = 0;
  for (const ComponentSchema& command : commands) {
    fields += command.fields.size();
    values += command.value_count();
  }
  return fields == sampled.size() && values <= kCommandValuesMax &&
         std::ranges::all_of(sampled, [](Sampling one) { return one <= Sampling::sum; });
}

}  // namespace

Result<void> check_structs(std::span<const ComponentDescription> types) {
  ReplicationSchema schema{.components = {}, .types = {ReplicatedType{.components = {}}}};
  for (const ComponentDescription& type : types) {
    const ComponentSchema& component = schema.components.emplace_back(wire_schema(type));
    if (component.value_count() > kStructValuesMax) {
      return fail(ErrorCode::limit_exceeded,
                  "'" + type.name + "' has " + std::to_string(component.value_count()) +
                      " values, and a command or message may have at most " +
                      std::to_string(kStructValuesMax));
    }
    const auto large = std::ranges::find_if(
        component.fields, [](std::uint32_t count) { return count > kMaxLanes; },
        &FieldSchema::value_count);
    if (large != component.fields.end()) {
      return fail(ErrorCode::limit_exceeded,
                  "'" + type.name + "' cannot be sent: its field '" + large->name + "' has " +
                      std::to_string(large->value_count) +
                      " values, and a field may have at most " + std::to_string(kMaxLanes) +
                      ": split it into several fields or messages");
    }
    if (has_many_bitless_values(component)) {
      return fail(ErrorCode::limit_exceeded, "'" + type.name + "' cannot be sent: more than " +
                                                 std::to_string(kBitlessValuesMax) +
                                                 " of its values have only one possible number");
    }
    if (const char* const fault = find_fault(schema)) {
      return fail(ErrorCode::limit_exceeded, "'" + type.name + "' cannot be sent: " + fault);
    }
  }
  return {};
}

Result<void> check_commands(std::span<const ComponentDescription> commands) {
  std::size_t values = 0;
  for (const ComponentDescription& command : commands) {
    values += wire_schema(command).value_count();
  }
  if (values <= kCommandValuesMax) return check_structs(commands);
  return fail(ErrorCode::limit_exceeded, "the commands have " + std::to_string(values) +
                                             " values in total, and may have at most " +
                                             std::to_string(kCommandValuesMax));
}

StructEncoder::StructEncoder(std::vector<ComponentDescription> commands,
                             const std::vector<ComponentDescription>& messages)
    : types_(std::move(commands)), command_count_(types_.size()) {
  types_.insert(types_.end(), messages.begin(), messages.end());
  for (const ComponentDescription& type : types_) schemas_.push_back(wire_schema(type));
  // A schema needs at least one type. This type has no components and is not used.
  const std::vector<std::byte> encoded =
      encode_schema({.components = schemas_, .types = {ReplicatedType{.components = {}}}});
  schema_ = {static_cast<std::byte>(command_count_ & 0xFFU),
             static_cast<std::byte>(command_count_ >> 8U)};
  const std::vector<Sampling> sampled = samplings_of(std::span(types_).first(command_count_));
  schema_.push_back(static_cast<std::byte>(sampled.size() & 0xFFU));
  schema_.push_back(static_cast<std::byte>(sampled.size() >> 8U));
  for (const Sampling one : sampled) schema_.push_back(static_cast<std::byte>(one));
  schema_.insert(schema_.end(), encoded.begin(), encoded.end());
}

std::vector<CommandLane> StructEncoder::command_lanes() const {
  return muster::command_lanes(std::span(schemas_).first(command_count_),
                               samplings_of(std::span(types_).first(command_count_)));
}

std::optional<StructType> StructEncoder::find(std::string_view name, std::size_t bytes) const {
  const auto found = std::ranges::find(types_, name, &ComponentDescription::name);
  if (found == types_.end() || found->size_bytes != bytes) return std::nullopt;
  return static_cast<StructType>(found - types_.begin());
}

std::optional<ClampedStructField> StructEncoder::encode(StructType type, Bytes value,
                                                        std::vector<std::byte>& out) {
  const ComponentDescription& description = types_[struct_index(type)];
  const ComponentSchema& schema = schemas_[struct_index(type)];
  assert(value.size() == description.size_bytes);
  values_.assign(schema.value_count(), 0);
  std::optional<ClampedStructField> clamped;
  to_wire_bounded(description, schema, value, values_,
                  [&](std::size_t field, std::span<const std::int64_t>) {
                    if (!clamped) clamped = {description.name, schema.fields[field].name};
                  });
  const std::size_t begin = out.size();
  out.resize(begin + byte_count_of(schema));
  BitWriter writer(std::span<std::byte>(out).subspan(begin));
  std::size_t at = 0;
  for (const FieldSchema& field : schema.fields) {
    const unsigned bits = bit_count_of(field);
    for (std::uint32_t i = 0; i < field.value_count; ++i, ++at) {
      write_value(writer,
                  static_cast<std::uint64_t>(values_[at]) - static_cast<std::uint64_t>(field.low),
                  bits);
    }
  }
  if (out.size() > begin) (void)writer.finish();
  return clamped;
}

std::optional<ClampedStructField> StructEncoder::encode_message(StructType type, Bytes value,
                                                                std::vector<std::byte>& out) {
  const std::size_t index = struct_index(type);
  out = {static_cast<std::byte>(index & 0xFFU), static_cast<std::byte>(index >> 8U)};
  return encode(type, value, out);
}

Result<StructDecoder> StructDecoder::make(std::span<const ComponentDescription> types,
                                          std::span<const std::byte> schema) {
  ByteReader reader(schema);
  const std::size_t command_count = reader.u16();
  const std::size_t sampled_count = reader.u16();
  std::vector<Sampling> sampled;
  for (const std::byte one : reader.bytes(sampled_count)) {
    sampled.push_back(static_cast<Sampling>(one));
  }
  std::optional<ReplicationSchema> decoded =
      decode_schema(schema.subspan(std::min(schema.size(), reader.position())));
  const auto is_too_large = [](const ComponentSchema& component) {
    return component.value_count() > kStructValuesMax || has_many_bitless_values(component);
  };
  if (!decoded || command_count > decoded->components.size() ||
      !fit_commands(std::span(decoded->components).first(command_count), sampled) ||
      std::ranges::any_of(decoded->components, is_too_large)) {
    return fail(ErrorCode::malformed, "the peer's list of commands and messages is malformed");
  }
  StructDecoder decoder;
  decoder.local_ = types;
  decoder.command_count_ = command_count;
  decoder.command_lanes_ =
      muster::command_lanes(std::span(decoded->components).first(command_count), sampled);
  for (ComponentSchema& component : decoded->components) {
    Type& type = decoder.types_.emplace_back();
    type.byte_count = byte_count_of(component);
    type.value_count = component.value_count();
    type.schema = std::move(component);
    decoder.match(type, types);
  }
  return decoder;
}

void StructDecoder::match(Type& type, std::span<const ComponentDescription> types) {
  const auto here = std::ranges::find(types, type.schema.name, &ComponentDescription::name);
  if (here == types.end()) {
    notes_.push_back("there is no local command or message '" + type.schema.name + "'");
    return;
  }
  type.local = static_cast<StructType>(here - types.begin());
  std::uint32_t value = 0;
  for (const FieldSchema& field : type.schema.fields) {
    const std::uint32_t first_value = value;
    value += field.value_count;
    std::string why = "there is no local field with this name";
    std::optional<FieldConversion> conversion;
    if (const FieldDescription* const local = here->find(field.name)) {
      conversion = FieldConversion::make(field, *local, why);
    }
    if (!conversion) {
      notes_.push_back("'" + type.schema.name + "." + field.name + "' is not read: " + why);
      continue;
    }
    type.fields.push_back({.conversion = std::move(*conversion),
                           .first_value = first_value,
                           .value_count = field.value_count});
  }
}

std::optional<StructType> StructDecoder::local_type(PeerStructType type) const {
  const std::size_t index = struct_index(type);
  return index < types_.size() ? types_[index].local : std::nullopt;
}

std::string_view StructDecoder::name(PeerStructType type) const {
  const std::size_t index = struct_index(type);
  return index < types_.size() ? std::string_view(types_[index].schema.name) : std::string_view();
}

std::size_t StructDecoder::byte_count(PeerStructType type) const {
  const std::size_t index = struct_index(type);
  return index < types_.size() ? types_[index].byte_count : 0;
}

std::size_t StructDecoder::decode(PeerStructType peer_type, std::span<const std::byte> bytes,
                                  ByteVector& out) {
  Type& type = types_[struct_index(peer_type)];
  const ComponentDescription& description = local_[struct_index(*type.local)];
  out.assign(description.default_value.begin(), description.default_value.end());
  if (bytes.size() < type.byte_count) return 0;
  BitReader reader(bytes.first(type.byte_count));
  values_.clear();
  for (const FieldSchema& field : type.schema.fields) {
    const unsigned bits = bit_count_of(field);
    for (std::uint32_t i = 0; i < field.value_count; ++i) {
      const auto value = static_cast<std::int64_t>(static_cast<std::uint64_t>(field.low) +
                                                   read_value(reader, bits));
      if (value > field.high) return 0;
      values_.push_back(value);
    }
  }
  if (!reader.is_finished()) return 0;
  convert(peer_type, values_, out);
  return type.byte_count;
}

void StructDecoder::convert(PeerStructType peer_type, std::span<const std::int64_t> values,
                            ByteVector& out) {
  Type& type = types_[struct_index(peer_type)];
  const ComponentDescription& description = local_[struct_index(*type.local)];
  out.assign(description.default_value.begin(), description.default_value.end());
  for (Field& field : type.fields) {
    field.conversion.apply(values.subspan(field.first_value, field.value_count), out);
  }
}

}  // namespace muster
