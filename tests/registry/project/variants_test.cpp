#include "registry/project/variants.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>

#include <catch2/catch.hpp>

#include "registry/yaml/reader.h"
#include "tests/support/open_project.h"

namespace muster {
namespace {

std::vector<VariantAxis> axes() {
  return {{"platform", {"windows", "linux"}, std::nullopt, true},
          {"quality", {"low", "high"}, std::uint16_t{1}, false},
          {"language", {"en", "de"}, std::nullopt, false}};
}

AssetIndex index_of(const std::vector<std::string>& paths) {
  std::vector<Asset> assets;
  for (const std::string& path : paths) {
    Asset& asset = assets.emplace_back();
    asset.path = AssetPath::parse(path).value();
    asset.guid = Guid::parse(hash_bytes(as_bytes(path)).to_string()).value();
    asset.is_folder = path.ends_with("/");
  }
  return AssetIndex(std::move(assets), {});
}

std::vector<std::string> names_of(const Variants& variants, const AssetIndex& index) {
  std::vector<std::string> names;
  for (const VariantFile& file : variants.files()) {
    names.push_back(index.at(file.base).path.text() + " " + to_text(axes(), file.keys) + " " +
                    index.at(file.file).path.text());
  }
  return names;
}

TEST_CASE("A file's name gives its base and its variant keys", "[registry][project][variant]") {
  const AssetIndex index = index_of({"a/crate.png", "a/crate@low.png", "a/crate@de,low.png",
                                     "a/crate@quality=low,platform=linux.png", "a/crate@2x.png",
                                     "a/hero.fbx", "a/hero@run.fbx", "b/crate@low.png"});
  const Variants variants(axes(), index);
  CHECK(names_of(variants, index) ==
        std::vector<std::string>{
            "a/crate.png platform=linux,quality=low a/crate@quality=low,platform=linux.png",
            "a/crate.png quality=low a/crate@low.png",
            "a/crate.png quality=low,language=de a/crate@de,low.png"});
  const AssetNumber base = index.find(AssetPath::parse("a/crate.png").value());
  CHECK(variants.of(base).size() == 3);
  CHECK(variants.of(base + 1).empty());
  CHECK_FALSE(variants.is_variant(base));
  CHECK(variants.is_variant(index.find(AssetPath::parse("a/crate@low.png").value())));
  using Kind = VariantProblem::Kind;
  REQUIRE(variants.problems().size() == 2);
  CHECK(variants.problems()[0].kind == Kind::unknown_word);
  CHECK(variants.problems()[1].kind == Kind::no_base);
  // Without axes, '@' has no meaning.
  CHECK(Variants({}, index).files().empty());
  CHECK(Variants({}, index).problems().empty());
}

TEST_CASE("A file that has the name of a variant but is not a variant is reported",
          "[registry][project][variant]") {
  using Kind = VariantProblem::Kind;
  struct Row {
    std::string path;
    Kind kind;
  };
  const auto row = GENERATE(values<Row>({{"a/crate@quality=mid.png", Kind::unknown_key},
                                         {"a/crate@size=low.png", Kind::unknown_key},
                                         {"a/crate@low,high.png", Kind::unknown_key},
                                         {"a/crate@lo.png", Kind::unknown_word},
                                         {"a/crate@low,lo.png", Kind::unknown_word},
                                         {"a/crate@low@de.png", Kind::unknown_key},
                                         {"a/barrel@low.png", Kind::no_base},
                                         {"a/crate@low.tga", Kind::other_kind},
                                         {"a/crate@quality=low.png", Kind::repeated},
                                         {"a/tool@low.cs", Kind::cannot_vary}}));
  CAPTURE(row.path);
  const AssetIndex index = index_of({"a/crate.png", "a/crate@low.png", "a/tool.cs", row.path});
  const Variants variants(axes(), index);
  REQUIRE(variants.problems().size() == 1);
  CHECK(variants.problems()[0].kind == row.kind);
  CHECK(variants.files().size() == 1);
  CHECK(std::ranges::count(
            std::vector{std::string("a/crate@low.png"), std::string("a/crate@quality=low.png")},
            index.at(variants.files()[0].file).path.text()) == 1);
}

TEST_CASE("A build uses the requested values and the defaults of build-time axes",
          "[registry][project][variant]") {
  const auto axes_now = axes();
  CHECK(to_text(
            axes_now,
            choose_for_build(axes_now, std::vector<VariantWish>{{"platform", "linux"}}).value()) ==
        "platform=linux");
  CHECK(to_text(axes_now,
                choose_for_build(
                    axes_now, std::vector<VariantWish>{{"quality", "low"}, {"platform", "linux"}})
                    .value()) == "platform=linux,quality=low");
  const auto refuses = [&](const std::vector<VariantWish>& wishes) {
    const auto chosen = choose_for_build(axes_now, wishes);
    return !chosen && chosen.error().code == ErrorCode::invalid_argument;
  };
  CHECK(refuses({}));  // No platform is chosen.
  CHECK(refuses({{"platform", "amiga"}}));
  CHECK(refuses({{"platform", "linux"}, {"size", "low"}}));
  CHECK(refuses({{"platform", "linux"}, {"platform", "windows"}}));
  auto with_default = axes_now;
  with_default[0].default_value = std::uint16_t{0};
  CHECK(to_text(with_default, choose_for_build(with_default, {}).value()) == "platform=windows");
  for (const char* const text : {"", "quality", "=low", "quality="}) {
    CHECK(read_variant_wish(text).error().code == ErrorCode::invalid_argument);
  }
  CHECK(read_variant_wish("quality=low").value().value == "low");
}

TEST_CASE("The section 'variants' is read, and an invalid section is refused",
          "[registry][project][variant]") {
  const auto read = [](const std::string& text) {
    const auto tree = yaml::read_plain(text);
    return read_variant_axes(tree.tree(),
                             tree.tree().find(tree.tree().documents.front().root, "variants"));
  };
  const auto good =
      read(
          "variants:\n  platform: {values: [windows, linux], default: linux, choose: build}\n"
          "  quality: {values: [low, high]}\n")
          .value();
  REQUIRE(good.size() == 2);
  CHECK(good[0].is_chosen_at_build);
  CHECK(good[0].default_value == std::uint16_t{1});
  CHECK_FALSE(good[1].is_chosen_at_build);
  CHECK_FALSE(good[1].default_value);
  CHECK(read("variants:\n").value().empty());
  const auto wrong = GENERATE(values<std::string>(
      {"[low]", "{quality: low}", "{quality: {}}", "{quality: {values: low}}",
       "{quality: {values: []}}", "{quality: {values: [low, low]}}", "{quality: {values: [lo w]}}",
       "{qual.ity: {values: [low]}}", "{quality: {values: [low], default: high}}",
       "{quality: {values: [low], choose: never}}", "{quality: {values: [low], value: low}}",
       "{a: {values: [x]}, b: {values: [x]}, c: {values: [x]}, d: {values: [x]}, e: {values: [x]}, "
       "f: {values: [x]}, g: {values: [x]}, h: {values: [x]}, i: {values: [x]}}"}));
  CAPTURE(wrong);
  CHECK(read("variants: " + wrong + "\n").error().code == ErrorCode::malformed);
}

// The expected variant for a choice, by a search of all variants: the matching variant with the
// most keys, then with the earliest axes.
std::optional<VariantKeys> best_of(const std::vector<VariantKeys>& all, const VariantKeys& choice) {
  std::optional<VariantKeys> best;
  for (const VariantKeys& keys : all) {
    bool does_fit = true;
    for (const VariantKey& key : keys) {
      does_fit = does_fit && std::ranges::count(choice, key) == 1;
    }
    if (!does_fit) continue;
    const bool is_better =
        !best || keys.size() > best->size() || (keys.size() == best->size() && keys < *best);
    if (is_better) best = keys;
  }
  return best;
}

TEST_CASE("For every choice, exactly one file of an asset is selected",
          "[registry][project][variant][property]") {
  const auto seed = GENERATE(range(1U, 101U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const std::vector<VariantAxis> known = axes();
  const auto random_keys = [&](unsigned odds) {
    VariantKeys keys;
    for (std::uint16_t axis = 0; axis < known.size(); ++axis) {
      if (random() % 4 < odds) keys.push_back({axis, static_cast<std::uint16_t>(random() % 2)});
    }
    return keys;
  };
  std::set<VariantKeys> files{VariantKeys{}};
  for (int i = 0; i < 6; ++i) files.insert(random_keys(2));
  std::vector<std::string> paths;
  for (const VariantKeys& keys : files) {
    paths.push_back(keys.empty() ? "crate.png" : "crate@" + to_text(known, keys) + ".png");
  }
  const AssetIndex whole = index_of(paths);
  const Guid guid = whole.at(whole.find(AssetPath::parse("crate.png").value())).guid;
  const VariantKeys built = random_keys(2);
  AssetIndex index = whole;
  Variants variants(known, whole);
  settle_variants(built, index, variants);
  CAPTURE(to_text(known, built), paths);

  // The build first chooses among the files that have equal keys on all other axes.
  const auto is_built = [&](const VariantKey& key) {
    return std::ranges::count(built, key.axis, &VariantKey::axis) > 0;
  };
  std::map<VariantKeys, std::vector<VariantKeys>> by_open;
  for (const VariantKeys& keys : files) {
    VariantKeys open;
    VariantKeys settled;
    for (const VariantKey& key : keys) (is_built(key) ? settled : open).push_back(key);
    by_open[open].push_back(settled);
  }
  std::map<VariantKeys, std::string> expected;
  for (const auto& [open, settled] : by_open) {
    const auto best = best_of(settled, built);
    if (!best) continue;
    VariantKeys keys = *best;
    keys.insert(keys.end(), open.begin(), open.end());
    std::ranges::sort(keys);
    expected[open] = keys.empty() ? "crate.png" : "crate@" + to_text(known, keys) + ".png";
  }
  const AssetNumber base = index.find(guid);
  REQUIRE(base != kNoAsset);
  CHECK(index.at(base).path.text() == expected.at({}));
  CHECK(index.assets().size() == expected.size());
  CHECK(variants.files().size() + 1 == expected.size());
  for (const VariantFile& file : variants.of(base)) {
    CHECK(index.at(file.file).path.text() == expected.at(file.keys));
  }
}

}  // namespace
}  // namespace muster
