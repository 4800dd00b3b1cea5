#include "registry/project/sidecar_fixer.h"

#include <catch2/catch.hpp>

#include "registry/base/memory_file_system.h"
#include "registry/project/config.h"

namespace muster {
namespace {

std::function<Guid()> counted_guids() {
  return [next = 0]() mutable {
    std::string text = "b3047ac91fd85e26c49a7f10e8d26b00";
    text[31] = static_cast<char>('0' + ++next);
    return Guid::parse(text).value();
  };
}

std::vector<SidecarFix> planned(const FileReader& files) {
  const auto config = load_config(files);
  REQUIRE(config.has_value());
  const auto index = build_asset_index(files, config.value(), 1, {});
  REQUIRE(index.has_value());
  auto fixes = plan_sidecar_fixes(files, index.value(), counted_guids());
  REQUIRE(fixes.has_value());
  return std::move(fixes).value();
}

std::string text_of(const MemoryFileSystem& files, std::string_view name) {
  const auto found = files.files().find(AssetPath::parse(name).value());
  return found == files.files().end() ? "" : std::string(as_text(found->second));
}

TEST_CASE("Sidecars are created, renamed and corrected, once", "[registry][fixer]") {
  MemoryFileSystem files;
  files.add("Assets/New/a.txt", "text");
  files.add("Assets/Moved.txt", "text");
  files.add("Assets/moved.TXT.meta", "guid: 13fd09c2a76e4b5891d05c7be2a84f36\n");
  files.add("Assets/Upper.txt", "text");
  files.add(
      "Assets/Upper.txt.meta",
      "fileFormatVersion: 2\r\nguid: \"C94A7F10E8D26B35B3047AC91FD85E26\"\r\nuserData: X\r\n");
  const auto fixes = planned(files);
  REQUIRE(fixes.size() == 4);
  REQUIRE(apply_sidecar_fixes(files, fixes).has_value());
  CHECK(text_of(files, "Assets/New.meta") ==
        "fileFormatVersion: 2\nguid: " + text_of(files, "Assets/New.meta").substr(27, 32) +
            "\nfolderAsset: yes\n");
  CHECK(text_of(files, "Assets/New/a.txt.meta").starts_with("fileFormatVersion: 2\nguid: b3047a"));
  CHECK(text_of(files, "Assets/Moved.txt.meta") == "guid: 13fd09c2a76e4b5891d05c7be2a84f36\n");
  CHECK(text_of(files, "Assets/moved.TXT.meta").empty());
  CHECK(text_of(files, "Assets/Upper.txt.meta") ==
        "fileFormatVersion: 2\r\nguid: \"c94a7f10e8d26b35b3047ac91fd85e26\"\r\nuserData: X\r\n");
  CHECK(planned(files).empty());
}

TEST_CASE("A sidecar that may belong to two files is not renamed", "[registry][fixer]") {
  MemoryFileSystem files;
  files.add("Assets/Moved.txt", "text");
  files.add("Assets/moved.TXT.meta", "guid: 13fd09c2a76e4b5891d05c7be2a84f36\n");
  files.add("Assets/MOVED.txt.meta", "guid: 23fd09c2a76e4b5891d05c7be2a84f36\n");
  files.add("Assets/Two.txt", "text");
  files.add("Assets/TWO.txt", "text");
  files.add("Assets/two.txt.meta", "guid: 33fd09c2a76e4b5891d05c7be2a84f36\n");
  for (const SidecarFix& fix : planned(files)) {
    CAPTURE(fix.path.text());
    CHECK(fix.kind == SidecarFix::Kind::create);
  }
}

}  // namespace
}  // namespace muster
