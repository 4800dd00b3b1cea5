#include "registry/components/describe.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace muster::describe_detail {
namespace {

void append(const FieldSpec& spec, std::vector<FieldDescription>& fields) {
  const FieldTraits& traits = spec.traits;
  if (spec.inner == nullptr) {
    fields.push_back({.name = std::string(spec.name),
                      .type = spec.type,
                      .offset_bytes = spec.offset_bytes(),
                      .count = spec.count,
                      .element_bytes = spec.element_bytes,
                      .unit = std::string(traits.unit),
                      .minimum = traits.minimum,
                      .maximum = traits.maximum,
                      .resolution = traits.resolution,
                      .tolerance = traits.tolerance,
                      .receivers = traits.receivers,
                      .interpolation = traits.interpolation,
                      .rollback = traits.rollback,
                      .sampled = traits.sampled,
                      .when_missing = traits.when_missing,
                      .names = {traits.names.begin(), traits.names.end()}});
    return;
  }
  const std::vector<FieldDescription> inner = spec.inner();
  for (std::uint32_t i = 0; i < spec.count; ++i) {
    std::string prefix(spec.name);
    if (spec.is_array) prefix += "[" + std::to_string(i) + "]";
    for (FieldDescription field : inner) {
      field.name = prefix + "." + field.name;
      field.offset_bytes += spec.offset_bytes() + i * spec.element_bytes;
      // If the struct has restricted receivers, all its fields have the same receivers.
      if (traits.receivers != Receivers::everyone) field.receivers = traits.receivers;
      if (traits.rollback != RollbackClass::reconcilable) field.rollback = traits.rollback;
      fields.push_back(std::move(field));
    }
  }
}

}  // namespace

std::vector<FieldDescription> flatten(std::span<const FieldSpec> specs) {
  std::vector<FieldDescription> fields;
  for (const FieldSpec& spec : specs) append(spec, fields);
  return fields;
}

void finish(ComponentDescription& component) {
  std::ranges::sort(component.fields, {}, &FieldDescription::offset_bytes);
  // Padding contains arbitrary bytes, so only the bytes of fields are copied.
  ByteVector clean(component.size_bytes);
  for (const ByteRange& range : described_ranges(component)) {
    std::copy(component.default_value.begin() + range.begin,
              component.default_value.begin() + range.end, clean.begin() + range.begin);
  }
  component.default_value = std::move(clean);
  if (const Result<void> checked = check(component); !checked) {
    std::fprintf(stderr, "%s\n", checked.error().message.c_str());
    std::abort();
  }
}

}  // namespace muster::describe_detail
