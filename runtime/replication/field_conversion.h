// Between two versions of a field: what a server sends, and what this end has.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "net/snapshot/schema.h"
#include "registry/components/component.h"

namespace muster {

/// How the values of a field that travelled become those of a field here.
///
/// Equal schemas: as `dequantise` does. Else the value that was meant is worked out from the
/// server's type, minimum and resolution, and put into the field here: numbers become numbers
/// (rounded, and brought into the range that this end has), texts are cut where they end here; of
/// arrays as many elements as both have; of an enumeration the numbers that this end has names for.
/// All else has nothing in common, and does not convert: also ticks and what are none, angles whose
/// whole turns differ (degrees, radians), an enumeration whose numbers have other names here.
class FieldConversion {
 public:
  /// Nothing when the field cannot become that one; `why` says so, for a log. `sent` comes from the
  /// network. `field` must outlive this.
  static std::optional<FieldConversion> make(const FieldSchema& sent, const FieldDescription& field,
                                             std::string& why);

  /// Puts values into a component. Requires: as many as `sent` had.
  void apply(std::span<const std::int64_t> values, std::span<std::byte> component);
  /// The values of a component as the server has them; false when the field is another version.
  bool reverse(Bytes component, std::span<std::int64_t> values) const;

  bool is_straight() const { return is_straight_; }
  const FieldDescription& field() const { return *field_; }

 private:
  explicit FieldConversion(const FieldDescription& field) : field_(&field) {}
  void convert_texts(std::span<std::byte> component) const;
  void convert_numbers(std::span<std::byte> component) const;

  const FieldDescription* field_;
  bool is_straight_ = true;
  FieldDescription sent_;  ///< The server's field, as far as it is known; lies at 0.
  ByteVector value_;       ///< What was meant, in the server's type.
};

}  // namespace muster
