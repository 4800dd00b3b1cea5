#include "bundler/pack/catalog_writer.h"

#include <algorithm>
#include <functional>
#include <map>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/decoded.h"

namespace muster {
namespace {

TEST_CASE("A catalog's bytes do not depend on the order of its lists", "[bundler][catalog]") {
  const ByteVector first = encode_catalog(samples::catalog()).value();
  CatalogData data = samples::catalog();
  std::ranges::reverse(data.bundles);
  std::ranges::reverse(data.assets);
  std::ranges::reverse(data.registries);
  for (RegistryData& registry : data.registries) std::ranges::reverse(registry.entries);
  std::ranges::reverse(data.effects);
  std::ranges::reverse(data.presentations);
  std::ranges::reverse(data.components);
  CHECK(encode_catalog(data).value() == first);
}

TEST_CASE("Encoding a decoded catalog gives the same bytes", "[bundler][catalog]") {
  const ByteVector bytes = encode_catalog(samples::catalog()).value();
  const CatalogReader catalog = CatalogReader::open(bytes).value();
  CHECK(encode_catalog(samples::decode(catalog)).value() == bytes);
}

TEST_CASE("The catalog writer refuses inconsistent data", "[bundler][catalog]") {
  const auto code_of = [](const std::function<void(CatalogData&)>& spoil) {
    CatalogData data = samples::catalog();
    spoil(data);
    const Result<ByteVector> bytes = encode_catalog(data);
    REQUIRE_FALSE(bytes.has_value());
    return bytes.error().code;
  };
  CHECK(code_of([](CatalogData& data) { data.bundles.push_back(data.bundles[0]); }) ==
        ErrorCode::already_exists);
  CHECK(code_of([](CatalogData& data) { data.assets.push_back(data.assets[0]); }) ==
        ErrorCode::already_exists);
  CHECK(code_of([](CatalogData& data) { data.components.push_back(data.components[0]); }) ==
        ErrorCode::already_exists);
  CHECK(code_of([](CatalogData& data) {
          data.assets[0].bundle = BundleName::of_prefab(samples::guid(1000));
        }) == ErrorCode::not_found);
  CHECK(code_of([](CatalogData& data) {
          data.bundles[0].dependencies.push_back(data.bundles[0].name);
        }) == ErrorCode::invalid_argument);
  CHECK(code_of([](CatalogData& data) {
          data.bundles[0].dependencies.push_back(data.bundles[0].dependencies[0]);
        }) == ErrorCode::already_exists);
  CHECK(code_of([](CatalogData& data) { data.registries[0].entries[0].type_id = TypeId(65535); }) ==
        ErrorCode::limit_exceeded);
  CHECK(code_of([](CatalogData& data) { data.registries[0].entries[0].targets = {}; }) ==
        ErrorCode::invalid_argument);
  CHECK(code_of([](CatalogData& data) { data.assets[0].path = std::string(70000, 'x'); }) ==
        ErrorCode::limit_exceeded);
  CHECK(code_of([](CatalogData& data) { data.components[0].size_bytes += 1; }) ==
        ErrorCode::malformed);
}

TEST_CASE("Random registries resolve every assigned type id, and no other id",
          "[bundler][catalog]") {
  const std::uint64_t seed = 99;
  for (std::uint64_t run = 0; run < 30; ++run) {
    CAPTURE(seed + run);
    Random random(seed + run);
    CatalogData data;
    RegistryData& registry = data.registries.emplace_back();
    registry.class_name = "Item";
    std::map<std::uint32_t, Guid> lowest;
    const std::uint64_t count = random.below(300);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto type_id = static_cast<std::uint32_t>(random.below(run % 2 == 0 ? 400 : 65535));
      const Guid guid = samples::guid(random.below(1000000));
      registry.entries.push_back(
          {TypeId(type_id), guid, Guid(), std::to_string(i), TargetSet::both(), false});
      const auto [it, is_new] = lowest.try_emplace(type_id, guid);
      if (!is_new) it->second = std::min(it->second, guid);
    }
    const ByteVector bytes = encode_catalog(data).value();
    const CatalogReader catalog = CatalogReader::open(bytes).value();
    const CatalogRegistry items = catalog.find_registry("Item").value();
    std::uint32_t entries = 0;
    for (std::uint32_t t = 0; t <= TypeId::kMax; ++t) {
      const auto found = catalog.resolve(items, TypeId(t));
      REQUIRE(found.has_value() == lowest.contains(t));
      if (found) CHECK(found->guid == lowest.at(t));
      entries += catalog.entries_of(items, TypeId(t)).count;
    }
    CHECK(entries == count);
  }
}

}  // namespace
}  // namespace muster
