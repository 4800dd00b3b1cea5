#include "runtime/bundle/object_reader.h"

#include <limits>
#include <string>

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

TEST_CASE("An object returns its documents, values and references", "[runtime][bundle][object]") {
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

TEST_CASE("References inside an object are resolved, and weak references are guids",
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

TEST_CASE("An object with a flipped bit is refused or is another valid object",
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

TEST_CASE("Invalid values in the fields of an object are refused", "[runtime][bundle][object]") {
  const ByteVector sane = sample_bytes();
  const auto sizes = std::size_t{16 + 3 * 8};
  const auto first = sizes + std::size_t{3 * 4};
  const std::uint32_t huge = 0xFFFFFFFFU;
  const WrongField field = GENERATE_COPY(values<WrongField>({
      {0, 0, ErrorCode::malformed, "magic"},
      {4, 1, ErrorCode::unsupported_version, "the version before"},
      {4, 3, ErrorCode::unsupported_version, "a later version"},
      {4, 0x00010002, ErrorCode::malformed, "flags"},
      {8, huge, ErrorCode::limit_exceeded, "document count"},
      {8, 1U << 22U, ErrorCode::malformed, "more documents than bytes"},
      {8, 2, ErrorCode::malformed, "fewer documents"},
      {12, huge, ErrorCode::truncated, "total size"},
      {12, 1, ErrorCode::malformed, "a total size that is too small"},
      {sizes, huge, ErrorCode::malformed, "size of a document"},
      {sizes, 0, ErrorCode::malformed, "a document without a head"},
      {sizes + 4, 3, ErrorCode::malformed, "a document that ends within its value"},
      {first, 0x01010202, ErrorCode::malformed, "document flags"},
      {first, 0x05020002, ErrorCode::malformed, "an empty type name"},
      {first, 0x00010002, ErrorCode::malformed, "a first key without a mapping"},
      {first, 0x1A010002, ErrorCode::malformed, "an unknown tag"},
  }));
  const ByteVector damaged = samples::patched(sane, field.offset, field.value);
  check_refused<ObjectReader>(damaged, field);
}

ByteVector text_object(std::string_view text) {
  return encode_object(yaml::read(text).tree()).value();
}

TEST_CASE("Each of many documents is found", "[runtime][bundle][object]") {
  std::string text = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n";
  for (int i = 0; i < 50; ++i) {
    text += "--- !u!" + std::to_string(i * 7) + " &" + std::to_string(i + 100) +
            "\nThing:\n  name: '" + std::string(static_cast<std::size_t>(i * 9), 'x') +
            "'\n  next: {fileID: " + std::to_string((i + 1) % 50 + 100) + "}\n";
  }
  const ByteVector bytes = text_object(text);
  const ObjectReader object = ObjectReader::open(bytes).value();
  REQUIRE(object.document_count() == 50);
  for (std::uint32_t i = 50; i-- > 0;) {
    const ObjectDocument document = object.document(i);
    CHECK(document.class_id == i * 7);
    CHECK(document.file_id == i + 100);
    CHECK(document.root->find("Thing")->find("name")->text().size() == std::size_t{i} * 9);
    const ObjectReference next = document.root->find("Thing")->find("next")->reference();
    CHECK(next.document == (i + 1) % 50);
    CHECK(next.file_id == (i + 1) % 50 + 100);
  }
  const std::size_t marks = 16 + std::size_t{50 * 12};
  for (std::size_t mark = 0; mark < 3; ++mark) {
    check_refused<ObjectReader>(samples::patched(bytes, marks + mark * 4, 0),
                                {marks + mark * 4, 0, ErrorCode::malformed, "mark"});
  }
}

TEST_CASE("Long values are skipped, at any position", "[runtime][bundle][object]") {
  const std::string long_text(300, 'x');
  const std::string list = "[" + long_text + ", {a: " + long_text + ", b: [" + long_text + "]}]";
  const ByteVector bytes = text_object("first: " + list + "\nshort: {a: {b: [1, [2]]}, c: [3]}\n" +
                                       "second: {in: " + list + "}\nlast: 7\n");
  const ObjectReader object = ObjectReader::open(bytes).value();
  const ObjectValue root = object.document(0).root.value();
  CHECK(root.child_count() == 4);
  CHECK(root.find("last")->integer() == 7);
  CHECK(root.find("short")->find("c")->child_count() == 1);
  std::size_t texts = 0;
  const ObjectValue inner = root.find("second")->find("in").value();
  for (const ObjectChild child : inner.children()) {
    const ObjectValue value = child.value.kind() == ObjectKind::mapping
                                  ? (*child.value.find("b")->children().begin()).value
                                  : child.value;
    texts += value.text().size();
  }
  CHECK(texts == 600);
}

// Returns a document with one sequence of two values. `first` contains the bytes of the first
// value.
ByteVector two_values(const ByteVector& first) {
  ByteWriter document;
  for (const unsigned byte : {0U, 0U, 0U, 6U, 2U}) document.u8(static_cast<std::uint8_t>(byte));
  document.bytes(first);
  document.u8(0);
  ByteWriter object;
  object.bytes(as_bytes("MOBJ"));
  object.u16(2);
  object.u16(0);
  object.u32(1);
  object.u32(static_cast<std::uint32_t>(16 + 12 + document.size()));
  object.i64(0);
  object.u32(static_cast<std::uint32_t>(document.size()));
  object.bytes(document.view());
  return object.release();
}

// A sequence of nulls.
ByteVector nulls(std::uint8_t tag, std::size_t count, std::optional<std::size_t> stated_bytes) {
  ByteWriter value;
  value.u8(tag);
  value.varint(count);
  if (stated_bytes) value.varint(*stated_bytes);
  for (std::size_t i = 0; i < count; ++i) value.u8(0);
  return value.release();
}

TEST_CASE("A size precedes only long content", "[runtime][bundle][object]") {
  const std::uint8_t sized = 0x16;
  CHECK(ObjectReader::open(two_values(nulls(6, 255, {}))).has_value());
  CHECK(ObjectReader::open(two_values(nulls(sized, 256, 256))).has_value());
  CHECK_FALSE(ObjectReader::open(two_values(nulls(6, 256, {}))).has_value());
  CHECK_FALSE(ObjectReader::open(two_values(nulls(sized, 255, 255))).has_value());
  CHECK_FALSE(ObjectReader::open(two_values(nulls(sized, 256, 257))).has_value());
  CHECK_FALSE(ObjectReader::open(two_values(nulls(sized, 256, 255))).has_value());
}

TEST_CASE("A reference refers to a document of its file", "[runtime][bundle][object]") {
  const auto with_offset = [](std::uint8_t offset) {
    return ObjectReader::open(two_values({std::byte{0x17}, std::byte{offset}}));
  };
  CHECK(with_offset(0).has_value());
  CHECK_FALSE(with_offset(1).has_value());  // The previous document.
  CHECK_FALSE(with_offset(2).has_value());  // The next document.
}

TEST_CASE("Equal components have equal bytes at any position", "[runtime][bundle][object]") {
  const std::string head = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n";
  const auto component = [](int own, int script) {
    return "--- !u!114 &" + std::to_string(own) +
           "\nMonoBehaviour:\n  m_GameObject: {fileID: " + std::to_string(own - 1) +
           "}\n  m_Script: {fileID: 11500000, guid: 0123456789abcdef0123456789abcdef, type: 3}\n" +
           "  speed: 1.5\n  name: walker\n  next: {fileID: " + std::to_string(script) + "}\n";
  };
  const auto thing = [](int own) {
    return "--- !u!1 &" + std::to_string(own) + "\nGameObject:\n  a: " + std::to_string(own) + "\n";
  };
  const auto document_of = [](const ByteVector& bytes, std::uint32_t index) {
    const std::uint32_t count = ObjectReader::open(bytes).value().document_count();
    ByteReader sizes(Bytes(bytes).subspan(16 + std::size_t{count} * 8));
    std::size_t start = 16 + std::size_t{count} * 12;
    for (std::uint32_t i = 0; i < index; ++i) start += sizes.u32();
    return ByteVector(bytes.begin() + static_cast<std::ptrdiff_t>(start),
                      bytes.begin() + static_cast<std::ptrdiff_t>(start + sizes.u32()));
  };
  const ByteVector one = text_object(head + thing(10) + component(11, 10));
  const ByteVector two =
      text_object(head + thing(8) + thing(9) + thing(90) + component(91, 90) + thing(95));
  CHECK(document_of(one, 1) == document_of(two, 3));
  CHECK_FALSE(document_of(one, 0) == document_of(two, 0));
}

// An object of one document whose value is `depth` nested sequences.
ByteVector nested_object(std::size_t depth) {
  ByteWriter object;
  object.bytes(as_bytes("MOBJ"));
  object.u16(2);
  object.u16(0);
  object.u32(1);
  object.u32(static_cast<std::uint32_t>(16 + 12 + 3 + depth * 2));
  object.i64(0);
  object.u32(static_cast<std::uint32_t>(3 + depth * 2));
  for (int i = 0; i < 3; ++i) object.u8(0);
  for (std::size_t i = 1; i <= depth; ++i) {
    object.u8(6);
    object.u8(i == depth ? 0 : 1);
  }
  return object.release();
}

TEST_CASE("Values nested deeper than the limit are refused", "[runtime][bundle][object]") {
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
