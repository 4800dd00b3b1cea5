// An untrusted object is refused, or converted to a tree. The tree converts to an object with the
// same values.
#include <cassert>

#include "bundler/cook/object_to_tree.h"
#include "tests/support/decoded.h"

namespace muster {
namespace {

void check_references(const ObjectReader& object, const ObjectValue& value) {
  if (value.kind() == ObjectKind::reference) {
    const ObjectReference reference = value.reference();
    assert(reference.document == layout::kNone ||
           object.document(reference.document).file_id == reference.file_id);
  }
  std::uint32_t count = 0;
  for (const ObjectChild child : value.children()) {
    check_references(object, child.value);
    ++count;
  }
  assert(count == value.child_count());
}

}  // namespace
}  // namespace muster

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  const Result<ObjectReader> object = ObjectReader::open(std::as_bytes(std::span(data, size)));
  if (!object) return 0;
  for (std::uint32_t i = 0; i < object.value().document_count(); ++i) {
    if (const auto root = object.value().document(i).root) check_references(object.value(), *root);
  }
  const yaml::Tree tree = object_to_tree(object.value());
  const ByteVector canonical = samples::encode_again(object.value()).value();
  const ObjectReader second = ObjectReader::open(canonical).value();
  assert(!samples::difference(tree, object_to_tree(second)).has_value());
  assert(samples::encode_again(second).value() == canonical);
  return 0;
}
