#include "runtime/bundle/prefab_reader.h"

#include <catch2/catch.hpp>

#include "bundler/cook/prefab_writer.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/damage.h"
#include "tests/support/decoded.h"
#include "tests/support/wrong_field.h"

namespace muster {
namespace {

constexpr std::size_t kEntities = layout::prefab::header::kBytes;
// Five entities, six components, four types; two types have descriptions.
constexpr std::size_t kParents = kEntities + 5 * 8 + 2 * 16;
constexpr std::size_t kComponentEnds = kParents + 5 * 4;
constexpr std::size_t kTextEnds = kComponentEnds + 5 * 4;
constexpr std::size_t kTypes = kTextEnds + 9 * 4;
constexpr std::size_t kDocuments = kTypes + 6 * 4;
constexpr std::size_t kDataEnds = kDocuments + 6 * 4;
constexpr std::size_t kDataSizes = kDataEnds + 6 * 4;
constexpr std::size_t kFlags = kDataSizes + 2 * 4;

ByteVector sample_bytes() { return encode_prefab(samples::prefab()).value(); }

TEST_CASE("A prefab returns its entities, components and data", "[runtime][bundle][prefab]") {
  const ByteVector bytes = sample_bytes();
  const PrefabReader reader = PrefabReader::open(bytes).value();
  CHECK(reader.entity_count() == 5);
  CHECK(reader.entity(0).parent == layout::kNone);
  CHECK(reader.entity(2).name == "Hand");
  CHECK(reader.entity(2).source_id == -300);
  CHECK_FALSE(reader.entity(2).is_active);
  CHECK(reader.component(0).type == "Transform");
  CHECK(reader.component(0).data.empty());
  CHECK(reader.component(1).type == "Health");
  CHECK(reader.component(1).document == 2);
  CHECK(reader.description_count() == 2);
  CHECK(reader.description(0).name == "Health");
  const std::vector<ComponentDescription> known = samples::components();
  CHECK(reader.description(0).hash == known[1].hash());
  CHECK(std::ranges::equal(reader.component(1).data, known[1].default_value));
  CHECK((reader.component(3).data.data() - bytes.data()) % 8 == 0);
  CHECK(encode_prefab(samples::decode(reader)).value() == bytes);
}

TEST_CASE("A truncated or lengthened prefab is refused", "[runtime][bundle][prefab]") {
  damage::each_truncation(sample_bytes(), [](const ByteVector& shorter) {
    CAPTURE(shorter.size());
    CHECK(PrefabReader::open(shorter).error().code == ErrorCode::truncated);
  });
  ByteVector longer = sample_bytes();
  longer.push_back(std::byte{0});
  CHECK(PrefabReader::open(longer).error().code == ErrorCode::malformed);
}

TEST_CASE("A prefab with a flipped bit is refused or is another valid prefab",
          "[runtime][bundle][prefab]") {
  damage::each_flip(sample_bytes(), [](std::size_t offset, ByteVector& damaged) {
    CAPTURE(offset);
    const Result<PrefabReader> reader = PrefabReader::open(damaged);
    if (!reader) return;
    // Each prefab has one encoding, so an accepted prefab encodes to the same bytes.
    CHECK(encode_prefab(samples::decode(reader.value())).value() == damaged);
  });
}

TEST_CASE("Fields of a prefab with invalid values are refused", "[runtime][bundle][prefab]") {
  const std::uint32_t huge = 0xFFFFFFFFU;
  const WrongField field = GENERATE_COPY(values<WrongField>({
      {0, 0, ErrorCode::malformed, "magic"},
      {4, 1, ErrorCode::unsupported_version, "the version before"},
      {4, 3, ErrorCode::unsupported_version, "a later version"},
      {4, 0x00010002, ErrorCode::malformed, "flags"},
      {8, 0, ErrorCode::malformed, "no entity"},
      {8, huge, ErrorCode::limit_exceeded, "entity count"},
      {12, huge, ErrorCode::limit_exceeded, "component count"},
      {12, 5, ErrorCode::malformed, "fewer components"},
      {16, huge, ErrorCode::limit_exceeded, "type count"},
      {16, 1, ErrorCode::malformed, "fewer types than descriptions"},
      {20, 0, ErrorCode::malformed, "fewer descriptions"},
      {20, 5, ErrorCode::malformed, "more descriptions than types"},
      {24, huge, ErrorCode::malformed, "text size"},
      {28, huge, ErrorCode::malformed, "data size"},
      {32, huge, ErrorCode::malformed, "total size"},
      {36, 1, ErrorCode::malformed, "reserved"},
      {kParents, 1, ErrorCode::malformed, "the root has a parent"},
      {kParents + 4, huge, ErrorCode::malformed, "a parent that comes later"},
      {kParents + 4 * 4, 3, ErrorCode::malformed, "a parent that is already closed"},
      {kComponentEnds, 4, ErrorCode::malformed, "decreasing ends of components"},
      {kComponentEnds + 4 * 4, 7, ErrorCode::malformed, "more components than there are"},
      {kComponentEnds + 4 * 4, 5, ErrorCode::malformed, "components without an entity"},
      {kTextEnds, huge, ErrorCode::malformed, "end of a name"},
      {kTextEnds + 4, 3, ErrorCode::malformed, "decreasing ends of names"},
      {kTextEnds + 8 * 4, 40, ErrorCode::malformed, "text after the last name"},
      {kTypes, 4, ErrorCode::malformed, "type out of range"},
      {kTypes + 5 * 4, 3, ErrorCode::malformed, "an unused type"},
      {kDataEnds, 8, ErrorCode::malformed, "data without description"},
      {kDataEnds + 4, 0, ErrorCode::malformed, "a description without data"},
      {kDataSizes, huge, ErrorCode::limit_exceeded, "size of a description"},
      {kDataSizes, 1, ErrorCode::malformed, "another size of a description"},
      {kFlags, 2, ErrorCode::malformed, "entity flags"},
  }));
  const ByteVector damaged = samples::patched(sample_bytes(), field.offset, field.value);
  check_refused<PrefabReader>(damaged, field);
}

TEST_CASE("A prefab without described components has no data section",
          "[runtime][bundle][prefab]") {
  const auto named = [](std::string type) {
    return PrefabComponent{.type = std::move(type), .document = {}, .cooked = {}};
  };
  PrefabData data;
  data.entities = {{"Root", 1, std::nullopt, true, {named("B"), named("A"), named("B")}}};
  const ByteVector bytes = encode_prefab(data).value();
  const PrefabReader reader = PrefabReader::open(bytes).value();
  CHECK(reader.description_count() == 0);
  CHECK(reader.component(0).type == "B");
  CHECK(reader.component(1).type == "A");
  CHECK(reader.component(2).type == "B");
  CHECK(reader.component(2).description == layout::kNone);
  CHECK(reader.component(2).data.empty());
  // The header; for each entity an id and four numbers; for each type an end; for each component
  // two numbers.
  CHECK(bytes.size() == 40 + 8 + 3 * 4 + 2 * 4 + 3 * 2 * 4 + 1 + 6 + 5);
}

TEST_CASE("The prefab writer refuses values that the format cannot represent",
          "[bundler][prefab]") {
  PrefabData empty;
  CHECK(encode_prefab(empty).error().code == ErrorCode::limit_exceeded);
  PrefabData unordered = samples::prefab();
  unordered.entities[4].parent = 2;
  CHECK(encode_prefab(unordered).error().code == ErrorCode::invalid_argument);
  PrefabData two_layouts = samples::prefab();
  two_layouts.entities[2].components[1].cooked->data.push_back(std::byte{0});
  CHECK(encode_prefab(two_layouts).error().code == ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace muster
