// An object from nowhere: refused, or one that turns into a tree, and that tree into an object that
// says the same.
#include <cassert>

#include "bundler/cook/object_to_tree.h"
#include "tests/support/decoded.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  const Result<ObjectReader> object = ObjectReader::open(std::as_bytes(std::span(data, size)));
  if (!object) return 0;
  for (std::uint32_t i = 0; i < object.value().reference_count(); ++i) {
    const ObjectReference reference = object.value().reference(i);
    assert(reference.document == layout::kNone ||
           object.value().document(reference.document).file_id == reference.file_id);
  }
  const yaml::Tree tree = object_to_tree(object.value());
  const ByteVector canonical = samples::encode_again(object.value()).value();
  const ObjectReader second = ObjectReader::open(canonical).value();
  assert(!samples::difference(tree, object_to_tree(second)).has_value());
  assert(samples::encode_again(second).value() == canonical);
  return 0;
}
