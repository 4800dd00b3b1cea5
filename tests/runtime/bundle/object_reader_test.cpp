#include "runtime/bundle/object_reader.h"

#include <limits>

#include <catch2/catch.hpp>

#include "bundler/cook/object_writer.h"
#include "registry/yaml/reader.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/damage.h"
#include "tests/support/decoded.h"
#include "tests/support/wrong_field.h"

namespace muster {
namespace {

ByteVector sample_bytes() {
  return encode_object(yaml::read(samples::object_source()).tree()).value();
}

TEST_CASE("An object gives its documents, values and references", "[runtime][bundle][object]") {
  const ByteVector bytes = sample_bytes();
  const ObjectReader object = ObjectReader::open(bytes).value();
  REQUIRE(object.document_count() == 3);
  CHECK(object.document(0).class_id == 1);
  CHECK(object.document(0).file_id == 100);
  CHECK(object.document(0).type_name == "GameObject");
  CHECK_FALSE(object.document(0).is_stripped);
  CHECK(object.document(1).is_stripped);
  CHECK(object.document(1).type_name == "MonoBehaviour");
  CHECK(object.document(2).file_id == -7);

  const auto hero = object.document(0).root->find("GameObject");
  REQUIRE(hero.has_value());
  CHECK(hero->find("m_Name")->text() == "Hero");
  CHECK(hero->find("m_Empty")->kind() == ObjectKind::null);
  CHECK(hero->find("m_EmptyText")->text().empty());
  CHECK(hero->find("m_EmptyText")->style() == TextStyle::single_quoted);
  CHECK(hero->find("m_Number")->integer() == 3);
  CHECK(hero->find("m_Negative")->integer() == std::numeric_limits<std::int64_t>::min());
  CHECK(hero->find("m_TooLarge")->text() == "9223372036854775809");
  CHECK(hero->find("m_LeadingZero")->text() == "007");
  CHECK(hero->find("m_Real")->kind() == ObjectKind::real32);
  CHECK(hero->find("m_Real")->real() == Approx(0.70710677));
  CHECK(hero->find("m_Double")->kind() == ObjectKind::real64);
  CHECK(hero->find("m_Fixed")->text() == "1.50");
  CHECK(hero->find("m_List")->child_count() == 5);
  CHECK(hero->find("m_NoMapping")->kind() == ObjectKind::mapping);
  CHECK_FALSE(hero->find("m_Nothing").has_value());
  CHECK(hero->find("m_OtherOrder")->kind() == ObjectKind::mapping);
  CHECK(hero->find("m_UpperCase")->kind() == ObjectKind::mapping);
}

TEST_CASE("References inside an object are resolved, weak ones are guids",
          "[runtime][bundle][object]") {
  const ByteVector bytes = sample_bytes();
  const ObjectReader object = ObjectReader::open(bytes).value();
  const ObjectValue hero = object.document(0).root->find("GameObject").value();
  std::vector<std::uint32_t> documents;
  for (const ObjectChild item : hero.find("m_Component")->children()) {
    documents.push_back(item.value.find("component")->reference().document);
  }
  CHECK(documents == std::vector<std::uint32_t>{1, layout::kNone, layout::kNone});

  const ObjectReference script = hero.find("m_Script")->reference();
  CHECK(script.is_external);
  CHECK(script.guid.to_string() == "0123456789abcdef0123456789abcdef");
  CHECK(script.file_id == 11500000);
  CHECK(script.type == 3);
  CHECK(hero.find("m_Weak")->find("guid")->guid().to_string() ==
        "fedcba9876543210fedcba9876543210");
  CHECK(hero.find("m_Words")->kind() == ObjectKind::guid_words);
  CHECK(hero.find("m_Words")->guid().to_string() == "00112233445566778899aabbccddeeff");
  CHECK(hero.find("m_NoWords")->kind() == ObjectKind::mapping);

  std::vector<std::string> keys;
  for (const ObjectChild child : hero.find("m_Map")->children()) keys.emplace_back(child.key);
  CHECK(keys == std::vector<std::string>{"0", "1", "0"});
}

TEST_CASE("A truncated or lengthened object is refused", "[runtime][bundle][object]") {
  damage::each_truncation(sample_bytes(), [](const ByteVector& shorter) {
    CAPTURE(shorter.size());
    CHECK(ObjectReader::open(shorter).error().code == ErrorCode::truncated);
  });
  ByteVector longer = sample_bytes();
  longer.push_back(std::byte{0});
  CHECK(ObjectReader::open(longer).error().code == ErrorCode::malformed);
}

TEST_CASE("An object with a flipped bit is refused or is another sane object",
          "[runtime][bundle][object]") {
  damage::each_flip(sample_bytes(), [](std::size_t offset, ByteVector& damaged) {
    CAPTURE(offset);
    const Result<ObjectReader> object = ObjectReader::open(damaged);
    if (!object) return;
    const Result<ByteVector> again = samples::encode_again(object.value());
    REQUIRE(again.has_value());
    CHECK(ObjectReader::open(again.value()).has_value());
  });
}

TEST_CASE("Fields of an object with wrong values are refused", "[runtime][bundle][object]") {
  const ByteVector sane = sample_bytes();
  const auto strings = std::size_t{48 + 3 * 32};
  const std::uint32_t huge = 0xFFFFFFFFU;
  const WrongField field = GENERATE_COPY(values<WrongField>({
      {0, 0, ErrorCode::malformed, "magic"},
      {4, 2, ErrorCode::unsupported_version, "version"},
      {4, 0x00010001, ErrorCode::malformed, "flags"},
      {8, huge, ErrorCode::limit_exceeded, "document count"},
      {12, huge, ErrorCode::limit_exceeded, "string count"},
      {16, huge, ErrorCode::malformed, "text size"},
      {20, huge, ErrorCode::limit_exceeded, "guid count"},
      {24, huge, ErrorCode::limit_exceeded, "reference count"},
      {28, huge, ErrorCode::malformed, "value size"},
      {32, huge, ErrorCode::malformed, "total size"},
      {36, 1, ErrorCode::malformed, "reserved"},
      {48 + 16, 1, ErrorCode::malformed, "value offset"},
      {48 + 20, 9999, ErrorCode::malformed, "type name"},
      {48 + 24, 2, ErrorCode::malformed, "document flags"},
      {48 + 28, 1, ErrorCode::malformed, "reserved in a document"},
      {strings + 4, huge, ErrorCode::malformed, "end of a string"},
      {strings + 4, 0, ErrorCode::malformed, "two equal strings"},
  }));
  const ByteVector damaged = samples::patched(sane, field.offset, field.value);
  check_refused<ObjectReader>(damaged, field);
}

// An object of one document whose value is a sequence in a sequence, `depth` levels of them.
ByteVector nested_object(std::size_t depth) {
  ByteVector value = {std::byte{6}, std::byte{0}, std::byte{0}};
  for (std::size_t i = 1; i < depth; ++i) {
    ByteWriter outer;
    outer.u8(6);
    outer.varint(1);
    outer.varint(value.size());
    outer.bytes(value);
    value = outer.take();
  }
  ByteWriter object;
  object.bytes(as_bytes("MOBJ"));
  object.u16(1);
  object.u16(0);
  for (const std::uint32_t count : {1U, 0U, 0U, 0U, 0U}) object.u32(count);
  object.u32(static_cast<std::uint32_t>(value.size()));
  object.u32(static_cast<std::uint32_t>(48 + 32 + value.size()));
  for (int i = 0; i < 3; ++i) object.u32(0);
  object.i64(0);
  object.i64(0);
  for (const std::uint32_t field : {0U, layout::kNone, 0U, 0U}) object.u32(field);
  object.bytes(value);
  return object.take();
}

TEST_CASE("Values nested deeper than the bound are refused", "[runtime][bundle][object]") {
  const ByteVector deepest = nested_object(layout::object::kMaxDepth);
  const Result<ObjectReader> object = ObjectReader::open(deepest);
  REQUIRE(object.has_value());
  CHECK(samples::encode_again(object.value()).value() == deepest);
  CHECK(ObjectReader::open(nested_object(layout::object::kMaxDepth + 1)).error().code ==
        ErrorCode::limit_exceeded);
  CHECK(ObjectReader::open(nested_object(20000)).error().code == ErrorCode::limit_exceeded);
}

}  // namespace
}  // namespace muster
