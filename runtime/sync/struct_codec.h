// Encodes commands and messages, so that two versions of a game can exchange them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/replication/replication_schema.h"
#include "registry/base/result.h"
#include "registry/components/component.h"
#include "runtime/replication/field_conversion.h"
#include "runtime/sync/command_coding.h"

namespace muster {

/// A value that was outside its described range. The receiver gets the nearest end of the range.
struct ClampedStructField {
  std::string_view type;
  std::string_view field;
};

/// The maximum number of values of a struct. Without it, a short schema could make the receiver
/// allocate any amount of memory.
inline constexpr std::uint32_t kStructValuesMax = 16'384;
/// The maximum number of values of all commands together. A server keeps many commands of each
/// client.
inline constexpr std::size_t kCommandValuesMax = 1024;

/// Checks that commands and messages fit the wire. Fails with `limit_exceeded`, naming type and
/// limit.
Result<void> check_structs(std::span<const ComponentDescription> types);
/// The same for commands. Also checks that they have at most `kCommandValuesMax` values together.
Result<void> check_commands(std::span<const ComponentDescription> commands);

/// Encodes the structs of one end. A struct's type is identified by its index; the receiver knows
/// the indices from `schema`. SESSION_FORMAT.md, "Structs".
class StructEncoder {
 public:
  /// Requires: descriptions with different names that pass `check` and `check_structs` together.
  StructEncoder(std::vector<ComponentDescription> commands,
                const std::vector<ComponentDescription>& messages);

  /// The types of the commands, and then of the messages.
  std::span<const ComponentDescription> types() const { return types_; }
  std::size_t command_count() const { return command_count_; }
  /// The lanes of this end's commands, all types one after another.
  std::vector<CommandLane> command_lanes() const;
  /// The index of a type. Nothing if the name is unknown, or if the type does not have this size: a
  /// value of another size could be read past its end.
  std::optional<std::uint16_t> find(std::string_view name, std::size_t bytes) const;
  /// The bytes from which the other end makes its `StructDecoder`.
  std::span<const std::byte> schema() const { return schema_; }

  /// Appends the fields of a struct to `out`. Returns the first field that was clamped, if any.
  /// Requires: an index of `types()`, and a value of that type's size.
  std::optional<ClampedStructField> encode(std::uint16_t type, Bytes value,
                                           std::vector<std::byte>& out);

 private:
  std::vector<ComponentDescription> types_;
  std::size_t command_count_ = 0;
  std::vector<ComponentSchema> schemas_;
  std::vector<std::byte> schema_;
  std::vector<std::int64_t> values_;
};

/// Decodes the structs of the other end into structs of this end. Types and fields are matched by
/// name, like components. A field that the other end does not have gets its default value.
class StructDecoder {
 public:
  /// `types` are this end's, and must outlive the decoder. Fails with `malformed`.
  static Result<StructDecoder> make(std::span<const ComponentDescription> types,
                                    std::span<const std::byte> schema);

  /// Whether this index of the other end is a command. Commands have the lowest indices.
  bool is_command(std::uint16_t sent) const { return sent < command_count_; }
  /// Converts the index of a type from the other end to this end. Nothing if this end has no type
  /// of that name, or the other end has no such index.
  std::optional<std::uint16_t> local_type(std::uint16_t sent) const;
  /// The name of a type of the other end; empty for an index that it does not have.
  std::string_view name(std::uint16_t sent) const;

  /// Decodes a struct into `out`, which becomes a value of the local type. Returns how many bytes
  /// of `bytes` were read; 0 if they are malformed. Requires: `local_type(sent)` is known.
  std::size_t decode(std::uint16_t sent, std::span<const std::byte> bytes, ByteVector& out);
  /// The lanes of the other end's commands, all types one after another.
  std::span<const CommandLane> command_lanes() const { return command_lanes_; }
  /// The number of values of a struct of the other end; 0 for an index that it does not have.
  std::size_t value_count(std::uint16_t sent) const {
    return sent < types_.size() ? types_[sent].value_count : 0;
  }
  /// Converts a struct's values into `out`, which becomes a value of the local type. Requires:
  /// `local_type(sent)` is known, and `value_count(sent)` values within their ranges.
  void convert(std::uint16_t sent, std::span<const std::int64_t> values, ByteVector& out);
  /// The encoded size of a struct of the other end, which is the same for all values. 0 for an
  /// index that it does not have.
  std::size_t byte_count(std::uint16_t sent) const;

  /// Fields and types that only the other end has, or that do not convert: one line each.
  std::span<const std::string> notes() const { return notes_; }

 private:
  struct Field {
    FieldConversion conversion;
    std::uint32_t first_value = 0;
    std::uint32_t value_count = 0;
  };
  struct Type {
    ComponentSchema schema;
    std::optional<std::uint16_t> local;
    std::size_t byte_count = 0;
    std::size_t value_count = 0;
    std::vector<Field> fields;
  };
  StructDecoder() = default;
  void match(Type& type, std::span<const ComponentDescription> types);

  std::span<const ComponentDescription> local_;
  std::size_t command_count_ = 0;
  std::vector<Type> types_;
  std::vector<CommandLane> command_lanes_;
  std::vector<std::string> notes_;
  std::vector<std::int64_t> values_;
};

}  // namespace muster
