#include "registry/project/config_fixer.h"

#include <catch2/catch.hpp>

#include "registry/base/memory_file_system.h"
#include "registry/project/config.h"

namespace muster {
namespace {

TEST_CASE("Paths of muster.yaml are corrected to the disk's spelling", "[registry][fixer]") {
  MemoryFileSystem files;
  files.add("Assets/Art/a.txt", "");
  files.add("plain/b.txt", "");
  files.add("Data/Components.json", "{\"components\": []}");
  files.add("muster.yaml",
            "version: 1   # of the form\nfolders: [assets/ART, \"Plain/\", plain]\n"
            "components: 'data/components.JSON'\n");
  CHECK_FALSE(load_config(files).has_value());
  const auto text = fixed_config(files);
  REQUIRE(text.has_value());
  CHECK(*text ==
        "version: 1   # of the form\nfolders: [Assets/Art, \"plain\", plain]\n"
        "components: 'Data/Components.json'\n");
  files.add("muster.yaml", *text);
  CHECK(load_config(files).has_value());
  CHECK_FALSE(fixed_config(files).has_value());
}

TEST_CASE("Missing and ambiguous paths are not changed", "[registry][fixer]") {
  MemoryFileSystem files;
  files.add("Assets/a.txt", "");
  files.add("ASSETS/b.txt", "");
  CHECK_FALSE(fixed_config(files).has_value());
  for (const char* text : {"version: 1\nfolders: [assets]\n", "version: 1\nfolders: [gone]\n",
                           "version: 1\nfolders: [../assets]\n", "folders: [", "", "- assets\n"}) {
    CAPTURE(text);
    files.add("muster.yaml", text);
    CHECK_FALSE(fixed_config(files).has_value());
  }
  CHECK(path_in_any_case(files, AssetPath::parse("Assets/A.TXT").value())->text() ==
        "Assets/a.txt");
}

}  // namespace
}  // namespace muster
