// Converts a field between two versions: the server's and this end's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "net/snapshot/schema.h"
#include "registry/components/component.h"

namespace muster {

/// Converts the received values of a field to the field here.
///
/// With equal schemas this is `dequantise`. Otherwise the value is decoded with the server's type,
/// minimum and resolution, and then converted:
///
/// - numbers are rounded and clamped to the range here;
/// - texts are cut to the length here;
/// - if arrays have different lengths, only the elements that both have are used;
/// - a number of an enumeration is used only if it has a name here.
///
/// All other differences cannot be converted. Examples are a tick and another number, angles with
/// different full turns (degrees, radians), and enumerations whose numbers have other names.
class FieldConversion {
 public:
  /// Returns nothing if the field cannot be converted; `why` gets the reason, for a log. `sent`
  /// comes from the network. `field` must outlive this object.
  static std::optional<FieldConversion> make(const FieldSchema& sent, const FieldDescription& field,
                                             std::string& why);

  /// Writes values into a component. Requires: as many values as `sent` has.
  void apply(std::span<const std::int64_t> values, std::span<std::byte> component);
  /// Writes the values of a component as the server has them. Returns false if the field has
  /// another version.
  bool reverse(Bytes component, std::span<std::int64_t> values) const;

  bool is_straight() const { return is_straight_; }
  const FieldDescription& field() const { return *field_; }

 private:
  explicit FieldConversion(const FieldDescription& field) : field_(&field) {}
  void convert_texts(std::span<std::byte> component) const;
  void convert_numbers(std::span<std::byte> component) const;

  const FieldDescription* field_;
  bool is_straight_ = true;
  FieldDescription sent_;  ///< The server's field, as far as known, at offset 0.
  ByteVector value_;       ///< The decoded value in the server's type.
};

}  // namespace muster
