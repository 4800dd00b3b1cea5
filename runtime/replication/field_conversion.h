// Converts a field between the server's version and this client's version.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "net/snapshot/schema.h"
#include "registry/components/component.h"

namespace muster {

/// Converts the received values of a field to the local version of the field.
///
/// If both versions are equal, the conversion is `dequantise`. Otherwise the value is decoded with
/// the server's type, minimum and resolution, and then converted:
///
/// - numbers are rounded and clamped to the range of the local field;
/// - texts are cut to the length of the local field;
/// - if arrays have different lengths, only the elements that both versions have are used;
/// - a number of an enumeration is used only if the local enumeration has a name for it.
///
/// Fields with any other difference cannot be converted. For example, a tick is not converted to
/// another number, an angle in degrees is not converted to radians, and an enumeration is not
/// converted to an enumeration that has different names for the same numbers.
class FieldConversion {
 public:
  /// Returns no value if the field cannot be converted, and stores the reason in `why`, for a log.
  /// `sent` comes from the network. `field` must outlive the result.
  static std::optional<FieldConversion> make(const FieldSchema& sent, const FieldDescription& field,
                                             std::string& why);

  /// Converts values and writes them into a component. Requires: `values` has the value count of
  /// `sent`.
  void apply(std::span<const std::int64_t> values, std::span<std::byte> component);
  /// Converts a field of a component to the values of the server. Returns false if the two versions
  /// of the field differ.
  bool reverse(Bytes component, std::span<std::int64_t> values) const;

  bool is_straight() const { return is_straight_; }
  const FieldDescription& field() const { return *field_; }

 private:
  explicit FieldConversion(const FieldDescription& field) : field_(&field) {}
  void convert_texts(std::span<std::byte> component) const;
  void convert_numbers(std::span<std::byte> component) const;

  const FieldDescription* field_;
  bool is_straight_ = true;
  FieldDescription sent_;  ///< The server's version of the field, at offset 0.
  ByteVector value_;       ///< The memory for a value of the server's type.
};

}  // namespace muster
