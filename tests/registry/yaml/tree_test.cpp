#include "registry/yaml/tree.h"

#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include "registry/yaml/reader.h"

using namespace muster;
using namespace muster::yaml;

namespace {

Tree tree_of(std::string_view text) {
  ReadResult result = read_unity(text);
  REQUIRE(result.good());
  return std::move(result.tree());
}

NodeIndex value(const Tree& tree) { return tree.find(tree.documents.at(0).root, "v"); }

}  // namespace

TEST_CASE("Tree look-ups of missing nodes can be chained", "[registry][yaml]") {
  const Tree tree = tree_of("a:\n  b:\n    c: 1\n  d: [x]\na: 2\n");
  const NodeIndex root = tree.documents.at(0).root;
  CHECK(tree.scalar(tree.find_path(root, "a.b.c")) == "1");
  CHECK(tree.find(root, "a") == tree.at(root).first_child);
  CHECK(tree.find_path(root, "a.x.c") == kNoNode);
  CHECK(tree.find_path(root, "a.b.c.d") == kNoNode);
  CHECK(tree.find(kNoNode, "a") == kNoNode);
  CHECK(tree.find(tree.find_path(root, "a.d"), "x") == kNoNode);
  CHECK(tree.scalar(kNoNode).empty());
  CHECK(tree.scalar(root).empty());
  CHECK(tree.scalar_at(root, "x").empty());
  CHECK(tree.at(root).child_count == 2);
}

TEST_CASE("Tree reads integers of exactly 64 bits", "[registry][yaml]") {
  const auto [text, expected] = GENERATE(table<std::string, std::int64_t>(
      {{"v: 0", 0},
       {"v: -6707659152711265730", -6707659152711265730},
       {"v: -9223372036854775808", std::numeric_limits<std::int64_t>::min()},
       {"v: 9223372036854775807", std::numeric_limits<std::int64_t>::max()}}));
  CAPTURE(text);
  const Tree tree = tree_of(text);
  CHECK(tree.integer(value(tree)).value() == expected);
}

TEST_CASE("Tree refuses integers that are not valid", "[registry][yaml]") {
  const std::string text =
      GENERATE(as<std::string>(), "v: 9223372036854775808", "v: 1.0", "v:", "v: 1 2", "v: +1",
               "v: 0x1", "v: [1]", "v: {a: 1}", "w: 1");
  CAPTURE(text);
  const Tree tree = tree_of(text);
  const auto result = tree.integer(value(tree));
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().code == ErrorCode::malformed);
}

TEST_CASE("The decoded texts of a tree stay valid when the tree is moved", "[registry][yaml]") {
  Tree tree;
  const std::string_view shorter = tree.keep("short");
  const std::string_view longer = tree.keep(std::string(100, 'x'));
  for (int i = 0; i < 1000; ++i) (void)tree.keep("filler");
  const Tree moved = std::move(tree);
  CHECK(shorter == "short");
  CHECK(longer == std::string(100, 'x'));
}

TEST_CASE("A reference is read in every form that Unity writes", "[registry][yaml]") {
  const Guid guid = Guid::parse("fabf5467f72c26c49bd771f8300e01ed").value();
  struct Row {
    const char* reason;
    std::string text;
    Reference expected;
  };
  const auto row = GENERATE_COPY(
      Row{"external",
          "v: {fileID: 11500000, guid: fabf5467f72c26c49bd771f8300e01ed, type: 3}",
          {.file_id = 11500000, .guid = guid, .type = 3}},
      Row{"folded",
          "v: {fileID: -5, guid: fabf5467f72c26c49bd771f8300e01ed,\n    type: 2}",
          {.file_id = -5, .guid = guid, .type = 2}},
      Row{"inside the file", "v: {fileID: 42}", {.file_id = 42}}, Row{"none", "v: {fileID: 0}", {}},
      Row{"empty guid", "v: {fileID: 0, guid: , type: 0}", {}},
      Row{"upper case",
          "v: {fileID: 1, guid: FABF5467F72C26C49BD771F8300E01ED, type: 3}",
          {.file_id = 1, .guid = guid, .type = 3}});
  CAPTURE(row.reason);
  const Tree tree = tree_of(row.text);
  const auto reference = reference_at(tree, value(tree));
  REQUIRE(reference.has_value());
  CHECK(reference.value().file_id == row.expected.file_id);
  CHECK(reference.value().guid == row.expected.guid);
  CHECK(reference.value().type == row.expected.type);
  CHECK(reference.value().position == Position{1, 4});
  CHECK(reference.value().is_null() == (row.expected.file_id == 0));
}

