#include "bundler/report/yaml_text.h"

#include <algorithm>

#include <catch2/catch.hpp>

#include "registry/yaml/reader.h"
#include "tests/support/decoded.h"
#include "tests/support/memory_copy.h"
#include "tests/support/random_tree.h"

namespace muster {
namespace {

constexpr std::string_view kPlain[] = {
    "0",   "-1", "1.5", "text", "two words", "a:b", "x#y", "00112233445566778899aabbccddeeff",
    "Grün"};
constexpr std::string_view kQuoted[] = {"",     "0",     " blank ", "it's",        "say \"so\"",
                                        "a: b", "x # y", "{[]},&*", "back\\slash", "- dash",
                                        "Grün", "null"};
constexpr std::string_view kKeys[] = {"fileID", "guid", "type", "m_Name", "x", "with blank"};

void check(const yaml::Tree& tree, const std::string& text, const yaml::ReadResult& read) {
  CAPTURE(text);
  if (!read.good()) UNSCOPED_INFO(read.error().message);
  REQUIRE(read.good());
  CHECK(samples::difference(tree, read.tree()).value_or("") == "");
}

TEST_CASE("Every text file of the sample game is written back as an equal tree",
          "[bundler][report]") {
  const MemoryFileSystem files = testing::copy_to_memory(MUSTER_SOURCE_DIR "/content/arena");
  std::size_t count = 0;
  for (const auto& [path, bytes] : files.files()) {
    const std::string_view extension = path.extension();
    if (extension != "prefab" && extension != "asset" && extension != "mat" &&
        extension != "yaml" && extension != "meta") {
      continue;
    }
    CAPTURE(path.text());
    ++count;
    const yaml::ReadResult read = yaml::read(as_text(bytes));
    REQUIRE(read.good());
    const std::string text = tree_to_yaml(read.tree());
    check(read.tree(), text, yaml::read(text));
    // Sidecars have no tags: they are cooked in Unity's dialect.
    const yaml::ReadResult unity = yaml::read_unity(as_text(bytes));
    if (extension != "meta") continue;
    REQUIRE(unity.good());
    const std::string again = tree_to_yaml(unity.tree());
    check(unity.tree(), again, yaml::read_unity(again));
  }
  CHECK(count > 250);
}

TEST_CASE("Random trees in Unity's dialect are unchanged after a round trip", "[bundler][report]") {
  const std::uint64_t seed = 31;
  for (std::uint64_t i = 0; i < 1500; ++i) {
    CAPTURE(seed + i);
    Random random(seed + i);
    yaml::Tree tree;
    const std::uint64_t documents = 1 + random.below(3);
    for (std::uint64_t d = 0; d < documents; ++d) {
      yaml::Document document;
      document.class_id = 1 + static_cast<std::int64_t>(random.below(200));
      document.file_id = static_cast<std::int64_t>(random.next());
      document.is_stripped = random.below(4) == 0;
      yaml::Node root;
      root.kind = yaml::NodeKind::mapping;
      document.root = tree.add(root);
      yaml::Node fields;
      fields.key = "MonoBehaviour";
      const auto inner =
          testing::add_random_node(tree, {kPlain, kQuoted, kKeys}, random, fields, 0);
      tree.append_child(document.root, yaml::kNoNode, inner);
      tree.documents.push_back(document);
    }
    const std::string text = tree_to_yaml(tree);
    check(tree, text, yaml::read(text));
  }
}

TEST_CASE("Random plain trees are unchanged after a round trip", "[bundler][report]") {
  const std::uint64_t seed = 77;
  for (std::uint64_t i = 0; i < 1500; ++i) {
    CAPTURE(seed + i);
    Random random(seed + i);
    yaml::Tree tree;
    yaml::Document document;
    yaml::Node root;
    root.kind = yaml::NodeKind::mapping;
    document.root = tree.add(root);
    yaml::Node fields;
    fields.key = "class";
    const auto inner = testing::add_random_node(tree, {kPlain, kQuoted, kKeys}, random, fields, 0);
    tree.append_child(document.root, yaml::kNoNode, inner);
    tree.documents.push_back(document);
    const std::string text = tree_to_yaml(tree);
    check(tree, text, yaml::read_plain(text));
  }
}

TEST_CASE("Line breaks and control characters are written as escapes", "[bundler][report]") {
  const std::string_view text =
      GENERATE(as<std::string_view>{}, "two\nlines", "\ttab", "\r\n", "bell\x07", "\n", "end\n");
  yaml::Tree tree;
  yaml::Node root;
  root.kind = yaml::NodeKind::mapping;
  yaml::Document document;
  document.root = tree.add(root);
  yaml::Node value;
  value.key = "a";
  value.style = yaml::ScalarStyle::double_quoted;
  value.text = text;
  tree.append_child(document.root, yaml::kNoNode, tree.add(value));
  tree.documents.push_back(document);
  const std::string plain = tree_to_yaml(tree);
  check(tree, plain, yaml::read_plain(plain));
  tree.documents[0].class_id = 1;
  tree.documents[0].file_id = 1;
  const std::string unity = tree_to_yaml(tree);
  check(tree, unity, yaml::read_unity(unity));
}

}  // namespace
}  // namespace muster
