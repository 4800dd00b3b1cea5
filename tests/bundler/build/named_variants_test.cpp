// Tests stripped assets that have variants, and variants that refer to stripped assets.
#include <map>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "runtime/assets/bundle_store.h"
#include "runtime/bundle/bundle_reader.h"
#include "runtime/bundle/catalog_reader.h"
#include "tests/support/arena_build.h"

namespace muster {
namespace {

AssetPath path(std::string_view text) { return AssetPath::parse(text).value(); }
Guid guid_of(const std::string& name) {
  return Guid::parse(hash_bytes(as_bytes(name)).to_string()).value();
}

/// A project with a crate for both targets. The crate has a paint, and the paint has a skin. The
/// crate, the paint and the skin may have variants.
class Game {
 public:
  explicit Game(const std::string& keep = "") {
    add_file("muster.yaml",
             "version: 1\nname: game\nfolders: [a]\nvariants:\n"
             "  quality: {values: [low, high], default: high}\n"
             "classes:\n  Things:\n    references:\n"
             "    - {path: thing, targets: [client, server]}\n" +
                 (keep.empty() ? "" : "strip:\n  server: {keep: [" + keep + "]}\n"));
    add("things.yaml",
        "class: Things\nentries:\n- {type_id: 1, thing: {guid: " + text_of("crate.yaml") + "}}\n");
    add("crate.yaml", "class: Thing\npaint: " + strong("paint.yaml"));
    add("paint.yaml", "class: Paint\nskin: " + strong("skin.png"));
    add("skin.png", "the skin");
  }

  void add(const std::string& name, const std::string& text) {
    add_file("a/" + name, text);
    add_file("a/" + name + ".meta", "guid: " + text_of(name) + "\n");
  }
  static std::string text_of(const std::string& name) { return guid_of(name).to_string(); }
  static std::string strong(const std::string& name) {
    return "{fileID: 1, guid: " + text_of(name) + "}\n";
  }

  void build(const std::vector<VariantWish>& wishes = {}) {
    const auto project = Project::open(files_, 1, {}, {}, wishes).value();
    REQUIRE(testing::build_into(output, *project, {}).has_value());
  }

  MemoryFileSystem output;

