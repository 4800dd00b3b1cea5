#include "runtime/bundle/bundle_choice.h"

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "bundler/pack/catalog_writer.h"
#include "tests/support/bundle_samples.h"

namespace muster {
namespace {

using samples::guid;

ByteVector sample_bytes() { return encode_catalog(samples::catalog()).value(); }

std::string name_of_chosen(const CatalogReader& catalog,
                           std::initializer_list<VariantSetting> settings) {
  const auto choice = BundleChoice::create(catalog, {settings.begin(), settings.size()}).value();
  const std::uint32_t shared = catalog.bundle_of(guid(3)).value();
  const std::uint32_t chosen = choice.chosen(shared);
  CHECK(choice.chosen(chosen) == chosen);
  for (std::uint32_t i = 0; i < catalog.alternative_count(); ++i) {
    const CatalogAlternative one = catalog.alternative(i);
    if (one.alternative == chosen) return keys_text(catalog, one);
  }
  CHECK(chosen == shared);
  return "base";
}

TEST_CASE(
    "The alternative that matches most chosen values is used, or the base if no alternative "
    "matches",
    "[runtime][bundle][variant]") {
  const ByteVector bytes = sample_bytes();
  const CatalogReader catalog = CatalogReader::open(bytes).value();
  CHECK(name_of_chosen(catalog, {}) == "base");  // "high" is the default, without an alternative.
  CHECK(name_of_chosen(catalog, {{"quality", "low"}}) == "quality=low");
  CHECK(name_of_chosen(catalog, {{"quality", "low"}, {"language", "en"}}) == "quality=low");
  CHECK(name_of_chosen(catalog, {{"language", "de"}}) == "language=de");
  CHECK(name_of_chosen(catalog, {{"language", "de"}, {"quality", ""}}) == "language=de");
  CHECK(name_of_chosen(catalog, {{"quality", "low"}, {"language", "de"}}) ==
        "language=de,quality=low");
  CHECK(name_of_chosen(catalog, {{"platform", "linux"}}) == "base");
  const auto by_default = BundleChoice::create(catalog).value();
  CHECK(by_default.value_of("quality") == "high");
  CHECK(by_default.value_of("platform") == "linux");
  CHECK_FALSE(by_default.value_of("language"));
  CHECK_FALSE(by_default.value_of("size"));
}

TEST_CASE("Values that a catalog does not have cannot be chosen", "[runtime][bundle][variant]") {
  const ByteVector bytes = sample_bytes();
  const CatalogReader catalog = CatalogReader::open(bytes).value();
  const auto refuses = [&](const CatalogReader& of, std::vector<VariantSetting> settings) {
    const auto choice = BundleChoice::create(of, settings);
    return !choice && choice.error().code == ErrorCode::invalid_argument;
  };
  CHECK(refuses(catalog, {{"size", "low"}}));
  CHECK(refuses(catalog, {{"quality", "medium"}}));
  CHECK(refuses(catalog, {{"quality", "low"}, {"quality", "low"}}));
  CHECK(refuses(catalog, {{"platform", "windows"}}));  // The build is for another platform.
  const ByteVector empty = encode_catalog({}).value();
  const CatalogReader nothing = CatalogReader::open(empty).value();
  CHECK(refuses(nothing, {{"quality", "low"}}));
  CHECK(BundleChoice::create(nothing).has_value());
}

struct Made {
  CatalogData data;
  /// For each bundle with alternatives, the alternative for each set of keys.
  std::map<BundleName, std::map<VariantKeys, BundleName>> alternatives;
};

// Returns bundles with random dependencies, which may be circular. Some bundles have alternatives
// on up to three axes.
Made random_catalog(std::mt19937& random) {
  Made made;
  for (const char* const axis : {"a", "b", "c"}) {
    for (const char* const value : {"0", "1"}) {
      made.data.variant_values.push_back({axis, value, false, false});
    }
  }
  const std::uint64_t count = 4 + random() % 6;
  for (std::uint64_t i = 0; i < count; ++i) {
    made.data.bundles.push_back({BundleName::of_prefab(guid(i)), {}, i, {}});
    for (unsigned n = random() % 4; n > 1; --n) {
      AlternativeData row;
      VariantKeys keys;
      for (std::uint16_t axis = 0; axis < 3; ++axis) {
        if (random() % 2 == 0) continue;
        const auto value = static_cast<std::uint16_t>(random() % 2);
        keys.push_back({axis, value});
        row.keys.push_back(axis * 2U + value);
      }
      row.bundle = BundleName::of_prefab(guid(i));
      row.alternative = BundleName::of_variant(guid(i), std::to_string(n) + std::to_string(i));
      auto& others = made.alternatives[row.bundle];
      if (keys.empty() || !others.emplace(keys, row.alternative).second) continue;
      made.data.bundles.push_back({row.alternative, {}, 100 + i, {}});
      made.data.alternatives.push_back(std::move(row));
    }
  }
  for (BundleData& bundle : made.data.bundles) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const BundleName other = BundleName::of_prefab(guid(i));
      if (other != bundle.name && random() % 4 == 0) bundle.dependencies.push_back(other);
    }
  }
  return made;
}