TEST_CASE("A mapping that is not clearly a reference is malformed", "[registry][yaml]") {
  const std::string text =
      GENERATE(as<std::string>(), "v: 1", "v: {}", "v: {guid: fabf5467f72c26c49bd771f8300e01ed}",
               "v: {fileID: x}", "v: {fileID: 1, guid: 12}", "v: {fileID: 1, guid: {a: 1}}",
               "v: {fileID: 1, guid: fabf5467f72c26c49bd771f8300e01eg}", "v: {fileID: 1, type: x}",
               "v: {fileID: 1, type: 9999999999}", "w: 1");
  CAPTURE(text);
  const Tree tree = tree_of(text);
  const auto reference = reference_at(tree, value(tree));
  REQUIRE_FALSE(reference.has_value());
  CHECK(reference.error().code == ErrorCode::malformed);
}

TEST_CASE("A weak reference is read in each of its spellings", "[registry][yaml][sys-10]") {
  const auto [reason, text, expected] = GENERATE(table<const char*, std::string, const char*>(
      {{"words",
        "v:\n  val0: -88124313\n  val1: 650442540\n  val2: -126756965\n  val3: -318697936\n",
        "fabf5467f72c26c49bd771f8300e01ed"},
       {"words in braces",
        "v: {val0: 1122867, val1: 1719092309, val2: -1146447480, val3: -1122868}",
        "00112233445566778899aabbccddeeff"},
       {"unset words", "v: {val0: 0, val1: 0, val2: 0, val3: 0}",
        "00000000000000000000000000000000"},
       {"mapping", "v:\n  guid: fabf5467f72c26c49bd771f8300e01ed\n",
        "fabf5467f72c26c49bd771f8300e01ed"},
       {"empty mapping value", "v:\n  guid: \n", "00000000000000000000000000000000"},
       {"scalar", "v: fabf5467f72c26c49bd771f8300e01ed", "fabf5467f72c26c49bd771f8300e01ed"},
       {"quoted scalar", "v: 'fabf5467f72c26c49bd771f8300e01ed'",
        "fabf5467f72c26c49bd771f8300e01ed"},
       {"nothing", "v:", "00000000000000000000000000000000"}}));
  CAPTURE(reason);
  const Tree tree = tree_of(text);
  const auto guid = weak_reference_at(tree, value(tree));
  REQUIRE(guid.has_value());
  CHECK(guid.value().to_string() == expected);
}

TEST_CASE("A value that is not clearly a weak reference is malformed", "[registry][yaml]") {
  const std::string text = GENERATE(as<std::string>(), "v: {val0: 1, val1: 2, val2: 3}",
                                    "v: {val0: x, val1: 2, val2: 3, val3: 4}",
                                    "v: {val0: 4294967296, val1: 2, val2: 3, val3: 4}", "v: {}",
                                    "v: [1]", "v: {guid: [1]}", "v: some text", "w: 1");
  CAPTURE(text);
  const Tree tree = tree_of(text);
  const auto guid = weak_reference_at(tree, value(tree));
  REQUIRE_FALSE(guid.has_value());
  CHECK(guid.error().code == ErrorCode::malformed);
}