 private:
  void add_file(const std::string& name, const std::string& text) {
    REQUIRE(files_.write(path(name), as_bytes(text)).has_value());
  }
  MemoryFileSystem files_;
};

/// The rows of a catalog: each asset's path by its guid. An asset that is not packed has a star.
using Rows = std::map<Guid, std::string>;

// Returns the rows, and checks that exactly the assets without a star are packed.
Rows rows_of(const Game& game, const std::string& side) {
  const auto catalog =
      CatalogReader::open(game.output.files().at(path(side + "/catalog.mcat"))).value();
  std::map<std::uint32_t, std::set<Guid>> packed;
  for (std::uint32_t i = 0; i < catalog.bundle_count(); ++i) {
    const auto bundle =
        BundleReader::open(game.output.files().at(path(side + "/" + catalog.bundle(i).name.path())))
            .value();
    for (std::uint32_t e = 0; e < bundle.entry_count(); ++e) packed[i].insert(bundle.entry(e).guid);
  }
  Rows rows;
  for (std::uint32_t i = 0; i < catalog.asset_count(); ++i) {
    const CatalogAsset asset = catalog.asset(i);
    const bool is_packed = asset.bundle != layout::kNone;
    rows.emplace(asset.guid, std::string(asset.path) + (is_packed ? "" : "*"));
    if (is_packed) CHECK(packed[asset.bundle].contains(asset.guid));
  }
  for (const auto& [bundle, guids] : packed) {
    for (const Guid& guid : guids) CHECK((rows.contains(guid) && !rows[guid].ends_with("*")));
  }
  for (std::uint32_t i = 0; i < catalog.alternative_count(); ++i) {
    const CatalogAlternative row = catalog.alternative(i);
    CHECK(packed[row.bundle] == packed[row.alternative]);
  }
  return rows;
}

std::uint32_t alternatives_of(const Game& game, const std::string& side) {
  return CatalogReader::open(game.output.files().at(path(side + "/catalog.mcat")))
      .value()
      .alternative_count();
}

Rows with(Rows rows) {
  rows.emplace(guid_of("things.yaml"), "a/things.yaml");
  rows.emplace(guid_of("crate.yaml"), "a/crate.yaml");
  rows.emplace(guid_of("paint.yaml"), "a/paint.yaml");
  return rows;
}

TEST_CASE("A stripped asset with variants has one row in the catalog",
          "[bundler][build][variant][strip]") {
  Game game;
  game.add("skin@low.png", "the coarse skin");
  game.build();
  CHECK(rows_of(game, "client") == with({{guid_of("skin.png"), "a/skin.png"}}));
  CHECK(alternatives_of(game, "client") == 1);
  CHECK(rows_of(game, "server") == with({{guid_of("skin.png"), "a/skin.png*"}}));
  CHECK(alternatives_of(game, "server") == 0);
  const FileSystemSource server(game.output, path("server"));
  const std::vector<VariantSetting> low = {{"quality", "low"}};
  auto store = BundleStore::open(server, {}, nullptr, low).value();
  CHECK(store.load(guid_of("skin.png"), kMainPayload).error().code == ErrorCode::not_found);
  CHECK(store.load(guid_of("crate.yaml"), kMainPayload).has_value());
}

TEST_CASE("A rule that keeps an asset or one of its variants keeps the asset and all its variants",
          "[bundler][build][variant][strip]") {
  Game game(GENERATE("\"a/skin.png\"", "\"a/skin@low.png\""));
  game.add("skin@low.png", "the coarse skin");
  game.build();
  CHECK(alternatives_of(game, "client") == 1);
  CHECK(rows_of(game, "server") == with({{guid_of("skin.png"), "a/skin.png"}}));
  CHECK(alternatives_of(game, "server") == 1);
  const FileSystemSource server(game.output, path("server"));
  const std::vector<VariantSetting> low = {{"quality", "low"}};
  auto store = BundleStore::open(server, {}, nullptr, low).value();
  CHECK(as_text(store.load(guid_of("skin.png"), kMainPayload).value().bytes) == "the coarse skin");
  auto other = BundleStore::open(server).value();
  CHECK(as_text(other.load(guid_of("skin.png"), kMainPayload).value().bytes) == "the skin");
}

TEST_CASE("An asset that only a variant refers to has a row even if the target strips it",
          "[bundler][build][variant][strip]") {
  Game game;
  game.add("paint@low.yaml", "class: Paint\nskin: " + Game::strong("flat.png"));
  game.add("flat.png", "the flat skin");
  game.build();
  CHECK(alternatives_of(game, "server") == 1);
  CHECK(rows_of(game, "server") ==
        with({{guid_of("skin.png"), "a/skin.png*"}, {guid_of("flat.png"), "a/flat.png*"}}));
  CHECK(rows_of(game, "client") ==
        with({{guid_of("skin.png"), "a/skin.png"}, {guid_of("flat.png"), "a/flat.png"}}));
  const FileSystemSource server(game.output, path("server"));
  const std::vector<VariantSetting> low = {{"quality", "low"}};
  auto store = BundleStore::open(server, {}, nullptr, low).value();
  const auto lost = store.load(guid_of("flat.png"), kMainPayload);
  CHECK(lost.error().message.find("leaves it out of the") != std::string::npos);
}

TEST_CASE("The chosen variant of a build has the guid of the base",
          "[bundler][build][variant][strip]") {
  const bool is_low = GENERATE(false, true);
  CAPTURE(is_low);
  Game game;
  game.add("skin@low.png", "the coarse skin");
  game.add("paint@low.yaml", "class: Paint\nskin: " + Game::strong("skin.png"));
  game.build({{"quality", is_low ? "low" : "high"}});
  const std::string skin = is_low ? "a/skin@low.png" : "a/skin.png";
  Rows rows = {{guid_of("skin.png"), skin + "*"},
               {guid_of("paint.yaml"), is_low ? "a/paint@low.yaml" : "a/paint.yaml"}};
  CHECK(rows_of(game, "server") == with(rows));
  rows[guid_of("skin.png")] = skin;
  CHECK(rows_of(game, "client") == with(rows));
  for (const char* const side : {"client", "server"}) CHECK(alternatives_of(game, side) == 0);
}

}  // namespace
}  // namespace muster