BundleName best_of(const Made& made, const BundleName& bundle, const VariantKeys& choice) {
  const auto found = made.alternatives.find(bundle);
  if (found == made.alternatives.end()) return bundle;
  BundleName best = bundle;
  VariantKeys best_keys;
  for (const auto& [keys, name] : found->second) {  // in the order of keys
    const bool is_chosen = std::ranges::all_of(
        keys, [&](const VariantKey& key) { return std::ranges::count(choice, key) == 1; });
    if (!is_chosen || keys.size() <= best_keys.size()) continue;
    best = name;
    best_keys = keys;
  }
  return best;
}

void need(const Made& made, const BundleName& bundle, const VariantKeys& choice,
          std::set<BundleName>& needed) {
  const auto row = std::ranges::find(made.data.bundles, bundle, &BundleData::name);
  for (const BundleName& dependency : row->dependencies) {
    const BundleName one = best_of(made, dependency, choice);
    const bool varies =
        made.alternatives.contains(dependency) && !made.alternatives.at(dependency).empty();
    // The list includes indirect dependencies, except dependencies of alternatives.
    if (needed.insert(one).second && varies) need(made, one, choice, needed);
  }
}

TEST_CASE("Every choice selects the same bundle and dependencies as a brute-force search",
          "[runtime][bundle][variant][property]") {
  const auto seed = GENERATE(range(1U, 61U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const Made made = random_catalog(random);
  const ByteVector bytes = encode_catalog(made.data).value();
  const CatalogReader catalog = CatalogReader::open(bytes).value();
  constexpr std::array<std::string_view, 3> kAxes = {"a", "b", "c"};
  constexpr std::array<std::string_view, 3> kValues = {"0", "1", ""};
  for (unsigned combination = 0; combination < 27; ++combination) {
    VariantKeys keys;
    std::vector<VariantSetting> settings;
    unsigned rest = combination;
    for (std::uint16_t axis = 0; axis < 3; ++axis, rest /= 3) {
      settings.push_back({kAxes[axis], kValues[rest % 3]});
      if (rest % 3 < 2) keys.push_back({axis, static_cast<std::uint16_t>(rest % 3)});
    }
    const auto choice = BundleChoice::create(catalog, settings).value();
    for (std::uint32_t i = 0; i < catalog.bundle_count(); ++i) {
      const BundleName name = catalog.bundle(i).name;
      const BundleName expected =
          name.kind == BundleKind::variant ? name : best_of(made, name, keys);
      const std::uint32_t chosen = choice.chosen(i);
      REQUIRE(catalog.bundle(chosen).name == expected);
      std::set<BundleName> needed;
      need(made, expected, keys, needed);
      needed.erase(expected);
      std::set<BundleName> visited;
      choice.each_dependency(chosen, [&](std::uint32_t one) {
        CHECK(visited.insert(catalog.bundle(one).name).second);
      });
      REQUIRE(visited == needed);
    }
  }
}

}  // namespace
}  // namespace muster
