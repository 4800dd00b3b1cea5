#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bundler/cook/canonical_text.h"
#include "bundler/cook/object_to_tree.h"
#include "bundler/cook/object_writer.h"
#include "registry/base/disk_file_system.h"
#include "registry/base/seed.h"
#include "registry/yaml/reader.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/decoded.h"

namespace muster {
namespace {

// Converts a tree to bytes, to a tree, and to bytes again.
void check_round_trip(const yaml::Tree& tree) {
  const Result<ByteVector> bytes = encode_object(tree);
  REQUIRE(bytes.has_value());
  const Result<ObjectReader> object = ObjectReader::open(bytes.value());
  REQUIRE(object.has_value());
  const std::optional<std::string> found =
      samples::difference(tree, object_to_tree(object.value()));
  CHECK(found.value_or("") == "");
  CHECK(samples::encode_again(object.value()).value() == bytes.value());
}

void collect(const FileReader& files, const AssetPath& folder,
             std::span<const std::string_view> extensions, std::vector<AssetPath>& found) {
  const Result<std::vector<DirectoryEntry>> entries = files.list(folder);
  REQUIRE(entries.has_value());
  for (const DirectoryEntry& entry : entries.value()) {
    const AssetPath path = folder.child(entry.name);
    if (entry.kind == FileKind::folder) collect(files, path, extensions, found);
    if (entry.kind != FileKind::file) continue;
    if (std::ranges::find(extensions, path.extension()) != extensions.end()) found.push_back(path);
  }
}

TEST_CASE("Cooking the sample file and decoding it gives the same tree", "[bundler][object]") {
  const yaml::ReadResult read = yaml::read(samples::object_source());
  REQUIRE(read.good());
  check_round_trip(read.tree());
}

TEST_CASE("Cooking every YAML file of the sample game loses nothing", "[bundler][object]") {
  const DiskFileSystem files = DiskFileSystem::open(MUSTER_SOURCE_DIR "/content/arena").value();
  constexpr std::array<std::string_view, 6> kExtensions = {"prefab", "asset", "unity",
                                                           "mat",    "meta",  "yaml"};
  std::vector<AssetPath> paths;
  collect(files, AssetPath(), kExtensions, paths);
  CHECK(paths.size() > 150);
  ByteVector buffer;
  for (const AssetPath& path : paths) {
    CAPTURE(path.text());
    const Result<Bytes> bytes = read_whole(files, path, 1U << 26U, buffer);
    REQUIRE(bytes.has_value());
    const yaml::ReadResult read = yaml::read(as_text(bytes.value()));
    REQUIRE(read.good());
    check_round_trip(read.tree());
  }
}

// Makes trees of scalars from a small alphabet, so that references, guids and equal keys are
// frequent.
class TreeMaker {
 public:
  explicit TreeMaker(std::uint64_t seed) : random_(seed) {}

  yaml::Tree make() {
    // Some trees have many documents, so that some documents have marks.
    for (std::uint64_t i = random_.below(random_.below(8) == 0 ? 60 : 4); i > 0; --i) {
      yaml::Document document;
      document.class_id = static_cast<std::int64_t>(random_.below(200));
      document.file_id = static_cast<std::int64_t>(random_.below(5)) - 1;
      document.is_stripped = random_.below(4) == 0;
      if (random_.below(5) != 0) document.root = add({}, 0);
      tree_.documents.push_back(document);
    }
    return std::move(tree_);
  }

 private:
  yaml::NodeIndex add(yaml::Node node, std::uint64_t depth) {
    const std::uint64_t choice = depth > 5 ? 0 : random_.below(6);
    if (choice < 3) {
      node.style = style();
      node.text = random_.below(12) == 0 ? kLongText : kTexts.at(random_.below(kTexts.size()));
      return tree_.add(node);
    }
    const bool is_mapping = choice < 5;
    node.kind = is_mapping ? yaml::NodeKind::mapping : yaml::NodeKind::sequence;
    const yaml::NodeIndex parent = tree_.add(node);
    const std::uint64_t first_key = random_.below(kKeys.size());
    yaml::NodeIndex last = yaml::kNoNode;
    const std::uint64_t count = random_.below(5);
    for (std::uint64_t i = 0; i < count; ++i) {
      yaml::Node child;
      if (is_mapping) {
        child.key = kKeys.at((first_key + i) % kKeys.size());
        child.key_style = random_.below(8) == 0 ? style() : yaml::ScalarStyle::plain;
      }
      const yaml::NodeIndex now = add(child, depth + 1);
      tree_.append_child(parent, last, now);
      last = now;
    }
    return parent;
  }

  yaml::ScalarStyle style() {
    return random_.below(4) != 0 ? yaml::ScalarStyle::plain
                                 : static_cast<yaml::ScalarStyle>(random_.below(3));
  }

  // The object form writes a size for content of 256 bytes or more.
  static constexpr std::string_view kLongText =
      "0123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 "
      "0123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 "
      "0123456789 123456789 123456789 123456789 123456789 123456789 123456789 123456789 ";
  static constexpr std::array<std::string_view, 16> kTexts = {"",
                                                              "0",
                                                              "-1",
                                                              "-0",
                                                              "00",
                                                              "1.5",
                                                              "1e+20",
                                                              "0.1",
                                                              "0.30000000000000004",
                                                              "nan",
                                                              "9223372036854775807",
                                                              "18446744073709551616",
                                                              "text",
                                                              "~",
                                                              "00000000000000000000000000000000",
                                                              "0123456789abcdef0123456789abcdef"};
  static constexpr std::array<std::string_view, 9> kKeys = {
      "fileID", "guid", "type", "val0", "val1", "val2", "val3", "", "other"};

  Random random_;
  yaml::Tree tree_;
};

TEST_CASE("Random trees are unchanged after a round trip through the object form",
          "[bundler][object]") {
  const std::uint64_t seed = 20240817;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    CAPTURE(seed + i);
    check_round_trip(TreeMaker(seed + i).make());
  }
}

TEST_CASE("A number replaces its text only if the text is canonical", "[bundler][object]") {
  CHECK(canonical_integer("0") == 0);
  CHECK(canonical_integer("-12") == -12);
  for (const std::string_view text : {"", "-", "+1", "01", "-0", "1 ", " 1", "0x1", "1.0", "1e3"}) {
    CAPTURE(text);
    CHECK_FALSE(canonical_integer(text).has_value());
  }
  CHECK(canonical_real32("0.1").has_value());
  CHECK(canonical_real32("1e-05").has_value());
  CHECK_FALSE(canonical_real32("0.30000000000000004").has_value());
  CHECK(canonical_real64("0.30000000000000004").has_value());
  for (const std::string_view text : {"1.0", ".5", "1e400", "inf", "nan", "-nan", "1E5", "0.10"}) {
    CAPTURE(text);
    CHECK_FALSE(canonical_real64(text).has_value());
  }
  CHECK_FALSE(canonical_guid("0123456789ABCDEF0123456789ABCDEF").has_value());
}

}  // namespace
}  // namespace muster
