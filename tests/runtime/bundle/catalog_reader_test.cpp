#include "runtime/bundle/catalog_reader.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bundler/pack/catalog_writer.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/damage.h"
#include "tests/support/wrong_field.h"

namespace muster {
namespace {

using samples::guid;

ByteVector sample_bytes() { return encode_catalog(samples::catalog()).value(); }

TEST_CASE("A catalog resolves type id to guid to bundle to dependencies",
          "[runtime][bundle][catalog]") {
  const ByteVector bytes = sample_bytes();
  const CatalogReader catalog = CatalogReader::open(bytes).value();
  CHECK(catalog.target() == Target::server);
  CHECK(catalog.agreement() == hash_bytes(as_bytes("agreement")));

  const auto hero = catalog.resolve("ReplicatedEntity", TypeId(1));
  REQUIRE(hero.has_value());
  CHECK(hero->guid == guid(1));
  CHECK(hero->role == "prefab");
  CHECK_FALSE(hero->is_factory);
  CHECK(hero->targets == TargetSet(Target::server));
  const CatalogBundle bundle = catalog.bundle(hero->bundle);
  CHECK(bundle.name == BundleName::of_prefab(guid(1)));
  CHECK(bundle.name.path() == "bundles/" + guid(1).to_string() + ".mbundle");
  CHECK(bundle.file_bytes == 4000);
  REQUIRE(bundle.dependency_count == 1);
  const CatalogBundle shared = catalog.bundle(catalog.dependency(bundle, 0));
  CHECK(shared.name.kind == BundleKind::shared);
  CHECK(catalog.find_bundle(bundle.name) == hero->bundle);

  CHECK(catalog.resolve("ReplicatedEntity", TypeId(5))->is_factory);
  for (const std::uint32_t unassigned : {0U, 2U, 4U, 6U, 65534U, 0xFFFFFFFFU}) {
    CHECK_FALSE(catalog.resolve("ReplicatedEntity", TypeId(unassigned)).has_value());
  }
  CHECK_FALSE(catalog.resolve("HeroType", TypeId(0)).has_value());
  CHECK_FALSE(catalog.resolve("Nothing", TypeId(0)).has_value());
}

TEST_CASE("One type id may have several entries, distinguished by role",
          "[runtime][bundle][catalog]") {
  const ByteVector bytes = sample_bytes();
  const CatalogReader catalog = CatalogReader::open(bytes).value();
  const auto items = catalog.find_registry("Item");
  REQUIRE(items.has_value());
  CHECK(items->path == "Registries/Item.asset");
  const RecordRange pair = catalog.entries_of(*items, TypeId(0));
  REQUIRE(pair.count == 2);
  for (std::uint32_t i = pair.first; i < pair.first + pair.count; ++i) {
    CHECK(catalog.entry(i).owner == guid(60));
    CHECK(catalog.entry(i).type_id == TypeId(0));
  }
  CHECK(catalog.entry(pair.first).role != catalog.entry(pair.first + 1).role);
  CHECK(catalog.entries_of(*items, TypeId(1)).count == 0);
  const auto unpacked = catalog.resolve(*items, TypeId(2));
  REQUIRE(unpacked.has_value());
  CHECK(unpacked->asset == layout::kNone);
  CHECK(unpacked->bundle == layout::kNone);
}

TEST_CASE("A catalog finds assets, effects, presentations and components",
          "[runtime][bundle][catalog]") {
  const ByteVector bytes = sample_bytes();
  const CatalogReader catalog = CatalogReader::open(bytes).value();
  CHECK(catalog.find_asset(guid(3))->path == "Textures/Hero Größe.png");
  CHECK(catalog.bundle_of(guid(3)).has_value());
  CHECK_FALSE(catalog.bundle_of(guid(4)).has_value());
  CHECK_FALSE(catalog.find_asset(guid(5)).has_value());

  CHECK(catalog.find_effect(EffectKind::spatial, TypeId(3))->prefab == guid(1));
  CHECK(catalog.find_effect(EffectKind::hitscan, TypeId(3))->pool_size == 8);
  CHECK_FALSE(catalog.find_effect(EffectKind::hitscan, TypeId(1)).has_value());

  const auto find = [&](std::uint64_t owner, std::uint16_t platform, std::uint32_t type,
                        std::uint16_t variation) {
    const auto found =
        catalog.find_presentation({guid(owner), platform, PresentationType{type}, variation});
    return found ? found->presentation : Guid();
  };
  CHECK(find(1, kPlatformClient, 0, 0) == guid(2));
  CHECK(find(1, kPlatformServer, 0, 0) == Guid());
  CHECK(find(1, kPlatformClient, 0, 1) == guid(1));
  CHECK(find(1, kPlatformServer, 0, 1) == guid(1));
  CHECK(find(1, kPlatformServer, 7, 0) == guid(97));
  CHECK(find(1, kPlatformServer, 7, 1) == Guid());
  CHECK(find(3, kPlatformClient, 0, 0) == Guid());

  REQUIRE(catalog.component_count() == 2);
  CHECK(catalog.component(0).name == "Health");
  const ComponentDescription weapon =
      catalog.describe_component(catalog.find_component("Weapon").value());
  CHECK(weapon.hash() == samples::components()[0].hash());
  CHECK(weapon.default_value == samples::components()[0].default_value);
  CHECK_FALSE(catalog.find_component("Armour").has_value());
}

TEST_CASE("A catalog lists the axes of variants and the alternatives of bundles",
          "[runtime][bundle][catalog][variant]") {
  const ByteVector bytes = sample_bytes();
  const CatalogReader catalog = CatalogReader::open(bytes).value();
  REQUIRE(catalog.variant_value_count() == 5);
  CHECK(catalog.variant_value(0).axis == "platform");
  CHECK(catalog.variant_value(0).is_built_in);
  CHECK(catalog.variant_value(4).value == "high");
  CHECK(catalog.variant_value(4).is_default);
  const std::uint32_t shared = catalog.bundle_of(guid(3)).value();
  const RecordRange alternatives = catalog.alternatives_of(shared);
  REQUIRE(alternatives.count == 3);
  std::vector<std::string> keys;
  for (std::uint32_t i = 0; i < 3; ++i) {
    const CatalogAlternative one = catalog.alternative(alternatives.first + i);
    keys.push_back(keys_text(catalog, one));
    const BundleName name = catalog.bundle(one.alternative).name;
    CHECK(name == BundleName::of_variant(guid(3), keys.back()));
    CHECK(name.path() == "variants/" + name.to_string() + ".mbundle");
    CHECK(catalog.alternatives_of(one.alternative).count == 0);
  }
  CHECK(keys == std::vector<std::string>{"language=de", "language=de,quality=low", "quality=low"});
  CHECK(catalog.alternatives_of(0).count == 0);
}

TEST_CASE("An empty catalog is valid", "[runtime][bundle][catalog]") {
  const ByteVector bytes = encode_catalog({}).value();
  const CatalogReader catalog = CatalogReader::open(bytes).value();
  CHECK(catalog.bundle_count() == 0);
  CHECK_FALSE(catalog.resolve("Item", TypeId(0)).has_value());
  CHECK_FALSE(catalog.find_presentation({}).has_value());
}

TEST_CASE("A truncated or lengthened catalog is refused", "[runtime][bundle][catalog]") {
  damage::each_truncation(sample_bytes(), [](const ByteVector& shorter) {
    CAPTURE(shorter.size());
    REQUIRE(CatalogReader::open(shorter).error().code == ErrorCode::truncated);
  });
  ByteVector longer = sample_bytes();
  longer.push_back(std::byte{0});
  CHECK(CatalogReader::open(longer).error().code == ErrorCode::malformed);
}

TEST_CASE("Every flipped bit of a catalog is detected when it is opened",
          "[runtime][bundle][catalog]") {
  damage::each_flip(sample_bytes(), [](std::size_t offset, ByteVector& damaged) {
    CAPTURE(offset);
    REQUIRE_FALSE(CatalogReader::open(damaged).has_value());
  });
}

std::size_t section_at(const ByteVector& catalog, std::size_t index) {
  return std::to_integer<std::size_t>(catalog[64 + index * 16]) +
         std::to_integer<std::size_t>(catalog[64 + index * 16 + 1]) * 256;
}

TEST_CASE("Fields of a catalog with invalid values are refused", "[runtime][bundle][catalog]") {
  const ByteVector sane = sample_bytes();
  const auto section = [&](std::size_t index) { return section_at(sane, index); };
  const std::uint32_t huge = 0xFFFFFFFFU;
  const WrongField field = GENERATE_COPY(values<WrongField>({
      {0, 0, ErrorCode::malformed, "magic"},
      {8, 3, ErrorCode::unsupported_version, "version"},
      {8, 0x00010004, ErrorCode::malformed, "flags"},
      {12, 1, ErrorCode::malformed, "reserved"},
      {32, huge, ErrorCode::truncated, "file size"},
      {40, 3, ErrorCode::malformed, "target"},
      {40, 0x00010001, ErrorCode::malformed, "reserved beside the target"},
      {44, 14, ErrorCode::malformed, "section count"},
      {64, 0, ErrorCode::malformed, "section offset"},
      {68, huge, ErrorCode::limit_exceeded, "record count"},
      {68, 1U << 22U, ErrorCode::truncated, "record count within its bound"},
      {68, 2, ErrorCode::malformed, "record count one less"},
      {72, 57, ErrorCode::malformed, "record size"},
      {76, 1, ErrorCode::malformed, "reserved in the directory"},
      {64 + 12 * 16 + 4, huge, ErrorCode::truncated, "text size"},
      {section(0) + 40, 1, ErrorCode::malformed, "first dependency"},
      {section(0) + 44, huge, ErrorCode::malformed, "dependency count"},
      {section(0) + 48, 3, ErrorCode::malformed, "bundle kind"},
      {section(1), 6, ErrorCode::malformed, "dependency on no bundle"},
      {section(2) + 16, 6, ErrorCode::malformed, "asset in no bundle"},
      {section(2) + 20, 1, ErrorCode::malformed, "text offset"},
      {section(2) + 24, huge, ErrorCode::malformed, "text length"},
      {section(2) + 28, 1, ErrorCode::malformed, "reserved in an asset"},
      {section(3) + 32, 9, ErrorCode::malformed, "first entry"},
      {section(3) + 36, huge, ErrorCode::malformed, "entry count"},
      {section(3) + 40, 9, ErrorCode::malformed, "first slot"},
      {section(3) + 44, huge, ErrorCode::malformed, "slot count"},
      {section(4), 65535, ErrorCode::malformed, "type id"},
      {section(4) + 4, huge, ErrorCode::malformed, "bundle that is not the asset's"},
      {section(4) + 48, huge, ErrorCode::malformed, "asset index hidden"},
      {section(4) + 48, 3, ErrorCode::malformed, "asset index of another"},
      {section(4) + 52, 0, ErrorCode::malformed, "no target"},
      {section(4) + 52, 0x0201, ErrorCode::malformed, "entry flags"},
      {section(5), 1, ErrorCode::malformed, "slot"},
      {section(6), 65535, ErrorCode::malformed, "type id of an effect"},
      {section(6) + 28, 2, ErrorCode::malformed, "effect kind"},
      {section(7) + 44, 1, ErrorCode::malformed, "reserved in a presentation"},
      {section(8), 1, ErrorCode::hash_mismatch, "component hash"},
      {section(8) + 24, 4, ErrorCode::malformed, "component size"},
      {section(8) + 28, 3, ErrorCode::malformed, "alignment"},
      {section(8) + 32, 1, ErrorCode::malformed, "description offset"},
      {section(8) + 36, huge, ErrorCode::malformed, "description size"},
      {section(13), 0xFF, ErrorCode::malformed, "field count"},
  }));
  ByteVector damaged = samples::patched(sane, field.offset, field.value);
  samples::fix_hash(damaged);
  check_refused<CatalogReader>(damaged, field);
}

TEST_CASE("Variants of a catalog with invalid values are refused",
          "[runtime][bundle][catalog][variant]") {
  const ByteVector sane = sample_bytes();
  const auto section = [&](std::size_t index) { return section_at(sane, index); };
  const std::uint32_t huge = 0xFFFFFFFFU;
  const WrongField field = GENERATE_COPY(values<WrongField>({
      {section(9) + 4, 0, ErrorCode::malformed, "no axis"},
      {section(9) + 16, 3, ErrorCode::malformed, "a default that is built in"},
      {section(9) + 16, 0x00010001, ErrorCode::malformed, "reserved in a value"},
      {section(9) + 24 + 16, 2, ErrorCode::malformed, "a built-in value beside another"},
      {section(9) + 72 + 16, 1, ErrorCode::malformed, "two defaults"},
      {section(10), 6, ErrorCode::malformed, "alternative of no bundle"},
      {section(10), 3, ErrorCode::malformed, "alternative of a variant"},
      {section(10) + 16, 1, ErrorCode::malformed, "alternatives in another order"},
      {section(10) + 4, 6, ErrorCode::malformed, "alternative that is no bundle"},
      {section(10) + 4, 0, ErrorCode::malformed, "alternative that is a prefab's bundle"},
      {section(10) + 8, 1, ErrorCode::malformed, "first key"},
      {section(10) + 12, 0, ErrorCode::malformed, "no key"},
      {section(10) + 12, huge, ErrorCode::malformed, "key count"},
      {section(11), 5, ErrorCode::malformed, "key that is no value"},
      {section(11), 0, ErrorCode::malformed, "key that is built in"},
      {section(11), 3, ErrorCode::malformed, "keys in another order"},
      {section(11) + 8, 2, ErrorCode::malformed, "one key twice"},
  }));
  ByteVector damaged = samples::patched(sane, field.offset, field.value);
  samples::fix_hash(damaged);
  check_refused<CatalogReader>(damaged, field);
}

}  // namespace
}  // namespace muster
