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
constexpr std::size_t kComponents = kEntities + 5 * 32;
constexpr std::size_t kDescriptions = kComponents + 6 * 32;

ByteVector sample_bytes() { return encode_prefab(samples::prefab()).value(); }

TEST_CASE("A prefab gives back its entities, components and data", "[runtime][bundle][prefab]") {
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

TEST_CASE("A prefab with a flipped bit is refused or is another sane prefab",
          "[runtime][bundle][prefab]") {
  damage::each_flip(sample_bytes(), [](std::size_t offset, ByteVector& damaged) {
    CAPTURE(offset);
    const Result<PrefabReader> reader = PrefabReader::open(damaged);
    if (!reader) return;
    // One encoding each: what is accepted encodes to the very same bytes.
    CHECK(encode_prefab(samples::decode(reader.value())).value() == damaged);
  });
}

TEST_CASE("Fields of a prefab with wrong values are refused", "[runtime][bundle][prefab]") {
  const std::uint32_t huge = 0xFFFFFFFFU;
  const WrongField field = GENERATE_COPY(values<WrongField>({
      {0, 0, ErrorCode::malformed, "magic"},
      {4, 2, ErrorCode::unsupported_version, "version"},
      {4, 0x00010001, ErrorCode::malformed, "flags"},
      {8, 0, ErrorCode::malformed, "no entity"},
      {8, huge, ErrorCode::limit_exceeded, "entity count"},
      {12, huge, ErrorCode::limit_exceeded, "component count"},
      {16, huge, ErrorCode::limit_exceeded, "description count"},
      {16, 0, ErrorCode::malformed, "descriptions fewer than used"},
      {20, huge, ErrorCode::malformed, "text size"},
      {24, huge, ErrorCode::malformed, "data size"},
      {28, huge, ErrorCode::malformed, "total size"},
      {32, 1, ErrorCode::malformed, "reserved"},
      {kEntities + 8, 0, ErrorCode::malformed, "the root is its own parent"},
      {kEntities + 2 * 32 + 8, 3, ErrorCode::malformed, "a parent that comes later"},
      {kEntities + 4 * 32 + 8, 1, ErrorCode::malformed, "a parent that is closed already"},
      {kEntities + 12, 1, ErrorCode::malformed, "first component"},
      {kEntities + 16, huge, ErrorCode::malformed, "component count of an entity"},
      {kEntities + 20, 1, ErrorCode::malformed, "name offset"},
      {kEntities + 24, huge, ErrorCode::malformed, "name length"},
      {kEntities + 28, 2, ErrorCode::malformed, "entity flags"},
      {kComponents + 8, 2, ErrorCode::malformed, "description out of range"},
      {kComponents + 8, 0, ErrorCode::malformed, "a type beside a description"},
      {kComponents + 16, 8, ErrorCode::malformed, "data without description"},
      {kComponents + 32 + 16, 8, ErrorCode::malformed, "data offset"},
      {kComponents + 32 + 20, 8, ErrorCode::malformed, "data size of a component"},
      {kDescriptions + 24, huge, ErrorCode::malformed, "size of a description"},
      {kDescriptions + 28, 1, ErrorCode::malformed, "reserved"},
  }));
  const ByteVector damaged = samples::patched(sample_bytes(), field.offset, field.value);
  check_refused<PrefabReader>(damaged, field);
}

TEST_CASE("The prefab writer refuses what the format cannot say", "[bundler][prefab]") {
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
