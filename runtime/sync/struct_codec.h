// Described structs as bytes of a message: commands and messages between two versions of a game.
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

/// A value that lay outside its described range; the receiver has the nearest end of the range.
struct ClampedStructField {
  std::string_view type;
  std::string_view field;
};

/// Values of a struct, at most: a short schema could ask for any memory else.
inline constexpr std::uint32_t kStructValuesMax = 16'384;
/// Values of all commands together: a server keeps many of each client's.
inline constexpr std::size_t kCommandValuesMax = 1024;

/// Checks that commands and messages fit the wire. Fails with `limit_exceeded`, naming type and
/// limit.
Result<void> check_structs(std::span<const ComponentDescription> types);
/// The same for commands, which may not have more than `kCommandValuesMax` values together.
Result<void> check_commands(std::span<const ComponentDescription> commands);

/// Encodes the structs of one end. A struct is identified by its index; the receiver knows the
/// indices from `schema`. SESSION_FORMAT.md, "Structs".
class StructEncoder {
 public:
  /// Requires: descriptions with different names that pass `check` and `check_structs` together.
  StructEncoder(std::vector<ComponentDescription> commands,
                const std::vector<ComponentDescription>& messages);

  /// The commands, and then the messages.
  std::span<const ComponentDescription> types() const { return types_; }
  std::size_t command_count() const { return command_count_; }
  /// How this end's commands are coded, all one after another.
  std::vector<CommandLane> command_lanes() const;
  /// Nothing for a type of another size, too: its values would be read past their end.
  std::optional<std::uint16_t> find(std::string_view name, std::size_t bytes) const;
  /// The bytes that a `StructDecoder` of the other end is made from.
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

/// Decodes the structs of the other end into those of this one. Types and fields are matched by
/// name, as those of components are; a field that the other end does not have keeps its default.
class StructDecoder {
 public:
  /// `types` are this end's, and must outlive the decoder. Fails with `malformed`.
  static Result<StructDecoder> make(std::span<const ComponentDescription> types,
                                    std::span<const std::byte> schema);

  /// Whether the other end has a command of this index; its commands come first.
  bool is_command(std::uint16_t sent) const { return sent < command_count_; }
  /// The index in this end's types of a type of the other end; nothing when this end has none of
  /// that name, or the other end has no such index.
  std::optional<std::uint16_t> local_type(std::uint16_t sent) const;
  /// The other end's name of a type; empty for an index that it does not have.
  std::string_view name(std::uint16_t sent) const;

  /// Puts a struct into `out`, which becomes a value of the local type. Returns how many bytes of
  /// `bytes` it took; 0 when they are malformed. Requires: `local_type(sent)` is known.
  std::size_t decode(std::uint16_t sent, std::span<const std::byte> bytes, ByteVector& out);
  /// How the other end's commands are coded, all one after another.
  std::span<const CommandLane> command_lanes() const { return command_lanes_; }
  /// Values of a struct of the other end; 0 for an index that it does not have.
  std::size_t value_count(std::uint16_t sent) const {
    return sent < types_.size() ? types_[sent].value_count : 0;
  }
  /// Puts a struct's values into `out`, which becomes a value of the local type. Requires:
  /// `local_type(sent)` is known, and `value_count(sent)` values within their ranges.
  void convert(std::uint16_t sent, std::span<const std::int64_t> values, ByteVector& out);
  /// Bytes of a struct of the other end; all have the same. 0 for an index that it does not have.
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
