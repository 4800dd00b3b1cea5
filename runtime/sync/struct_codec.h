// Encodes and decodes commands and messages. Different versions of a game can exchange commands and
// messages.
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
#include "runtime/sync/clamped_struct_field.h"
#include "runtime/sync/command_coding.h"
#include "runtime/sync/struct_type.h"

namespace muster {

/// The maximum number of values in a struct. Without this limit, a short schema could make the
/// receiver allocate any amount of memory.
inline constexpr std::uint32_t kStructValuesMax = 16'384;
/// The maximum total number of values in all commands. A server keeps many commands of each client.
inline constexpr std::size_t kCommandValuesMax = 1024;

/// Checks that commands and messages are within the limits of the wire. Fails with
/// `limit_exceeded`; the message names the type and the limit.
Result<void> check_structs(std::span<const ComponentDescription> types);
/// Checks commands as `check_structs` does. Also checks that all commands together have at most
/// `kCommandValuesMax` values.
Result<void> check_commands(std::span<const ComponentDescription> commands);

/// Encodes the structs of a server or client. The receiver gets the types of
/// structs from `schema`. The bytes are described in SESSION_FORMAT.md,
/// "Structs".
class StructEncoder {
 public:
  /// Requires: descriptions with different names that all pass `check` and `check_structs`.
  StructEncoder(std::vector<ComponentDescription> commands,
                const std::vector<ComponentDescription>& messages);

  /// The types of the commands, followed by the types of the messages.
  std::span<const ComponentDescription> types() const { return types_; }
  /// Returns true for the type of a command. Returns false for the type of a message, and for a
  /// type that is not in `types()`.
  bool is_command(StructType type) const { return struct_index(type) < command_count_; }
  /// The lanes of all command types, in the order of the types.
  std::vector<CommandLane> command_lanes() const;
  /// Returns the type with this name. Returns nothing if the name is unknown, or if the type's size
  /// is not `bytes`.
  std::optional<StructType> find(std::string_view name, std::size_t bytes) const;
  /// The bytes from which the peer makes its `StructDecoder`.
  std::span<const std::byte> schema() const { return schema_; }

  /// Appends the fields of a struct to `out`. Returns the first field that was clamped, if any.
  /// Requires: a type of `types()`, and a value of that type's size.
  std::optional<ClampedStructField> encode(StructType type, Bytes value,
                                           std::vector<std::byte>& out);
  /// Replaces `out` with a message: the type in 2 bytes, and the fields. Otherwise does the same as
  /// `encode`.
  std::optional<ClampedStructField> encode_message(StructType type, Bytes value,
                                                   std::vector<std::byte>& out);

 private:
  std::vector<ComponentDescription> types_;
  std::size_t command_count_ = 0;
  std::vector<ComponentSchema> schemas_;
  std::vector<std::byte> schema_;
  std::vector<std::int64_t> values_;
};

/// Decodes the structs of the peer into local structs. Types and fields are matched by name. A
/// field that the peer does not have gets its default value.
class StructDecoder {
 public:
  /// `types` are the local types, and must outlive the decoder. `schema` is the peer's
  /// `StructEncoder::schema`. Fails with `malformed` if `schema` is not valid.
  static Result<StructDecoder> make(std::span<const ComponentDescription> types,
                                    std::span<const std::byte> schema);

  /// Returns true for the type of a command. Returns false for the type of a message, and for a
  /// type that the peer does not have.
  bool is_command(PeerStructType type) const { return struct_index(type) < command_count_; }
  /// Returns the local type with the name of the peer's type. Returns nothing if there is no such
  /// local type, or if the peer does not have `type`.
  std::optional<StructType> local_type(PeerStructType type) const;
  /// The name of a type of the peer; empty if the peer does not have `type`.
  std::string_view name(PeerStructType type) const;

  /// Decodes a struct into `out`, which becomes a value of the local type. Returns the number of
  /// bytes that were read, or 0 if the bytes are malformed. Requires: `local_type(type)` is known.
  std::size_t decode(PeerStructType type, std::span<const std::byte> bytes, ByteVector& out);
  /// The lanes of the peer's command types, in the order of the types.
  std::span<const CommandLane> command_lanes() const { return command_lanes_; }
  /// The number of values in a struct of the peer; 0 if the peer does not have `type`.
  std::size_t value_count(PeerStructType type) const {
    const std::size_t index = struct_index(type);
    return index < types_.size() ? types_[index].value_count : 0;
  }
  /// Converts a struct's values into `out`, which becomes a value of the local type. Requires:
  /// `local_type(type)` is known, and `value_count(type)` values within their ranges.
  void convert(PeerStructType type, std::span<const std::int64_t> values, ByteVector& out);
  /// The encoded size of a struct of the peer, in bytes; 0 if the peer does not have `type`. All
  /// values of a type have the same size.
  std::size_t byte_count(PeerStructType type) const;

  /// The types and fields that only the peer has or that cannot be converted, one line each.
  std::span<const std::string> notes() const { return notes_; }

 private:
  struct Field {
    FieldConversion conversion;
    std::uint32_t first_value = 0;
    std::uint32_t value_count = 0;
  };
  struct Type {
    ComponentSchema schema;
    std::optional<StructType> local;
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
